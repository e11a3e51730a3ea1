"""Minimum Bayes risk decoding, which chooses the candidate with the best expected score for each source sentence."""
