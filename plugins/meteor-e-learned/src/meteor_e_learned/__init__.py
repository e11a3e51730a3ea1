"""Learned metrics for meteor_e: models that are ready by name, and what trains others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from meteor_e_learned.metric import LearnedMetric, load_metric

__version__ = "0.1.0"

__all__ = ["LearnedMetric", "load_metric"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from meteor_e_learned import metric

        return getattr(metric, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
