"""Define the common interface of all table formats. Tables are read in batches of consecutive rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from meteor_e.api import Segment, TextColumns, TextTable
from meteor_e.api.segments import SegmentId
from meteor_e_tables.cells import RowLocator, read_ids, read_references, read_texts

BATCH_ROWS = 4096
"""The number of rows in a batch."""


class Rows(Protocol):
    """A batch of table rows with all columns that were read. Each table format has a class for its batches."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def arrow(self, schema: Any = None) -> Any:
        """Return a ``pyarrow.Table`` with the given schema. By default, the schema is inferred from the rows."""

    def objects(self) -> list[dict[str, Any]]:
        """Return one dictionary per row. The dictionaries can be encoded as JSON with msgspec."""


class TableBatch(NamedTuple):
    """Several consecutive rows of a table.

    Attributes:
        hypotheses: for each system, the hypotheses of all rows.
        references: the references of each row. Each row has at least one reference.
        rows: the rows with all columns that were read.
        ids: the id of each row, or None if the row number is the id.
        sources: the source of each row, or None if the table does not contain sources.
    """

    hypotheses: list[list[str]]
    references: list[Sequence[str]]
    rows: Rows
    ids: list[SegmentId] | None = None
    sources: list[str] | None = None


class BatchedTable(TextTable):
    """Read a table in batches. This is the base class of all table formats of the plugin.

    Attributes:
        name, size, texts: see :class:`meteor_e.api.TextTable`.
    """

    @abstractmethod
    def batches(self, all_columns: bool = False) -> Iterator[TableBatch]:
        """Read the table from the start.

        Args:
            all_columns: whether the ``rows`` of the batches contain all columns. Otherwise, other columns than those
                with texts may be missing.
        """

    def segments(self, system: int) -> Iterator[Segment]:
        """Read the table, and yield the segments of one system.

        Args:
            system: the index of the system.
        """
        return iterate_segments(self.batches(), system)

    def schema(self) -> Any:
        """Return the ``pyarrow.Schema`` of the columns, or None if the schema must be inferred from the rows."""
        return None


def iterate_segments(batches: Iterable[TableBatch], system: int) -> Iterator[Segment]:
    """Yield the segments of one system.

    Args:
        batches: all batches of a table.
        system: the index of the system.
    """
    first_row = 1
    for batch in batches:
        n_rows = len(batch.references)
        # By default, the id of a segment is its row number, and the segment does not have a source.
        ids = batch.ids or range(first_row, first_row + n_rows)
        sources: Sequence[str | None] = batch.sources or [None] * n_rows
        rows = zip(ids, batch.hypotheses[system], batch.references, sources, strict=True)
        for segment_id, hypothesis, references, source in rows:
            yield Segment(segment_id, hypothesis, tuple(references), source)
        first_row += n_rows


def make_batch(columns: TextColumns, cells: Mapping[str, Sequence[Any]], rows: Rows, locate: RowLocator) -> TableBatch:
    """Validate the cells of several rows, and create a batch from them.

    Args:
        columns: the columns that contain the texts.
        cells: the cells of these columns.
        rows: the rows with all columns that were read.
        locate: returns the location of a row.

    Raises:
        InputError: if a cell does not contain a string. The message contains the location of the first such cell.
    """
    hypotheses = [read_texts(cells[column], column, locate) for column in columns.hypotheses]
    references = read_references({column: cells[column] for column in columns.references}, locate)
    ids = None
    if columns.id is not None:
        ids = read_ids(cells[columns.id], columns.id, locate)
    sources = None
    if columns.source is not None:
        sources = read_texts(cells[columns.source], columns.source, locate)
    return TableBatch(hypotheses=hypotheses, references=references, rows=rows, ids=ids, sources=sources)
