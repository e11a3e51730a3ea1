"""What a chain makes of segments, as arrays; aligned once where several metrics of a run ask for the same."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.base.array_cache import Floats, Integers
from meteor_e.base.errors import ConfigError
from meteor_e.scoring.formula import FormulaScores
from meteor_e.scoring.statistics import statistics_width

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor


class Aligned(NamedTuple):
    """Scores and statistics of segments, each with the reference that counts.

    Attributes:
        scores: ``(segments, 7)``, the fields of :class:`~meteor_e.scoring.formula.FormulaScores`; undefined ones are
            NaN.
        statistics: ``(segments, width)``, as :meth:`~meteor_e.scoring.statistics.Statistics.to_vector` orders them.
        references: which reference counts, ``(segments,)``.
    """

    scores: Floats
    statistics: Integers
    references: NDArray[np.int32]


class _Known:
    """Rows that a chain gave, and which texts they belong to."""

    def __init__(self, rows: Aligned) -> None:
        self.rows = rows
        self.places: dict[tuple[str, tuple[str, ...]], int] = {}


_shared: ContextVar[dict[str, _Known] | None] = ContextVar("aligned", default=None)


@contextlib.contextmanager
def aligned_once() -> Iterator[None]:
    """Remember within the block what :func:`aligned` finds, by the chain's signature and the texts.

    All texts of the block are kept, so it is for some thousand segments.
    """
    token = _shared.set({})
    try:
        yield
    finally:
        _shared.reset(token)


def aligned(
    meteor: Meteor, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, before: int = 0
) -> Aligned:
    """Align segments and score them.

    Args:
        meteor: the chain.
        hypotheses: one per segment.
        references: for each hypothesis its references.
        before: the number of segments before these, for messages.

    Raises:
        InputError: for a segment that cannot be aligned, unless :attr:`Meteor.on_error` is ``zero``.
        ConfigError: if :attr:`Meteor.on_error` is ``skip``, and a segment cannot be aligned.
    """
    shared = _shared.get()
    numbers = range(before + 1, before + len(hypotheses) + 1)
    if shared is None:
        return _aligned(meteor, hypotheses, references, numbers)[0]
    known = shared.get(meteor.signature)
    if known is None:
        empty = _arrays([], [], [], statistics_width(len(meteor.matchers)))
        known = shared[meteor.signature] = _Known(empty)
    keys = [(hypothesis, tuple(texts)) for hypothesis, texts in zip(hypotheses, references, strict=True)]
    new = [at for at, key in enumerate(keys) if key not in known.places]
    if new:
        of_new = [hypotheses[at] for at in new], [references[at] for at in new]
        fresh, failed = _aligned(meteor, *of_new, [numbers[at] for at in new])
        if failed:
            # Another metric may not tolerate what this one does.
            return _aligned(meteor, hypotheses, references, numbers)[0]
        first = len(known.rows.scores)
        both: Any = zip(known.rows, fresh, strict=True)
        known.rows = Aligned._make(map(np.concatenate, both))
        known.places |= {keys[at]: first + place for place, at in enumerate(new)}
    places = [known.places[key] for key in keys]
    arrays: Any = known.rows
    return Aligned._make(rows[places] for rows in arrays)


def _aligned(
    meteor: Meteor, hypotheses: Sequence[str], references: Sequence[Sequence[str]], numbers: Sequence[int]
) -> tuple[Aligned, bool]:
    """Return the rows, and whether there are segments among them that cannot be aligned."""
    scores, statistics, references_used, failed = [], [], [], False
    for batch, scored in meteor.scored_batches(hypotheses, references):
        for at, error in scored.failures.items():
            failed = True
            if not meteor.tolerates(error, numbers[batch.first - 1 + at]):
                raise ConfigError(
                    "a metric needs a row for every segment; a chain with on_error 'skip' leaves some out"
                )
        scores.append(scored.scores)
        statistics.append(scored.statistics)
        references_used.append(scored.best_references)
    return _arrays(scores, statistics, references_used, statistics_width(len(meteor.matchers))), failed


def _arrays(scores: Sequence[bytes], statistics: Sequence[bytes], references: Sequence[bytes], columns: int) -> Aligned:
    parts = np.frombuffer(b"".join(scores)).reshape(-1, len(FormulaScores._fields))
    counts = np.frombuffer(b"".join(statistics), np.int64).reshape(-1, columns)
    return Aligned(parts, counts, np.frombuffer(b"".join(references), np.int32))
