"""Functions and classes that normalize, segment, lemmatize and stem text."""
