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
from meteor_e_tables.batches import BATCH_ROWS, BatchedTable, Rows, TableBatch, text_batch
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
        """Keep all columns of what is read, and write them with those of the scores."""
        assert run.output is not None
        meteor = run.metrics[0]
        assert isinstance(meteor, Meteor)
        tables = _tables(run.systems)
        with table_writer(run.output, meteor.signature, tables[0][0].schema()) as writer:
            output = _Output(run, tables, writer, meteor.matcher_names)
            yield run._replace(systems=output.systems, in_order=output.in_order)


class _Output:
    """What is written where: systems that share a table stand side by side, others one below the other."""

    def __init__(
        self,
        run: ScoreRun,
        tables: Sequence[tuple[BatchedTable, list[str]]],
        writer: ParquetWriter | JsonLinesWriter,
        matchers: Sequence[str],
    ) -> None:
        self.writer, self._run = writer, run
        self.systems: list[System] = []
        places: list[Callable[..., Any]] = []
        for table, names in tables:
            alone = len(names) == 1
            columns = [ColumnNames.of(matchers, run.prefix if alone else f"{name}_{run.prefix}") for name in names]
            rows: deque[Rows] = deque()
            queues = [ColumnQueue() for _ in names]
            for place, name in enumerate(names):
                last = place == len(names) - 1
                read = partial(table.segments, place, rows if last else None)
                self.systems.append(System(name, read, table.size))
                places.append(partial(self._write, queues, place, columns, rows))
        self._places = iter(places)

    def in_order(self, score: Any, batches: Iterator[Batch], threads: int | None) -> Iterator[tuple[Batch, Any]]:
        """Score the batches of the next system, and write its rows."""
        write = next(self._places)
        for batch, statistics in self._run.in_order(score, batches, threads):
            write(ScoredColumns.of(statistics[0]))
            yield batch, statistics

    def _write(
        self,
        queues: Sequence[ColumnQueue],
        place: int,
        names: Sequence[ColumnNames],
        rows: deque[Rows],
        scored: ScoredColumns,
    ) -> None:
        """Write the rows whose scores are known; those of all systems but the last wait in memory."""
        queues[place].add(scored)
        while rows and len(rows[0]) <= queues[-1].size:
            some = rows.popleft()
            added: dict[str, Any] = {}
            for queue, own in zip(queues, names, strict=True):
                added.update(queue.take(len(some)).named(own))
            self.writer.write(some, added)


def _tables(systems: Sequence[System]) -> list[tuple[BatchedTable, list[str]]]:
    """Return tables with the names of their systems; a system that comes from no table is one."""
    found: list[tuple[BatchedTable, list[str]]] = []
    for table, group in itertools.groupby(systems, key=lambda system: system.table):
        own = list(group)
        if isinstance(table, BatchedTable):
            found.append((table, [system.name for system in own]))
        elif table is not None and table.records() is not None:
            read = RecordTable(table.name, table.size, table.texts, table.records)
            found.append((read, [system.name for system in own]))
        else:
            texts = TextColumns(references=("references",))
            for system in own:
                records = partial(_records, system, several=len(systems) > 1)
                found.append((RecordTable(system.name, system.size, texts, records), [system.name]))
    return found


def _records(system: System, *, several: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a system that comes from no table; of several systems, they say which is which."""
    begin = {"system": system.name} if several else {}
    for number, segment in enumerate(system.read(), 1):
        row = {"segment": segment.id, "hypothesis": segment.hypothesis, "references": list(segment.references)}
        yield number, {**begin, **row}


class RecordTable(BatchedTable):
    """Rows that the core or another plugin reads one by one.

    Args:
        name, size, texts: see :class:`meteor_e.api.TextTable`.
        records: yields the rows; see :meth:`meteor_e.api.TextTable.records`.
    """

    def __init__(self, name: str, size: int | None, texts: TextColumns, records: Callable[[], Any]) -> None:
        self.name, self.size, self.texts, self._records = name, size, texts, records

    def batches(self, whole: bool = False) -> Iterator[TableBatch]:
        """Read the rows."""
        records = self._records()
        while some := list(itertools.islice(records, BATCH_ROWS)):
            numbers, rows = zip(*some, strict=True)
            cells = {column: [row[column] for row in rows] for column, _ in self.texts.options()}
            kept = ObjectRows(self.name, [dict(row) for row in rows])
            yield text_batch(self.texts, cells, kept, partial(self._place, numbers))

    def _place(self, numbers: Sequence[int], row: int) -> str:
        return f"{self.name}, line {numbers[row]}"
