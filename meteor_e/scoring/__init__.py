"""Counts the statistics of alignments, and computes scores from them."""
