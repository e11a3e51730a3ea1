"""Records with all digits, one a line: TSV and CSV."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from typing import ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?(e[-+]?\d+)?|inf)")


class TsvOutput(OutputFormat):
    """Tab-separated values; white space within a cell becomes one space."""

    name: ClassVar[str] = "tsv"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write rows as they come."""
        for row in _rows(result):
            stream.write("\t".join([" ".join(cell.split()) for cell in row]) + "\n")


class CsvOutput(OutputFormat):
    """Comma-separated values; an apostrophe comes before text that a spreadsheet would run as a formula."""

    name: ClassVar[str] = "csv"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write rows as they come."""
        csv.writer(stream, lineterminator="\n").writerows(map(_without_formulas, _rows(result)))


def _rows(result: Result) -> Iterator[list[str]]:
    for row in result.records():
        yield [_cell(value) for value in row]


def _without_formulas(row: list[str]) -> list[str]:
    return [f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell for cell in row]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))
    return "" if value is None else str(value)
