"""What the formats give: some consecutive rows of a table."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from meteor_e.api import Segment, TextColumns, TextTable
from meteor_e.api.segments import SegmentId
from meteor_e_tables.cells import Where, checked_ids, checked_references, checked_texts

BATCH_ROWS = 4096
"""Rows of a batch."""


class Rows(Protocol):
    """All columns of some rows, in whatever form the format has them."""

    def __len__(self) -> int:
        """Return how many rows."""

    def arrow(self, schema: Any = None) -> Any:
        """Return a ``pyarrow.Table``, of a schema if one is given."""

    def objects(self) -> list[dict[str, Any]]:
        """Return one mapping per row, which msgspec can write as JSON."""


class TableBatch(NamedTuple):
    """Consecutive rows of a table.

    Attributes:
        hypotheses: one list per system.
        references: of each row, at least one.
        rows: all columns, if they were asked for.
        ids: of each row; ``None`` for the numbers of the rows.
        sources: of each row; ``None`` if there are no sources.
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
    def batches(self, whole: bool = False) -> Iterator[TableBatch]:
        """Read the table from its beginning; all columns if ``whole``."""

    def segments(self, system: int, kept: deque[Rows] | None = None) -> Iterator[Segment]:
        """Read the table and yield the segments of a system.

        Args:
            system: index of the system.
            kept: receives all columns of the rows before their segments are yielded.
        """
        numbers = itertools.count(1)
        for batch in self.batches(kept is not None):
            if kept is not None and batch.rows is not None:
                kept.append(batch.rows)
            ids = itertools.islice(numbers, len(batch.references)) if batch.ids is None else batch.ids
            sources = itertools.repeat(None, len(batch.references)) if batch.sources is None else batch.sources
            columns = zip(ids, batch.hypotheses[system], batch.references, sources, strict=True)
            for id, hypothesis, references, source in columns:
                yield Segment(id, hypothesis, tuple(references), source)

    def schema(self) -> Any:
        """Return what the columns are, for writers: a ``pyarrow.Schema``, or ``None`` if only the rows tell."""
        return None


def text_batch(
    columns: TextColumns, values: Mapping[str, Sequence[Any]], rows: Rows | None, where: Where
) -> TableBatch:
    """Make a batch of columns of any content.

    Args:
        columns: which columns hold the texts.
        values: their cells.
        rows: all columns, if they are wanted.
        where: says where a row is.

    Raises:
        InputError: for the first cell that holds no text.
    """
    hypotheses = [checked_texts(values[column], column, where) for column in columns.hypotheses]
    references = checked_references({column: values[column] for column in columns.references}, where)
    ids = None if columns.id is None else checked_ids(values[columns.id], columns.id, where)
    sources = None if columns.source is None else checked_texts(values[columns.source], columns.source, where)
    return TableBatch(hypotheses, references, rows, ids, sources)
