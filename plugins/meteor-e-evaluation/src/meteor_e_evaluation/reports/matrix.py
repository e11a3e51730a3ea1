"""Alignment matrices in LaTeX (TikZ), for papers."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from meteor_e import Alignment, InputError
from meteor_e.scoring.alignment import chunk_numbers
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
    # \textquotedbl is not in every document's encoding.
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
    """Return a text with LaTeX's special characters escaped; unprintable characters become ``?``."""
    return "".join(_SPECIAL.get(char) or ("?" if unicodedata.category(char) in _UNPRINTABLE else char) for char in text)


def alignment_matrix(alignment: Alignment, function_words: Collection[str] = ()) -> str:
    """Return a ``tikzpicture`` of an alignment: a column per reference word, a row per hypothesis word.

    Args:
        alignment: alignment of a hypothesis with a reference.
        function_words: words in lower case that are printed in gray.

    Raises:
        InputError: if the hypothesis or the reference is empty.
    """
    across, down = len(alignment.reference), len(alignment.hypothesis)
    if not across or not down:
        raise InputError("an alignment with an empty side has no matrix")
    used = sorted({match.matcher for match in alignment.matches})
    lines = [r"\begin{tikzpicture}[x=1.15em,y=-1.15em,every node/.style={font=\footnotesize,inner sep=1pt}]"]
    lines += [
        rf"  \definecolor{{meteor{matcher}}}{{HTML}}{{{matcher_style(matcher).light[1:].upper()}}}" for matcher in used
    ]
    lines.append(rf"  \draw[black!12] (0,0) grid[step=1] ({across},{down});")
    for index, word in enumerate(alignment.reference):
        lines.append(
            rf"  \node[rotate=60,anchor=west{_shade(word, function_words)}] at ({index}.5,-.15) {{{escape(word)}}};"
        )
    for index, word in enumerate(alignment.hypothesis):
        lines.append(rf"  \node[anchor=east{_shade(word, function_words)}] at (-.15,{index}.5) {{{escape(word)}}};")
    for match in alignment.matches:
        corners = (
            (match.reference_start, match.hypothesis_start),
            (match.reference_start + match.reference_length, match.hypothesis_start + match.hypothesis_length),
        )
        (left, top), (right, bottom) = corners
        color = f"meteor{match.matcher}"
        lines.append(rf"  \fill[{color}!25] ({left},{top}) rectangle ({right},{bottom});")
        for x in range(left, right):
            for y in range(top, bottom):
                lines.append(rf"  \begin{{scope}}[{color}] {_mark(match.matcher, f'{x}.5', f'{y}.5')} \end{{scope}}")
    for left, top, right, bottom in _chunks(alignment):
        lines.append(rf"  \draw[black!60,rounded corners=1.5pt] ({left},{top}) rectangle ({right},{bottom});")
    start = 0.3
    for matcher in used:
        name = alignment.matchers[matcher]
        lines.append(
            rf"  \begin{{scope}}[meteor{matcher}] {_mark(matcher, f'{start:.1f}', f'{down + 0.8:.1f}')} \end{{scope}} "
            rf"\node[anchor=west] at ({start + 0.4:.1f},{down + 0.8:.1f}) {{{escape(name)}}};"
        )
        start += 2 + 0.55 * len(name)
    lines.append(r"\end{tikzpicture}")
    return "\n".join(lines) + "\n"


def _shade(word: str, function_words: Collection[str]) -> str:
    return ",text=black!50" if word.lower() in function_words else ""


def _mark(matcher: int, x: str, y: str) -> str:
    return _MARKS[matcher_style(matcher).symbol].replace("{x}", x).replace("{y}", y)


def _chunks(alignment: Alignment) -> list[tuple[int, int, int, int]]:
    """Return left, top, right and bottom of each chunk."""
    boxes: dict[int, tuple[int, int, int, int]] = {}
    for match, number in zip(alignment.matches, chunk_numbers(alignment.matches), strict=True):
        left, top = boxes[number][:2] if number in boxes else (match.reference_start, match.hypothesis_start)
        boxes[number] = (
            left,
            top,
            match.reference_start + match.reference_length,
            match.hypothesis_start + match.hypothesis_length,
        )
    return list(boxes.values())
