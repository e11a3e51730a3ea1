"""Minimum Bayes risk decoding: of the candidates of a source, the one with the best expected score."""
