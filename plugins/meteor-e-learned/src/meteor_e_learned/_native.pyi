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

def common_skip_bigrams(items: Integers, starts: Integers, size: int, skipped: int) -> Integers:
    """Return how many pairs of items, with at most so many between them, both sides have, ``(pairs, 1)``."""

def ordered_pairs(items: Integers, starts: Integers, size: int, most: int) -> Integers:
    """Return of items that each side has once how many pairs are in one order, and how many there are."""

def longest_runs(items: Integers, starts: Integers, size: int, most: int) -> Integers:
    """Return the longest run of items that both sides have, ``(pairs, 1)``."""

def tally(items: Integers, starts: Integers, size: int) -> tuple[Integers, Integers, Integers, Integers]:
    """Return pair, item and its counts on the left and on the right, for each item of a pair."""

def split(texts: list[str]) -> tuple[Integers, Integers, list[str]]:
    """Return the words of unified texts by number, the number of words of each text, and the words."""

def capitals(texts: list[str]) -> tuple[Integers, Integers, list[str]]:
    """Return the words with a capital, except for first words: as :func:`split` does."""

class PairCounts:
    """How usual pairs of words are, for :mod:`meteor_e_learned.features.fluency`.

    Args:
        words: a file's content: lines of a word, a tab and how often it occurs.
        pairs: the same of pairs of words, with a blank between them.
        total: number of all words.
        back_off, unlisted, strongest: the constants of :mod:`meteor_e_learned.features.fluency`.

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
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the five numbers of each text, and the ten of what hypotheses add to their references.

        Args:
            texts: in lower case.
            hypotheses: places of texts.
            references: places of the references' texts.
            starts: where each hypothesis's references begin, and where the last ones end.
        """
