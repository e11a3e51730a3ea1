"""Minimum Bayes risk decoding: of the candidates of a source, the one with the best expected score."""

from meteor_e.base import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
