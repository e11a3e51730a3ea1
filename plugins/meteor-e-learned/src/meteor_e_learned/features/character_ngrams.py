"""Character n-grams order by order, of which chrF is one mean among many."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Feature, FeatureBatch
from meteor_e.features import characters, mean_over_references

__all__ = ["CharacterNgramsFeature"]


class CharacterNgramsFeature(Feature):
    """Precision and recall of character n-grams, an order at a time, as written (Popović, 2015).

    Spaces are characters, so that orders above the first see where words begin and end; runs of spaces are one.

    Args:
        orders: the longest n.
    """

    name: ClassVar[str] = "character-ngrams"

    def __init__(self, orders: int = 6) -> None:
        if orders < 1:
            raise ValueError("orders must be at least 1")
        self.orders = orders

    @property
    def columns(self) -> tuple[str, ...]:
        """Three numbers an order."""
        return tuple(f"{order}_{what}" for order in range(1, self.orders + 1) for what in ("precision", "recall", "f"))

    @property
    def dimension(self) -> int:
        """As many as there are columns."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Count."""
        pairs, _ = characters(batch, lambda text: " ".join(text.split()), "single spaces")
        blocks = [pairs.ngrams(order).tally().shares() for order in range(1, self.orders + 1)]
        return mean_over_references(np.hstack(blocks), batch)

    def describe(self) -> str:
        """Return the longest order."""
        return str(self.orders)
