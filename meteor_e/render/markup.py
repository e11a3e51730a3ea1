"""Tables for papers and pages: Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, TextIO

from meteor_e.api.formats import Grid, OutputFormat, OutputOptions, Result

# What is text anyhow stays as it is: an underscore within a word, the brackets of an interval, and a p below a limit.
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


def _cells(grid: Grid, escape: Callable[[str], str], stressed: str) -> list[list[str]]:
    """Return the rows of a grid in a language of markup, what is best in it as ``stressed`` says."""
    return [
        [
            stressed.format(escape(cell)) if (row, column) in grid.best else escape(cell)
            for column, cell in enumerate(cells)
        ]
        for row, cells in enumerate(grid.rows)
    ]


class MarkdownOutput(OutputFormat):
    """Tables of Markdown."""

    name: ClassVar[str] = "markdown"

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the tables, and their notes as lists."""
        for number, grid in enumerate(result.grids(options.digits)):
            lines = [f"**{_markdown(grid.title)}**", ""] if grid.title else []
            if grid.header:
                rows = [[*map(_markdown, grid.header)], *_cells(grid, _markdown, "**{}**")]
                lines += ["| " + " | ".join(cells) + " |" for cells in rows]
                rule = "|" + "---|" * grid.left + "---:|" * (len(grid.header) - grid.left)
                lines.insert(len(lines) - len(grid.rows), rule)
            if grid.notes:
                lines += [*([""] if grid.header else []), *(f"- {note}" for note in grid.notes)]
            stream.write(("\n" if number else "") + "\n".join(lines) + "\n")


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", text)


class LatexOutput(OutputFormat):
    """Tables of LaTeX with booktabs; notes are comments."""

    name: ClassVar[str] = "latex"

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the tables; one with a title floats, and the title is its caption."""
        for number, grid in enumerate(result.grids(options.digits)):
            rows = [[*map(_latex, grid.header)], *_cells(grid, _latex, r"\textbf{{{}}}")]
            head, *body = (" & ".join(cells) + r" \\" for cells in rows)
            columns = "l" * grid.left + "r" * (len(grid.header) - grid.left)
            lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
            lines = [*lines, r"\end{tabular}"] if grid.header else []
            if grid.title and grid.header:
                caption = rf"\caption{{{_latex(grid.title)}}}"
                lines = [r"\begin{table}", r"\centering", caption, *lines, r"\end{table}"]
            lines += [f"% {note}" for note in grid.notes]
            stream.write(("\n" if number else "") + "\n".join(lines) + "\n")


def _latex(text: str) -> str:
    return text.translate(_LATEX)
