"""Matchers for words that are alike inside: accents, scripts, parts of compounds, learned pieces."""
