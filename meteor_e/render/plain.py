"""Plain tables: columns that line up, whether or not there is a terminal."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result


def display_width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    wide = unicodedata.east_asian_width
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if wide(char) in "WF"
        else 1
        for char in text
    )


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Format a table; the first ``left`` columns are aligned to the left, the others to the right."""
    table = [list(header), *(list(row) for row in rows)]
    widths = [max(display_width(row[column]) for row in table) for column in range(len(header))]
    lines = []
    for row in table:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (width - display_width(cell))
            cells.append(cell + padding if column < left else padding + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def shown_number(value: float | None, digits: int, sign: str = "") -> str:
    """Return a number with so many decimals; a dash for what is undefined, nothing for ``None``.

    Args:
        value: the number.
        digits: decimals.
        sign: ``+`` to write the sign of positive numbers, too.
    """
    if value is None:
        return ""
    return "–" if math.isnan(value) else f"{value:{sign}.{digits}f}"


def shown_p(p: float | None, digits: int = 4) -> str:
    """Return a p-value; very small ones as ``<0.0001``."""
    least = 10**-digits
    return f"<{least:.{digits}f}" if p is not None and p < least else shown_number(p, digits)


def count_or_no(number: int | None) -> str:
    """Return a number with commas, ``no`` for None."""
    return "no" if number is None else f"{number:,}"


_JOINERS = "\u200c\u200d"  # they belong to the spelling of Persian, Hindi and others
_FIRST_STRONG, _END = "\u2068", "\u2069"


def isolated(text: str) -> str:
    """Return text that keeps its place in a line: one with right-to-left characters is put into a Unicode isolate.

    A terminal or an editor that knows the bidirectional algorithm then shows it from right to left, but does not
    turn round its neighbors, such as the next column of a table.
    """
    if any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text):
        return f"{_FIRST_STRONG}{text}{_END}"
    return text


def printable(text: str) -> str:
    """Replace control characters, which could change a terminal, by U+FFFD."""
    return "".join(
        char
        if char == " " or char in _JOINERS or unicodedata.category(char)[0] not in "CZ"
        else "\ufffd"
        if char != "\t"
        else " "
        for char in text
    )


class TextOutput(OutputFormat):
    """Tables that line up, for a terminal."""

    name: ClassVar[str] = "text"
    segments: ClassVar[bool] = True
    alignments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write lines as they come, then the tables with their notes."""
        before = False
        for line in result.lines(options.digits):
            stream.write(line + "\n")
            before = True
        for grid in result.grids(options.digits):
            stream.write("\n" if before else "")
            before = True
            stream.write(f"{grid.title}\n" if grid.title else "")
            stream.write(format_table(grid.header, grid.rows, left=grid.left) + "\n" if grid.header else "")
            stream.write("\n" if grid.notes and grid.header else "")
            stream.writelines(f"{note}\n" for note in grid.notes)
