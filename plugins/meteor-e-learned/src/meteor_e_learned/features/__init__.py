"""Features that need resources: corpora, word vectors, a tagger."""
