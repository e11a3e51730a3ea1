"""A Feature: numbers for the learned metrics."""

from __future__ import annotations

import math
from typing import ClassVar

from meteor_e.api import Feature, FeatureBatch


class LengthRatio(Feature):
    """Logarithm of the number of words of the hypothesis over that of its references, on average."""

    name: ClassVar[str] = "length-ratio"

    @property
    def dimension(self) -> int:
        """One number per segment: 0 if both sides are equally long."""
        return 1

    @property
    def columns(self) -> tuple[str, ...]:
        """What the number is."""
        return ("log_ratio",)

    def compute(self, batch: FeatureBatch) -> list[list[float]]:
        """Return the ratios of a batch of segments; one word is added to each side, for empty segments."""
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            mean = sum(len(reference.split()) for reference in references) / len(references)
            rows.append([math.log((len(hypothesis.split()) + 1) / (mean + 1))])
        return rows
