"""Finds the n-grams of several texts whose words are encoded as ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e_captions.arrays import group_pairs

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Integers


class WordSequence(NamedTuple):
    """The concatenated words of several texts.

    Attributes:
        ids: the id of each word.
        text_index: for each word, the index of its text.
        vocabulary_size: the number of distinct words. All ids are less than this number.
    """

    ids: Integers
    text_index: Integers
    vocabulary_size: int


class Ngrams(NamedTuple):
    """The n-grams of one length, such as bigrams, in a sequence of words.

    Attributes:
        prefixes: for each distinct n-gram, the id of the n-gram without its last word. It is 0 for unigrams.
        last_words: for each distinct n-gram, the id of its last word. The distinct n-grams are sorted by prefix and
            then by last word. The id of an n-gram is its index in this order.
        ids: the id of each occurrence of an n-gram, in the order of the words.
        text_index: for each occurrence, the index of its text.
    """

    prefixes: Integers
    last_words: Integers
    ids: Integers
    text_index: Integers

    @property
    def n_distinct(self) -> int:
        """The number of distinct n-grams."""
        return len(self.prefixes)


def find_ngram_starts(text_index: Integers, order: int) -> Integers:
    """Return the index of the first word of each n-gram. No n-gram extends from one text into the next.

    Args:
        text_index: for each word, the index of its text.
        order: the length of the n-grams.
    """
    n_windows = max(len(text_index) - order + 1, 0)
    # An n-gram belongs to one text if its first and its last word belong to the same text.
    starts: Integers = np.flatnonzero(text_index[:n_windows] == text_index[order - 1 :])
    return starts


def iterate_ngrams(words: WordSequence, max_order: int) -> Iterator[Ngrams]:
    """Yield all unigrams, all bigrams, and so on up to n-grams of the length ``max_order``."""
    vocabulary = np.arange(words.vocabulary_size)
    no_prefixes = np.zeros_like(vocabulary)
    ngrams = Ngrams(no_prefixes, last_words=vocabulary, ids=words.ids, text_index=words.text_index)
    yield ngrams
    for _ in range(1, max_order):
        ngrams = _extend_ngrams(ngrams)
        yield ngrams


def _extend_ngrams(ngrams: Ngrams) -> Ngrams:
    """Return the n-grams that are one word longer than the given n-grams."""
    # Each longer n-gram consists of a given n-gram and the last word of the n-gram that starts one word later.
    starts = find_ngram_starts(ngrams.text_index, order=2)
    prefixes = ngrams.ids[starts]
    last_words = ngrams.last_words[ngrams.ids[starts + 1]]
    groups = group_pairs(prefixes, last_words)
    return Ngrams(groups.left, groups.right, ids=groups.inverse, text_index=ngrams.text_index[starts])
