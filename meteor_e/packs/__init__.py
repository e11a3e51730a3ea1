"""Resource packs: function words, prefixes, synonyms and paraphrases of a language, installed and mapped."""
