"""This module writes results as TSV or CSV, with one record per line and unrounded numbers."""

from __future__ import annotations

import csv
import math
import re
from typing import ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result

_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?(e[-+]?\d+)?|inf)")


class TsvOutput(OutputFormat):
    """Output as tab-separated values. Each run of white space in a cell is replaced by one space."""

    name: ClassVar[str] = "tsv"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the records."""
        for row in result.records():
            stream.write("\t".join([" ".join(_format_cell(value).split()) for value in row]) + "\n")


class CsvOutput(OutputFormat):
    """Output as comma-separated values. Texts that spreadsheets would execute as formulas begin with an apostrophe."""

    name: ClassVar[str] = "csv"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the records."""
        writer = csv.writer(stream, lineterminator="\n")
        for row in result.records():
            writer.writerow([_protect_formula(_format_cell(value)) for value in row])


def _protect_formula(cell: str) -> str:
    """Prepend an apostrophe to the text of a cell if a spreadsheet would execute it as a formula."""
    is_formula = cell.startswith(_FORMULA_PREFIXES) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula else cell


def _format_cell(value: object) -> str:
    """Format a value without rounding. The values ``None`` and NaN become empty cells."""
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))
    return "" if value is None else str(value)
