"""This module formats numbers, texts and tables with aligned columns for terminals."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import ClassVar, TextIO

from meteor_e.api.formats import Grid, OutputFormat, OutputOptions, Result

_JOINERS = "\u200c\u200d"
"""These zero-width characters are part of the orthography of Persian, Hindi and other languages."""

_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
"""These Unicode characters begin and end an isolate in bidirectional text."""


def display_width(text: str) -> int:
    """Return the number of terminal columns that a text occupies."""
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def _character_width(char: str) -> int:
    """Return the number of terminal columns that a character occupies: 0, 1 or 2."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Format a table with aligned columns, separated by two spaces.

    Args:
        header: the titles of the columns.
        rows: the cells of each row.
        left: the number of columns, from the first one, that are left-aligned. The others are right-aligned.
    """
    table = [header, *rows]
    widths = [max(map(display_width, column_cells)) for column_cells in zip(*table, strict=True)]
    lines = []
    for row in table:
        padded_cells = []
        for column, cell in enumerate(row):
            padding = " " * (widths[column] - display_width(cell))
            padded_cells.append(cell + padding if column < left else padding + cell)
        lines.append("  ".join(padded_cells).rstrip())
    return "\n".join(lines)


def format_number(value: float | None, digits: int, sign: str = "") -> str:
    """Format a number. NaN becomes a dash, and ``None`` becomes an empty string.

    Args:
        value: the number.
        digits: the number of decimals.
        sign: ``+`` to write a sign before positive numbers, too.
    """
    if value is None:
        return ""
    return "–" if math.isnan(value) else f"{value:{sign}.{digits}f}"


def format_p(p: float | None, digits: int = 4) -> str:
    """Format a p-value. Very small p-values are written as an upper bound, such as ``<0.0001``."""
    smallest = 10**-digits
    if p is not None and p < smallest:
        return f"<{smallest:.{digits}f}"
    return format_number(p, digits)


def format_count(count: int | None) -> str:
    """Format a count with commas as thousands separators. The value ``None`` becomes ``no``."""
    return "no" if count is None else f"{count:,}"


def isolate(text: str) -> str:
    """Enclose a text in a Unicode isolate if it contains right-to-left characters.

    Terminals and editors that support bidirectional text then show the text from right to left, but keep the order of
    the table columns.
    """
    if any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text):
        return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}"
    return text


def printable(text: str) -> str:
    """Replace tabs by spaces, and control characters by U+FFFD, so that a text is safe to display in a terminal."""
    return text if text.isascii() and text.isprintable() else "".join(map(_printable_character, text))


def _printable_character(char: str) -> str:
    """Return a character unchanged, or its replacement if it is a control character or a separator."""
    if char == "\t":
        return " "
    if char == " " or char in _JOINERS or unicodedata.category(char)[0] not in "CZ":
        return char
    return "\ufffd"


class TextOutput(OutputFormat):
    """Output as plain text, with tables whose columns are aligned for a terminal."""

    name: ClassVar[str] = "text"
    segments: ClassVar[bool] = True
    alignments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the text lines of the result, and then the tables with their notes, separated by blank lines."""
        separator = ""
        for line in result.lines(options.digits):
            stream.write(line + "\n")
            separator = "\n"
        for grid in result.grids(options.digits):
            stream.write(separator + _format_grid(grid))
            separator = "\n"


def _format_grid(grid: Grid) -> str:
    """Format a table with its title above it and its notes below it. A table without a header only has notes."""
    lines = [grid.title] if grid.title else []
    if grid.header:
        lines.append(format_table(grid.header, grid.rows, left=grid.left))
        if grid.notes:
            lines.append("")
    lines += grid.notes
    return "".join(f"{line}\n" for line in lines)
