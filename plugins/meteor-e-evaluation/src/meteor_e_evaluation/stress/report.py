"""Presents the results of stress tests as tables, records and JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from meteor_e.api import Result
from meteor_e.api.formats import Grid
from meteor_e.render.documents import json_ready

TOLERANCE = 0.5
"""Largest change of a score by a harmless change, relative to the metric's median decrease by a small error."""

SIGNIFICANCE_LEVEL = 0.05

ERROR_NOTE = (
    "Percentage of pairs whose original text has the higher score, with 95% confidence intervals; ties count as misses."
)
HARMLESS_NOTE = (
    f"Group writing: percentage of pairs whose scores differ by at most {TOLERANCE:g} of the metric's median decrease "
    "by a small error."
)


class Share(NamedTuple):
    """A proportion and its 95% confidence interval."""

    share: float
    low: float
    high: float


class Finding(NamedTuple):
    """One metric's results on the texts that were changed by one perturbation.

    Attributes:
        rule: name of the perturbation.
        kind: kind of the perturbation, ``error`` or ``harmless``.
        group: group of the perturbation.
        pairs: number of pairs.
        share: proportion of pairs whose original text has the higher score. For a harmless change, this is the
            proportion of pairs whose scores differ by no more than the tolerance.
        low, high: 95% confidence interval of the proportion (Wilson, 1927).
        ties: proportion of pairs with equal scores.
        fall: mean decrease of the score, relative to the metric's median decrease by a small error.
        p: p-value of McNemar's exact test that the metric and the first metric are right equally often. NaN for the
            first metric.
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


class WrongPair(NamedTuple):
    """A metric's wrong ranking of an original text and its changed copy.

    Attributes:
        metric: label of the metric.
        rule: name of the perturbation.
        segment: number of the segment, from 1.
        score, changed_score: scores of the original and of the changed text.
        reference: first reference of the segment.
        text, changed_text: the original and the changed text.
    """

    metric: str
    rule: str
    segment: int
    score: float
    changed_score: float
    reference: str
    text: str
    changed_text: str | None


@dataclasses.dataclass(frozen=True)
class StressReport(Result):
    """The results of a stress test.

    Attributes:
        language: ISO code of the texts.
        seed: seed of all random choices.
        signatures: signature of each metric, by label.
        changed: the changed texts of each perturbation, with None for each text that was not changed.
        findings: for each metric, one finding per applicable perturbation.
        means: for each metric, the mean share over all errors, with its bootstrap confidence interval over segments.
        worst: the requested number of pairs per metric and perturbation with the largest errors.
    """

    language: str
    seed: int
    signatures: dict[str, str]
    changed: dict[str, list[str | None]]
    findings: dict[str, list[Finding]] = dataclasses.field(default_factory=dict)
    means: dict[str, Share] = dataclasses.field(default_factory=dict)
    worst: list[WrongPair] = dataclasses.field(default_factory=list)

    @property
    def inapplicable_rules(self) -> list[str]:
        """Names of perturbations that could not be applied to any text."""
        return [name for name, texts in self.changed.items() if all(text is None for text in texts)]

    @property
    def n_segments(self) -> int:
        """The number of segments of the test."""
        return len(next(iter(self.changed.values())))

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield a table of results and a table of examples that metrics ranked wrongly.

        The table of results has one row per perturbation and one column per metric. The table of examples is optional.
        """
        yield self._findings_grid()
        if self.worst:
            yield self._worst_grid()

    def _findings_grid(self) -> Grid:
        """Return a table with the results of each metric for each perturbation. Harmless changes come last."""
        error_rows: list[list[str]] = []
        harmless_rows: list[list[str]] = []
        for metric_findings in zip(*self.findings.values(), strict=True):
            finding = metric_findings[0]  # The metrics differ only in the shares.
            shares = [_format_finding(metric_finding) for metric_finding in metric_findings]
            row = [finding.group, finding.rule, str(finding.pairs), *shares]
            if finding.kind == "error":
                error_rows.append(row)
            else:
                harmless_rows.append(row)
        if error_rows:
            mean_shares = [_format_share(mean) for mean in self.means.values()]
            error_rows.append(["all errors", "mean", "", *mean_shares])
        header = ["group", "perturbation", "pairs", *self.findings]
        return Grid(header, [*error_rows, *harmless_rows], notes=self._notes(), left=2)

    def _notes(self) -> list[str]:
        notes = [ERROR_NOTE, HARMLESS_NOTE, f"{self.n_segments} segments of {self.language}, seed {self.seed}."]
        if len(self.findings) > 1:
            first_metric = next(iter(self.findings))
            notes.append(f"*: differs from {first_metric} (McNemar's exact test, p < 0.05).")
        if self.inapplicable_rules:
            notes.append(f"Not applicable to any text: {', '.join(self.inapplicable_rules)}.")
        return notes

    def _worst_grid(self) -> Grid:
        header = ["metric", "perturbation", "segment", "score", "score changed", "reference", "text", "changed"]
        rows = [[_format_cell(value) for value in pair] for pair in self.worst]
        return Grid(header, rows, left=len(header))

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a header row, and then one row of unrounded values for each metric and perturbation."""
        yield "metric", *Finding._fields
        for metric, findings in self.findings.items():
            for finding in findings:
                yield metric, *json_ready(finding)

    def document(self) -> dict[str, Any]:
        """Return all unrounded results as a JSON document."""
        return {
            "suite": "stress",
            "language": self.language,
            "segments": self.n_segments,
            "seed": self.seed,
            "tolerance": TOLERANCE,
            "signatures": self.signatures,
            "means": {name: mean._asdict() for name, mean in self.means.items()},
            "findings": list(self.entries()),
            "worst": self.worst,
            "without_occasion": self.inapplicable_rules,
        }


def _format_cell(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _format_finding(finding: Finding) -> str:
    """Format a proportion with its confidence interval.

    A star marks a significant difference from the first metric.
    """
    text = _format_share(Share(finding.share, finding.low, finding.high))
    if math.isnan(finding.p):
        return text
    return text + ("*" if finding.p < SIGNIFICANCE_LEVEL else " ")


def _format_share(share: Share) -> str:
    return f"{100 * share.share:.1f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"
