"""This module reads CSV and TSV tables, which have one row per segment."""

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
        self.name = input_name(path)
        self.size = None
        self.texts = texts
        self._path = path
        self._tabs = tabs
        self._encoding = encoding
        self._header, rows = self._read_table()
        first_row = next(rows, None)
        if first_row is None:
            raise InputError(f"{self.name} is empty; there is nothing to score")
        # The first call of records() continues with these rows, because standard input cannot be opened twice.
        self._pending_rows: Iterator[tuple[int, list[str]]] | None = chain([first_row], rows)
        self._check_columns()
        if path == "-" and len(texts.hypotheses) > 1:
            raise InputError("standard input can be read only once; give one --hypothesis-column, or a file")

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
        for line_number, cells in rows:
            if len(cells) != len(self._header):
                raise InputError(
                    f"{self.name}, line {line_number}: {len(cells)} columns; the header has {len(self._header)}"
                )
            yield line_number, dict(zip(self._header, cells, strict=True))

    def _read_table(self) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
        """Open the file, and return the column names and an iterator over the rows.

        Each row consists of the number of its last line and a list of its cells.
        """
        rows = self._read_rows()
        first_row = next(rows, None)
        if first_row is None:
            return [], rows
        _, first_cells = first_row
        if self.texts.has_header:
            return first_cells, rows
        column_numbers = [str(number) for number in range(1, len(first_cells) + 1)]
        return column_numbers, chain([first_row], rows)

    def _read_rows(self) -> Iterator[tuple[int, list[str]]]:
        """For each row, yield the number of its last line and a list of its cells. Empty lines of CSV are skipped."""
        lines = read_segments(self._path, encoding=self._encoding)
        if self._tabs:
            for line_number, line in enumerate(lines, 1):
                yield line_number, line.split("\t")
            return
        for line_number, cells in csv_rows(lines, self.name, strict=True):
            if cells:
                yield line_number, cells


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
