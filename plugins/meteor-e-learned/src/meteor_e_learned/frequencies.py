"""Frequencies of English words, which come from the large word list of wordfreq."""

from __future__ import annotations

import functools
from itertools import chain
from typing import NamedTuple

from meteor_e.base.word_lists import load_word_lists, read_word_lists

USUAL, FREQUENT = 601, 300
"""Numbers of lists with words that occur at least once per million words, and more than once per thousand words."""

_REQUIRED_BY = "feature 'text'", "meteor-e-learned"
"""The feature and the distribution that error messages mention."""


class Frequencies(NamedTuple):
    """Sets of English words: all words of the list, the usual words, and the frequent words."""

    listed: frozenset[str]
    usual: frozenset[str]
    frequent: frozenset[str]


def english_lists() -> bytes:
    """Return the content of wordfreq's file, see :func:`meteor_e.base.word_lists.read_word_lists`."""
    return read_word_lists(*_REQUIRED_BY)


@functools.cache
def frequencies() -> Frequencies:
    """Return wordfreq's English words as sets, grouped by frequency.

    Raises:
        MeteorError: if wordfreq is not installed.
    """
    lists = load_word_lists(*_REQUIRED_BY)
    return Frequencies(*(frozenset(chain.from_iterable(lists[:end])) for end in (None, USUAL, FREQUENT)))


@functools.cache
def load_rarities() -> dict[str, int]:
    """Return the rarity of each word in units of 0.01, which is the index of wordfreq's list with the word.

    Raises:
        MeteorError: if wordfreq is not installed.
    """
    lists = load_word_lists(*_REQUIRED_BY)
    rarities: dict[str, int] = {}
    # A word that is in several lists has the rarity of the first list.
    for index in reversed(range(len(lists))):
        rarities.update(dict.fromkeys(lists[index], index))
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
