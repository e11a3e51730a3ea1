"""Languages: what METEOR knows of each, read from YAML files."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
