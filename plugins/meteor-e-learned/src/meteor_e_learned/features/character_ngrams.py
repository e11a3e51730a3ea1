"""Character n-grams order by order, of which chrF is one mean among many."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, Feature, FeatureBatch, Meta
from meteor_e_learned.counting import characters, mean_over_references


class CharacterNgramsFeature(Feature):
    """Precision and recall of character n-grams, an order at a time, as written (Popović, 2015).

    Spaces are characters, so that orders above the first see where words begin and end; runs of spaces are one.
    """

    name: ClassVar[str] = "character-ngrams"

    class Options(ComponentOptions):
        """What a recipe may say."""

        orders: Annotated[int, Meta(ge=1, description="The longest n.")] = 6

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.orders: int = self.options.orders

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
        return mean_over_references(np.hstack(pairs.ngram_shares(self.orders)), batch)

    def describe(self) -> str:
        """Return the longest order."""
        return str(self.orders)
