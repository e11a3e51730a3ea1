"""Data frames of pandas, Polars and Arrow: what Dask, Spark and Ray hand to a function, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from meteor_e.api import InputError, TextColumns
from meteor_e.scoring.statistics import StatisticsSum
from meteor_e_tables.batches import text_batch
from meteor_e_tables.cells import find_column, nested
from meteor_e_tables.columns import PREFIX, ColumnNames, sum_statistics
from meteor_e_tables.libraries import require
from meteor_e_tables.portable import PortableMetric

if TYPE_CHECKING:
    from meteor_e import CorpusScore, Meteor

_SEGMENTS = "segments"


class FrameScorer:
    """Scores data frames; it can be pickled, and makes the metric once a process.

    A frame is one of pandas, of Polars, or an Arrow table; what is returned is of the same kind.

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

    def __call__(self, frame: Any, partition_info: Mapping[str, Any] | None = None) -> Any:
        """Return the frame with the new columns behind its own.

        Args:
            frame: with the columns of texts.
            partition_info: as Dask gives it: ``number`` is the partition's.

        Raises:
            InputError: if a column is missing, or a cell holds no text, with row and column.
        """
        place = "the data frame" if partition_info is None else f"partition {partition_info['number']}"
        return self._score(frame, place)

    def _score(self, frame: Any, place: str) -> Any:
        fresh = self._fresh(frame, place)
        values = {}
        for path, column in self._paths(fresh.columns, place):
            cells = fresh.get_column(path[0]).to_list()
            values[column] = list(nested(cells, path, lambda row: f"{place}, row {row + 1}"))
        batch = text_batch(place, 1, self.texts, values, None)
        (scored,) = batch.score(self.metric.meteor())
        return _with_columns(fresh, scored.named(self.columns))

    def _paths(self, columns: Iterable[Any], place: str) -> Iterator[tuple[list[str], str]]:
        names = [str(name) for name in columns]
        for wanted, option in ((self.texts.hypotheses, "hypothesis="), (self.texts.references, "reference=")):
            for column in wanted:
                yield find_column(names, column, place, option), column

    def _fresh(self, frame: Any, place: str) -> nw.DataFrame[Any]:
        found = _frame(frame, place)
        for name in self.columns.all():
            if name in found.columns:
                raise InputError(f"{place} has a column {name!r} already; choose another prefix=")
        return found

    def each(self, frames: Iterable[Any]) -> Iterator[Any]:
        """Score frames one by one: the function for Spark's ``mapInPandas``."""
        for number, frame in enumerate(frames):
            yield self._score(frame, f"batch {number} of the partition")

    def meta(self, frame: Any) -> Any:
        """Return an empty frame with the columns that scoring a frame gives.

        Raises:
            InputError: if a column is missing, or would be there twice.
        """
        place = "the data frame"
        empty = self._fresh(frame, place).head(0)
        list(self._paths(empty.columns, place))
        kinds = dict.fromkeys(self.columns.scores, np.float64) | dict.fromkeys(
            (self.columns.reference_index, *self.columns.statistics), np.int64
        )
        return _with_columns(empty, {name: np.empty(0, kind) for name, kind in kinds.items()})

    def spark_schema(self) -> str:
        """Return the new columns as Spark's ``StructType`` texts spell them."""
        parts = [f"`{name}` double" for name in self.columns.scores]
        parts += [f"`{name}` bigint" for name in (self.columns.reference_index, *self.columns.statistics)]
        return ", ".join(parts)

    def sums(self, scored: Any) -> Any:
        """Add up the statistics of scored segments: a row with their number and the sums of the columns.

        The rows of several frames are what :meth:`corpus_score` takes.

        Raises:
            InputError: if the frame was not scored.
        """
        frame = _frame(scored, "what is scored")
        names = list(self.columns.statistics)
        lacking = next((name for name in names if name not in frame.columns), None)
        if lacking is not None:
            raise InputError(f"the data frame has no column {lacking!r}; score it first")
        total = sum_statistics(frame.select(names).to_numpy().astype(np.int64))
        columns = zip((_SEGMENTS, *names), (len(frame), *total), strict=True)
        values = {name: np.array([value], np.int64) for name, value in columns}
        return nw.from_dict(values, backend=frame.implementation).to_native()

    def sums_of_each(self, frames: Iterable[Any]) -> Iterator[Any]:
        """Add up frames one by one: the function for Spark's ``mapInPandas``."""
        return map(self.sums, frames)

    def sums_meta(self) -> Any:
        """Return an empty frame of pandas with the columns of :meth:`sums`."""
        pandas = require("pandas", "a data frame", "pandas")
        return pandas.DataFrame({name: np.empty(0, np.int64) for name in (_SEGMENTS, *self.columns.statistics)})

    def sums_spark_schema(self) -> str:
        """Return the columns of :meth:`sums` as Spark spells them."""
        return ", ".join(f"`{name}` bigint" for name in (_SEGMENTS, *self.columns.statistics))

    def corpus_score(self, sums: Any) -> CorpusScore:
        """Return the score of a corpus, that of :meth:`meteor_e.Meteor.corpus`, bit for bit.

        Sums of whole numbers do not depend on their order.

        Args:
            sums: rows of :meth:`sums`, of all parts of the corpus.

        Raises:
            InputError: if there are no segments.
        """
        meteor = self.metric.meteor()
        total = StatisticsSum(len(self.metric.matchers))
        rows = _frame(sums, "the sums").select(_SEGMENTS, *self.columns.statistics).rows()
        for segments, *vector in rows:
            total.add_total([int(value) for value in vector], int(segments))
        if not total.segments:
            raise InputError("there are no segments to score")
        return meteor.corpus_score(total)


def _frame(frame: object, what: str) -> nw.DataFrame[Any]:
    """Return a data frame in the one shape that all libraries have; refuse what is none."""
    try:
        found: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)  # type: ignore[call-overload]
        found.schema  # noqa: B018 (looks for names that are there twice)
        return found
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"{what} has two columns of one name: {' '.join(str(error).split())}") from None
    except TypeError:
        kind = type(frame)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        raise InputError(f"{what} must be a data frame of pandas or Polars, or an Arrow table, not {name}") from None


def _with_columns(frame: nw.DataFrame[Any], values: Mapping[str, Any]) -> Any:
    """Return the native frame with further columns."""
    backend = frame.implementation
    series = [nw.new_series(name, column, backend=backend) for name, column in values.items()]  # type: ignore[arg-type]
    return frame.with_columns(*series).to_native()
