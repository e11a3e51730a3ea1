"""What a stress test found, for every output format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from meteor_e.api import Result
from meteor_e.api.formats import Grid
from meteor_e_evaluation.stress.suite import StressSuite

TOLERANCE = 0.5
"""How far a harmless change may move the score, as a share of the median fall at a small error."""


class Example(NamedTuple):
    """A pair that a metric got wrong: segment, from 1; the texts; the scores of text and changed text."""

    segment: int
    reference: str
    text: str
    changed: str
    scores: tuple[float, ...]


class Finding(NamedTuple):
    """What a metric made of the pairs of one perturbation.

    Attributes:
        rule, kind, group: the perturbation's name, ``error`` or ``harmless``, and its group.
        pairs: number of pairs.
        share: of an error, the share of pairs whose better text has the higher score; of a harmless change, the share
            whose scores differ by no more than the tolerance.
        low, high: 95 % interval of the share (Wilson, 1927).
        ties: share of pairs with equal scores.
        fall: mean fall of the score, in units of the metric's median fall at a small error.
        p: that the metric and the first one do equally well, by McNemar's exact test; NaN for the first one.
        worst: the pairs that were most wrong.
    """

    rule: str
    kind: str
    group: str
    pairs: int
    share: float
    low: float
    high: float
    ties: float
    fall: float
    p: float
    worst: tuple[Example, ...]

    def row(self) -> dict[str, Any]:
        """Return all but the worst pairs; ``None`` where there is no number."""
        return {key: None if value != value else value for key, value in self._asdict().items() if key != "worst"}


@dataclass(frozen=True)
class StressReport(Result):
    """The results of a stress test.

    Attributes:
        suite: what was scored.
        signatures: by label, the signatures of the metrics.
        findings: by metric, one finding per perturbation that found an occasion.
        means: by metric, the mean share over all kinds of error, with its bootstrap interval over segments.
        unused: perturbations that found no occasion.
    """

    suite: StressSuite
    signatures: dict[str, str]
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    means: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Labels of the metrics, in their order."""
        return tuple(self.findings)

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield a row per perturbation and a column per metric; then the pairs that were most wrong, if any."""
        rows: dict[str, list[list[str]]] = {"error": [], "harmless": []}
        for findings in zip(*self.findings.values(), strict=True):
            first = findings[0]
            rows[first.kind].append([first.group, first.rule, str(first.pairs), *map(_cell, findings)])
        if rows["error"]:
            means = ("–" if math.isnan(mean[0]) else _share(*mean) for mean in self.means.values())
            rows["error"].append(["all errors", "mean", "", *means])
        head = ["group", "perturbation", "pairs", *self.metrics]
        yield Grid(head, [*rows["error"], *rows["harmless"]], notes=self._notes(), left=2)
        examples = [
            [metric, finding.rule, str(each.segment), *(f"{score:.4f}" for score in each.scores), *each[1:4]]
            for metric, findings in self.findings.items()
            for finding in findings
            for each in finding.worst
        ]
        if examples:
            head = ["metric", "perturbation", "segment", "score", "score changed", "reference", "text", "changed"]
            yield Grid(head, examples, left=len(head))

    def _notes(self) -> list[str]:
        suite, what = self.suite, "the metric's median fall at a small error"
        notes = [
            "Share of pairs (%) whose better text has the higher score, with 95 % intervals; ties count as misses.",
            f"Group writing: share of pairs whose scores differ by at most {TOLERANCE:g} of {what}.",
            f"{len(suite.texts)} segments of {suite.language}, seed {suite.seed}.",
        ]
        notes += [f"The texts are {suite.origin}."] if suite.origin else []
        if len(self.metrics) > 1:
            notes.append(f"*: differs from {self.metrics[0]} (McNemar's exact test, p < 0.05).")
        return [*notes, f"No occasion: {', '.join(self.unused)}."] if self.unused else notes

    def records(self) -> Iterator[Sequence[object]]:
        """Yield one row per metric and perturbation, with full precision."""
        yield "metric", *Finding._fields[:-1]
        for metric, findings in self.findings.items():
            for finding in findings:
                yield metric, *finding.row().values()

    def document(self) -> dict[str, Any]:
        """Return everything, with full precision."""
        return {
            "suite": "stress",
            "language": self.suite.language,
            "segments": len(self.suite.texts),
            "texts": self.suite.origin or "given",
            "seed": self.suite.seed,
            "tolerance": TOLERANCE,
            "metrics": [
                {
                    "metric": metric,
                    "signature": self.signatures[metric],
                    "mean": dict(zip(("share", "low", "high"), self.means[metric], strict=True)),
                    "findings": [
                        {**finding.row(), "worst": [each._asdict() for each in finding.worst]} for finding in findings
                    ],
                }
                for metric, findings in self.findings.items()
            ],
            "without_occasion": list(self.unused),
        }


def _share(share: float, low: float, high: float) -> str:
    return f"{100 * share:.1f} [{100 * low:.0f}, {100 * high:.0f}]"


def _cell(finding: Finding) -> str:
    mark = "" if math.isnan(finding.p) else "*" if finding.p < 0.05 else " "
    return _share(finding.share, finding.low, finding.high) + mark
