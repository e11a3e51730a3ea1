"""Text: normalisation, tokens, stemming."""
