"""Records with all digits, one a line: TSV and CSV."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
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
        for row in result.records():
            stream.write("\t".join([" ".join(_cell(value).split()) for value in row]) + "\n")


class CsvOutput(OutputFormat):
    """Comma-separated values; an apostrophe comes before text that a spreadsheet would run as a formula."""

    name: ClassVar[str] = "csv"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write rows as they come."""
        csv.writer(stream, lineterminator="\n").writerows(map(_without_formulas, result.records()))


def _without_formulas(row: Sequence[object]) -> list[str]:
    cells = list(map(_cell, row))
    return [f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell for cell in cells]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))
    return "" if value is None else str(value)
