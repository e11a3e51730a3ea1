"""Plain tables: columns that line up, whether or not there is a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def display_width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
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


def printable(text: str) -> str:
    """Replace control characters, which could change a terminal, by U+FFFD."""
    return "".join(
        char if char == " " or unicodedata.category(char)[0] not in "CZ" else "\ufffd" if char != "\t" else " "
        for char in text
    )
