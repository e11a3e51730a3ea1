"""Writes a report as one HTML file without external resources.

Segments and names are never interpreted as markup. The template escapes all values, and the script only sets text.

The content security policy of the page lists hashes of the script and the style. Browsers do not run any other script.
"""

from __future__ import annotations

import base64
import hashlib
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2
from markupsafe import Markup

from meteor_e import __version__
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.atomic import atomic_writer
from meteor_e.base.files import PathLike
from meteor_e.base.progress import Progress, silent
from meteor_e.significance.resampling import SIGNIFICANT
from meteor_e.significance.systems import SystemTest
from meteor_e_evaluation.reports import charts
from meteor_e_evaluation.reports.lengths import Distributions, distributions
from meteor_e_evaluation.reports.payload import encode
from meteor_e_evaluation.reports.scored import ALL_PAIRS_LIMIT, MetricResult, Report, score_systems
from meteor_e_evaluation.reports.scored_system import ScoredSystem
from meteor_e_evaluation.reports.styles import (
    MATCHER_STYLES,
    SHAPES,
    SYSTEMS,
    MatcherStyle,
    SystemStyle,
    letter,
    matcher_style,
    system_style,
)
from meteor_e_evaluation.reports.visible import visible

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e.api import Metric

SCRIPTS = (
    "text",
    "elements",
    "report",
    "aligned-lines",
    "alignment-matrix",
    "segment-list",
    "segment-view",
    "sort-keys",
    "segment-browser",
    "main",
)
"""Names of the scripts of the page. They share one scope. Each script depends only on scripts before it."""

_INTERVAL_WIDTH = 160
_BAR_WIDTH = 480
_BALANCE_WIDTH = 200

MOST_PAIRS = 10
"""Number of pairs of systems that are visible at first. A button shows the other pairs."""


def write_report(
    path: PathLike,
    meteor: Meteor,
    systems: Mapping[str, Iterable[str]],
    references: Iterable[str | Sequence[str]],
    *,
    metrics: Sequence[Metric | None] = (None,),
    title: str | None = None,
    method: str | None = "randomization",
    samples: int | None = None,
    seed: int = DEFAULT_SEED,
    progress: Progress = silent,
) -> Report:
    """Score systems, and write a report as one HTML file.

    The file is written atomically.

    Args:
        path: path of the file.
        meteor: the chain that aligns the segments.
        systems: hypotheses by name of the system. The first system is the baseline.
        references: for each segment, its reference or a sequence of references.
        metrics: the metrics in the order of the report. None stands for ``meteor``, which is added as the last metric
            if it is missing.
        title: title of the report. By default, the title contains the names of the systems.
        method: significance test of the differences between systems: ``randomization``, ``bootstrap``, or None for no
            test.
        samples: number of samples of the test. The default is 1,000 for the bootstrap and 10,000 for randomization.
        seed: seed of the test and of the confidence intervals.
        progress: receives the progress on each system.

    Returns:
        The report.

    Raises:
        ConfigError: if the method is unknown.
        InputError: if there are no systems or no segments, if systems and references differ in number, or if the file
            cannot be written.
    """
    report = score_systems(
        meteor,
        systems,
        references,
        metrics=metrics,
        title=title,
        method=method,
        samples=samples,
        seed=seed,
        progress=progress,
    )
    write_page(report, path)
    return report


def write_page(report: Report, path: str | os.PathLike[str]) -> None:
    """Write the HTML file of a report atomically.

    Args:
        report: the report.
        path: path of the file.

    Raises:
        InputError: if the page would be too large for a browser, or if the file cannot be written.
    """
    page = render(report)
    with atomic_writer(path) as stream:
        stream.write(page)


def render(report: Report) -> str:
    """Return a report as the text of an HTML file.

    Raises:
        InputError: if the page would be too large for a browser.
    """
    folder = files("meteor_e_evaluation.reports") / "web"
    style = _format_palette() + (folder / "page.css").read_text(encoding="utf-8")
    functions = "".join([(folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS])
    script = f'(() => {{\n"use strict";\n{functions}}})();\n'
    template_text = (folder / "page.html").read_text(encoding="utf-8")
    template = _make_environment().from_string(template_text)
    page: str = template.render(
        **_make_template_variables(report),
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=encode(report),
    )
    return page


def _make_environment() -> jinja2.Environment:
    """Return the template environment, with filters that format numbers and text."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "number": _format_number,
        "signed": _format_signed,
        "p_value": _format_p,
        "thousands": "{:,}".format,
        "visible": visible,
        "split_lines": _split_lines,
    }
    return environment


def _format_number(value: float, digits: int = 4) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def _format_signed(value: float, digits: int = 4) -> str:
    return f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def _split_lines(text: str) -> list[str]:
    return [visible(line.strip()) for line in text.split("\n")]


def _hash(text: str) -> str:
    """Return the hash of a script or style in the format that a content security policy requires."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _format_p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _format_palette() -> str:
    """Return CSS rules that define the colors of systems and matchers, for light and for dark backgrounds.

    The variable ``--system-0`` holds the color of the first system, and ``--matcher-0`` holds the color of the first
    matcher. Elements of the class ``system-0`` or ``matcher-0`` can use the variable ``--color`` instead.
    """
    styles: dict[str, MatcherStyle | SystemStyle] = {f"system-{index}": system for index, system in enumerate(SYSTEMS)}
    for index in range(MATCHER_STYLES):
        styles[f"matcher-{index}"] = matcher_style(index)
    light_colors = "".join(f"--{name}:{style.light};" for name, style in styles.items())
    dark_colors = "".join(f"--{name}:{style.dark};" for name, style in styles.items())
    rules = [
        _css_rule(":root", light_colors),
        _css_rule("@media (prefers-color-scheme: dark)", _css_rule(':root:not([data-theme="light"])', dark_colors)),
        _css_rule(':root[data-theme="dark"]', dark_colors),
        "".join(_css_rule(f".{name}", f"--color:var(--{name})") for name in styles),
    ]
    return "".join(f"{rule}\n" for rule in rules)


def _css_rule(selector: str, content: str) -> str:
    """Return a CSS rule with the given content: declarations or, in a media query, other rules."""
    return f"{selector}{{{content}}}"


def _make_template_variables(report: Report) -> dict[str, Any]:
    """Return the variables that the HTML template uses."""
    return {
        **_make_overview_variables(report),
        **_make_difference_variables(report),
        **_make_distribution_variables(report),
        **_make_matcher_variables(report),
    }


def _make_overview_variables(report: Report) -> dict[str, Any]:
    """Return the template variables for the title and the overview, and the variables that several sections share."""
    has_several_systems = len(report.systems) > 1
    return {
        "report": report,
        "title": visible(report.title),
        "version": __version__,
        "reference_counts": sorted({len(texts) for texts in report.references}),
        "systems": [_describe_system(index, system) for index, system in enumerate(report.systems)],
        "metrics": [_describe_metric(result) for result in report.metrics],
        "summaries": [_summarize_metric(report, result) for result in report.metrics] if has_several_systems else [],
        "comparison": report.comparison,
        "significance_level": SIGNIFICANT,
        "rival": report.rival,
    }


def _make_difference_variables(report: Report) -> dict[str, Any]:
    """Return the template variables of the section on differences between systems."""
    return {
        "differences": _list_differences(report),
        "max_visible_pairs": MOST_PAIRS,
        "all_pairs": len(report.systems) <= ALL_PAIRS_LIMIT,
        "balance_width": _BALANCE_WIDTH,
    }


def _make_distribution_variables(report: Report) -> dict[str, Any]:
    """Return the template variables of the section on distributions of scores."""
    report_distributions = distributions(report)
    return {
        "length_classes": [cell.length_class for cell in report_distributions[0].cells],
        "distribution_charts": [_draw_distributions(row) for row in report_distributions],
        "panel": charts.PANEL,
        "n_empty_references": int((report.lengths == 0).sum()),
    }


def _make_matcher_variables(report: Report) -> dict[str, Any]:
    """Return the template variables for the section about METEOR's matchers."""
    matchers = []
    for index, name in enumerate(report.matchers):
        matchers.append({"name": name, "style": index % MATCHER_STYLES, "shape": index % len(SHAPES)})
    return {
        "matchers": matchers,
        "shapes": SHAPES,
        "bars": charts.stack_contributions(report, _BAR_WIDTH),
        "bar_width": _BAR_WIDTH,
    }


def _describe_system(index: int, system: ScoredSystem) -> dict[str, Any]:
    """Return template variables that describe a system in the overview of a report."""
    return {
        "name": visible(system.name),
        "letter": letter(index),
        "style": index % len(SYSTEMS),
        "dashes": system_style(index).dashes,
        "corpus": system.corpus,
        "shares": system.corpus.contributions(),
    }


class _DistributionChart(NamedTuple):
    """The charts that show a value, such as the score, for each length class.

    Attributes:
        distributions: the distributions of the values.
        scale: horizontal scale of the charts.
        lines: SVG path of each system in each length class.
    """

    distributions: Distributions
    scale: charts.LinearScale
    lines: list[list[str]]


def _draw_distributions(row: Distributions) -> _DistributionChart:
    """Draw the distributions of a value, such as the score, in each length class."""
    lines = [[charts.line_path(distribution) for distribution in cell.distributions] for cell in row.cells]
    return _DistributionChart(row, charts.scale_of(row.low, row.high, charts.PANEL.width), lines)


def _describe_metric(result: MetricResult) -> dict[str, Any]:
    """Return template variables that describe a metric in the overview of a report."""
    return {
        "label": visible(result.label),
        "signature": visible(result.signature),
        "higher_is_better": result.higher_is_better,
        "decimals": result.decimals,
        "scores": result.scores,
        "ranking": result.ranking(),
        # The first system is the baseline of all systems.
        "tests": None if result.comparison is None else result.comparison.tests[0],
        "scale": _make_score_scale(result),
        "explanations": [explanation for explanation in result.explanations if explanation.segment is None],
    }


def _make_score_scale(result: MetricResult) -> charts.LinearScale:
    """Return the scale of a chart that shows the systems' scores and their confidence intervals, if they exist."""
    chart_values = list(result.scores)
    if result.comparison is not None:
        for test in result.comparison.tests[0]:
            chart_values += test.interval
    last_decimal = 10.0**-result.decimals
    return charts.interval_scale(chart_values, _INTERVAL_WIDTH, 4 * last_decimal)


def _list_differences(report: Report) -> list[list[dict[str, Any]]]:
    """Return the pairs of systems to show for each metric. The largest difference comes first.

    For the first metric, all pairs of systems are shown, unless there are too many systems. For the other metrics, only
    pairs with the baseline, which is the first system, are shown.
    """
    pairs_by_metric = []
    for metric_index, result in enumerate(report.metrics):
        shows_all_pairs = metric_index == 0 and len(report.systems) <= ALL_PAIRS_LIMIT
        descriptions = []
        for better_index, worse_index in combinations(result.ranking(), 2):
            has_baseline = 0 in (better_index, worse_index)
            if shows_all_pairs or has_baseline:
                descriptions.append(_describe_pair(report, metric_index, better_index, worse_index))
        descriptions.sort(key=lambda description: -abs(description["difference"]))
        pairs_by_metric.append(descriptions)
    return pairs_by_metric


def _describe_pair(report: Report, metric_index: int, better_index: int, worse_index: int) -> dict[str, Any]:
    """Return template variables that describe the difference between two systems.

    Args:
        report: the report.
        metric_index: index of the metric.
        better_index: index of the system with the better score.
        worse_index: index of the other system.
    """
    result = report.metrics[metric_index]
    tests = result.comparison
    return {
        "better": better_index,
        "worse": worse_index,
        "difference": result.scores[better_index] - result.scores[worse_index],
        "test": None if tests is None else tests.between(better_index, worse_index),
        "interval": None if tests is None else tests.difference_interval(better_index, worse_index),
        "balance": charts.balance(report, metric_index, worse_index, better_index),
        "decimals": result.decimals,
        "label": visible(result.label),
    }


def _summarize_metric(report: Report, result: MetricResult) -> tuple[str, str]:
    """Return the label of a metric, and a sentence that compares the two best systems.

    If the two best systems were not compared by a test, the best system is compared with the baseline.
    """
    best, second = result.ranking()[:2]
    label = visible(result.label)
    if result.comparison is None:
        return label, _summarize_scores(report, result, best, second)
    rival = second if result.comparison.is_tested(best, second) else 0
    test = result.comparison.between(best, rival)
    return label, f"{_summarize_scores(report, result, best, rival)} {_summarize_test(test)}"


def _summarize_scores(report: Report, result: MetricResult, best: int, other: int) -> str:
    """Return a sentence that compares the score of the best system with the score of another system.

    Args:
        report: the report.
        result: scores of a metric.
        best: index of the best system.
        other: index of the other system.
    """
    best_name = _name_system(report, best)
    other_name = _name_system(report, other)
    best_score = f"{result.scores[best]:.{result.decimals}f}"
    if result.scores[best] == result.scores[other]:
        return f"{best_name} and {other_name} have the same score, {best_score}."
    direction = "above" if result.higher_is_better else "below"
    difference = f"{abs(result.scores[best] - result.scores[other]):.{result.decimals}f}"
    return f"{best_name} is best ({best_score}), {difference} {direction} {other_name}."


def _name_system(report: Report, index: int) -> str:
    return f"{letter(index)} ({visible(report.systems[index].name)})"


def _summarize_test(test: SystemTest) -> str:
    """Return a sentence that says whether the difference between two systems is significant."""
    assert test.p is not None
    negation = "" if test.p < SIGNIFICANT else "not "
    relation = "" if test.p < 0.001 else "= "
    return f"The difference is {negation}significant (p {relation}{_format_p(test.p)})."
