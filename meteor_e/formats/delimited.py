"""CSV and TSV with a header: one row per segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import ClassVar

from meteor_e.api.segments import Segment, TextColumns, TextTable
from meteor_e.api.tables import TableFormat
from meteor_e.base.errors import InputError, near_miss
from meteor_e.base.files import input_name
from meteor_e.formats.plain import csv_rows, read_segments


class DelimitedTable(TextTable):
    """A file of comma-separated values (quoted as in RFC 4180), or of tab-separated values (without quotes).

    The first line names the columns.

    Args:
        path: the file, plain, gzip, bzip2 or xz; ``-`` is standard input, which can be read once.
        texts: which columns hold the texts.
        tabs: whether tabs separate the values.
        encoding: of the file.

    Raises:
        InputError: if it cannot be read, has no rows, or lacks a column.
    """

    def __init__(self, path: str, texts: TextColumns, tabs: bool, encoding: str = "utf-8") -> None:
        self.name = input_name(path)
        self.size = None
        self.texts = texts
        self._path = path
        self._tabs = tabs
        self._encoding = encoding
        # What is read here comes first when the rows are asked for: standard input has it no more.
        self._header, rows = self._opened()
        first = next(rows, None)
        if first is None:
            raise InputError(f"{self.name} is empty; there is nothing to score")
        self._begun: Iterator[tuple[int, list[str]]] | None = chain([first], rows)
        for name, times in Counter(self._header).items():
            if times > 1:
                raise InputError(f"{self.name}: two columns are called {name!r}")
        for columns, option in ((texts.hypotheses, "--hypothesis-column"), (texts.references, "--reference-column")):
            for column in columns:
                if column not in self._header:
                    known = ", ".join(map(repr, self._header))
                    raise InputError(
                        f"{self.name} has no column {column!r}{near_miss(column, self._header)}; it has {known}; "
                        f"choose with {option}"
                    )
        if path == "-" and len(texts.hypotheses) > 1:
            raise InputError("standard input can be read once only; give one --hypothesis-column, or a file")

    def segments(self, system: int) -> Iterator[Segment]:
        """Read the table and yield the segments of a system, numbered from 1."""
        hypothesis_column = self.texts.hypotheses[system]
        for number, (_, row) in enumerate(self.records(), 1):
            yield Segment(number, row[hypothesis_column], tuple(row[column] for column in self.texts.references))

    def records(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Read the table: yield the number of each row's last line, and its columns."""
        rows, self._begun = self._begun or self._opened()[1], None
        for number, cells in rows:
            if len(cells) != len(self._header):
                raise InputError(
                    f"{self.name}, line {number}: {len(cells)} columns; the header has {len(self._header)}"
                )
            yield number, dict(zip(self._header, cells, strict=True))

    def _opened(self) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
        """Return the header, and the rows with the numbers of their last lines."""
        lines = read_segments(self._path, encoding=self._encoding)
        rows: Iterator[tuple[int, list[str]]]
        if self._tabs:
            rows = enumerate((line.split("\t") for line in lines), 1)
        else:
            rows = (row for row in csv_rows(lines, self.name, strict=True) if row[1])
        return next(rows, (0, []))[1], rows


class CsvFormat(TableFormat):
    """Comma-separated values with a header."""

    name = "csv"
    tabs: ClassVar[bool] = False

    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> DelimitedTable:
        """Open a table; it has no splits."""
        return DelimitedTable(path, texts, self.tabs, encoding)


class TsvFormat(CsvFormat):
    """Tab-separated values with a header."""

    name = "tsv"
    tabs = True
