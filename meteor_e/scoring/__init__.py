"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""
