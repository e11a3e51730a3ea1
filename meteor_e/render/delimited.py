"""Output as TSV and CSV: one record per line, with all digits."""

from __future__ import annotations

import csv
import math
import re
from typing import ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result

_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?(e[-+]?\d+)?|inf)")


class TsvOutput(OutputFormat):
    """Tab-separated values. White space in a cell is replaced by one space."""

    name: ClassVar[str] = "tsv"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the records."""
        for row in result.records():
            stream.write("\t".join([" ".join(_format_cell(value).split()) for value in row]) + "\n")


class CsvOutput(OutputFormat):
    """Comma-separated values. A text that a spreadsheet would execute as a formula begins with an apostrophe."""

    name: ClassVar[str] = "csv"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the records."""
        writer = csv.writer(stream, lineterminator="\n")
        for row in result.records():
            writer.writerow([_protect_formula(_format_cell(value)) for value in row])


def _protect_formula(cell: str) -> str:
    """Return a cell with an apostrophe before it if a spreadsheet would execute it as a formula."""
    is_formula = cell.startswith(_FORMULA_PREFIXES) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula else cell


def _format_cell(value: object) -> str:
    """Return a value as text with all digits; an empty text for ``None`` and NaN."""
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))
    return "" if value is None else str(value)
