"""Features: from hypotheses and references to rows of numbers, for the learned metrics.

The base classes are in :mod:`~meteor_e.features.base`; :mod:`~meteor_e.features.counting` has what features count
with, for all segments of a batch at once; :mod:`~meteor_e.features.extraction` turns a list of features into a matrix.
The other modules are features that meteor_e itself brings.
"""

from __future__ import annotations

from meteor_e.features.base import Feature, FeatureBatch, ReferenceFeature, SegmentFeature
from meteor_e.features.counting import (
    Pairs,
    Tally,
    characters,
    mean_over_references,
    numbered,
    precision_recall_f,
    segment_pairs,
    words,
)
from meteor_e.features.extraction import FeatureSet, FeatureStore, NamedFeature
from meteor_e.features.meteor import MeteorFeature
from meteor_e.features.words import split

__all__ = [
    "Feature",
    "FeatureBatch",
    "FeatureSet",
    "FeatureStore",
    "MeteorFeature",
    "NamedFeature",
    "Pairs",
    "ReferenceFeature",
    "SegmentFeature",
    "Tally",
    "characters",
    "mean_over_references",
    "numbered",
    "precision_recall_f",
    "segment_pairs",
    "split",
    "words",
]
