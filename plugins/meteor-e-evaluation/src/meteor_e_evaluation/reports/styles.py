"""Colors and symbols of matchers and systems, for terminals, HTML pages and LaTeX.

The colors of matchers are based on Okabe and Ito (2008), and the colors of systems on Paul Tol's "muted" scheme.
Color-blind readers can distinguish them. No information depends on color alone, because each matcher also has a shape,
and each system a letter and a dash pattern. Every color has a lighter variant for dark backgrounds.
"""

from __future__ import annotations

from string import ascii_uppercase
from typing import NamedTuple


class MatcherStyle(NamedTuple):
    """The color and the shape that represent a matcher.

    Attributes:
        light, dark: color on a light and on a dark background.
        shape: SVG path of the shape, with coordinates from -1 to 1.
        symbol: the shape as a character.
        terminal: color in a terminal.
    """

    light: str
    dark: str
    shape: str
    symbol: str
    terminal: str


SHAPES = (
    ("M-.85 0A.85.85 0 1 0 .85 0A.85.85 0 1 0-.85 0Z", "●"),
    ("M0-.95L.95.75H-.95Z", "▲"),
    ("M-.75-.75H.75V.75H-.75Z", "■"),
    ("M0-1L1 0L0 1L-1 0Z", "◆"),
    ("M0 .95L-.95-.75H.95Z", "▼"),
    ("M-.3-.95H.3V-.3H.95V.3H.3V.95H-.3V.3H-.95V-.3H-.3Z", "✚"),
    ("M0-1L.29-.4L.95-.31L.48.15L.59.81L0 .5L-.59.81L-.48.15L-.95-.31L-.29-.4Z", "★"),
    ("M-.5-.87H.5L1 0L.5.87H-.5L-1 0Z", "⬢"),
)

_COLORS = (
    ("#0072b2", "#56a9e0", "blue"),
    ("#00806a", "#2fc4a0", "green"),
    ("#c85a00", "#f0a04b", "yellow"),
    ("#a8478a", "#e08cc4", "magenta"),
    ("#8a6d00", "#e6cf4a", "bright_yellow"),
    ("#55606e", "#aeb8c4", "cyan"),
    ("#a3271f", "#f08a80", "red"),
)

MATCHER_STYLES = len(_COLORS) * len(SHAPES)
"""Number of distinct styles. The numbers of colors and of shapes are coprime, so every combination occurs."""


def matcher_style(index: int) -> MatcherStyle:
    """Return the style of a matcher, given its position in the chain."""
    light, dark, terminal = _COLORS[index % len(_COLORS)]
    return MatcherStyle(light, dark, *SHAPES[index % len(SHAPES)], terminal)


class SystemStyle(NamedTuple):
    """The color and the dash pattern that represent a system.

    Attributes:
        light, dark: color on a light and on a dark background.
        dashes: SVG dash pattern of the lines; empty for a solid line.
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
"""Styles of the systems of a report. They repeat if there are more systems."""


def system_style(index: int) -> SystemStyle:
    """Return the style of a system, given its position in the report."""
    return SYSTEMS[index % len(SYSTEMS)]


def letter(index: int) -> str:
    """Return the letter that labels a system in a report.

    The first 26 systems are labeled A to Z. The next systems are labeled AA, AB and so on.
    """
    quotient, remainder = divmod(index, len(ascii_uppercase))
    prefix = letter(quotient - 1) if quotient else ""
    return prefix + ascii_uppercase[remainder]
