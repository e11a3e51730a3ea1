"""Fluency from counts: how usual a hypothesis's pairs of words are on the web, beside those of the reference."""

from __future__ import annotations

import functools
import itertools
import math
import mmap
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base.extras import require
from meteor_e_learned import counting
from meteor_e_learned.counting import mean_over_references, segment_pairs

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

BACK_OFF = 0.4
"""Weight of a word's own frequency where a pair is not listed (Brants et al., 2007)."""
UNLISTED = 5000.0
"""The count of a word that is not listed, a little below the rarest that are."""
STRONGEST = 8.0
"""The most that one pair can add to the association of words."""
_WORDS = re.compile("[a-z]+|[0-9]+")
_KINDS = ("log_probability", "least_log_probability", "listed", "unlisted", "association")
# Of pairs that no reference has; "moved": of those whose two words references have.
_ADDED = (
    *(f"added_{kind}" for kind in _KINDS),
    "added_mean_log_probability",
    *(f"moved_{kind}" for kind in ("log_probability", "least_log_probability", "unlisted", "association")),
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class FluencyFeature(Feature):
    """Probabilities of words after their predecessor, from counts of the web's words and pairs of words (English).

    The counts are those of the package wordsegment: 333,213 words and 258,437 pairs of words of Google's trillion-word
    corpus (Norvig, 2009). A pair that is not listed backs off to the word's own frequency.
    """

    name: ClassVar[str] = "fluency"
    version: ClassVar[int] = 2
    requires: ClassVar[tuple[str, ...]] = ("wordsegment",)

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Refuse other languages than English, and say at once if the counts are not installed."""
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} knows English words only, not {context.language.code!r}")
        require("wordsegment", f"feature {cls.name!r}", distribution="meteor-e-learned")
        return super().from_options(context, options)

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the hypothesis; how far the hypothesis is above the mean of its references; of what it adds to them."""
        return (*_KINDS, *(f"{kind}_difference" for kind in _KINDS), *_ADDED)

    @property
    def dimension(self) -> int:
        """As many as there are columns."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Look the pairs up; each distinct text once."""
        place: dict[str, int] = {}
        left, right = (
            np.array([place.setdefault(text, len(place)) for text in texts], np.int64)
            for texts in (batch.hypotheses, segment_pairs(batch)[1])
        )
        starts = np.cumsum([0, *map(len, batch.references)], dtype=np.int64)
        own, added = _numbers_of()([text.lower() for text in place], left, right, starts)
        return np.hstack([own[left], own[left] - mean_over_references(own[right], batch), added])


@functools.cache
def _numbers_of() -> Callable[[list[str], Integers, Integers, Integers], tuple[Floats, Floats]]:
    """Return what gives the numbers of texts in lower case, and of what hypotheses add to their references.

    Hypotheses and references are places of texts; those of hypothesis n begin at ``starts[n]``. The extension reads
    the package's files as they are. Without it, the package itself reads them, which takes several times as long and
    as much memory.

    Raises:
        ConfigError: if the package is not installed, or its files are damaged.
    """
    package: Any = require("wordsegment", "feature 'fluency'", distribution="meteor-e-learned")
    made = package.Segmenter()
    try:
        if counting._native is not None:
            counts = counting._native.PairCounts(
                _mapped(made.UNIGRAMS_FILENAME), _mapped(made.BIGRAMS_FILENAME), total=made.TOTAL,
                back_off=BACK_OFF, unlisted=UNLISTED, strongest=STRONGEST,
            )  # fmt: skip
            numbers: Callable[[list[str], Integers, Integers, Integers], tuple[Floats, Floats]] = counts.numbers
            return numbers
        made.load()
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"feature 'fluency': the counts of wordsegment cannot be read: {error}; run: "
            "pip install --force-reinstall wordsegment"
        ) from error

    def one_by_one(
        texts: list[str], hypotheses: Integers, references: Integers, starts: Integers
    ) -> tuple[Floats, Floats]:
        words = [_WORDS.findall(text) for text in texts]
        pairs = [_pairs(each, made.unigrams, made.bigrams, made.total) for each in words]
        own = np.array([_sums(each, len(each))[:5] for each in pairs], np.float64).reshape(len(texts), len(_KINDS))
        added = np.empty((len(hypotheses), len(_ADDED)))
        for at, (place, start, end) in enumerate(zip(hypotheses, starts, starts[1:], strict=False)):
            listed = references[start:end].tolist()
            known = {word for reference in listed for word in words[reference]}
            apart = {pair for reference in listed for pair in itertools.pairwise(words[reference])}
            others = [pair for pair in pairs[place] if pair.words not in apart]
            moved = [pair for pair in others if known.issuperset(pair.words)]
            added[at, :6] = _sums(others, len(pairs[place]))
            added[at, 6:] = [_sums(moved, len(pairs[place]))[column] for column in (0, 1, 3, 4)]
        return own, added

    return one_by_one


def _mapped(file: str) -> mmap.mmap:
    """Return a file's content, of which memory holds what has been read."""
    with Path(file).open("rb") as handle:
        return mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)


class _Pair(NamedTuple):
    """Two words that follow each other: logarithm of the second's probability, whether listed, association."""

    words: tuple[str, str]
    logarithm: float
    listed: bool
    association: float


def _pairs(own: list[str], words: Mapping[str, float], pairs: Mapping[str, float], total: float) -> list[_Pair]:
    """Look up the pairs of a text's words."""
    found = []
    for first, second in itertools.pairwise(own):
        together, alone = pairs.get(f"{first} {second}"), words.get(second, UNLISTED) / total
        if together is None:
            found.append(_Pair((first, second), math.log(BACK_OFF * alone), False, 0.0))
            continue
        probability = min(1.0, together / words.get(first, together))
        association = min(STRONGEST, math.log(probability / alone))
        found.append(_Pair((first, second), math.log(probability), True, association))
    return found


def _sums(pairs: list[_Pair], count: int) -> tuple[float, ...]:
    """Return mean and least logarithm, share listed, number not listed, association; and the mean of these alone.

    Args:
        pairs: some pairs of a text.
        count: of all its pairs.
    """
    # Not sum(), which rounds in another way from Python 3.12 on.
    logarithm = association = 0.0
    for pair in pairs:
        logarithm += pair.logarithm
        association += pair.association
    count = max(1, count)
    listed = sum(pair.listed for pair in pairs)
    return (
        logarithm / count,
        min((pair.logarithm for pair in pairs), default=0.0),
        listed / count,
        float(len(pairs) - listed),
        association / count,
        logarithm / max(1, len(pairs)),
    )
