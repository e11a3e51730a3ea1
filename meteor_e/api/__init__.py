"""The public interface for plugins, with the base classes of matchers, metrics, features and other components.

A plugin imports its base classes from this package. Its tests import :mod:`meteor_e.testing`. All names can also be
imported from :mod:`meteor_e`. The manual, ``docs/plugins.md``, states the version in which each name was added.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
