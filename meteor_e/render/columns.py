"""Tables of text that fit into the width of a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

from meteor_e.render.plain import display_width, format_table

_NARROWEST = 24
"""Columns of a terminal that the last column of a table gets at least."""


def format_wrapped_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table whose last column is wrapped at the width of the terminal.

    The width is that of the terminal, or 80 if the output is not a terminal. All columns are aligned to the left.
    """
    others = [max(display_width(row[column]) for row in (header, *rows)) + 2 for column in range(len(header) - 1)]
    width = max(_NARROWEST, shutil.get_terminal_size((80, 24)).columns - sum(others))
    lines: list[list[str]] = []
    for *cells, text in rows:
        first, *more = wrap_text(text, width)
        lines.append([*cells, first])
        lines += [[*[""] * len(cells), line] for line in more]
    return format_table(header, lines, left=len(header))


def wrap_text(text: str, width: int) -> list[str]:
    """Return the lines of a text, each at most ``width`` characters wide unless a single word is longer."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
