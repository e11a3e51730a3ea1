"""How usual the pairs of words that a text adds to its references are, from counts of the web's words (English).

The counts are those of the package wordsegment: 333,213 words and 258,437 pairs of words of Google's trillion-word
corpus (Norvig, 2009). A pair that is not listed backs off to the word's own frequency.
"""

from __future__ import annotations

import functools
import itertools
import math
import mmap
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, FeatureBatch
from meteor_e.base.extras import require
from meteor_e_learned import counting

BACK_OFF = 0.4
"""Weight of a word's own frequency where a pair is not listed (Brants et al., 2007)."""
UNLISTED = 5000.0
"""The count of a word that is not listed, a little below the rarest that are."""
STRONGEST = 8.0
"""The most that one pair can add to the association of words."""
COLUMNS = (
    *("pairs_log_probability", "pairs_least_log_probability", "pairs_unlisted", "pairs_association"),
    *("pairs_mean_log_probability", "pairs_moved_log_probability", "pairs_moved_least_log_probability"),
)
"""Of the pairs that no reference has: sums per pair of the text, least, number unlisted, association, mean of them.

``moved``: of those whose two words references have.
"""
_WORDS = re.compile("[a-z]+|[0-9]+")

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Numbers = Callable[[list[str], Integers, Integers, Integers], Floats]


def added_pairs(batch: FeatureBatch) -> Floats:
    """Return the numbers of the pairs that each hypothesis adds to its references, ``(hypotheses, 7)``."""
    place: dict[str, int] = {}
    left, right = (
        np.array([place.setdefault(text, len(place)) for text in texts], np.int64)
        for texts in (batch.hypotheses, itertools.chain.from_iterable(batch.references))
    )
    starts = np.cumsum([0, *map(len, batch.references)], dtype=np.int64)
    return _numbers_of()([text.lower() for text in place], left, right, starts)


@functools.cache
def _numbers_of() -> Numbers:
    """Return what gives the numbers of hypotheses: places of texts; references of hypothesis n begin at ``starts[n]``.

    The extension reads the package's files as they are. Without it, the package itself reads them.

    Raises:
        ConfigError: if the package is not installed, or its files are damaged.
    """
    package: Any = require("wordsegment", "feature 'text'", distribution="meteor-e-learned")
    made = package.Segmenter()
    try:
        if counting._native is not None:
            counts = counting._native.PairCounts(
                _mapped(made.UNIGRAMS_FILENAME), _mapped(made.BIGRAMS_FILENAME), total=made.TOTAL,
                back_off=BACK_OFF, unlisted=UNLISTED, strongest=STRONGEST,
            )  # fmt: skip
            numbers: Numbers = counts.numbers
            return numbers
        made.load()
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"feature 'text': the counts of wordsegment cannot be read: {error}; run: "
            "pip install --force-reinstall wordsegment"
        ) from error

    def one_by_one(texts: list[str], hypotheses: Integers, references: Integers, starts: Integers) -> Floats:
        pairs = [list(itertools.pairwise(_WORDS.findall(text))) for text in texts]
        known = [set(_WORDS.findall(text)) for text in texts]
        result = np.empty((len(hypotheses), len(COLUMNS)))
        for at, (place, start, end) in enumerate(zip(hypotheses, starts, starts[1:], strict=False)):
            of = references[start:end].tolist()
            apart = set().union(*(pairs[reference] for reference in of))
            together = set().union(*(known[reference] for reference in of))
            added = [
                _pair(pair, made.unigrams, made.bigrams, made.total, together.issuperset(pair))
                for pair in pairs[place]
                if pair not in apart
            ]
            result[at] = _sums(added, max(1, len(pairs[place])))
        return result

    return one_by_one


def _mapped(file: str) -> mmap.mmap:
    """Return a file's content, of which memory holds what has been read."""
    with Path(file).open("rb") as handle:
        return mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)


class _Pair(NamedTuple):
    """Two words that follow each other: logarithm of the second's probability, listed, association, moved."""

    logarithm: float
    listed: bool
    association: float
    moved: bool


def _pair(
    pair: tuple[str, str], words: Mapping[str, float], pairs: Mapping[str, float], total: float, moved: bool
) -> _Pair:
    """Look up a pair of words."""
    first, second = pair
    together, alone = pairs.get(f"{first} {second}"), words.get(second, UNLISTED) / total
    if together is None:
        return _Pair(math.log(BACK_OFF * alone), False, 0.0, moved)
    probability = min(1.0, together / words.get(first, together))
    return _Pair(math.log(probability), True, min(STRONGEST, math.log(probability / alone)), moved)


def _sums(pairs: Sequence[_Pair], count: int) -> list[float]:
    """Return the seven numbers of added pairs; ``count`` is the number of all the text's pairs."""
    # Not sum(), which rounds in another way from Python 3.12 on.
    logarithm = association = moved = 0.0
    for pair in pairs:
        logarithm += pair.logarithm
        association += pair.association
        moved += pair.logarithm if pair.moved else 0.0
    return [
        logarithm / count,
        min((pair.logarithm for pair in pairs), default=0.0),
        float(sum(not pair.listed for pair in pairs)),
        association / count,
        logarithm / max(1, len(pairs)),
        moved / count,
        min((pair.logarithm for pair in pairs if pair.moved), default=0.0),
    ]
