"""Define the matcher ``contextual``, which compares words in their sentences, and its sentence encoders."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
