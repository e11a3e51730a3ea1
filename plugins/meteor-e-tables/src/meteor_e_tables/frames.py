"""pandas data frames: what Dask, Spark and Ray hand to a function, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e.api import InputError, TextColumns
from meteor_e.toolkit import StatisticsSum
from meteor_e_tables.batches import text_batch
from meteor_e_tables.cells import find_column, nested
from meteor_e_tables.columns import PREFIX, ColumnNames, sum_statistics
from meteor_e_tables.libraries import require
from meteor_e_tables.portable import PortableMetric

if TYPE_CHECKING:
    import pandas as pd

    from meteor_e import CorpusScore, Meteor

_SEGMENTS = "segments"


class FrameScorer:
    """Scores pandas data frames; it can be pickled, and makes the metric once a process.

    It is what Dask's ``map_partitions``, Spark's ``mapInPandas`` and Ray's ``map_batches`` call, and of use
    without them:

    >>> scorer = FrameScorer(Meteor("en"), hypothesis="mt", reference=["ref_a", "ref_b"])
    >>> scored = scorer(frame)
    >>> scorer.corpus_score(scorer.sums(scored)).score

    Args:
        meteor: the metric.
        hypothesis: column of the hypotheses.
        reference: column of the references, or several; a cell holds a text or a list of texts.
        prefix: what the names of the new columns begin with.

    Raises:
        ConfigError: if the metric cannot be sent to other processes; see :class:`PortableMetric`.
    """

    def __init__(
        self,
        meteor: Meteor | PortableMetric,
        hypothesis: str = "hypothesis",
        reference: str | Sequence[str] = "reference",
        prefix: str = PREFIX,
    ) -> None:
        self.metric = meteor if isinstance(meteor, PortableMetric) else PortableMetric.of(meteor)
        references = (reference,) if isinstance(reference, str) else tuple(reference)
        if not references:
            raise InputError("name at least one column of references")
        self.texts = TextColumns((hypothesis,), references)
        self.columns = ColumnNames.of(self.metric.matchers, prefix)
        """Names of the new columns."""

    def __call__(self, frame: pd.DataFrame, partition_info: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Return the frame with the new columns behind its own.

        Args:
            frame: with the columns of texts.
            partition_info: as Dask gives it: ``number`` is the partition's.

        Raises:
            InputError: if a column is missing, or a cell holds no text, with row and column.
        """
        place = "the data frame" if partition_info is None else f"partition {partition_info['number']}"
        return self._score(frame, place)

    def _score(self, frame: pd.DataFrame, place: str) -> pd.DataFrame:
        _check_frame(frame, place)
        fresh = self._fresh(frame, place)
        values = {}
        for path, column in self._paths(frame.columns, place):
            cells = frame[path[0]].tolist()
            values[column] = list(nested(cells, path, lambda row: f"{place}, row {row + 1}"))
        batch = text_batch(place, 1, self.texts, values, None)
        (scored,) = batch.score(self.metric.meteor())
        return fresh.assign(**scored.named(self.columns))

    def _paths(self, columns: Iterable[Any], place: str) -> Iterator[tuple[list[str], str]]:
        names = [str(name) for name in columns]
        for wanted, option in ((self.texts.hypotheses, "hypothesis="), (self.texts.references, "reference=")):
            for column in wanted:
                yield find_column(names, column, place, option), column

    def _fresh(self, frame: pd.DataFrame, place: str) -> pd.DataFrame:
        for name in self.columns.all():
            if name in frame.columns:
                raise InputError(f"{place} has a column {name!r} already; choose another prefix=")
        return frame

    def each(self, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """Score frames one by one: the function for Spark's ``mapInPandas``."""
        for number, frame in enumerate(frames):
            yield self._score(frame, f"batch {number} of the partition")

    def meta(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return an empty frame with the columns that scoring a frame gives.

        Raises:
            InputError: if a column is missing, or would be there twice.
        """
        place = "the data frame"
        list(self._paths(frame.columns, place))
        empty = self._fresh(frame, place).iloc[:0]
        kinds = dict.fromkeys(self.columns.scores, np.float64) | dict.fromkeys(
            (self.columns.reference_index, *self.columns.statistics), np.int64
        )
        return empty.assign(**{name: np.empty(0, kind) for name, kind in kinds.items()})

    def spark_schema(self) -> str:
        """Return the new columns as Spark's ``StructType`` texts spell them."""
        parts = [f"`{name}` double" for name in self.columns.scores]
        parts += [f"`{name}` bigint" for name in (self.columns.reference_index, *self.columns.statistics)]
        return ", ".join(parts)

    def sums(self, scored: pd.DataFrame) -> pd.DataFrame:
        """Add up the statistics of scored segments: a row with their number and the sums of the columns.

        The rows of several frames are what :meth:`corpus_score` takes.

        Raises:
            InputError: if the frame was not scored.
        """
        pandas = _check_frame(scored, "what is scored")
        names = list(self.columns.statistics)
        lacking = next((name for name in names if name not in scored.columns), None)
        if lacking is not None:
            raise InputError(f"the data frame has no column {lacking!r}; score it first")
        total = sum_statistics(scored[names].to_numpy(np.int64))
        return pandas.DataFrame([[len(scored), *total]], columns=[_SEGMENTS, *names], dtype=np.int64)

    def sums_of_each(self, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """Add up frames one by one: the function for Spark's ``mapInPandas``."""
        return map(self.sums, frames)

    def sums_meta(self) -> pd.DataFrame:
        """Return an empty frame with the columns of :meth:`sums`."""
        pandas = require("pandas", "a data frame", "pandas")
        return pandas.DataFrame({name: np.empty(0, np.int64) for name in (_SEGMENTS, *self.columns.statistics)})

    def sums_spark_schema(self) -> str:
        """Return the columns of :meth:`sums` as Spark spells them."""
        return ", ".join(f"`{name}` bigint" for name in (_SEGMENTS, *self.columns.statistics))

    def corpus_score(self, sums: pd.DataFrame) -> CorpusScore:
        """Return the score of a corpus, that of :meth:`meteor_e.Meteor.corpus`, bit for bit.

        Sums of whole numbers do not depend on their order.

        Args:
            sums: rows of :meth:`sums`, of all parts of the corpus.

        Raises:
            InputError: if there are no segments.
        """
        meteor = self.metric.meteor()
        total = StatisticsSum(len(self.metric.matchers))
        for segments, *vector in sums[[_SEGMENTS, *self.columns.statistics]].itertuples(index=False, name=None):
            total.add_total([int(value) for value in vector], int(segments))
        if not total.segments:
            raise InputError("there are no segments to score")
        return meteor.corpus_score(total)


def _check_frame(frame: object, what: str) -> Any:
    """Return pandas; refuse what is not a data frame."""
    pandas = require("pandas", "a data frame", "pandas")
    if not isinstance(frame, pandas.DataFrame):
        raise InputError(f"{what} must be a pandas DataFrame, not {type(frame).__name__}")
    return pandas
