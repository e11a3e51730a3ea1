"""Metrics for image captions, and a Penn Treebank tokenizer. Neither requires Java."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
