"""Match words and phrases by their stems, synonyms, paraphrases, lemmas, n-grams or subsequences."""
