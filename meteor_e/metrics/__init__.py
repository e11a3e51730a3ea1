"""Metrics: what scores segments under a name and a signature."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
