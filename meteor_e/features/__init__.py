"""Features that meteor_e brings, and what turns a list of features into a matrix.

The base classes are in :mod:`meteor_e.api`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.features.extraction import FeatureSet, FeatureStore
    from meteor_e.features.words import split

__all__ = [
    "FeatureSet",
    "FeatureStore",
    "split",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "extraction": ["FeatureSet", "FeatureStore"],
        "words": ["split"],
    },
)
