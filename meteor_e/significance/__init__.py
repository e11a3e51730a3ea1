"""Is a difference more than chance? Resampling of segments, and tests of one system against another.

It works on statistics of segments, so that nothing is aligned again: see :func:`compare_systems`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.significance.resampling import (
        DEFAULT_SAMPLES,
        DEFAULT_SEED,
        Interval,
        draw_weights,
        interval,
        permutation_p,
        random_signs,
    )
    from meteor_e.significance.systems import (
        METHODS,
        Scorer,
        SystemTest,
        compare_pairs,
        compare_systems,
        meteor_scorer,
        meteor_statistics,
    )

__all__ = [
    "DEFAULT_SAMPLES",
    "DEFAULT_SEED",
    "METHODS",
    "Interval",
    "Scorer",
    "SystemTest",
    "compare_pairs",
    "compare_systems",
    "draw_weights",
    "interval",
    "meteor_scorer",
    "meteor_statistics",
    "permutation_p",
    "random_signs",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "resampling": [
            "DEFAULT_SAMPLES",
            "DEFAULT_SEED",
            "Interval",
            "draw_weights",
            "interval",
            "permutation_p",
            "random_signs",
        ],
        "systems": [
            "METHODS",
            "Scorer",
            "SystemTest",
            "compare_pairs",
            "compare_systems",
            "meteor_scorer",
            "meteor_statistics",
        ],
    },
)
