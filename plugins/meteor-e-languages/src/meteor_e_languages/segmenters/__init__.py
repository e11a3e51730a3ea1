"""Segmenters for languages that write no spaces between words."""
