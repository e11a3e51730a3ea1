"""What an engine returns for a batch: METEOR's statistics and scores, one row per segment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.base.errors import MeteorError
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import PARTS, PLACES, FormulaScores
from meteor_e.scoring.statistics import Statistics

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.base.array_cache import Floats, Integers


class RowArrays(NamedTuple):
    """Rows as arrays, each segment with its best reference.

    Attributes:
        scores: ``(segments, 6)``, the fields of :class:`~meteor_e.scoring.formula.FormulaScores`; undefined parts are
            NaN.
        statistics: ``(segments, width)``, as :meth:`~meteor_e.scoring.statistics.Statistics.to_vector` orders them.
        references: index of the best reference, ``(segments,)``.
    """

    scores: Floats
    statistics: Integers
    references: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rows:
    """METEOR's statistics and scores of the segments of a batch, each with its best-matching reference.

    ``len(rows)`` is the number of segments. ``numpy.asarray(rows)`` returns the statistics as a corpus adds them up,
    ``(segments, width)``.

    Attributes:
        statistics: int64 rows, as :meth:`Statistics.to_vector` orders them. A segment that cannot be aligned has its
            lengths and no match.
        scores: float64 rows, the fields of :class:`FormulaScores`; undefined parts are NaN.
        best_references: int32: index of the best reference of each segment.
        failures: index of a segment that cannot be aligned → the error.
        alignments: with the best references, ``None`` for a failure; empty if they were not asked for.
        total: the sum of the additive statistics of all segments without a failure, ``(width,)``.
    """

    statistics: bytes
    scores: bytes
    best_references: bytes
    failures: Mapping[int, MeteorError]
    alignments: Sequence[Alignment | None]
    total: list[int]

    def __len__(self) -> int:
        return len(self.best_references) // 4

    @property
    def count(self) -> int:
        """Number of segments that ``total`` is the sum of."""
        return len(self) - len(self.failures)

    def segments(self) -> Iterator[tuple[Statistics, FormulaScores, int]]:
        """Yield statistics, scores and the index of the best reference of each segment."""
        statistics: list[int] = memoryview(self.statistics).cast("q").tolist()
        scores: list[float] = memoryview(self.scores).cast("d").tolist()  # type: ignore[assignment]
        part_count, width = len(FormulaScores._fields), len(self.total)
        for index, reference in enumerate(memoryview(self.best_references).cast("i")):
            yield (
                Statistics.from_vector(statistics[index * width : (index + 1) * width]),
                FormulaScores._make(scores[index * part_count : (index + 1) * part_count]),
                reference,
            )

    def score_rows(self) -> list[list[float]]:
        """Return METEOR and its parts for each segment; undefined parts are 0."""
        numbers = memoryview(self.scores).cast("d").tolist()
        defined = [value if value == value else 0.0 for value in numbers]  # NaN is not equal to itself.
        width = len(PARTS)
        return [[defined[start + index] for index in PLACES] for start in range(0, len(defined), width)]

    def with_zeros(self) -> Rows:
        """Return the rows with each failure as a segment without a match, which has a score of 0."""
        if not self.failures:
            return self
        total, statistics = self.total, memoryview(self.statistics).cast("q").tolist()
        for index in self.failures:
            row = statistics[index * len(total) : (index + 1) * len(total)]
            total = [a + b for a, b in zip(total, row, strict=True)]
        return replace(self, failures={}, total=total)

    def arrays(self) -> RowArrays:
        """Return the rows as arrays; failures are rows without a match."""
        import numpy as np

        return RowArrays(
            np.frombuffer(self.scores).reshape(-1, len(FormulaScores._fields)),
            np.frombuffer(self.statistics, np.int64).reshape(-1, len(self.total)),
            np.frombuffer(self.best_references, np.int32),
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return additive statistics.

        Raises:
            MeteorError: for the first segment that cannot be aligned.
        """
        from meteor_e.scoring.statistics import as_summed

        for error in self.failures.values():
            raise error
        return as_summed(self.arrays().statistics).astype(float if dtype is None else dtype)


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Return the rows of consecutive batches as those of one batch."""
    if len(parts) == 1:
        return parts[0]
    starts = accumulate(map(len, parts), initial=0)
    failures: dict[int, MeteorError] = {}
    for start, part in zip(starts, parts, strict=False):
        failures.update((start + index, error) for index, error in part.failures.items())
    return Rows(
        statistics=b"".join(part.statistics for part in parts),
        scores=b"".join(part.scores for part in parts),
        best_references=b"".join(part.best_references for part in parts),
        failures=failures,
        alignments=[alignment for part in parts for alignment in part.alignments],
        total=[sum(column) for column in zip(*(part.total for part in parts), strict=True)],
    )
