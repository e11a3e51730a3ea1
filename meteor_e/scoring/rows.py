"""METEOR's statistics and scores of a batch, with one row per segment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.base.errors import MeteorError
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import PART_INDEXES, PARTS, FormulaScores
from meteor_e.scoring.packed_alignments import PackedAlignments, join_packed
from meteor_e.scoring.statistics import Statistics

# NumPy is not imported here, because METEOR's scores do not need it and importing it takes time.
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.base.array_cache import Floats, Integers


class RowArrays(NamedTuple):
    """The rows of a batch as arrays.

    Attributes:
        scores: the fields of :class:`~meteor_e.scoring.formula.FormulaScores`, ``(segments, 6)``. Undefined parts are
            NaN.
        statistics: vectors of :meth:`~meteor_e.scoring.statistics.Statistics.to_vector`, ``(segments, width)``.
        references: index of the best reference of each segment, ``(segments,)``.
    """

    scores: Floats
    statistics: Integers
    references: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rows:
    """METEOR's statistics and scores of a batch's segments. Each segment is compared with its best reference.

    ``len(rows)`` is the number of segments. ``numpy.asarray(rows)`` returns an array of shape ``(segments, width)``,
    which contains a vector of statistics for each segment. The sum of these vectors gives the statistics of the corpus;
    see :func:`~meteor_e.scoring.statistics.to_additive`.

    Attributes:
        statistics: vectors of :meth:`Statistics.to_vector` as int64. A segment that cannot be aligned has its lengths,
            but no matches.
        scores: fields of :class:`FormulaScores` as float64. Undefined parts are NaN.
        best_references: index of the best reference of each segment as int32.
        failures: index of a segment that cannot be aligned → the error.
        alignments: alignments with the best references, ``None`` for failures; empty if they were not requested.
        total: sum of the additive statistics of all segments without a failure, ``(width,)``.
    """

    statistics: bytes
    scores: bytes
    best_references: bytes
    failures: Mapping[int, MeteorError]
    alignments: Sequence[Alignment | None]
    total: list[int]

    def __len__(self) -> int:
        return len(self.best_references) // 4

    def segments(self) -> Iterator[tuple[Statistics, FormulaScores, int]]:
        """Yield for each segment its statistics, its scores and the index of its best reference."""
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
        """Return the score of each segment, followed by the parts of the score. Undefined parts are 0."""
        values = memoryview(self.scores).cast("d").tolist()
        defined_values = [value if value == value else 0.0 for value in values]  # NaN is not equal to itself.
        starts = range(0, len(values), len(PARTS))
        return [[defined_values[start + index] for index in PART_INDEXES] for start in starts]

    def with_zeros(self) -> Rows:
        """Return a copy in which segments that cannot be aligned count as segments without matches."""
        if not self.failures:
            return self
        width = len(self.total)
        statistics = memoryview(self.statistics).cast("q").tolist()
        total = list(self.total)
        for index in self.failures:
            row = statistics[index * width : (index + 1) * width]
            for column, value in enumerate(row):
                total[column] += value
        return replace(self, failures={}, total=total)

    def arrays(self) -> RowArrays:
        """Convert the rows to arrays. If a segment cannot be aligned, the match counts in its row are 0."""
        import numpy as np

        return RowArrays(
            np.frombuffer(self.scores).reshape(-1, len(FormulaScores._fields)),
            np.frombuffer(self.statistics, np.int64).reshape(-1, len(self.total)),
            np.frombuffer(self.best_references, np.int32),
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the additive statistics.

        Raises:
            MeteorError: if a segment could not be aligned.
        """
        from meteor_e.scoring.statistics import to_additive

        for error in self.failures.values():
            raise error
        return to_additive(self.arrays().statistics).astype(float if dtype is None else dtype)


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Join the statistics, scores and alignments of consecutive batches."""
    if len(parts) == 1:
        return parts[0]
    failures: dict[int, MeteorError] = {}
    total = [0] * len(parts[0].total) if parts else []
    start = 0
    for part in parts:
        for index, error in part.failures.items():
            failures[start + index] = error
        for column, value in enumerate(part.total):
            total[column] += value
        start += len(part)
    return Rows(
        statistics=b"".join(part.statistics for part in parts),
        scores=b"".join(part.scores for part in parts),
        best_references=b"".join(part.best_references for part in parts),
        failures=failures,
        alignments=join_alignments([part.alignments for part in parts]),
        total=total,
    )


def join_alignments(parts: Sequence[Sequence[Alignment | None]]) -> Sequence[Alignment | None]:
    """Join the alignments of consecutive batches."""
    packed = [part for part in parts if isinstance(part, PackedAlignments)]
    if packed and len(packed) == len(parts):
        return join_packed(packed)
    return [alignment for part in parts for alignment in part]
