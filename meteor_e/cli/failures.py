"""``--on-error``: what becomes of segments that cannot be aligned, because their words repeat beyond all measure."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from meteor_e.api.tables import SystemInput
from meteor_e.base.errors import InputError, SegmentWarning

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor


def on_error_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option."""
    return click.option(
        "--on-error",
        type=click.Choice(["stop", "skip", "zero"]),
        default="stop",
        help="What becomes of a segment that cannot be aligned: an error, left out of all systems, or a score of 0. "
        "Segments keep their numbers.  [default: stop]",
    )(command)


def without_failures(
    systems: Sequence[SystemInput], meteors: Sequence[Meteor]
) -> tuple[list[SystemInput], tuple[int, ...]]:
    """Leave out of every system each segment that cannot be aligned in one of them, and warn of it.

    Systems stay comparable: all keep the same segments. They are read into memory and aligned once more.

    Args:
        systems: the systems.
        meteors: the chains that are to score them.

    Returns:
        The systems without these segments, and the numbers of the segments, from 1.

    Raises:
        InputError: if nothing of a system is left, or a segment has another fault.
    """
    read = [(system, list(system.pairs())) for system in systems]
    found: dict[int, str] = {}
    for system, pairs in read:
        for meteor in meteors:
            for number, error in _failures(meteor, pairs):
                found.setdefault(number, f"{system.name}: {error}")
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


def _failures(meteor: Meteor, pairs: Sequence[tuple[str, list[str]]]) -> Iterator[tuple[int, InputError]]:
    sides = [hypothesis for hypothesis, _ in pairs], [references for _, references in pairs]
    for batch, scored in meteor.scored_batches(*sides):
        for at, error in scored.failures.items():
            if not isinstance(error, InputError):
                raise error
            yield batch.first + at, error
