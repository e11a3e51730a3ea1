"""This module writes tables in Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, TextIO

from meteor_e.api.formats import Grid, OutputFormat, OutputOptions, Result

# Special characters that Markdown treats as text, such as underscores within words, are not escaped.
_MARKDOWN = re.compile(r"[\\`*|~]|\[(?=.*\]\()|<(?=[A-Za-z/!?])|(?<![^\W_])_|_(?![^\W_])")

_LATEX = str.maketrans(
    {
        **{char: f"\\{char}" for char in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↓": r"$\downarrow$",
        "<": "$<$",
        ">": "$>$",
        "|": "$|$",
        "τ": r"$\tau$",
        "ρ": r"$\rho$",
        "–": "--",
    }
)


def _escape_cells(grid: Grid, escape: Callable[[str], str], highlight: str) -> list[list[str]]:
    """Escape the cells of a table for a markup language, and highlight the best values.

    Args:
        grid: the table. Its attribute ``best`` contains the row and column indexes of the best values.
        escape: the function that escapes the special characters of a text.
        highlight: the markup of highlighted cells as a format string, such as ``**{}**``.
    """
    rows = [[escape(cell) for cell in cells] for cells in grid.rows]
    for row_index, column_index in grid.best:
        best_value = rows[row_index][column_index]
        rows[row_index][column_index] = highlight.format(best_value)
    return rows


class MarkdownOutput(OutputFormat):
    """Output as tables in Markdown."""

    name: ClassVar[str] = "markdown"

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write each table, followed by its notes as a list."""
        for index, grid in enumerate(result.grids(options.digits)):
            lines = [f"**{_escape_markdown(grid.title)}**", ""] if grid.title else []
            if grid.header:
                lines += _markdown_table(grid)
            if grid.notes:
                if grid.header:
                    lines.append("")
                lines += [f"- {note}" for note in grid.notes]
            stream.write(("\n" if index else "") + "\n".join(lines) + "\n")


def _markdown_table(grid: Grid) -> list[str]:
    """Return the lines of a Markdown table: the header, the delimiter row with the column alignment, and the rows."""
    header = [_escape_markdown(title) for title in grid.header]
    delimiter_row = "|" + "---|" * grid.left + "---:|" * (len(grid.header) - grid.left)
    lines = [f"| {' | '.join(header)} |", delimiter_row]
    for cells in _escape_cells(grid, _escape_markdown, highlight="**{}**"):
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _escape_markdown(text: str) -> str:
    """Escape the special characters of Markdown."""
    return _MARKDOWN.sub(r"\\\g<0>", text)


class LatexOutput(OutputFormat):
    """Output as LaTeX tables, which use the package booktabs. Notes are written as comments."""

    name: ClassVar[str] = "latex"

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the tables. A table with a title becomes a floating environment with a caption."""
        for index, grid in enumerate(result.grids(options.digits)):
            lines = _latex_table(grid) if grid.header else []
            if grid.title and grid.header:
                caption = rf"\caption{{{_escape_latex(grid.title)}}}"
                lines = [r"\begin{table}", r"\centering", caption, *lines, r"\end{table}"]
            lines += [f"% {note}" for note in grid.notes]
            stream.write(("\n" if index else "") + "\n".join(lines) + "\n")


def _latex_table(grid: Grid) -> list[str]:
    """Return the lines of a LaTeX ``tabular`` environment."""
    alignment = "l" * grid.left + "r" * (len(grid.header) - grid.left)
    header = [_escape_latex(title) for title in grid.header]
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", " & ".join(header) + r" \\", r"\midrule"]
    for cells in _escape_cells(grid, _escape_latex, highlight=r"\textbf{{{}}}"):
        lines.append(" & ".join(cells) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _escape_latex(text: str) -> str:
    """Escape the special characters of LaTeX."""
    return text.translate(_LATEX)
