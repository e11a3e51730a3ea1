"""Fluency from counts: how usual a hypothesis's pairs of words are on the web, beside those of the reference."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base import require

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

__all__ = ["FluencyFeature"]

BACK_OFF = 0.4
"""Weight of a word's own frequency where a pair is not listed (Brants et al., 2007)."""
UNLISTED = 5000.0
"""The count of a word that is not listed, a little below the rarest that are."""
STRONGEST = 8.0
"""The most that one pair can add to the association of words."""
_WORDS = re.compile("[a-z]+|[0-9]+")
_KINDS = ("log_probability", "least_log_probability", "listed", "unlisted", "association")


class FluencyFeature(Feature):
    """Probabilities of words after their predecessor, from counts of the web's words and pairs of words (English).

    The counts are those of the package wordsegment: 333,213 words and 258,437 pairs of words of Google's trillion-word
    corpus (Norvig, 2009). A pair that is not listed backs off to the word's own frequency.
    """

    name: ClassVar[str] = "fluency"
    requires: ClassVar[tuple[str, ...]] = ("wordsegment",)

    @classmethod
    def create(cls, context: MatcherContext, options: None) -> Self:
        """Refuse other languages than English, and say at once if the counts are not installed."""
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} knows English words only, not {context.language.code!r}")
        require("wordsegment", f"feature {cls.name!r}", extra="fluency", distribution="meteor-e-learned")
        return super().create(context, options)

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the hypothesis, and how far the hypothesis is above the mean of its references."""
        return (*_KINDS, *(f"{kind}_difference" for kind in _KINDS))

    @property
    def dimension(self) -> int:
        """As many as there are columns."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Look the pairs up; each text once."""
        words, pairs, total = _counts()
        distinct = {*batch.hypotheses, *(text for texts in batch.references for text in texts)}
        rows = {text: np.array(_numbers(text, words, pairs, total)) for text in distinct}
        return np.array(
            [
                np.concatenate([rows[text], rows[text] - np.mean([rows[other] for other in texts], axis=0)])
                for text, texts in zip(batch.hypotheses, batch.references, strict=True)
            ]
        )


@functools.cache
def _counts() -> tuple[Mapping[str, float], Mapping[str, float], float]:
    """Return how often words and pairs of words occur, and the number of all words."""
    made: Any = require(
        "wordsegment", "feature 'fluency'", extra="fluency", distribution="meteor-e-learned"
    ).Segmenter()
    made.load()
    return made.unigrams, made.bigrams, made.total


def _numbers(text: str, words: Mapping[str, float], pairs: Mapping[str, float], total: float) -> tuple[float, ...]:
    """Return a text's numbers: mean and least logarithm of a probability, share and number of pairs, association."""
    own = _WORDS.findall(text.lower())
    logarithms, association, listed = [], 0.0, 0
    for first, second in itertools.pairwise(own):
        together, alone = pairs.get(f"{first} {second}"), words.get(second, UNLISTED) / total
        if together is None:
            logarithms.append(math.log(BACK_OFF * alone))
            continue
        probability = min(1.0, together / words.get(first, together))
        listed += 1
        logarithms.append(math.log(probability))
        association += min(STRONGEST, math.log(probability / alone))
    count = max(1, len(logarithms))
    return (
        sum(logarithms) / count,
        min(logarithms, default=0.0),
        listed / count,
        float(len(logarithms) - listed),
        association / count,
    )
