"""Colors and dashes of systems.

They are Paul Tol's "muted" scheme; each also has a letter and a dash pattern, so that nothing is told by color alone.
Where a dark background needs it, a color has a lighter twin. Styles of matchers are in
:mod:`meteor_e_evaluation.reports.matchers`.
"""

from __future__ import annotations

from typing import NamedTuple


class SystemStyle(NamedTuple):
    """How a system looks.

    Attributes:
        light, dark: color on a light and on a dark background.
        dashes: SVG dash pattern of its lines; empty for a solid one.
    """

    light: str
    dark: str
    dashes: str


SYSTEMS = (
    SystemStyle("#332288", "#a99cf5", ""),
    SystemStyle("#b8485c", "#f0899a", "6 2"),
    SystemStyle("#117733", "#5fc97d", "2 2"),
    SystemStyle("#23779c", "#88ccee", "8 2 2 2"),
    SystemStyle("#7d6a1f", "#ddcc77", "4 3"),
    SystemStyle("#882255", "#e07fb4", "1 2"),
    SystemStyle("#23756b", "#6fd6c8", "10 3"),
    SystemStyle("#6b6b22", "#c2c266", "6 2 1 2 1 2"),
)
"""The styles of a report's first systems."""


def system_style(index: int) -> SystemStyle:
    """Return the style of a report's ``index``-th system."""
    return SYSTEMS[index % len(SYSTEMS)]


def letter(index: int) -> str:
    """Return the letter of a report's ``index``-th system: A to Z, then AA, AB …"""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
