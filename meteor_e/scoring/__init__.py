"""The statistics of alignments, and METEOR's formula, which computes scores from statistics."""
