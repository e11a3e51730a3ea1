"""Metrics of image captions and the Penn Treebank tokenizer, without Java."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
