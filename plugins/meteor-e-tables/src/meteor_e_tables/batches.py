"""Batches of consecutive rows of a table, which all table formats provide."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from meteor_e.api import Segment, TextColumns, TextTable
from meteor_e.api.segments import SegmentId
from meteor_e_tables.cells import RowLocator, read_ids, read_references, read_texts

BATCH_ROWS = 4096
"""Number of rows of a batch."""


class Rows(Protocol):
    """All columns of several rows, in the form that the format provides."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def arrow(self, schema: Any = None) -> Any:
        """Return a ``pyarrow.Table``; it has ``schema`` unless that is ``None``."""

    def objects(self) -> list[dict[str, Any]]:
        """Return one dictionary per row, which msgspec can encode as JSON."""


class TableBatch(NamedTuple):
    """Consecutive rows of a table.

    Attributes:
        hypotheses: one list per system.
        references: the references of each row, at least one.
        rows: all columns, or ``None`` if they were not requested.
        ids: the id of each row, or ``None`` if the id is the row number.
        sources: the source of each row, or ``None`` if the table does not contain sources.
    """

    hypotheses: list[list[str]]
    references: list[Sequence[str]]
    rows: Rows | None
    ids: list[SegmentId] | None = None
    sources: list[str] | None = None


class BatchedTable(TextTable):
    """A table that is read in batches.

    Attributes:
        name, size, texts: see :class:`meteor_e.api.TextTable`.
    """

    @abstractmethod
    def batches(self, all_columns: bool = False) -> Iterator[TableBatch]:
        """Read the table from the start; the batches contain ``rows`` if ``all_columns`` is true."""

    def segments(self, system: int, row_queue: deque[Rows] | None = None) -> Iterator[Segment]:
        """Read the table and yield the segments of a system.

        Args:
            system: the index of the system.
            row_queue: a queue to which all columns of each batch are appended before its segments are yielded.
        """
        row_numbers = itertools.count(1)
        for batch in self.batches(row_queue is not None):
            if row_queue is not None and batch.rows is not None:
                row_queue.append(batch.rows)
            ids = itertools.islice(row_numbers, len(batch.references)) if batch.ids is None else batch.ids
            sources = itertools.repeat(None, len(batch.references)) if batch.sources is None else batch.sources
            columns = zip(ids, batch.hypotheses[system], batch.references, sources, strict=True)
            for id, hypothesis, references, source in columns:
                yield Segment(id, hypothesis, tuple(references), source)

    def schema(self) -> Any:
        """Return the ``pyarrow.Schema`` of the columns, or ``None`` if it must be inferred from the rows."""
        return None


def make_batch(
    columns: TextColumns, cells: Mapping[str, Sequence[Any]], rows: Rows | None, locate: RowLocator
) -> TableBatch:
    """Create a batch from the cells of a table, and validate them.

    Args:
        columns: the columns that contain the texts.
        cells: the cells of these columns.
        rows: all columns, if they were requested.
        locate: returns the location of a row.

    Raises:
        InputError: if a cell does not contain a text. The message names the first such cell.
    """
    hypotheses = [read_texts(cells[column], column, locate) for column in columns.hypotheses]
    references = read_references({column: cells[column] for column in columns.references}, locate)
    ids = None if columns.id is None else read_ids(cells[columns.id], columns.id, locate)
    sources = None if columns.source is None else read_texts(cells[columns.source], columns.source, locate)
    return TableBatch(hypotheses, references, rows, ids, sources)
