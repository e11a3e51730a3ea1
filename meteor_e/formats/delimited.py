"""This module reads CSV and TSV tables, which have one row per segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, NamedTuple

from meteor_e.api.segments import Segment, TextColumns, TextTable
from meteor_e.api.tables import TableFormat
from meteor_e.base.errors import InputError, near_miss
from meteor_e.base.files import input_name
from meteor_e.formats.plain import csv_rows, read_segments


class _Row(NamedTuple):
    """The cells of a table row, and the number of the line in which the row ends."""

    line_number: int
    cells: list[str]


class DelimitedTable(TextTable):
    """Read a CSV table with quotes as in RFC 4180, or a TSV table without quotes.

    The first line of the file contains the names of the columns, unless ``texts.has_header`` is false.

    Args:
        path: the path of the file, which may be compressed with gzip, bzip2 or xz. The path ``-`` is standard input,
            which can be read only once.
        texts: the columns that contain the texts.
        tabs: whether the values are separated by tabs.
        encoding: the encoding of the file.

    Raises:
        InputError: if the file cannot be read, does not have rows, or lacks a column.
    """

    def __init__(self, path: str, texts: TextColumns, tabs: bool, encoding: str = "utf-8") -> None:
        if path == "-" and len(texts.hypotheses) > 1:
            raise InputError("standard input can be read only once; give one --hypothesis-column, or a file")
        self.name = input_name(path)
        self.size = None
        self.texts = texts
        self._path = path
        self._tabs = tabs
        self._encoding = encoding
        self._header, rows = self._read_table()
        # The first call of records() continues with these rows, because standard input cannot be opened twice.
        self._pending_rows: Iterator[_Row] | None = rows
        self._check_columns()

    def _check_columns(self) -> None:
        """Raise InputError if a required column is missing or two columns have the same name."""
        for column, option in self.texts.options():
            if column not in self._header:
                columns = ", ".join(map(repr, self._header))
                hint = "; --no-header numbers the columns" if self.texts.has_header else ""
                raise InputError(
                    f"{self.name} has no column {column!r}{near_miss(column, self._header)}; it has {columns}; "
                    f"choose with {option}{hint}"
                )
        for name, count in Counter(self._header).items():
            if count > 1:
                raise InputError(f"{self.name}: two columns are called {name!r}")

    def segments(self, system: int) -> Iterator[Segment]:
        """Read the table and yield the segments of a system.

        Args:
            system: the index of the system's hypothesis column in ``texts.hypotheses``.
        """
        hypothesis_column = self.texts.hypotheses[system]
        for number, (_, row) in enumerate(self.records(), 1):
            segment_id = number if self.texts.id is None else row[self.texts.id]
            references = tuple(row[column] for column in self.texts.references)
            source = None if self.texts.source is None else row[self.texts.source]
            yield Segment(segment_id, row[hypothesis_column], references, source)

    def records(self) -> Iterator[tuple[int, dict[str, str]]]:
        """For each row of the table, yield the number of the row's last line and the cells by column name."""
        rows = self._pending_rows
        self._pending_rows = None
        if rows is None:
            _, rows = self._read_table()
        for row in rows:
            if len(row.cells) != len(self._header):
                raise InputError(
                    f"{self.name}, line {row.line_number}: {len(row.cells)} columns; the header has {len(self._header)}"
                )
            yield row.line_number, dict(zip(self._header, row.cells, strict=True))

    def _read_table(self) -> tuple[list[str], Iterator[_Row]]:
        """Open the file, and return the column names and an iterator over the rows.

        Raises:
            InputError: if the table does not have rows.
        """
        rows = self._read_rows()
        header = next(rows, None) if self.texts.has_header else None
        first_row = next(rows, None)
        if first_row is None:
            raise InputError(f"{self.name} is empty; there is nothing to score")
        column_numbers = [str(number) for number in range(1, len(first_row.cells) + 1)]
        column_names = column_numbers if header is None else header.cells
        return column_names, chain([first_row], rows)

    def _read_rows(self) -> Iterator[_Row]:
        """Yield the rows of the file, including the header. Empty lines of CSV are skipped."""
        lines = read_segments(self._path, encoding=self._encoding)
        if self._tabs:
            for line_number, line in enumerate(lines, 1):
                yield _Row(line_number, line.split("\t"))
            return
        for line_number, cells in csv_rows(lines, self.name, strict=True):
            if cells:
                yield _Row(line_number, cells)


class CsvFormat(TableFormat):
    """Comma-separated values with a header."""

    name = "csv"
    tabs: ClassVar[bool] = False

    def open(self, path: str, texts: TextColumns, *, encoding: str = "utf-8") -> DelimitedTable:
        """Open a table."""
        return DelimitedTable(path, texts, self.tabs, encoding)


class TsvFormat(CsvFormat):
    """Tab-separated values with a header."""

    name = "tsv"
    tabs = True
