"""The counting of :mod:`meteor_e_learned.counting`, in C++; its sources are in ``native``.

Arrays are contiguous and of the very type. ``starts`` are those of :attr:`meteor_e_learned.counting.Pairs.starts`, and
``size`` is the number of different items. Arrays that do not fit each other are a ValueError.
"""

from __future__ import annotations

from mmap import mmap

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

def common_ngrams(items: Integers, starts: Integers, size: int, longest: int) -> Integers:
    """Return how many n-grams both sides of each pair have, ``(pairs, longest)``."""

def tally(items: Integers, starts: Integers, size: int) -> tuple[Integers, Integers, Integers, Integers]:
    """Return pair, item and its counts on the left and on the right, for each item of a pair."""

def split(texts: list[str]) -> tuple[Integers, Integers, list[str]]:
    """Return the words of unified texts by number, the number of words of each text, and the words."""

def capitals(texts: list[str]) -> tuple[Integers, Integers, list[str]]:
    """Return the words with a capital, except for first words: as :func:`split` does."""

class PairCounts:
    """How usual pairs of words are, for :mod:`meteor_e_learned.features.word_pairs`.

    Args:
        words: a file's content: lines of a word, a tab and how often it occurs.
        pairs: the same of pairs of words, with a blank between them.
        total: number of all words.
        back_off, unlisted, strongest: the constants of :mod:`meteor_e_learned.features.word_pairs`.

    Raises:
        ValueError: for lines of another form.
    """

    def __init__(
        self,
        words: bytes | mmap,
        pairs: bytes | mmap,
        *,
        total: float,
        back_off: float,
        unlisted: float,
        strongest: float,
    ) -> None: ...
    def numbers(
        self, texts: list[str], hypotheses: Integers, references: Integers, starts: Integers
    ) -> NDArray[np.float64]:
        """Return the seven numbers of what each hypothesis adds to its references, ``(hypotheses, 7)``.

        Args:
            texts: in lower case.
            hypotheses: places of texts.
            references: places of the references' texts.
            starts: where each hypothesis's references begin, and where the last ones end.
        """
