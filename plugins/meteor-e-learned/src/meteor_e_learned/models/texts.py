"""Samples of estimators that read texts: hypotheses, references and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from meteor_e.api import InputError
from meteor_e.base.array_cache import Floats


@dataclass(frozen=True)
class TextSamples:
    """Hypotheses, references and features of an estimator that reads texts.

    Attributes:
        hypotheses: raw segments.
        references: the raw references of each, one at least.
        features: ``(hypotheses, features)``.
    """

    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    features: Floats

    def __post_init__(self) -> None:
        if not len(self.hypotheses) == len(self.references) == len(self.features):
            raise InputError(
                f"{len(self.hypotheses)} hypotheses, references of {len(self.references)} and features of "
                f"{len(self.features)} do not line up"
            )
        if not all(self.references):
            raise InputError("a hypothesis needs at least one reference")

    def __len__(self) -> int:
        return len(self.hypotheses)
