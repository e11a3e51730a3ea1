"""Choose the candidate with the best expected score for each source sentence (minimum Bayes risk decoding)."""
