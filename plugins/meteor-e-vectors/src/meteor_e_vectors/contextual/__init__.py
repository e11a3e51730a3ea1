"""Words compared in their sentence: the matcher ``contextual``, and the encoders that it reads."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
