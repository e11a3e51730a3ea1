"""Assign ids to the distinct phrases in a large list. A phrase is a sequence of word ids."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_LOW_BITS = np.uint64(32)
"""The number of bits of the lower part of a key."""


class DistinctPhrases(NamedTuple):
    """Store the distinct phrases that occur in many rows of word ids. Shorter phrases come first.

    Attributes:
        ids: the phrase id of each row.
        positions: for each phrase, the index of its first word in the array that contains the words of all rows.
        lengths: the number of words of each phrase.
    """

    ids: NDArray[np.uint32]
    positions: NDArray[np.int64]
    lengths: NDArray[np.uint8]


def assign_phrase_ids(words: NDArray[Any], lengths: NDArray[np.uint8]) -> DistinctPhrases:
    """Find the distinct rows of word ids, which represent phrases, and assign an id to each distinct row.

    Each step extends the prefixes of all rows by one word. The id of a prefix and the next word are combined into a
    key. Equal keys receive the same id, which is the id of the extended prefix.

    The function requires about 60 bytes of memory per row.

    Args:
        words: the concatenated word ids of all rows. The array may be a memory map.
        lengths: the number of words in each row, which is at least 1.
    """
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    prefix_ids = np.zeros(len(lengths), np.uint32)
    for position in range(int(lengths.max(initial=0))):
        longer_rows = np.flatnonzero(lengths > position)
        next_words = words[starts[longer_rows] + position]
        prefix_ids[longer_rows] = _extend_prefixes(prefix_ids[longer_rows], next_words)
    # The last prefix of each row is the complete row. Prefix ids are distinct among rows of the same length.
    row_keys = _combine(lengths, prefix_ids)
    _, first_rows, ids = np.unique(row_keys, return_index=True, return_inverse=True)
    return DistinctPhrases(ids=ids.astype(np.uint32), positions=starts[first_rows], lengths=lengths[first_rows])


def _extend_prefixes(prefix_ids: NDArray[np.uint32], next_words: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Extend the prefix of each row by one word. Return the new ids, which are equal for equal prefixes."""
    _, new_prefix_ids = np.unique(_combine(prefix_ids, next_words), return_inverse=True)
    return new_prefix_ids


def _combine(high: NDArray[np.unsignedinteger[Any]], low: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Combine two arrays of integers into one array of keys, in which ``high`` are the upper 32 bits."""
    return high.astype(np.uint64) << _LOW_BITS | low.astype(np.uint64)
