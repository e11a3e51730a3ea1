"""The results of a stress test, for every output format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from meteor_e.api import Result
from meteor_e.api.outputs import Grid
from meteor_e_evaluation.stress.run import Finding, StressReport


class StressResult(Result):
    """One row per perturbation and one column per metric; then the pairs that were most wrong."""

    def __init__(self, report: StressReport) -> None:
        self.report = report

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield the table, and one of examples if there are any."""
        report = self.report
        rows: dict[str, list[list[str]]] = {"error": [], "harmless": []}
        for findings in zip(*(report.findings[metric] for metric in report.metrics), strict=True):
            first = findings[0]
            rows[first.kind].append([first.group, first.rule, str(first.pairs), *map(_cell, findings)])
        if rows["error"]:
            means = ("–" if math.isnan(mean[0]) else _share(*mean) for mean in map(report.means.get, report.metrics))
            rows["error"].append(["all errors", "mean", "", *means])
        head = ["group", "perturbation", "pairs", *report.metrics]
        yield Grid(head, [*rows["error"], *rows["harmless"]], notes=self._notes(), left=2)
        examples = [
            [metric, finding.rule, str(each.segment), *(f"{score:.4f}" for score in each.scores), *each[1:4]]
            for metric in report.metrics
            for finding in report.findings[metric]
            for each in finding.worst
        ]
        if examples:
            head = ["metric", "perturbation", "segment", "score", "score changed", "reference", "text", "changed"]
            yield Grid(head, examples, left=len(head))

    def _notes(self) -> list[str]:
        report, suite = self.report, self.report.suite
        notes = [
            "Share of pairs (%) whose better text has the higher score, with 95 % intervals; ties count as misses.",
            (
                f"Group writing: share of pairs whose scores differ by at most {report.tolerance:g} of the metric's "
                "median fall at a small error."
            ),
            f"{len(suite.texts)} segments of {suite.language}, seed {suite.seed}.",
        ]
        notes += [f"The texts are {suite.origin}."] if suite.origin else []
        if len(report.metrics) > 1:
            notes.append(f"*: differs from {report.metrics[0]} (McNemar's exact test, p < 0.05).")
        return [*notes, f"No occasion: {', '.join(report.unused)}."] if report.unused else notes

    def records(self) -> Iterator[Sequence[object]]:
        """Yield one row per metric and perturbation, with full precision."""
        names = ("rule", "kind", "group", "pairs", "share", "low", "high", "ties", "fall", "p")
        yield "metric", *names
        for metric in self.report.metrics:
            for finding in self.report.findings[metric]:
                yield metric, *(getattr(finding, name) for name in names)

    def document(self) -> dict[str, Any]:
        """Return everything, with full precision."""
        return self.report.to_dict()


def _share(share: float, low: float, high: float) -> str:
    return f"{100 * share:.1f} [{100 * low:.0f}, {100 * high:.0f}]"


def _cell(finding: Finding) -> str:
    mark = "" if math.isnan(finding.p) else "*" if finding.p < 0.05 else " "
    return _share(finding.share, finding.low, finding.high) + mark
