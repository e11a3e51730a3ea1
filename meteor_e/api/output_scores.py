"""Score the outputs of whole systems, for metrics that do not score segments one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.metrics import Scores, SystemOutputs, SystemsMetric
from meteor_e.api.segments import Segment, System
from meteor_e.base.errors import InputError, plugin_errors
from meteor_e.base.progress import Progress

# NumPy is not imported here, because METEOR's scores do not need it and importing it takes time.
if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


def describe_empty_system(system: System) -> str:
    """Return the error message for a system without segments."""
    return f"{system.name} is empty; there is nothing to score"


class OutputScores(NamedTuple):
    """The scores that a metric for whole systems assigns to the output of one system.

    Attributes:
        score: score of the system.
        statistics: for each segment its score, and 1.
        details: details of the system for JSON.
        segment_details: details of the segments for JSON; empty if there are none.
    """

    score: float
    statistics: Floats
    details: Mapping[str, Any] | None
    segment_details: Sequence[Mapping[str, Any]]


def score_outputs(metric: SystemsMetric, systems: Sequence[System], progress: Progress) -> list[OutputScores]:
    """Score the output of each system under a metric that scores whole systems.

    Args:
        metric: the metric.
        systems: the systems.
        progress: called with the progress of the metric.

    Raises:
        InputError: if segments have different numbers of references, or systems have different references.
    """
    groups = [systems]
    if not metric.compares_systems:
        # The metric scores the systems independently. To save memory, only one system is read at a time.
        groups = [[system] for system in systems]
    outputs = []
    for group in groups:
        test_set = _read_outputs(metric, group)
        with plugin_errors(f"metric {metric.name!r}"):
            scores = metric.score_shown_systems(test_set, progress=progress)
        for index in range(len(group)):
            outputs.append(_select_output(scores, index))
    return outputs


def _select_output(scores: Scores, index: int) -> OutputScores:
    """Return the scores of the system with this index."""
    import numpy as np

    segments = scores.segments[index]
    return OutputScores(
        score=float(scores.systems[index]),
        statistics=np.stack([segments, np.ones(len(segments))], axis=1),
        details=scores.details[index] if scores.details else None,
        segment_details=scores.segment_details[index] if scores.segment_details else (),
    )


def _read_outputs(metric: SystemsMetric, systems: Sequence[System]) -> SystemOutputs:
    """Read the outputs of systems and their references into memory.

    Raises:
        InputError: if segments have different numbers of references, or systems have different references.
    """
    segments_by_system = [list(system.read()) for system in systems]
    references_by_segment = _common_references(metric, systems, segments_by_system)
    reference_translations = zip(*references_by_segment, strict=True)
    return SystemOutputs(
        name="",  # The systems do not belong to a named test set.
        pair="",
        language=metric.language,
        systems=tuple(system.name for system in systems),
        outputs=tuple([segment.hypothesis for segment in segments] for segments in segments_by_system),
        references=tuple(list(translation) for translation in reference_translations),
    )


def _common_references(
    metric: SystemsMetric, systems: Sequence[System], segments_by_system: Sequence[Sequence[Segment]]
) -> list[tuple[str, ...]]:
    """Return the references of each segment, after checking that all systems have the same references."""
    common_references = [segment.references for segment in segments_by_system[0]]
    if len({len(references) for references in common_references}) > 1:
        raise InputError(f"metric {metric.label}: all segments need the same number of references")
    for system, segments in zip(systems, segments_by_system, strict=True):
        if not segments:
            raise InputError(describe_empty_system(system))
        if [segment.references for segment in segments] != common_references:
            raise InputError(_describe_different_references(metric.label, systems[0].name, system.name))
    return common_references


def _describe_different_references(label: str, first_system: str, system: str) -> str:
    """Return the error message for two systems that a metric cannot compare because their references differ."""
    return (
        f"metric {label}: {first_system} and {system} have different references; the metric compares systems on the "
        "same segments"
    )
