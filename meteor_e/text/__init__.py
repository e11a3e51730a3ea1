"""Text: normalization, tokens, stemming."""
