"""Define the results of commands, and the output formats that users choose with the option ``-f``.

A command computes a :class:`Result`. A result has three views: tables with rounded numbers, records with all digits,
and a JSON document. An :class:`OutputFormat` writes one of these views to a stream. A plugin adds an output format by
defining a class::

    class OrgFormat(OutputFormat):
        \"\"\"Writes tables in the syntax of Emacs Org mode.\"\"\"

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
        name: title of the column.
        higher_is_better: whether a higher value is better; ``False`` for error rates.
        decimals: number of decimals in tables.
        parts: names of additional values that belong to the score, such as precision and recall.
        has_interval: whether text tables show the confidence interval of each score even without significance tests,
            for example because the score estimates a proportion. The metric must be additive.
    """

    name: str
    higher_is_better: bool = True
    decimals: int = 4
    parts: tuple[str, ...] = ()
    has_interval: bool = False


class WmtNames(NamedTuple):
    """The names that identify a test set in WMT's score files.

    Attributes:
        pair: language pair, such as ``de-en``.
        test_set: name of the test set.
        reference: name of the reference.
    """

    pair: str
    test_set: str
    reference: str


class OutputOptions(NamedTuple):
    """The user's options for the output.

    Attributes:
        digits: number of decimals in grids; ``None`` for the default of each number.
        wmt: names for WMT's format; ``None`` if they are unknown.
    """

    digits: int | None = None
    wmt: WmtNames | None = None


@dataclass(frozen=True)
class Grid:
    """A table that is displayed to the user. All cells are strings.

    Attributes:
        header: titles of the columns.
        rows: cells of the rows.
        title: line above the table; empty for a table without a title.
        notes: lines below the table, such as signatures.
        left: number of columns at the left that contain texts. The other columns contain numbers.
        best: positions ``(row, column)`` of the cells with the best scores, which are highlighted.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    notes: Sequence[str] = ()
    left: int = 1
    best: frozenset[tuple[int, int]] = frozenset()


class Result(ABC):
    """The result of a command. An output format writes one view of the result: tables, records or a JSON document.

    Most commands compute all scores before they create a result. The command ``mbr``, however, computes the scores
    while an output format writes the result.
    """

    def lines(self, digits: int | None = None) -> Iterable[str]:
        """Yield lines of plain text that are printed above the tables, such as the scores of segments."""
        return ()

    @abstractmethod
    def grids(self, digits: int | None = None) -> Iterable[Grid]:
        """Yield tables that are displayed to the user."""

    @abstractmethod
    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row of column titles, then rows of strings and numbers. Unknown values are ``None``."""

    def entries(self) -> Iterator[Mapping[str, Any]]:
        """Yield the objects of JSON Lines output.

        By default, each record becomes one object, whose keys are the column titles.
        """
        rows = self.records()
        titles = [str(title) for title in next(rows)]
        for row in rows:
            yield dict(zip(titles, row, strict=True))

    def document(self) -> Mapping[str, Any]:
        """Return the result as a JSON object. By default, the object contains the list of :meth:`entries`.

        The object must not contain NaN. A value may be an object with a method ``to_dict``. Sequences other than lists
        are written item by item, which allows lazy sequences.
        """
        return {"entries": list(self.entries())}


class OutputFormat(Component):
    """Base class of output formats, which users select with the option ``-f NAME``.

    Class attributes
    ----------------
    name
        Name of the format; lower case, unique among all installed plugins.
    segments : bool
        Whether the format can contain the scores of segments.
    alignments : bool
        Whether the format can contain METEOR's alignments.
    details : bool
        Whether the format contains details of segments and systems in addition to their scores.
    """

    kind: ClassVar[str] = "output format"
    segments: ClassVar[bool] = False
    alignments: ClassVar[bool] = False
    details: ClassVar[bool] = False

    @abstractmethod
    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write a result.

        Raises:
            ConfigError: if the format cannot represent the result.
        """
