"""Scoring: statistics of an alignment, parameters, and the formula that joins them."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
