"""The report as one HTML file that needs nothing else.

Segments and names are data, never markup: the template escapes all it is given, the script sets text only, and the
page's content security policy lets nothing run, load or be sent but the page's own script and style, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from meteor_e import __version__
from meteor_e.base import PathLike, atomic_writer
from meteor_e.pictures import MATCHER_STYLES, SHAPES, MatcherStyle, matcher_style
from meteor_e.significance import DEFAULT_SEED
from meteor_e_report import charts, palette
from meteor_e_report.lengths import LENGTH_CLASSES, distributions
from meteor_e_report.payload import encode, payload
from meteor_e_report.scored import STATISTICS, Comparison, Progress, Report, score_systems
from meteor_e_report.visible import visible

if TYPE_CHECKING:
    from meteor_e import Meteor

__all__ = ["render", "write_page", "write_report"]

SCRIPTS = ("elements", "data", "list", "lines", "matrix", "segment", "main")
"""The page's scripts, in the order in which they use one another."""

SIGNIFICANT = 0.05

_INTERVAL_WIDTH = 220
_BAR_WIDTH = 480


def write_report(
    path: PathLike,
    meteor: Meteor,
    systems: Mapping[str, Iterable[str]],
    references: Iterable[str | Sequence[str]],
    *,
    title: str | None = None,
    method: str | None = "randomization",
    samples: int | None = None,
    seed: int = DEFAULT_SEED,
    progress: Progress | None = None,
) -> Report:
    """Score systems and write a report on them: one HTML file, whole or not at all.

    Args:
        path: of the file.
        meteor: the metric.
        systems: hypotheses by name of the system; the first system is the baseline.
        references: for each segment its reference, or a sequence of references.
        title: of the report; by default it names the systems.
        method: test of differences between systems: ``randomization``, ``bootstrap``, or ``None`` for none.
        samples: of the test; by default 1,000 for the bootstrap and 10,000 for randomization.
        seed: of the test and of the confidence intervals.
        progress: called with a system's name and the number of segments done.

    Returns:
        What the file shows.

    Raises:
        ConfigError: for an unknown method.
        InputError: if there is nothing to report on, systems and references differ in number, or the file cannot be
            written.
    """
    report = score_systems(
        meteor, systems, references, title=title, method=method, samples=samples, seed=seed, progress=progress
    )
    write_page(report, path)
    return report


def write_page(report: Report, path: str | os.PathLike[str]) -> None:
    """Write a report's HTML file, whole or not at all.

    Raises:
        InputError: if there is too much data for a page, or the file cannot be written.
    """
    page = render(report)
    with atomic_writer(path) as stream:
        stream.write(page)


def render(report: Report) -> str:
    """Return a report as HTML.

    Raises:
        InputError: if there is too much data for a page.
    """
    folder = files("meteor_e_report") / "web"
    style = _colours() + (folder / "page.css").read_text(encoding="utf-8")
    functions = "".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    script = f'(() => {{\n"use strict";\n{functions}}})();\n'
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"number": _number, "signed": _signed, "p": _p, "thousands": "{:,}".format}
    template = environment.from_string((folder / "page.html").read_text(encoding="utf-8"))
    text: str = template.render(
        **_context(report),
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=encode(payload(report)),
    )
    return text


def _hash(text: str) -> str:
    """Return what a content security policy calls a text by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _number(value: float, digits: int = 4) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def _signed(value: float, digits: int = 4) -> str:
    return f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _colours() -> str:
    """Return the palette as CSS variables and classes."""
    styles = [(f"m{at}", matcher_style(at)) for at in range(MATCHER_STYLES)]
    names: list[tuple[str, MatcherStyle | palette.SystemStyle]] = [*styles]
    names += [(f"s{at}", style) for at, style in enumerate(palette.SYSTEMS)]
    light = "".join(f"--{name}:{style.light};" for name, style in names)
    dark = "".join(f"--{name}:{style.dark};" for name, style in names)
    classes = "".join(f".{name}{{--c:var(--{name})}}" for name, _ in names)
    return (
        f":root{{{light}}}\n"
        f'@media (prefers-color-scheme: dark){{:root:not([data-theme="light"]){{{dark}}}}}\n'
        f':root[data-theme="dark"]{{{dark}}}\n{classes}\n'
    )


def _context(report: Report) -> dict[str, Any]:
    rows = distributions(report)
    matchers = [
        {"name": name, "style": at % MATCHER_STYLES, "shape": at % len(SHAPES)}
        for at, name in enumerate(report.matchers)
    ]
    systems = [
        {
            "name": visible(system.name),
            "letter": palette.letter(at),
            "style": at % len(palette.SYSTEMS),
            "dashes": palette.system_style(at).dashes,
            "corpus": system.corpus,
            "shares": system.corpus.contributions(),
        }
        for at, system in enumerate(report.systems)
    ]
    return {
        "report": report,
        "title": visible(report.title),
        "version": __version__,
        "references": sorted({len(texts) for texts in report.references}),
        "systems": systems,
        "matchers": matchers,
        "shapes": SHAPES,
        "statistics": STATISTICS,
        "length_classes": LENGTH_CLASSES,
        "rows": rows,
        "unmeasured": int((report.lengths == 0).sum()),
        "paths": [[charts.histogram_paths(cell) for cell in row] for row in rows],
        "histogram": charts.HISTOGRAM,
        "bars": charts.stacked(report, _BAR_WIDTH),
        "bar_width": _BAR_WIDTH,
        "significant": SIGNIFICANT,
        "findings": _findings(report),
        **_intervals(report),
    }


def _intervals(report: Report) -> dict[str, Any]:
    """Return the overview's intervals and what they are drawn on."""
    values = [system.corpus.score for system in report.systems]
    if report.comparison is not None:
        for at in range(len(report.systems)):
            values += report.comparison.of(at).interval
    return {
        "scale": charts.interval_scale(values, _INTERVAL_WIDTH),
        "tests": None if report.comparison is None else [report.comparison.of(at) for at in range(len(report.systems))],
    }


def _findings(report: Report) -> list[str]:
    """Say in words what the overview shows."""
    scores = [system.corpus.score for system in report.systems]
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    names = [f"{palette.letter(at)} ({visible(report.systems[at].name)})" for at in range(len(scores))]
    best, *others = order
    if not others:
        return []
    if scores[others[0]] == scores[best]:
        said = [f"{names[best]} and {names[others[0]]} have the same METEOR, {scores[best]:.4f}."]
    else:
        said = [f"{names[best]} has the highest METEOR, {scores[best]:.4f}."]
    if report.comparison is not None:
        said.append(_difference(report, report.comparison, best, others[0], names))
    return said


def _difference(report: Report, comparison: Comparison, best: int, second: int, names: list[str]) -> str:
    test = comparison.between(min(best, second), max(best, second))
    assert test.p is not None
    assert test.difference is not None
    what = f"Its difference to the next, {names[second]}, is {abs(test.difference):.4f}"
    if test.p < SIGNIFICANT:
        return f"{what}, and significant (p {'' if test.p < 0.001 else '= '}{_p(test.p)})."
    return f"{what}, which is not significant (p = {_p(test.p)})."
