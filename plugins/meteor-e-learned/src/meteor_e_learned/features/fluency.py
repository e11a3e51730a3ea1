"""Fluency from counts: how usual a hypothesis's pairs of words are on the web, beside those of the reference."""

from __future__ import annotations

import functools
import itertools
import math
import mmap
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base import require
from meteor_e_learned import counting
from meteor_e_learned.counting import mean_over_references, segment_pairs

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
        require("wordsegment", f"feature {cls.name!r}")
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
        """Look the pairs up; each distinct text once."""
        place: dict[str, int] = {}
        left, right = (
            [place.setdefault(text, len(place)) for text in texts]
            for texts in (batch.hypotheses, segment_pairs(batch)[1])
        )
        rows = _numbers_of()([text.lower() for text in place])
        return np.hstack([rows[left], rows[left] - mean_over_references(rows[right], batch)])


@functools.cache
def _numbers_of() -> Callable[[list[str]], NDArray[np.float64]]:
    """Return what gives the numbers of texts in lower case, ``(texts, kinds)``.

    The extension reads the package's files as they are. Without it, the package itself reads them, which takes
    several times as long and as much memory.

    Raises:
        ConfigError: if the package is not installed, or its files are damaged.
    """
    package: Any = require("wordsegment", "feature 'fluency'")
    made = package.Segmenter()
    try:
        if counting._native is not None:
            counts = counting._native.PairCounts(
                _mapped(made.UNIGRAMS_FILENAME), _mapped(made.BIGRAMS_FILENAME), total=made.TOTAL,
                back_off=BACK_OFF, unlisted=UNLISTED, strongest=STRONGEST,
            )  # fmt: skip
            numbers: Callable[[list[str]], NDArray[np.float64]] = counts.numbers
            return numbers
        made.load()
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"feature 'fluency': the counts of wordsegment cannot be read: {error}; run: "
            "pip install --force-reinstall wordsegment"
        ) from error

    def one_by_one(texts: list[str]) -> NDArray[np.float64]:
        rows = [_numbers(text, made.unigrams, made.bigrams, made.total) for text in texts]
        return np.array(rows, np.float64).reshape(len(texts), len(_KINDS))

    return one_by_one


def _mapped(file: str) -> mmap.mmap:
    """Return a file's content, of which memory holds what has been read."""
    with Path(file).open("rb") as handle:
        return mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)


def _numbers(text: str, words: Mapping[str, float], pairs: Mapping[str, float], total: float) -> tuple[float, ...]:
    """Return a text's numbers: mean and least logarithm of a probability, share and number of pairs, association."""
    own = _WORDS.findall(text)
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
    # Not sum(), which rounds in another way from Python 3.12 on.
    whole = 0.0
    for logarithm in logarithms:
        whole += logarithm
    return (
        whole / count,
        min(logarithms, default=0.0),
        listed / count,
        float(len(logarithms) - listed),
        association / count,
    )
