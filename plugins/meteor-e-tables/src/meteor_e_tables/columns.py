"""Scores and statistics of many segments as columns of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.base.errors import located
from meteor_e.engine.streaming import BATCH_CHARACTERS, BATCH_SEGMENTS, SegmentBatch
from meteor_e.scoring.formula import PARTS, FormulaScores
from meteor_e.scoring.statistics import as_summed, statistics_names, statistics_width

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from meteor_e import Meteor

PREFIX = "meteor_"
"""What the names of the columns begin with."""

_ORDER = [FormulaScores._fields.index(part) for part in PARTS]


class ColumnNames(NamedTuple):
    """Names of the columns that scoring adds.

    Attributes:
        scores: the score and its parts, float64.
        reference_index: which reference counted, from 0, int64.
        statistics: the sufficient statistics, int64, in the order of
            :meth:`meteor_e.scoring.statistics.Statistics.to_vector`.
    """

    scores: tuple[str, ...]
    reference_index: str
    statistics: tuple[str, ...]

    @classmethod
    def of(cls, matchers: Sequence[str], prefix: str = PREFIX) -> ColumnNames:
        """Name the columns of a chain; a matcher that it has twice is numbered.

        Args:
            matchers: names of the chain's matchers.
            prefix: what all names begin with.
        """
        seen: Counter[str] = Counter()
        numbered = []
        for matcher in matchers:
            seen[matcher] += 1
            numbered.append(matcher if seen[matcher] == 1 else f"{matcher}_{seen[matcher]}")
        return cls(
            tuple(prefix + part for part in PARTS),
            f"{prefix}reference_index",
            tuple(prefix + name for name in statistics_names(numbered)),
        )

    def all(self) -> tuple[str, ...]:
        """Return all names, in the order of the columns."""
        return (*self.scores, self.reference_index, *self.statistics)


class ScoredColumns(NamedTuple):
    """What some segments came to, one row per segment.

    Attributes:
        scores: ``(segments, parts)``, float64: the columns of :data:`PARTS`.
        reference_index: ``(segments,)``, int64.
        statistics: ``(segments, width)``, int64.
        total: the statistics as a corpus adds them up; see :class:`StatisticsSum`.
    """

    scores: NDArray[np.float64]
    reference_index: NDArray[np.int64]
    statistics: NDArray[np.int64]
    total: list[int]

    def named(self, names: ColumnNames) -> dict[str, NDArray[Any]]:
        """Return the columns by name."""
        import numpy as np

        return {
            **dict(zip(names.scores, np.ascontiguousarray(self.scores.T), strict=True)),
            names.reference_index: self.reference_index,
            **dict(zip(names.statistics, np.ascontiguousarray(self.statistics.T), strict=True)),
        }


def score_columns(
    meteor: Meteor,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    threads: int = 1,
    where: Callable[[int], str] = lambda row: f"row {row + 1}",
) -> ScoredColumns:
    """Score segments; the numbers are those of :meth:`meteor_e.Meteor.score`, bit for bit.

    Args:
        meteor: the metric.
        hypotheses: raw segments.
        references: raw references of each, at least one.
        threads: how many threads of this process work.
        where: says where a row is, for messages.

    Raises:
        MeteorError: for the first segment that has no score, named by ``where``.
    """
    import numpy as np

    size = statistics_width(len(meteor.matchers))
    total = [0] * size
    parts: list[ScoredColumns] = []
    for start, stop in _parts(hypotheses, references):
        part = _score(meteor, hypotheses[start:stop], references[start:stop], threads, where, start)
        total = [one + other for one, other in zip(total, part.total, strict=True)]
        parts.append(part)
    if len(parts) == 1:
        return parts[0]
    empty = ScoredColumns(np.empty((0, len(PARTS))), np.empty(0, np.int64), np.empty((0, size), np.int64), total)
    scores, indexes, statistics, _ = zip(empty, *parts, strict=True)
    return ScoredColumns(np.concatenate(scores), np.concatenate(indexes), np.concatenate(statistics), total)


def _parts(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Cut segments into pieces as long as those that :class:`~meteor_e.Meteor` reads ahead."""
    start, characters = 0, 0
    for row, (hypothesis, texts) in enumerate(zip(hypotheses, references, strict=True)):
        if row > start and (row - start >= BATCH_SEGMENTS or characters >= BATCH_CHARACTERS):
            yield start, row
            start, characters = row, 0
        characters += len(hypothesis) + sum(map(len, texts))
    if start < len(hypotheses):
        yield start, len(hypotheses)


def _score(
    meteor: Meteor,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    threads: int,
    where: Callable[[int], str],
    start: int,
) -> ScoredColumns:
    import numpy as np

    scored = meteor.score_batch(SegmentBatch(start + 1, hypotheses, references), threads)
    if scored.failures:
        row = min(scored.failures)
        with located(where(start + row)):
            raise scored.failures[row]
    scores = np.frombuffer(scored.scores).reshape(-1, len(PARTS))[:, _ORDER]
    return ScoredColumns(
        np.where(np.isnan(scores), 0.0, scores),
        np.frombuffer(scored.best_references, np.int32).astype(np.int64),
        np.frombuffer(scored.statistics, np.int64).reshape(len(hypotheses), -1),
        scored.total,
    )


def sum_statistics(statistics: NDArray[np.int64]) -> list[int]:
    """Add up the statistics of segments as a corpus does; :class:`StatisticsSum` says how.

    Args:
        statistics: ``(segments, width)``.
    """
    total: list[int] = as_summed(statistics).sum(0).tolist()
    return total
