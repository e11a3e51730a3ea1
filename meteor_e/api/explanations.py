"""Explain score differences with the metrics that can explain their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from meteor_e.api.metrics import Explains, ExplainsSystem, Metric
from meteor_e.api.segments import System
from meteor_e.base.errors import ConfigError


class Explanation(NamedTuple):
    """A metric's explanation of the scores of a system, or of the score difference between two systems.

    Attributes:
        metric: label of the metric.
        baseline: name of the first system.
        system: name of the other system; empty if the explanation concerns only the first system.
        text: the explanation.
    """

    metric: str
    baseline: str
    system: str
    text: str


def explain_systems(metrics: Sequence[Metric], systems: Sequence[System]) -> list[Explanation]:
    """Explain why the scores of the first system differ from the scores of each other system.

    If there is only one system, explain its segment scores instead.

    Args:
        metrics: the metrics. Metrics that cannot explain their scores are ignored.
        systems: the systems, which are read again.

    Raises:
        ConfigError: if no metric explains its scores.
    """
    explaining_metrics = select_explaining_metrics(metrics, systems)
    if len(systems) == 1:
        return [_explain_system(metric, systems[0]) for metric in explaining_metrics]
    explanations = []
    for metric in explaining_metrics:
        for system in systems[1:]:
            explanations.append(_explain_difference(metric, systems[0], system))
    return explanations


def _explain_system(metric: Any, system: System) -> Explanation:
    """Explain the scores of the segments of a system."""
    texts = _read_texts(system)
    explanation = metric.explain_system(texts.hypotheses, texts.references, system.name, texts.sources)
    return Explanation(metric.label, system.name, "", explanation)


def _explain_difference(metric: Any, first: System, second: System) -> Explanation:
    """Explain why two systems have different scores."""
    texts = _read_texts(first)
    second_hypotheses = _read_texts(second).hypotheses
    names = (first.name, second.name)
    explanation = metric.explain(texts.hypotheses, second_hypotheses, texts.references, names, texts.sources)
    return Explanation(metric.label, first.name, second.name, explanation)


class _Texts(NamedTuple):
    """The texts of a system, one item per segment. The sources are ``None`` if a segment does not have a source."""

    hypotheses: list[str]
    references: list[tuple[str, ...]]
    sources: list[str] | None


def _read_texts(system: System) -> _Texts:
    """Read the texts of a system."""
    segments = list(system.read())
    sources = [segment.source for segment in segments if segment.source is not None]
    return _Texts(
        hypotheses=[segment.hypothesis for segment in segments],
        references=[segment.references for segment in segments],
        sources=sources if len(sources) == len(segments) else None,
    )


def select_explaining_metrics(metrics: Sequence[Metric], systems: Sequence[System]) -> list[Any]:
    """Return the metrics that can explain the scores of these systems.

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
