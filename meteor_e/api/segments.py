"""Segments, and where they come from: systems, and tables with texts in columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias

SegmentId: TypeAlias = int | str
"""What identifies a segment in its file: a line number from 1, an image id, or the key of a table's row."""


class Segment(NamedTuple):
    """A hypothesis with its references.

    Attributes:
        id: the line number, from 1; COCO's image id; the key of a table's row; or the id of an SGML or XML segment. Ids
            of one system differ.
        hypothesis: the raw text of the system's output.
        references: the raw texts of its references, at least one.
        source: the raw text that was translated, if it is known.
    """

    id: SegmentId
    hypothesis: str
    references: tuple[str, ...]
    source: str | None = None


class TextContext(NamedTuple):
    """Properties of a text by which metrics choose their settings, such as the tokenizer.

    Attributes:
        language: ISO code; empty if it is unknown.
        kind: ``captions`` for image captions; empty for running text.
    """

    language: str = ""
    kind: str = ""

    @property
    def is_captions(self) -> bool:
        """Whether the text consists of image captions, which METEOR tokenizes as COCO's tools do."""
        return self.kind == "captions"


UNKNOWN_TEXT = TextContext()
"""The context of a text of which nothing is known."""


@dataclass(frozen=True)
class System:
    """The output of one system, with references.

    Attributes:
        name: what tables call the system.
        read: returns an iterator over the segments, in the order of the file. Some systems, such as those on standard
            input, can be read only once.
        size: number of segments; ``None`` if it is unknown before the system is read.
        context: language and kind of the text.
        table: the table that contains the system, if there is one.
    """

    name: str
    read: Callable[[], Iterator[Segment]]
    size: int | None = None
    context: TextContext = UNKNOWN_TEXT
    table: TextTable | None = None

    @classmethod
    def from_segments(cls, name: str, segments: Sequence[Segment], context: TextContext = UNKNOWN_TEXT) -> System:
        """Return a system whose segments are in memory."""
        return cls(name, segments.__iter__, len(segments), context)

    @classmethod
    def from_lists(
        cls,
        name: str,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None = None,
        ids: Iterable[SegmentId] | None = None,
    ) -> System:
        """Return a system whose texts are in lists of equal lengths.

        Args:
            name: of the system.
            hypotheses: one per segment.
            references: for each segment, a sequence of references.
            sources: one per segment, if they are known.
            ids: one per segment; by default the positions, from 1.

        Raises:
            ValueError: if the lengths of the lists differ.
        """
        source_column: Iterable[str | None] = repeat(None, len(hypotheses)) if sources is None else sources
        id_column: Iterable[SegmentId] = range(1, len(hypotheses) + 1) if ids is None else ids
        rows = zip(id_column, hypotheses, map(tuple, references), source_column, strict=True)
        return cls.from_segments(name, list(map(Segment._make, rows)))


class TextColumns(NamedTuple):
    """Which columns of a table contain the texts.

    Attributes:
        hypotheses: one column per system.
        references: one or several columns; a cell holds a text or a list of texts.
        id: the column of the segments' ids; ``None`` to number the rows from 1.
        source: the column of the sources, such as the questions that the hypotheses answer; ``None`` for no sources.
        system: the column that names the system of each row; ``None`` if all rows belong to the systems in
            ``hypotheses``.
        has_header: whether the first line of a delimited table names the columns. Without a header, columns are named
            by their numbers, from 1.
    """

    hypotheses: tuple[str, ...] = ("hypothesis",)
    references: tuple[str, ...] = ("reference",)
    id: str | None = None
    has_header: bool = True
    source: str | None = None
    system: str | None = None

    def options(self) -> list[tuple[str, str]]:
        """Return each column with the command-line option that names it."""
        optional = [(self.id, "--id-column"), (self.source, "--source-column"), (self.system, "--system-column")]
        return [
            *((column, "--hypothesis-column") for column in self.hypotheses),
            *((column, "--reference-column") for column in self.references),
            *((column, option) for column, option in optional if column is not None),
        ]


class TextTable(ABC):
    """An open table with hypotheses and references in columns.

    Attributes:
        name: what messages call the table.
        size: number of rows; ``None`` if it is unknown before the table is read.
        texts: which columns contain the texts. Each hypothesis column is a system of that name.
    """

    name: str
    size: int | None
    texts: TextColumns

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.texts.hypotheses

    @abstractmethod
    def segments(self, system: int) -> Iterator[Segment]:
        """Read the table and yield the segments of a system.

        Args:
            system: index of the system in :attr:`systems`.

        Raises:
            InputError: for the first cell that does not contain a text, naming row and column.
        """

    def records(self) -> Iterator[tuple[int, Mapping[str, Any]]] | None:
        """Read the table and yield the line number and all columns of each row.

        Outputs that keep the columns of their input call this method. It returns ``None`` if the table contains
        nothing but the texts.
        """
        return None
