"""METEOR and METEOR-E for Python, without Java.

>>> from meteor_e import Meteor
>>> Meteor("en").score("the cat sat on the mat", ["a cat was sitting on the mat"]).score

All names of :mod:`meteor_e.api`, for plugins, are here, too. Names are imported when they are used, so that
``import meteor_e`` costs next to nothing.
"""

from meteor_e.base.lazy import lazy_names
from meteor_e.base.shielded_imports import shield_imports

shield_imports()
__getattr__, __dir__ = lazy_names(__name__)
