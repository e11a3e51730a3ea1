"""The built-in matchers, which compare words, stems, synonyms, paraphrases, lemmas, n-grams or subsequences."""
