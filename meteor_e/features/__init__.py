"""Features: from hypotheses and references to rows of numbers, for the learned metrics.

The base classes are in :mod:`~meteor_e.features.base`, what turns a list of features into a matrix in
:mod:`~meteor_e.features.extraction`; the other modules are features that meteor_e itself brings.
"""

from __future__ import annotations

from meteor_e.features.base import Feature, FeatureBatch, ReferenceFeature, SegmentFeature
from meteor_e.features.meteor import MeteorFeature

__all__ = ["Feature", "FeatureBatch", "MeteorFeature", "ReferenceFeature", "SegmentFeature"]
