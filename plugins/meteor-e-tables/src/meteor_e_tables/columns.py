"""Scores and statistics of segments as columns of numbers."""

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
        scores: the score and its parts (float64).
        reference_index: the index of the best reference, from 0 (int64).
        statistics: the statistics (int64), in the order of
            :meth:`meteor_e.scoring.statistics.Statistics.to_vector`.
    """

    scores: tuple[str, ...]
    reference_index: str
    statistics: tuple[str, ...]

    @classmethod
    def of(cls, matchers: Sequence[str], prefix: str = "meteor_") -> ColumnNames:
        """Return the column names of a chain; repeated matchers are numbered.

        Args:
            matchers: the names of the chain's matchers.
            prefix: the prefix of all column names.
        """
        counts: Counter[str] = Counter()
        unique_names = []
        for matcher in matchers:
            counts[matcher] += 1
            unique_names.append(matcher if counts[matcher] == 1 else f"{matcher}_{counts[matcher]}")
        return cls(
            tuple(prefix + part for part in PARTS),
            f"{prefix}reference_index",
            tuple(prefix + name for name in statistics_names(unique_names)),
        )


class ScoredColumns(NamedTuple):
    """Scores of segments, one row per segment.

    Attributes:
        scores: an array ``(segments, parts)`` with the columns :data:`PARTS`.
        reference_index: an array ``(segments,)``.
        statistics: an array ``(segments, width)``.
    """

    scores: NDArray[np.float64]
    reference_index: NDArray[np.int64]
    statistics: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Rows) -> ScoredColumns:
        """Return the columns of a batch; undefined parts of the score become 0."""
        import numpy as np

        arrays = rows.arrays()
        scores = np.nan_to_num(arrays.scores[:, PLACES], posinf=np.inf)
        return cls(scores, arrays.references.astype(np.int64), arrays.statistics)

    def to_dict(self, names: ColumnNames) -> dict[str, NDArray[Any]]:
        """Return the columns by name."""
        import numpy as np

        return {
            **dict(zip(names.scores, np.ascontiguousarray(self.scores.T), strict=True)),
            names.reference_index: self.reference_index,
            **dict(zip(names.statistics, np.ascontiguousarray(self.statistics.T), strict=True)),
        }


class ColumnQueue:
    """A queue of columns. Batches for writing can have a different size than batches for scoring."""

    def __init__(self) -> None:
        self._batches: list[ScoredColumns] = []
        self.size = 0

    def add(self, columns: ScoredColumns) -> None:
        """Add columns of the next segments."""
        self._batches.append(columns)
        self.size += len(columns.scores)

    def take(self, count: int) -> ScoredColumns:
        """Remove and return the columns of the first ``count`` segments."""
        import numpy as np

        if len(self._batches) > 1:
            self._batches = [ScoredColumns._make(map(np.concatenate, zip(*self._batches, strict=True)))]
        (columns,) = self._batches
        self._batches = [ScoredColumns._make(column[count:] for column in columns)]
        self.size -= count
        return ScoredColumns._make(column[:count] for column in columns)
