"""Tables of segments with their scores: ``-o FILE.parquet`` and ``-o FILE.jsonl``."""

from __future__ import annotations

import contextlib
import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from meteor_e import Meteor
from meteor_e.api import System, TextColumns
from meteor_e.api.tables import ScoreRun, ScoreRunner
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, Rows, TableBatch, make_batch
from meteor_e_tables.columns import ColumnNames, ColumnQueue, ScoredColumns
from meteor_e_tables.jsonlines import ObjectRows
from meteor_e_tables.writers import JsonLinesWriter, ParquetWriter, table_writer

if TYPE_CHECKING:
    from meteor_e.api.batches import Batch


class TableRunner(ScoreRunner):
    """Writes a table of segments, Parquet or JSON Lines, while METEOR scores them."""

    name = "table"

    @contextlib.contextmanager
    def start(self, run: ScoreRun) -> Iterator[ScoreRun]:
        """Write all columns of the input and the columns of the scores while the segments are scored."""
        assert run.output is not None
        meteor = run.metrics[0]
        assert isinstance(meteor, Meteor)
        tables = _group_by_table(run.systems)
        with table_writer(run.output, meteor.signature, tables[0][0].schema()) as writer:
            output = _ScoredTable(run, tables, writer, meteor.matcher_names)
            yield run._replace(systems=output.systems, in_order=output.in_order)


class _ScoredTable:
    """Writes the table of scores.

    Systems of the same input table share the rows of the output and have separate columns. Systems of different tables
    have separate rows.

    Args:
        run: the run that scores the systems.
        tables: the input tables with the names of their systems.
        writer: the writer of the output.
        matchers: the names of the metric's matchers.
    """

    def __init__(
        self,
        run: ScoreRun,
        tables: Sequence[tuple[BatchedTable, list[str]]],
        writer: ParquetWriter | JsonLinesWriter,
        matchers: Sequence[str],
    ) -> None:
        self.writer, self._run = writer, run
        self.systems: list[System] = []
        write_functions: list[Callable[[ScoredColumns], None]] = []
        for table, names in tables:
            prefixes = [run.prefix] if len(names) == 1 else [f"{name}_{run.prefix}" for name in names]
            columns = [ColumnNames.of(matchers, prefix) for prefix in prefixes]
            row_queue: deque[Rows] = deque()
            column_queues = [ColumnQueue() for _ in names]
            for index, name in enumerate(names):
                is_last = index == len(names) - 1
                read = partial(table.segments, index, row_queue if is_last else None)
                self.systems.append(System(name, read, table.size))
                write_functions.append(partial(self._write, column_queues, index, columns, row_queue))
        self._write_functions = iter(write_functions)

    def in_order(self, score: Any, batches: Iterator[Batch], threads: int | None) -> Iterator[tuple[Batch, Any]]:
        """Score the batches of the next system, and write its rows."""
        write = next(self._write_functions)
        for batch, statistics in self._run.in_order(score, batches, threads):
            write(ScoredColumns.of(statistics[0]))
            yield batch, statistics

    def _write(
        self,
        column_queues: Sequence[ColumnQueue],
        system_index: int,
        column_names: Sequence[ColumnNames],
        row_queue: deque[Rows],
        scored: ScoredColumns,
    ) -> None:
        """Add the scores of a batch, and write the rows for which all systems are scored.

        The scores of all systems except for the last one stay in memory until then.
        """
        column_queues[system_index].add(scored)
        while row_queue and len(row_queue[0]) <= column_queues[-1].size:
            rows = row_queue.popleft()
            new_columns: dict[str, Any] = {}
            for queue, names in zip(column_queues, column_names, strict=True):
                new_columns.update(queue.take(len(rows)).to_dict(names))
            self.writer.write(rows, new_columns)


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
            numbers, records_of_batch = zip(*batch, strict=True)
            cells = {column: [record[column] for record in records_of_batch] for column, _ in self.texts.options()}
            rows = ObjectRows(self.name, [dict(record) for record in records_of_batch])
            yield make_batch(self.texts, cells, rows, partial(self._locate, numbers))

    def _locate(self, numbers: Sequence[int], row: int) -> str:
        return f"{self.name}, line {numbers[row]}"
