"""Segment features. A model computes its scores from these features."""
