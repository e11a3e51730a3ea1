"""Features that meteor_e brings, what they count with, and what turns a list of features into a matrix.

The base classes are in :mod:`meteor_e.api`. :mod:`~meteor_e.features.counting` counts for all segments of a
batch at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
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
    from meteor_e.features.splitting import split

__all__ = [
    "FeatureSet",
    "FeatureStore",
    "MeteorFeature",
    "NamedFeature",
    "Pairs",
    "Tally",
    "characters",
    "mean_over_references",
    "numbered",
    "precision_recall_f",
    "segment_pairs",
    "split",
    "words",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "counting": [
            "Pairs",
            "Tally",
            "characters",
            "mean_over_references",
            "numbered",
            "precision_recall_f",
            "segment_pairs",
            "words",
        ],
        "extraction": ["FeatureSet", "FeatureStore", "NamedFeature"],
        "meteor": ["MeteorFeature"],
        "splitting": ["split"],
    },
)
