"""Write tables of segments and scores for the options ``-o FILE.parquet`` and ``-o FILE.jsonl``."""

from __future__ import annotations

import contextlib
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e import Meteor
from meteor_e.api import ConfigError, Metric, System, SystemsMetric, TextColumns
from meteor_e.api.tables import ScoreRun, ScoreRunner
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, Rows, TableBatch, iterate_segments, make_batch
from meteor_e_tables.columns import ColumnNames, ColumnQueue, ScoredColumns, score_columns
from meteor_e_tables.jsonlines import ObjectRows
from meteor_e_tables.writers import JsonLinesWriter, ParquetWriter, table_writer

if TYPE_CHECKING:
    from meteor_e.api import Segment, TextTable
    from meteor_e.api.batches import Batch
    from meteor_e.api.scoring import BatchScorer


class TableRunner(ScoreRunner):
    """Write a Parquet or JSON Lines table of segments while the segments are scored.

    If METEOR is the only metric, the score, its parts and the statistics are added to the table. Otherwise, one column
    is added for each score that a metric computes.
    """

    name = "table"

    @contextlib.contextmanager
    def start(self, run: ScoreRun) -> Iterator[ScoreRun]:
        """Open the output table. Yield a scoring run that writes input columns and score columns to the table."""
        assert run.output is not None
        for metric in run.metrics:
            if isinstance(metric, SystemsMetric) and not metric.scores_segments:
                raise ConfigError(f"metric {metric.label} has no scores of segments; leave it out of the table")
        tables = _group_by_table(run.systems)
        with table_writer(run.output, _signatures(run.metrics), tables[0].table.schema()) as writer:
            output = _Output(run, tables, writer)
            yield run._replace(systems=output.systems, execute=output.execute)


def _signatures(metrics: Sequence[Metric]) -> str:
    """Return the signature of a single metric. For several metrics, return a line with label and signature for each."""
    if len(metrics) == 1:
        return metrics[0].signature
    return "\n".join(f"{metric.label}: {metric.signature}" for metric in metrics)


class _InputTable(NamedTuple):
    """Store an input table and the names of the systems in the table."""

    table: BatchedTable
    system_names: list[str]


class _Sink(NamedTuple):
    """Describe where the scores of one system are written.

    Attributes:
        prefix: the prefix of the column names.
        write: a function that writes the columns of a batch.
    """

    prefix: str
    write: Callable[[dict[str, Any]], None]


class _PendingRows:
    """The rows of an input table that are stored until the scores of all systems are available.

    Args:
        writer: the writer of the output table.
        n_systems: the number of systems in the input table.
    """

    def __init__(self, writer: ParquetWriter | JsonLinesWriter, n_systems: int) -> None:
        self._writer = writer
        self._rows: deque[Rows] = deque()
        self._queues = [ColumnQueue() for _ in range(n_systems)]

    def read_segments(self, table: BatchedTable, system: int) -> Iterator[Segment]:
        """Read the input table. Store all of its rows, and yield the segments of one system."""
        return iterate_segments(self._store_rows(table.batches(all_columns=True)), system)

    def _store_rows(self, batches: Iterable[TableBatch]) -> Iterator[TableBatch]:
        """Store the rows of each batch, and yield the batch."""
        for batch in batches:
            self._rows.append(batch.rows)
            yield batch

    def add_scores(self, system: int, columns: dict[str, Any]) -> None:
        """Add the scores of a system, and write the rows for which the scores of all systems are available.

        Args:
            system: the index of the system.
            columns: the scores of the system's next segments.
        """
        self._queues[system].add(columns)
        while self._rows and all(len(self._rows[0]) <= queue.size for queue in self._queues):
            self._write_rows(self._rows.popleft())

    def _write_rows(self, rows: Rows) -> None:
        """Write several rows. Each row receives the scores of all systems as new columns."""
        new_columns: dict[str, Any] = {}
        for queue in self._queues:
            new_columns.update(queue.take(len(rows)))
        self._writer.write(rows, new_columns)


class _Output:
    """Write the scores of all systems to one table.

    Systems from the same input table share its rows, and write their scores into adjacent columns. If there are several
    input tables, their rows are written one table after another.

    Args:
        run: the systems and metrics.
        tables: the input tables.
        writer: the writer of the output table.
    """

    def __init__(self, run: ScoreRun, tables: Sequence[_InputTable], writer: ParquetWriter | JsonLinesWriter) -> None:
        self._writer = writer
        self._run = run
        self._only_meteor = len(run.metrics) == 1 and isinstance(run.metrics[0], Meteor)
        default_prefix = "meteor_" if self._only_meteor else ""
        self._prefix = default_prefix if run.prefix is None else run.prefix
        self.systems: list[System] = []
        sinks: list[_Sink] = []
        for table, system_names in tables:
            sinks += self._add_table(table, system_names)
        self._sinks = iter(sinks)

    def _add_table(self, table: BatchedTable, names: Sequence[str]) -> Iterator[_Sink]:
        """Add the systems of an input table. For each system, yield an object that writes the system's scores."""
        pending_rows = _PendingRows(self._writer, len(names))
        for index, name in enumerate(names):
            # Rows can be written only when the last system is scored, so only the last system stores the input rows.
            is_last = index == len(names) - 1
            read = partial(pending_rows.read_segments, table, index) if is_last else partial(table.segments, index)
            self.systems.append(System(name, read, table.size))
            prefix = self._prefix if len(names) == 1 else f"{name}_{self._prefix}"
            yield _Sink(prefix, partial(pending_rows.add_scores, index))

    def execute(self, score: BatchScorer, batches: Iterator[Batch], threads: int | None) -> Iterator[tuple[Batch, Any]]:
        """Score the batches of the next system, write the scores, and yield each batch with its statistics."""
        sink = next(self._sinks)
        for batch, statistics in self._run.execute(score, batches, threads):
            sink.write(self._make_columns(score.metrics, statistics, sink.prefix))
            yield batch, statistics

    def _make_columns(self, metrics: Sequence[Metric], statistics: Sequence[Any], prefix: str) -> dict[str, Any]:
        """Return the columns that contain the scores of a batch."""
        meteor = metrics[0]
        if self._only_meteor and isinstance(meteor, Meteor):
            names = ColumnNames.from_matchers(meteor.matcher_names, prefix)
            return ScoredColumns.from_rows(statistics[0]).to_dict(names)
        return score_columns(metrics, statistics, prefix)


def _group_by_table(systems: Sequence[System]) -> list[_InputTable]:
    """Group consecutive systems by the input table that contains them.

    A table that cannot be read in batches is wrapped in a :class:`RecordTable`. If a system was not read from a table,
    or if the columns of the table cannot be copied, the system receives a table of its own.
    """
    input_tables = []
    for table, table_systems in itertools.groupby(systems, key=lambda system: system.table):
        batched_table = _to_batched_table(table)
        if batched_table is not None:
            input_tables.append(_InputTable(batched_table, [system.name for system in table_systems]))
        else:
            for system in table_systems:
                system_table = _make_system_table(system, with_name=len(systems) > 1)
                input_tables.append(_InputTable(system_table, [system.name]))
    return input_tables


def _to_batched_table(table: TextTable | None) -> BatchedTable | None:
    """Return a table that can be read in batches, or None if there is no table with columns to copy."""
    if table is None or isinstance(table, BatchedTable):
        return table
    if table.records() is None:
        return None
    return RecordTable(table.name, table.size, table.texts, table.records)


def _make_system_table(system: System, *, with_name: bool) -> RecordTable:
    """Return a table of the segments of a system, optionally with a column for the name of the system."""
    texts = TextColumns(references=("references",))
    read_records = partial(_read_records, system, with_name=with_name)
    return RecordTable(system.name, system.size, texts, read_records)


def _read_records(system: System, *, with_name: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the row number and the cells of each segment of a system.

    Args:
        system: the system.
        with_name: whether the cells contain the name of the system.
    """
    for number, segment in enumerate(system.read(), 1):
        cells: dict[str, Any] = {"system": system.name} if with_name else {}
        cells["segment"] = segment.id
        cells["hypothesis"] = segment.hypothesis
        cells["references"] = list(segment.references)
        yield number, cells


class RecordTable(BatchedTable):
    """Read a table whose rows are provided one by one, for example by another plugin.

    Args:
        name, size, texts: see :class:`meteor_e.api.TextTable`.
        records: a function that yields the number and the cells of each row; see
            :meth:`meteor_e.api.TextTable.records`.
    """

    def __init__(self, name: str, size: int | None, texts: TextColumns, records: Callable[[], Any]) -> None:
        self.name = name
        self.size = size
        self.texts = texts
        self._records = records

    def batches(self, all_columns: bool = False) -> Iterator[TableBatch]:
        """Read the table from the start. The batches always contain all columns."""
        records = self._records()
        while batch := list(itertools.islice(records, BATCH_ROWS)):
            yield self._make_batch(batch)

    def _make_batch(self, records: Sequence[tuple[int, Mapping[str, Any]]]) -> TableBatch:
        """Create a batch from several rows. Each row consists of a line number and the cells."""

        def locate(row: int) -> str:
            line_number, _ = records[row]
            return f"{self.name}, line {line_number}"

        text_cells = {}
        for column, _ in self.texts.options():
            text_cells[column] = [cells[column] for _, cells in records]
        rows = ObjectRows(self.name, [dict(cells) for _, cells in records])
        return make_batch(self.texts, text_cells, rows, locate)
