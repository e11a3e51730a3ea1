"""Define the matcher ``contextual``, which compares words in context, and the required sentence encoders."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
