"""METEOR and METEOR-E for Python, without Java.

>>> from meteor_e import Meteor
>>> Meteor("en").score("the cat sat on the mat", ["a cat was sitting on the mat"]).score

All names of :mod:`meteor_e.api`, for plugins, are here, too. Names are imported when they are used, so that
``import meteor_e`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e import api
from meteor_e._version import __version__
from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.api import *  # noqa: F403
    from meteor_e.meteor import Meteor
    from meteor_e.metrics.specs import load_metric
    from meteor_e.scoring.alignment import AlignedMatch, Alignment
    from meteor_e.scoring.parameters import Parameters
    from meteor_e.scoring.results import CorpusScore, SegmentScore
    from meteor_e.scoring.statistics import MatcherCounts, Statistics

__all__ = [
    "AlignedMatch",
    "Alignment",
    "CorpusScore",
    "MatcherCounts",
    "Meteor",
    "Parameters",
    "SegmentScore",
    "Statistics",
    "__version__",
    "load_metric",
]
__all__ += api.__all__

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "api": api.__all__,
        "meteor": ["Meteor"],
        "metrics.specs": ["load_metric"],
        "scoring.alignment": ["AlignedMatch", "Alignment"],
        "scoring.parameters": ["Parameters"],
        "scoring.results": ["CorpusScore", "SegmentScore"],
        "scoring.statistics": ["MatcherCounts", "Statistics"],
    },
)
