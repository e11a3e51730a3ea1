"""What the formats give: some consecutive rows of a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from meteor_e.api import TextColumns, TextTable
from meteor_e_tables.cells import Where, checked_references, checked_texts
from meteor_e_tables.columns import ScoredColumns, score_columns

if TYPE_CHECKING:
    from meteor_e import Meteor

BATCH_ROWS = 4096
"""Rows of a batch that is read here."""

RANGE_ROWS = 1 << 16
"""Rows of a range that is read elsewhere: enough that to start a task costs nothing beside it."""


class Texts(NamedTuple):
    """The texts of some rows.

    Attributes:
        hypotheses: one list per system.
        references: of each row, at least one.
    """

    hypotheses: list[list[str]]
    references: list[Sequence[str]]


class Rows(Protocol):
    """All columns of some rows, in whatever form the format has them."""

    def arrow(self, schema: Any = None) -> Any:
        """Return a ``pyarrow.Table``, of a schema if one is given."""

    def objects(self) -> list[dict[str, Any]]:
        """Return one mapping per row, which msgspec can write as JSON."""


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of a table.

    Attributes:
        name: of the file.
        first: number of the first row, from 1.
        texts: their texts.
        rows: all their columns, if they were asked for.
        unit: what a row is called in this format.
    """

    name: str
    first: int
    texts: Texts
    rows: Rows | None = field(default=None, repr=False)
    unit: str = "row"

    @property
    def size(self) -> int:
        """How many rows."""
        return len(self.texts.references)

    @property
    def files(self) -> tuple[str, ...]:
        """The file."""
        return (self.name,)

    def read(self, whole: bool = False) -> Batch:
        """Return the batch; it was read."""
        return self

    def where(self, row: int) -> str:
        """Say where a row (from 0) is."""
        return f"{self.name}, {self.unit} {self.first + row}"

    def score(self, meteor: Meteor, threads: int = 1) -> list[ScoredColumns]:
        """Score the rows, for each system."""
        return [
            score_columns(meteor, hypotheses, self.texts.references, threads=threads, where=self.where)
            for hypotheses in self.texts.hypotheses
        ]


class Range(Protocol):
    """Consecutive rows that have not been read yet; picklable, so that another process can read them."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that hold them."""

    @property
    def first(self) -> int:
        """Number of the first row in its file, from 1."""

    @property
    def size(self) -> int:
        """How many rows."""

    def read(self, whole: bool = False) -> Batch:
        """Read the rows; all columns if ``whole``."""


class Source(TextTable):
    """A table that is read in batches.

    Attributes:
        name, size, texts: see :class:`meteor_e.api.TextTable`.
    """

    @abstractmethod
    def batches(self, whole: bool = False) -> Iterator[Batch]:
        """Read the table from its beginning; all columns if ``whole``."""

    def pairs(self, system: int) -> Iterator[tuple[str, list[str]]]:
        """Read the table: yield each hypothesis of a system with its references."""
        for batch in self.batches():
            for hypothesis, references in zip(batch.texts.hypotheses[system], batch.texts.references, strict=True):
                yield hypothesis, list(references)

    def ranges(self) -> Sequence[Range] | None:
        """Return the table as ranges; ``None`` if it can only be read from its beginning."""
        return None

    def schema(self) -> Any:
        """Return what the columns are, for writers: a ``pyarrow.Schema``, or ``None`` if only the rows tell."""
        return None


def text_batch(
    name: str,
    first: int,
    columns: TextColumns,
    values: Mapping[str, Sequence[Any]],
    rows: Rows | None,
    unit: str = "row",
) -> Batch:
    """Make a batch of columns of any content.

    Args:
        name: of the file.
        first: number of the first row.
        columns: which columns hold the texts.
        values: their cells.
        rows: all columns, if they are wanted.
        unit: what a row is called.

    Raises:
        InputError: for the first cell that holds no text.
    """

    where: Where = lambda row: f"{name}, {unit} {first + row}"  # noqa: E731
    return Batch(
        name,
        first,
        Texts(
            [checked_texts(values[column], column, where) for column in columns.hypotheses],
            checked_references({column: values[column] for column in columns.references}, where),
        ),
        rows,
        unit,
    )
