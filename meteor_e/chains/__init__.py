"""Chains: from a YAML file, a mapping or keyword arguments to everything that decides a score."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
