"""The command line, ``meteor-e``, and what commands of plugins are made with."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
