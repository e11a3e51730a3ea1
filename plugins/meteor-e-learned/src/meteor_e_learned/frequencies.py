"""Frequencies of English words: wordfreq's large list."""

from __future__ import annotations

import functools
from itertools import chain
from typing import NamedTuple

from meteor_e.base.word_lists import load_word_lists, read_word_lists

USUAL, FREQUENT = 601, 300
"""Numbers of lists with words that occur at least once in a million words, and more than once in a thousand."""


_NEEDED_BY = "feature 'text'", "meteor-e-learned"
"""What the message says that needs the lists."""


class Frequencies(NamedTuple):
    """Words by how often they occur: all that are listed, the usual and the frequent ones."""

    listed: frozenset[str]
    usual: frozenset[str]
    frequent: frozenset[str]


def english_lists() -> bytes:
    """Return the lists as bytes; see :func:`meteor_e.base.word_lists.read_word_lists`."""
    return read_word_lists(*_NEEDED_BY)


@functools.cache
def frequencies() -> Frequencies:
    """Return the words as sets; errors as :func:`meteor_e.base.word_lists.read_word_lists`."""
    lists = load_word_lists(*_NEEDED_BY)
    return Frequencies(*(frozenset(chain.from_iterable(lists[:end])) for end in (None, USUAL, FREQUENT)))


@functools.cache
def _rarities() -> dict[str, int]:
    lists = load_word_lists(*_NEEDED_BY)
    return {word: number for number, words in reversed(list(enumerate(lists))) for word in words}


UNLISTED_RARITY = 9.0
"""The rarity of a word that is not listed."""


def word_rarity(word: str) -> float:
    """Return the negative decimal logarithm of a word's relative frequency; errors as for :func:`frequencies`."""
    number = _rarities().get(word)
    return UNLISTED_RARITY if number is None else number / 100
