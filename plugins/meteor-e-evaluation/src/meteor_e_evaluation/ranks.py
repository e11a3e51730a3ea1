"""Ranks of metrics by clusters of significance, as WMT's result tables have them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from meteor_e_evaluation.comparison import Comparison

SIGNIFICANT = 0.05
"""p below which a difference counts."""


def cluster_ranks(values: Mapping[str, float], comparison: Comparison, level: float = SIGNIFICANT) -> dict[str, int]:
    """Rank metrics: a rank ends where a metric is significantly worse than one of that rank.

    From the best metric down, metrics share a rank until the first that is significantly worse than any metric of the
    rank; it begins the next one. Source: Freitag et al. (2022; 2023), "Results of the WMT22/WMT23 Metrics Shared
    Task".

    Args:
        values: the measure by metric; metrics without a value get no rank.
        comparison: tests of the metrics.
        level: p below which a difference counts.

    Returns:
        Metric → rank, from 1, best first.
    """
    at = {name: place for place, name in enumerate(comparison.names)}
    order = sorted((name for name in values if not math.isnan(values[name])), key=lambda name: -values[name])
    ranks: dict[str, int] = {}
    rank = 0
    cluster: list[str] = []
    for name in order:
        if not cluster or any(comparison.p[at[better], at[name]] < level for better in cluster):
            rank += 1
            cluster = []
        cluster.append(name)
        ranks[name] = rank
    return ranks
