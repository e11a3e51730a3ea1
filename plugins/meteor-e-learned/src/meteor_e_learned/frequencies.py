"""Frequencies of English words, from the large word list of the package wordfreq."""

from __future__ import annotations

import functools
from itertools import chain
from typing import NamedTuple

from meteor_e.base.word_lists import load_word_lists, read_word_lists

USUAL, FREQUENT = 601, 300
"""Numbers of lists with usual words (at least one in a million) and frequent words (more than one in a thousand)."""

_REQUIRED_BY = "feature 'text'", "meteor-e-learned"
"""The feature and the distribution that error messages mention."""


class Frequencies(NamedTuple):
    """Sets of English words from wordfreq: all words, the usual words, and the most frequent words."""

    listed: frozenset[str]
    usual: frozenset[str]
    frequent: frozenset[str]


def english_lists() -> bytes:
    """Return the content of wordfreq's English word list as bytes.

    See :func:`meteor_e.base.word_lists.read_word_lists`.
    """
    return read_word_lists(*_REQUIRED_BY)


@functools.cache
def frequencies() -> Frequencies:
    """Return three sets of English words in wordfreq: all words, the usual words and the frequent words.

    Raises:
        MeteorError: if wordfreq is not installed.
    """
    lists = load_word_lists(*_REQUIRED_BY)
    return Frequencies(*(frozenset(chain.from_iterable(lists[:end])) for end in (None, USUAL, FREQUENT)))


@functools.cache
def load_rarities() -> dict[str, int]:
    """Return the rarity of each English word as an integer, in units of 0.01.

    wordfreq stores words of equal frequency in the same list. The index of this list is the rarity.

    Raises:
        MeteorError: if wordfreq is not installed.
    """
    lists = load_word_lists(*_REQUIRED_BY)
    rarities: dict[str, int] = {}
    # If a word occurs in several lists, its rarity is the index of the first of these lists.
    for rarity in reversed(range(len(lists))):
        rarities.update(dict.fromkeys(lists[rarity], rarity))
    return rarities


UNLISTED_RARITY = 9.0
"""Rarity of a word that wordfreq does not contain."""


def word_rarity(word: str) -> float:
    """Return the negative decimal logarithm of a word's relative frequency.

    Raises:
        MeteorError: if wordfreq is not installed.
    """
    rarity = load_rarities().get(word)
    return UNLISTED_RARITY if rarity is None else rarity / 100
