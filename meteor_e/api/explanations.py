"""Explain score differences with the metrics that can explain their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from meteor_e.api.metrics import Explains, ExplainsSystem, Metric
from meteor_e.api.segments import Segment, System
from meteor_e.base.errors import ConfigError


def explain_systems(metrics: Sequence[Metric], systems: Sequence[System]) -> list[tuple[str, str, str, str]]:
    """Explain why the scores of the first system differ from the scores of each other system.

    For a single system, the segment scores are explained, and the second name in the result is empty.

    Args:
        metrics: the metrics. Metrics that cannot explain their scores are ignored.
        systems: the systems, which are read again.

    Returns:
        For each explanation the label of the metric, the name of the first system, the name of the other system, and
        the text.

    Raises:
        ConfigError: if no metric explains its scores.
    """
    explaining_metrics = check_explanations(metrics, systems)
    first_name = systems[0].name
    segments = list(systems[0].read())
    hypotheses = [segment.hypothesis for segment in segments]
    references = [segment.references for segment in segments]
    sources = _list_sources(segments)
    explanations = []
    if len(systems) == 1:
        for metric in explaining_metrics:
            explanation = metric.explain_system(hypotheses, references, first_name, sources)
            explanations.append((metric.label, first_name, "", explanation))
        return explanations
    other_outputs = [[segment.hypothesis for segment in system.read()] for system in systems[1:]]
    for metric in explaining_metrics:
        for system, other_hypotheses in zip(systems[1:], other_outputs, strict=True):
            names = (first_name, system.name)
            explanation = metric.explain(hypotheses, other_hypotheses, references, names, sources)
            explanations.append((metric.label, *names, explanation))
    return explanations


def _list_sources(segments: Sequence[Segment]) -> list[str] | None:
    """Return the sources of all segments, or ``None`` if a segment does not have a source."""
    sources = [segment.source for segment in segments if segment.source is not None]
    return sources if len(sources) == len(segments) else None


def check_explanations(metrics: Sequence[Metric], systems: Sequence[System]) -> list[Any]:
    """Return the metrics that explain their scores.

    Raises:
        ConfigError: if no metric explains its scores, or if there is one system and no metric explains a single system.
    """
    explaining_metrics = [metric for metric in metrics if isinstance(metric, Explains)]
    if not explaining_metrics:
        raise ConfigError("--explain: none of these metrics explains its scores; models do, such as -M en-light")
    if len(systems) > 1:
        return explaining_metrics
    system_metrics = [metric for metric in explaining_metrics if isinstance(metric, ExplainsSystem)]
    if not system_metrics:
        raise ConfigError("--explain: these metrics compare systems with the first one; give two or more systems")
    return system_metrics
