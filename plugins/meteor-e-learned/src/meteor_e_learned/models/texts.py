"""Input data for estimators that read texts in addition to features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from meteor_e.api import InputError
from meteor_e.base.array_cache import Floats


@dataclass(frozen=True)
class TextSamples:
    """Hypotheses with their references and features.

    Attributes:
        hypotheses: the raw hypotheses.
        references: the raw references of each hypothesis, at least one.
        features: the features, ``(hypotheses, features)``.
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
