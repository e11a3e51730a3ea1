"""Image captioning without Java: the PTB tokenizer, and a program named ``java`` that runs METEOR's calls."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
