"""Frequencies of English words, from the large list of wordfreq."""

from __future__ import annotations

import functools
from itertools import chain
from typing import NamedTuple

from meteor_e.base.word_lists import load_word_lists, read_word_lists

USUAL, FREQUENT = 601, 300
"""The number of lists whose words occur at least once in a million words, and more than once in a thousand."""

_REQUIRED_BY = "feature 'text'", "meteor-e-learned"
"""The component and the distribution that an error message names."""


class Frequencies(NamedTuple):
    """Sets of English words: all words of the list, the usual words, and the frequent words."""

    listed: frozenset[str]
    usual: frozenset[str]
    frequent: frozenset[str]


def english_lists() -> bytes:
    """Return the lists as bytes; see :func:`meteor_e.base.word_lists.read_word_lists`."""
    return read_word_lists(*_REQUIRED_BY)


@functools.cache
def frequencies() -> Frequencies:
    """Return the words as sets; errors as :func:`meteor_e.base.word_lists.read_word_lists`."""
    lists = load_word_lists(*_REQUIRED_BY)
    return Frequencies(*(frozenset(chain.from_iterable(lists[:end])) for end in (None, USUAL, FREQUENT)))


@functools.cache
def _rarities() -> dict[str, int]:
    """Return the rarity of each word in hundredths: the index of the list that contains the word."""
    lists = load_word_lists(*_REQUIRED_BY)
    return {word: index for index, words in reversed(list(enumerate(lists))) for word in words}


UNLISTED_RARITY = 9.0
"""The rarity of a word that the list does not contain."""


def word_rarity(word: str) -> float:
    """Return the negative decimal logarithm of a word's relative frequency.

    Raises:
        MeteorError: as :func:`frequencies` does.
    """
    rarity = _rarities().get(word)
    return UNLISTED_RARITY if rarity is None else rarity / 100
