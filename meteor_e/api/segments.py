"""Define segments, systems and input tables. Segments are read from systems and tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

SegmentId: TypeAlias = int | str
"""The id of a segment in its file: a line number from 1, the id of an image, or the key of a table's row."""


class Segment(NamedTuple):
    """A hypothesis with its references.

    Attributes:
        id: the line number from 1, the id of a COCO image, the key of a table's row, or the id of an SGML or XML
            segment. Ids are unique within a system.
        hypothesis: raw text of the hypothesis.
        references: raw texts of the references, at least one.
        source: raw text that was translated; ``None`` if it is unknown.
    """

    id: SegmentId
    hypothesis: str
    references: tuple[str, ...]
    source: str | None = None


class TextContext(NamedTuple):
    """Properties of a text that determine the settings of metrics, such as the tokenizer.

    Attributes:
        language: ISO code; empty if it is unknown.
        kind: ``captions`` for image captions; empty for running text.
    """

    language: str = ""
    kind: str = ""

    @property
    def is_captions(self) -> bool:
        """Whether the text consists of image captions. METEOR tokenizes captions in the same way as COCO's tools."""
        return self.kind == "captions"


UNKNOWN_TEXT = TextContext()
"""The context of a text whose properties are unknown."""


@dataclass(frozen=True)
class System:
    """The output of a system, with references.

    Attributes:
        name: name of the system in tables.
        read: function that returns an iterator over the segments, in the order of the file.
        size: number of segments; ``None`` if it is unknown before the system is read.
        context: language and kind of the text.
        table: the table that contains the system, if there is one.
        rereadable: whether ``read`` can be called several times. A system on standard input can be read only once.
    """

    name: str
    read: Callable[[], Iterator[Segment]]
    size: int | None = None
    context: TextContext = UNKNOWN_TEXT
    table: TextTable | None = None
    rereadable: bool = True

    @classmethod
    def from_segments(cls, name: str, segments: Sequence[Segment], context: TextContext = UNKNOWN_TEXT) -> System:
        """Create a system from segments in memory."""
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
        """Create a system from lists of texts, which must have equal lengths.

        Args:
            name: name of the system.
            hypotheses: the hypothesis of each segment.
            references: the references of each segment.
            sources: the source of each segment; ``None`` if the sources are unknown.
            ids: the id of each segment; by default, its number from 1.

        Raises:
            ValueError: if the lengths of the lists differ.
        """
        segment_count = len(hypotheses)
        segment_ids: Iterable[SegmentId] = range(1, segment_count + 1) if ids is None else ids
        segment_sources: Iterable[str | None] = [None] * segment_count if sources is None else sources
        columns = zip(segment_ids, hypotheses, references, segment_sources, strict=True)
        segments = []
        for segment_id, hypothesis, segment_references, source in columns:
            segments.append(Segment(segment_id, hypothesis, tuple(segment_references), source))
        return cls.from_segments(name, segments)


class TextColumns(NamedTuple):
    """The names of the table columns that contain hypotheses, references and other texts.

    Attributes:
        hypotheses: names of the columns of hypotheses, one per system.
        references: names of one or several columns of references. Their cells contain a text or a list of texts.
        id: name of the column of segment ids; ``None`` to number the rows from 1.
        source: name of the column of sources, such as the questions that the hypotheses answer; ``None`` without
            sources.
        system: name of the column that contains the name of each row's system; ``None`` if each system has a column in
            ``hypotheses``.
        has_header: whether the first line of a delimited table contains the names of the columns. Without a header,
            the names are the numbers of the columns from 1.
    """

    hypotheses: tuple[str, ...] = ("hypothesis",)
    references: tuple[str, ...] = ("reference",)
    id: str | None = None
    has_header: bool = True
    source: str | None = None
    system: str | None = None

    def options(self) -> list[tuple[str, str]]:
        """Return pairs of a column's name and the command-line option that sets this name."""
        optional = [(self.id, "--id-column"), (self.source, "--source-column"), (self.system, "--system-column")]
        return [
            *((column, "--hypothesis-column") for column in self.hypotheses),
            *((column, "--reference-column") for column in self.references),
            *((column, option) for column, option in optional if column is not None),
        ]


class TextTable(ABC):
    """Base class of opened tables with columns of hypotheses and references.

    Attributes:
        name: name of the table in messages.
        size: number of rows; ``None`` if it is unknown before the table is read.
        texts: names of the columns that contain the texts. Each hypothesis column is a system of the same name.
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
        """Read the table, and yield the segments of one system.

        Args:
            system: index of the system in :attr:`systems`.

        Raises:
            InputError: if a cell does not contain a text. The message names the row and the column.
        """

    def records(self) -> Iterator[tuple[int, Mapping[str, Any]]] | None:
        """Read the table, and yield the line number and all values of each row.

        An output table can contain copies of the input table's columns. ``None``, the default result, means that this
        method does not provide any values to copy.
        """
        return None
