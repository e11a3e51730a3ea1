"""Character n-grams order by order, of which chrF is one mean among many."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from meteor_e.api import ReferenceFeature

__all__ = ["CharacterNgramsFeature"]


class CharacterNgramsFeature(ReferenceFeature):
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

    def row(self, hypothesis: str, reference: str) -> list[float]:
        """Count."""
        left, right = (" ".join(text.split()) for text in (hypothesis, reference))
        row: list[float] = []
        for order in range(1, self.orders + 1):
            first, second = (
                Counter(text[at : at + order] for at in range(len(text) - order + 1)) for text in (left, right)
            )
            common = (first & second).total()
            precision, recall = (common / side.total() if side else 0.0 for side in (first, second))
            row += [precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0]
        return row

    def describe(self) -> str:
        """Return the longest order."""
        return str(self.orders)
