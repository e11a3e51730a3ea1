"""Draws alignment matrices in LaTeX (TikZ), for papers."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Collection, Iterator, Sequence

from meteor_e import Alignment, InputError
from meteor_e.scoring.alignment import AlignedMatch, chunk_numbers
from meteor_e_evaluation.reports.styles import matcher_style

MATRIX_PREAMBLE = """\
% Alignment matrices by meteor_e: \\usepackage{tikz} and \\input this file.
% Words that are not in Latin letters want LuaLaTeX or XeLaTeX, and a font that has them.
"""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Some font encodings of LaTeX do not contain \textquotedbl.
    '"': "''",
}

_UNPRINTABLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")

_MARKS = {
    "●": r"\fill ({x},{y}) circle (.27);",
    "▲": r"\fill ({x},{y}) +(0,-.32) -- +(.32,.25) -- +(-.32,.25) -- cycle;",
    "■": r"\fill ({x},{y}) +(-.26,-.26) rectangle +(.26,.26);",
    "◆": r"\fill ({x},{y}) +(0,-.34) -- +(.34,0) -- +(0,.34) -- +(-.34,0) -- cycle;",
    "▼": r"\fill ({x},{y}) +(0,.32) -- +(.32,-.25) -- +(-.32,-.25) -- cycle;",
    "✚": r"\fill ({x},{y}) +(-.1,-.33) rectangle +(.1,.33); \fill ({x},{y}) +(-.33,-.1) rectangle +(.33,.1);",
    "★": r"\draw[line width=1.2pt] ({x},{y}) +(-.28,-.28) -- +(.28,.28); "
    r"\draw[line width=1.2pt] ({x},{y}) +(-.28,.28) -- +(.28,-.28);",
    "⬢": r"\draw[line width=1.2pt] ({x},{y}) circle (.24);",
}


def escape(text: str) -> str:
    """Escape the special characters of LaTeX in a string, and replace unprintable characters by ``?``."""
    return "".join(_escape_character(character) for character in text)


def _escape_character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    return "?" if unicodedata.category(character) in _UNPRINTABLE else character


def alignment_matrix(alignment: Alignment, function_words: Collection[str] = ()) -> str:
    """Return LaTeX code (a ``tikzpicture``) that draws an alignment as a matrix.

    The matrix has a column for each reference word, and a row for each hypothesis word.

    Args:
        alignment: alignment of a hypothesis with a reference.
        function_words: words in lower case that are printed in gray.

    Raises:
        InputError: if the hypothesis or the reference is empty.
    """
    n_columns = len(alignment.reference)
    n_rows = len(alignment.hypothesis)
    if not n_columns or not n_rows:
        raise InputError("an alignment with an empty side has no matrix")
    matchers = sorted({match.matcher for match in alignment.matches})
    lines = [r"\begin{tikzpicture}[x=1.15em,y=-1.15em,every node/.style={font=\footnotesize,inner sep=1pt}]"]
    lines += _define_colors(matchers)
    lines.append(rf"  \draw[black!12] (0,0) grid[step=1] ({n_columns},{n_rows});")
    lines += _draw_words(alignment, function_words)
    for match in alignment.matches:
        lines += _draw_match(match)
    lines += _draw_chunks(alignment)
    lines += _draw_legend(matchers, alignment.matchers, n_rows + 0.8)
    lines.append(r"\end{tikzpicture}")
    return "\n".join(lines) + "\n"


def _define_colors(matchers: Sequence[int]) -> Iterator[str]:
    """Yield the TikZ commands that define the color of each matcher."""
    for matcher in matchers:
        color = matcher_style(matcher).light.removeprefix("#").upper()
        yield rf"  \definecolor{{meteor{matcher}}}{{HTML}}{{{color}}}"


def _draw_words(alignment: Alignment, function_words: Collection[str]) -> Iterator[str]:
    """Yield the TikZ commands that print the reference above the matrix, and the hypothesis at the left."""
    for index, word in enumerate(alignment.reference):
        shade = _shade(word, function_words)
        yield rf"  \node[rotate=60,anchor=west{shade}] at ({index}.5,-.15) {{{escape(word)}}};"
    for index, word in enumerate(alignment.hypothesis):
        shade = _shade(word, function_words)
        yield rf"  \node[anchor=east{shade}] at (-.15,{index}.5) {{{escape(word)}}};"


def _draw_match(match: AlignedMatch) -> Iterator[str]:
    """Yield TikZ commands that draw a match as a rectangle, with a mark in each cell."""
    left, top = match.reference_start, match.hypothesis_start
    right, bottom = left + match.reference_length, top + match.hypothesis_length
    color = f"meteor{match.matcher}"
    yield rf"  \fill[{color}!25] ({left},{top}) rectangle ({right},{bottom});"
    for x in range(left, right):
        for y in range(top, bottom):
            yield rf"  \begin{{scope}}[{color}] {_mark(match.matcher, f'{x}.5', f'{y}.5')} \end{{scope}}"


def _draw_legend(matchers: Sequence[int], names: Sequence[str], y: float) -> Iterator[str]:
    """Yield TikZ commands that draw a legend with the mark and the name of each matcher."""
    x = 0.3
    for matcher in matchers:
        name = names[matcher]
        mark = _mark(matcher, f"{x:.1f}", f"{y:.1f}")
        yield (
            rf"  \begin{{scope}}[meteor{matcher}] {mark} \end{{scope}} "
            rf"\node[anchor=west] at ({x + 0.4:.1f},{y:.1f}) {{{escape(name)}}};"
        )
        x += 2 + 0.55 * len(name)


def _shade(word: str, function_words: Collection[str]) -> str:
    return ",text=black!50" if word.lower() in function_words else ""


def _mark(matcher: int, x: str, y: str) -> str:
    return _MARKS[matcher_style(matcher).symbol].replace("{x}", x).replace("{y}", y)


def _draw_chunks(alignment: Alignment) -> Iterator[str]:
    """Yield TikZ commands that draw a rectangle around each chunk."""
    numbered_matches = zip(chunk_numbers(alignment.matches), alignment.matches, strict=True)
    for _, chunk in itertools.groupby(numbered_matches, key=lambda numbered_match: numbered_match[0]):
        matches = [match for _, match in chunk]
        left, top = matches[0].reference_start, matches[0].hypothesis_start
        right = matches[-1].reference_start + matches[-1].reference_length
        bottom = matches[-1].hypothesis_start + matches[-1].hypothesis_length
        yield rf"  \draw[black!60,rounded corners=1.5pt] ({left},{top}) rectangle ({right},{bottom});"
