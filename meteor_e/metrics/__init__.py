"""Metrics: what scores segments under a name and a signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.metrics.chain_metric import ChainMetric, chain_statistics
    from meteor_e.metrics.specs import parse_metric, parse_metrics
    from meteor_e.metrics.system_table import SystemTable, SystemTexts, metric_score, render_systems, score_table

__all__ = [
    "ChainMetric",
    "SystemTable",
    "SystemTexts",
    "chain_statistics",
    "metric_score",
    "parse_metric",
    "parse_metrics",
    "render_systems",
    "score_table",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "chain_metric": ["ChainMetric", "chain_statistics"],
        "specs": ["parse_metric", "parse_metrics"],
        "system_table": ["SystemTable", "SystemTexts", "metric_score", "render_systems", "score_table"],
    },
)
