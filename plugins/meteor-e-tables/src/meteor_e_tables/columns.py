"""Convert the scores and statistics of segments to named columns of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.metrics import Metric, metric_values
from meteor_e.scoring.formula import PART_INDEXES, PARTS
from meteor_e.scoring.rows import Rows
from meteor_e.scoring.statistics import statistics_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ColumnNames(NamedTuple):
    """Store the names of the columns that contain the scores and statistics of METEOR.

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
    def from_matchers(cls, matchers: Sequence[str], prefix: str = "meteor_") -> ColumnNames:
        """Create the column names for a list of matchers. Numbers distinguish matchers of the same name.

        Args:
            matchers: the names of the matchers.
            prefix: the prefix of all column names.
        """
        counts: Counter[str] = Counter()
        unique_names = []
        for matcher in matchers:
            counts[matcher] += 1
            unique_names.append(matcher if counts[matcher] == 1 else f"{matcher}_{counts[matcher]}")
        return cls(
            scores=tuple(prefix + part for part in PARTS),
            reference_index=f"{prefix}reference_index",
            statistics=tuple(prefix + name for name in statistics_names(unique_names)),
        )


class ScoredColumns(NamedTuple):
    """Store METEOR scores and statistics in arrays that have one row per segment.

    Attributes:
        scores: an array ``(segments, parts)`` with the columns :data:`PARTS`.
        reference_index: an array ``(segments,)``.
        statistics: an array ``(segments, width)``.
    """

    scores: NDArray[np.float64]
    reference_index: NDArray[np.int64]
    statistics: NDArray[np.int64]

    @classmethod
    def from_rows(cls, rows: Rows) -> ScoredColumns:
        """Create the columns from the statistics of a batch. Undefined parts of the score become 0."""
        import numpy as np

        arrays = rows.arrays()
        scores = np.nan_to_num(arrays.scores[:, PART_INDEXES], posinf=np.inf)
        return cls(scores, arrays.references.astype(np.int64), arrays.statistics)

    def to_dict(self, names: ColumnNames) -> dict[str, NDArray[Any]]:
        """Return a dictionary from column names to columns."""
        import numpy as np

        columns: dict[str, NDArray[Any]] = dict(zip(names.scores, np.ascontiguousarray(self.scores.T), strict=True))
        columns[names.reference_index] = self.reference_index
        columns.update(zip(names.statistics, np.ascontiguousarray(self.statistics.T), strict=True))
        return columns


def score_columns(metrics: Sequence[Metric], statistics: Sequence[Any], prefix: str) -> dict[str, NDArray[Any]]:
    """Return the scores of segments as a dictionary with one column for each score that a metric computes.

    Args:
        metrics: the metrics that computed the statistics, after their preparation for the test set.
        statistics: for each metric, the statistics of a batch.
        prefix: the prefix of all column names.
    """
    import numpy as np

    columns = {}
    for metric, metric_statistics in zip(metrics, statistics, strict=True):
        segment_scores = metric.segment_scores(metric_statistics)
        values = np.asarray(metric_values(metric, segment_scores), float)  # (segments, values)
        # Each score is followed by its parts, which are not written to the table.
        widths = [1 + len(heading.parts) for heading in metric.headings]
        score_indexes = np.cumsum([0, *widths[:-1]])
        for heading, score_index in zip(metric.headings, score_indexes, strict=True):
            columns[prefix + heading.name] = np.ascontiguousarray(values[:, score_index])
    return columns


class ColumnQueue:
    """A queue of rows with named columns.

    Rows can be added and removed in blocks of different sizes.
    """

    def __init__(self) -> None:
        self._blocks: list[dict[str, NDArray[Any]]] = []
        self.size = 0

    def add(self, columns: dict[str, NDArray[Any]]) -> None:
        """Append the columns of the next segments."""
        self._blocks.append(columns)
        self.size += len(next(iter(columns.values())))

    def take(self, count: int) -> dict[str, NDArray[Any]]:
        """Remove the first ``count`` rows from all columns, and return the removed rows."""
        import numpy as np

        if len(self._blocks) > 1:
            names = self._blocks[0]
            self._blocks = [{name: np.concatenate([block[name] for block in self._blocks]) for name in names}]
        (block,) = self._blocks
        self._blocks = [{name: column[count:] for name, column in block.items()}]
        self.size -= count
        return {name: column[:count] for name, column in block.items()}
