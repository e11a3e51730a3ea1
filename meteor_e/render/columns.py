"""This module formats text tables that are wrapped at the width of the terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

from meteor_e.render.plain import display_width, format_table

_MIN_WIDTH = 24
"""The last column of a table has at least this width, in characters."""


def format_wrapped_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table with left-aligned columns, and wrap the last column at the width of the terminal.

    If the output is not a terminal, the table is 80 characters wide.
    """
    remaining_width = shutil.get_terminal_size((80, 24)).columns
    for column in range(len(header) - 1):
        column_width = max(display_width(row[column]) for row in (header, *rows))
        remaining_width -= column_width + 2
    last_width = max(_MIN_WIDTH, remaining_width)
    table_rows: list[list[str]] = []
    for *first_cells, last_cell in rows:
        lines = textwrap.wrap(last_cell, last_width, break_long_words=False, break_on_hyphens=False) or [""]
        table_rows.append([*first_cells, lines[0]])
        blank_cells = [""] * len(first_cells)
        table_rows += [[*blank_cells, line] for line in lines[1:]]
    return format_table(header, table_rows, left=len(header))
