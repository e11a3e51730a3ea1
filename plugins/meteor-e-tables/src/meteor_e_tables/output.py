"""Tables of segments with their scores: ``-o FILE.parquet`` and ``-o FILE.jsonl``."""

from __future__ import annotations

import contextlib
import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e import Meteor
from meteor_e.api import ConfigError, Metric, System, SystemsMetric, TextColumns
from meteor_e.api.tables import ScoreRun, ScoreRunner
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, Rows, TableBatch, make_batch
from meteor_e_tables.columns import ColumnNames, ColumnQueue, ScoredColumns, score_columns
from meteor_e_tables.jsonlines import ObjectRows
from meteor_e_tables.writers import JsonLinesWriter, ParquetWriter, table_writer

if TYPE_CHECKING:
    from meteor_e.api.batches import Batch
    from meteor_e.api.scoring import BatchScorer


class TableRunner(ScoreRunner):
    """Writes a table of segments, Parquet or JSON Lines, while they are scored.

    If METEOR is the only metric, the table gets its score, the parts of the score and the statistics. Otherwise it
    gets one column per metric.
    """

    name = "table"

    @contextlib.contextmanager
    def start(self, run: ScoreRun) -> Iterator[ScoreRun]:
        """Keep all columns of the input, and write them with those of the scores."""
        assert run.output is not None
        for metric in run.metrics:
            if isinstance(metric, SystemsMetric) and not metric.scores_segments:
                raise ConfigError(f"metric {metric.label} has no scores of segments; leave it out of the table")
        tables = _group_by_table(run.systems)
        with table_writer(run.output, _signatures(run.metrics), tables[0][0].schema()) as writer:
            output = _Output(run, tables, writer)
            yield run._replace(systems=output.systems, execute=output.execute)


def _signatures(metrics: Sequence[Metric]) -> str:
    """Return the signature of a metric, or a line with label and signature for each of several."""
    if len(metrics) == 1:
        return metrics[0].signature
    return "\n".join(f"{metric.label}: {metric.signature}" for metric in metrics)


class _Sink(NamedTuple):
    """Where the columns of a system are written.

    Attributes:
        prefix: the prefix of the names of the columns.
        write: writes the columns of a batch.
    """

    prefix: str
    write: Callable[[dict[str, Any]], None]


class _Output:
    """Maps systems to their table: systems of one table are written side by side, others one below the other."""

    def __init__(
        self, run: ScoreRun, tables: Sequence[tuple[BatchedTable, list[str]]], writer: ParquetWriter | JsonLinesWriter
    ) -> None:
        self.writer, self._run = writer, run
        self._only_meteor = len(run.metrics) == 1 and isinstance(run.metrics[0], Meteor)
        self._prefix = "meteor_" if self._only_meteor else ""
        if run.prefix is not None:
            self._prefix = run.prefix
        self.systems: list[System] = []
        sinks: list[_Sink] = []
        for table, names in tables:
            sinks += self._add_table(table, names)
        self._sinks = iter(sinks)

    def _add_table(self, table: BatchedTable, names: Sequence[str]) -> Iterator[_Sink]:
        """Add the systems of a table; yield a sink for the columns of each system."""
        rows: deque[Rows] = deque()
        queues = [ColumnQueue() for _ in names]
        for index, name in enumerate(names):
            is_last = index == len(names) - 1
            read = partial(table.segments, index, rows if is_last else None)
            self.systems.append(System(name, read, table.size))
            prefix = self._prefix if len(names) == 1 else f"{name}_{self._prefix}"
            yield _Sink(prefix, partial(self._write, queues, index, rows))

    def execute(self, score: BatchScorer, batches: Iterator[Batch], threads: int | None) -> Iterator[tuple[Batch, Any]]:
        """Score the batches of the next system, and write its rows."""
        sink = next(self._sinks)
        for batch, statistics in self._run.execute(score, batches, threads):
            sink.write(self._make_columns(score.metrics, statistics, sink.prefix))
            yield batch, statistics

    def _make_columns(self, metrics: Sequence[Metric], statistics: Sequence[Any], prefix: str) -> dict[str, Any]:
        """Return the columns of a batch by name."""
        meteor = metrics[0]
        if self._only_meteor and isinstance(meteor, Meteor):
            return ScoredColumns.from_rows(statistics[0]).to_dict(
                ColumnNames.from_matchers(meteor.matcher_names, prefix)
            )
        return score_columns(metrics, statistics, prefix)

    def _write(self, queues: Sequence[ColumnQueue], index: int, rows: deque[Rows], columns: dict[str, Any]) -> None:
        """Write the rows whose scores are known; those of all systems but the last wait in memory."""
        queues[index].add(columns)
        while rows and len(rows[0]) <= queues[-1].size:
            block = rows.popleft()
            added: dict[str, Any] = {}
            for queue in queues:
                added.update(queue.take(len(block)))
            self.writer.write(block, added)


def _group_by_table(systems: Sequence[System]) -> list[tuple[BatchedTable, list[str]]]:
    """Return the tables with the names of their systems. Each system without a table becomes a table."""
    tables: list[tuple[BatchedTable, list[str]]] = []
    for table, group in itertools.groupby(systems, key=lambda system: system.table):
        table_systems = list(group)
        names = [system.name for system in table_systems]
        if isinstance(table, BatchedTable):
            tables.append((table, names))
        elif table is not None and table.records() is not None:
            tables.append((RecordTable(table.name, table.size, table.texts, table.records), names))
        else:
            texts = TextColumns(references=("references",))
            for system in table_systems:
                read_records = partial(_read_records, system, with_name=len(systems) > 1)
                tables.append((RecordTable(system.name, system.size, texts, read_records), [system.name]))
    return tables


def _read_records(system: System, *, with_name: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the segments of a system as numbered rows, with the name of the system if ``with_name`` is true."""
    prefix = {"system": system.name} if with_name else {}
    for number, segment in enumerate(system.read(), 1):
        row = {"segment": segment.id, "hypothesis": segment.hypothesis, "references": list(segment.references)}
        yield number, {**prefix, **row}


class RecordTable(BatchedTable):
    """A table of rows that the core or another plugin reads one by one.

    Args:
        name, size, texts: see :class:`meteor_e.api.TextTable`.
        records: a function that yields the rows; see :meth:`meteor_e.api.TextTable.records`.
    """

    def __init__(self, name: str, size: int | None, texts: TextColumns, records: Callable[[], Any]) -> None:
        self.name, self.size, self.texts, self._records = name, size, texts, records

    def batches(self, all_columns: bool = False) -> Iterator[TableBatch]:
        """Read the rows."""
        records = self._records()
        while batch := list(itertools.islice(records, BATCH_ROWS)):
            numbers = [number for number, _ in batch]
            cells = {column: [record[column] for _, record in batch] for column, _ in self.texts.options()}
            rows = ObjectRows(self.name, [dict(record) for _, record in batch])
            yield make_batch(self.texts, cells, rows, partial(self._locate, numbers))

    def _locate(self, numbers: Sequence[int], row: int) -> str:
        return f"{self.name}, line {numbers[row]}"
