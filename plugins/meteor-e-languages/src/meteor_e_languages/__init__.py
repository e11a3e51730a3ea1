"""Lemmatizers, synonyms and segmenters for the languages of meteor_e. Each component wraps an external program."""
