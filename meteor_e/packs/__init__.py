"""Resource packs: function words, prefixes, synonyms and paraphrases of a language, memory-mapped.

A pack is a folder with a manifest; :class:`PackStore` installs, finds, verifies and removes them.
The indexes in it are described in ``docs/index-format.md``. Reading them imports neither numpy nor
what downloads and builds them.
"""
