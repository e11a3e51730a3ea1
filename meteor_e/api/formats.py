"""Results and the formats that write them: what ``-f`` names.

A command finds a :class:`Result`. An :class:`OutputFormat` writes any result, from one of three views of it: grids for
people, records with all digits for programs, and a document for JSON. A plugin adds a format by one class::

    class OrgFormat(OutputFormat):
        \"\"\"Tables of Emacs Org.\"\"\"

        name = "org"

        def write(self, result, stream, options):
            for grid in result.grids(options.digits):
                for row in (grid.header, *grid.rows):
                    stream.write("| " + " | ".join(row) + " |\\n")
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TextIO

from meteor_e.api.component import Component


class MetricColumn(NamedTuple):
    """A column of a table of scores.

    Attributes:
        name: what tables call it.
        higher_is_better: whether it holds scores, or errors.
        decimals: that tables show.
        parts: names of further values that belong to the score, such as precision and recall.
    """

    name: str
    higher_is_better: bool = True
    decimals: int = 4
    parts: tuple[str, ...] = ()


class WmtNames(NamedTuple):
    """What WMT's score files call a test set.

    Attributes:
        pair: language pair, such as ``de-en``.
        test_set: name of the test set.
        reference: name of the reference.
    """

    pair: str
    test_set: str
    reference: str


class OutputOptions(NamedTuple):
    """What a user asked for.

    Attributes:
        digits: decimals of what people read; ``None`` for as many as suit each number.
        wmt: names for WMT's format, where they are known.
    """

    digits: int | None = None
    wmt: WmtNames | None = None


@dataclass(frozen=True)
class Grid:
    """A table for people; all cells are text.

    Attributes:
        header: titles of the columns.
        rows: cells.
        title: what is above the table; may be empty.
        notes: lines below the table, such as signatures.
        left: so many columns, the first ones, hold text; the others hold numbers.
        best: places of cells that stand out, as ``(row, column)``.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    notes: Sequence[str] = ()
    left: int = 1
    best: frozenset[tuple[int, int]] = frozenset()


class Result(ABC):
    """A view of what a command computed: tables for people, records and a document for programs.

    The result is complete: nothing is scored while it is written.
    """

    def lines(self, digits: int | None = None) -> Iterable[str]:
        """Yield lines of plain text that come before the grids, such as the scores of segments."""
        return ()

    @abstractmethod
    def grids(self, digits: int | None = None) -> Iterable[Grid]:
        """Yield tables for people."""

    @abstractmethod
    def records(self) -> Iterator[Sequence[object]]:
        """Yield the titles, then rows of texts and numbers; what is not known is ``None``."""

    def entries(self) -> Iterator[Mapping[str, Any]]:
        """Yield what JSON Lines holds, one object per line; by default the records, by their titles."""
        rows = self.records()
        titles = [str(title) for title in next(rows)]
        for row in rows:
            yield dict(zip(titles, row, strict=True))

    def document(self) -> Mapping[str, Any]:
        """Return what JSON holds: no NaN; objects may have ``to_dict``. By default the entries.

        A sequence that is not a list may make its items when they are asked for; it is written item by item.
        """
        return {"entries": list(self.entries())}


class OutputFormat(Component):
    """A way to write results: ``-f NAME``.

    Class attributes:
        name: of the format; lower case, unique among all installed plugins.
        segments: whether there is room for the scores of segments.
        alignments: whether there is room for METEOR's alignments.
        details: whether it writes details of segments and systems in addition to their scores.
    """

    kind: ClassVar[str] = "output format"
    segments: ClassVar[bool] = False
    alignments: ClassVar[bool] = False
    details: ClassVar[bool] = False

    @abstractmethod
    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write a result.

        Raises:
            ConfigError: for a result that the format cannot hold.
        """
