"""Metrics, such as BLEU and chrF, and functions that create metrics from specifications."""
