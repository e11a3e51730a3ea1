"""A score of what the spans would cost in MQM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import MetricContext, SegmentMetric
from meteor_e_learned.spans.find import Found, Spans

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["SpansAny", "SpansEn", "mqm_score"]

MAJOR, MINOR, MARK = 5.0, 1.0, 0.1
"""What an error costs in MQM (Freitag et al., 2021): major, minor, and minor of punctuation."""


def mqm_score(found: Found) -> float:
    """Return the score of a segment: 0 without errors, less for each span and each omission."""
    costs = [
        MAJOR if span.severity == "major" else MARK if span.kind == "punctuation" else MINOR for span in found.spans
    ]
    costs += [MAJOR if missing.severity == "major" else MINOR for missing in found.missing]
    return -float(sum(costs))


class SpansAny(SegmentMetric):
    """Error spans, counted as MQM does: −5 for a major error, −1 for a minor one, −0.1 for a mark; any language."""

    name: ClassVar[str] = "spans"
    default_language: ClassVar[str] = ""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._spans = Spans(language)
        self.language = language
        self.signature = self._spans.signature

    @classmethod
    def from_options(cls, context: MetricContext, options: Any) -> Self:
        """Load the model for the context's language; English where none is given."""
        return cls(cls.default_language or context.language or "en")

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> NDArray[np.float64]:
        """Return the scores of segments, at most 0."""
        return np.array([mqm_score(found) for found in self._spans.find_all(hypotheses, references)])

    def details(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Sequence[dict[str, Any]]:
        """Return the spans of each segment."""
        return [found.to_dict() for found in self._spans.find_all(hypotheses, references)]


class SpansEn(SpansAny):
    """Error spans of English, counted as MQM does: −5 for a major error, −1 for a minor one, −0.1 for a mark."""

    name: ClassVar[str] = "spans-en"
    default_language: ClassVar[str] = "en"
