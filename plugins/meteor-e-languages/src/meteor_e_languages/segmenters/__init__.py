"""Segmenters for languages that do not write spaces between words."""
