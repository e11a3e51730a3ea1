"""The results of a stress test as text, TSV, JSON and Markdown."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

from meteor_e.render.plain import format_table
from meteor_e_evaluation.stress.run import Example, Finding, StressReport


def _cell(finding: Finding) -> str:
    text = f"{100 * finding.share:.1f} [{100 * finding.low:.0f}, {100 * finding.high:.0f}]"
    return text + ("*" if finding.p < 0.05 else " " if finding.p == finding.p else "")


def _rows(report: StressReport) -> list[list[str]]:
    """Return the rows of the table: kind, name, number of pairs, one cell per metric."""
    columns = [report.findings[metric] for metric in report.metrics]
    rows = []
    for findings in zip(*columns, strict=True):
        first = findings[0]
        rows.append([first.group, first.rule, str(first.pairs), *map(_cell, findings)])
    errors = [row for row, finding in zip(rows, columns[0], strict=True) if finding.kind == "error"]
    harmless = [row for row, finding in zip(rows, columns[0], strict=True) if finding.kind != "error"]
    means = [
        "–" if math.isnan(share) else f"{100 * share:.1f} [{100 * low:.0f}, {100 * high:.0f}]"
        for share, low, high in (report.means[metric] for metric in report.metrics)
    ]
    return [*errors, *([["all errors", "mean", "", *means]] if errors else []), *harmless]


def _notes(report: StressReport) -> list[str]:
    suite = report.suite
    notes = [
        "Share of pairs (%) whose better text has the higher score, with 95 % intervals; ties count as misses.",
        (
            f"Group writing: share of pairs whose scores differ by at most {report.tolerance:g} of the metric's "
            "median fall at a small error."
        ),
        f"{len(suite.texts)} segments of {suite.language}, seed {suite.seed}.",
    ]
    if suite.origin:
        notes.append(f"The texts are {suite.origin}.")
    if len(report.metrics) > 1:
        notes.append(f"*: differs from {report.metrics[0]} (McNemar's exact test, p < 0.05).")
    if report.unused:
        notes.append(f"No occasion: {', '.join(report.unused)}.")
    return notes


def _header(report: StressReport) -> list[str]:
    return ["group", "perturbation", "pairs", *report.metrics]


def stress_table(report: StressReport) -> tuple[list[str], list[list[str]], list[str]]:
    """Return the header, the rows and the notes of the table."""
    return _header(report), _rows(report), _notes(report)


def _worst(report: StressReport) -> list[tuple[str, str, Example]]:
    return [
        (metric, finding.rule, example)
        for metric in report.metrics
        for finding in report.findings[metric]
        for example in finding.worst
    ]


def _text(report: StressReport) -> str:
    lines = [format_table(_header(report), _rows(report), left=2), "", *_notes(report)]
    for metric, rule, example in _worst(report):
        better, worse = example.scores
        lines += [
            "",
            f"{metric}, {rule}, segment {example.segment}: {better:.4f} for the text, {worse:.4f} for the changed one",
            f"  reference  {example.reference}",
            f"  text       {example.text}",
            f"  changed    {example.changed}",
        ]
    return "\n".join(lines) + "\n"


def _markdown(report: StressReport) -> str:
    def row(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").strip() for cell in cells) + " |"

    head = _header(report)
    lines = [row(head), "|---|---|" + "---:|" * (len(head) - 2), *map(row, _rows(report)), "", " ".join(_notes(report))]
    examples = [
        row([metric, rule, *(f"{score:.4f}" for score in each.scores), each.reference, each.text, each.changed])
        for metric, rule, each in _worst(report)
    ]
    if examples:
        titles = ["metric", "perturbation", "score", "score changed", "reference", "text", "changed"]
        lines += ["", row(titles), "|---" * len(titles) + "|", *examples]
    return "\n".join(lines) + "\n"


def _tsv(report: StressReport) -> str:
    names = ("rule", "kind", "group", "pairs", "share", "low", "high", "ties", "fall", "p")
    lines = ["\t".join(("metric", *names))]
    for metric in report.metrics:
        for finding in report.findings[metric]:
            values = (getattr(finding, name) for name in names)
            lines.append("\t".join((metric, *("" if value != value else str(value) for value in values))))
    return "\n".join(lines) + "\n"


def _json(report: StressReport) -> str:
    return json.dumps(report.to_dict(), ensure_ascii=False, indent=1) + "\n"


FORMATS: dict[str, Callable[[StressReport], str]] = {"text": _text, "tsv": _tsv, "json": _json, "markdown": _markdown}
"""The forms of the results."""


def render_stress(report: StressReport, form: str = "text") -> str:
    """Return the results in a form: ``text``, ``tsv``, ``json`` or ``markdown``."""
    return FORMATS[form](report)
