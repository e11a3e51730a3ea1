"""Compute the metrics METEOR and METEOR-E without Java.

>>> from meteor_e import Meteor
>>> Meteor("en").score("the cat sat on the mat", ["a cat was sitting on the mat"]).score

The package also exports all names of :mod:`meteor_e.api`, which plugins use. A name is imported on first access, so
that ``import meteor_e`` is fast.
"""

from meteor_e.base.lazy import lazy_names
from meteor_e.base.shielded_imports import shield_imports

shield_imports()
__getattr__, __dir__ = lazy_names(__name__)
