"""Scores and statistics of many segments as columns of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.scoring.formula import PARTS, PLACES
from meteor_e.scoring.rows import Rows
from meteor_e.scoring.statistics import statistics_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    def of(cls, matchers: Sequence[str], prefix: str = "meteor_") -> ColumnNames:
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


class ScoredColumns(NamedTuple):
    """Scores of segments, one row per segment.

    Attributes:
        scores: ``(segments, parts)``, float64: the columns of :data:`PARTS`.
        reference_index: ``(segments,)``, int64.
        statistics: ``(segments, width)``, int64.
    """

    scores: NDArray[np.float64]
    reference_index: NDArray[np.int64]
    statistics: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Rows) -> ScoredColumns:
        """Return the columns of what METEOR found for a batch; parts that are undefined are 0."""
        import numpy as np

        arrays = rows.arrays()
        scores = np.nan_to_num(arrays.scores[:, PLACES], posinf=np.inf)
        return cls(scores, arrays.references.astype(np.int64), arrays.statistics)

    def named(self, names: ColumnNames) -> dict[str, NDArray[Any]]:
        """Return the columns by name."""
        import numpy as np

        return {
            **dict(zip(names.scores, np.ascontiguousarray(self.scores.T), strict=True)),
            names.reference_index: self.reference_index,
            **dict(zip(names.statistics, np.ascontiguousarray(self.statistics.T), strict=True)),
        }


class ColumnQueue:
    """Columns that are scored in batches of one size and written in batches of another."""

    def __init__(self) -> None:
        self._parts: list[ScoredColumns] = []
        self.size = 0

    def add(self, columns: ScoredColumns) -> None:
        """Add columns of the next segments."""
        self._parts.append(columns)
        self.size += len(columns.scores)

    def take(self, count: int) -> ScoredColumns:
        """Remove and return the columns of the first so many segments."""
        import numpy as np

        if len(self._parts) > 1:
            self._parts = [ScoredColumns._make(map(np.concatenate, zip(*self._parts, strict=True)))]
        (whole,) = self._parts
        self._parts = [ScoredColumns._make(column[count:] for column in whole)]
        self.size -= count
        return ScoredColumns._make(column[:count] for column in whole)
