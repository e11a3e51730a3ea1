"""``--on-error``: what becomes of segments that cannot be aligned, because their words repeat beyond all measure."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from meteor_e.api.tables import SystemInput
from meteor_e.base.errors import InputError, SegmentWarning

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric


def on_error_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option."""
    return click.option(
        "--on-error",
        type=click.Choice(["stop", "skip", "zero"]),
        default="stop",
        help="What becomes of a segment that cannot be aligned: an error, left out of all systems, or a score of 0. "
        "Segments keep their numbers.  [default: stop]",
    )(command)


def failing(metrics: Sequence[Metric], language: str) -> list[Metric]:
    """Return the metrics that cannot score every segment, ready for a language."""
    threaded = [metric for metric in metrics if metric.threaded]
    for metric in threaded:
        metric.prepare((), language)
    return [metric for metric in threaded if metric.on_error is not None]


def without_failures(
    systems: Sequence[SystemInput], metrics: Sequence[Metric], language: str
) -> tuple[list[SystemInput], tuple[int, ...]]:
    """Leave out of every system each segment that cannot be aligned in one of them, and warn of it.

    Systems stay comparable: all keep the same segments. They are read into memory and aligned once more.

    Args:
        systems: the systems.
        metrics: what scores them.
        language: ISO code of the text.

    Returns:
        The systems without these segments, and the numbers of the segments, from 1.

    Raises:
        InputError: if nothing of a system is left, or a segment has another fault.
    """
    read = [(system, list(system.pairs())) for system in systems]
    found: dict[int, str] = {}
    chains = failing(metrics, language)
    for system, pairs in read:
        texts, references = [text for text, _ in pairs], [each for _, each in pairs]
        for metric in chains:
            for place, error in metric.failures(texts, references).items():
                found.setdefault(place + 1, f"{system.name}: {error}")
    for number, fault in sorted(found.items()):
        where = " of all systems" if len(systems) > 1 else ""
        warnings.warn(f"segment {number} of {fault}; it is left out{where}", SegmentWarning, stacklevel=2)
    kept = []
    for system, pairs in read:
        left = [pair for number, pair in enumerate(pairs, 1) if number not in found]
        if pairs and not left:
            raise InputError(f"{system.name}: no segment can be aligned; there is nothing to score")
        kept.append(SystemInput(system.name, len(left), left.__iter__))
    return kept, tuple(sorted(found))
