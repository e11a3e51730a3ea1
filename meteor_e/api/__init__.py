"""The public contract of plugins: all that matchers, lemmatizers, segmenters, features and languages are made from.

A plugin imports this package and, for its tests, :mod:`meteor_e.testing`. The names are also at the top of
:mod:`meteor_e`. ``docs/plugins.md`` is the manual. It says in which version of the contract each name came.
"""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
