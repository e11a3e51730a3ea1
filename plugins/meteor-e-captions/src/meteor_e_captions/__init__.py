"""Image captioning without Java: metrics of captions, and the PTB tokenizer."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
