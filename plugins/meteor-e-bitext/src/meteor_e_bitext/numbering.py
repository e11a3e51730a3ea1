"""Assign ids to the distinct phrases in a large list. A phrase is a sequence of word ids."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_WORD_BITS = np.uint64(32)
"""The number of bits of a word id."""


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
        lengths: the number of words in each row.
    """
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    ids = np.zeros(len(lengths), np.uint32)
    prefix_ids = np.zeros(len(lengths), np.uint32)
    first_rows = [np.zeros(0, np.int64)]
    phrase_count = 0
    for position in range(int(lengths.max(initial=0))):
        # This step extends the prefix of each row that has a word at this position.
        longer_rows = np.flatnonzero(lengths > position)
        next_words = words[starts[longer_rows] + position].astype(np.uint64)
        keys = prefix_ids[longer_rows].astype(np.uint64) << _WORD_BITS | next_words
        _, longer_prefix_ids = np.unique(keys, return_inverse=True)
        prefix_ids[longer_rows] = longer_prefix_ids
        # If a row ends at this position, its prefix is the complete row.
        complete_rows = longer_rows[lengths[longer_rows] == position + 1]
        _, first_indices, phrase_of_row = np.unique(prefix_ids[complete_rows], return_index=True, return_inverse=True)
        ids[complete_rows] = phrase_count + phrase_of_row
        first_rows.append(complete_rows[first_indices])
        phrase_count += len(first_indices)
    distinct_rows = np.concatenate(first_rows)
    return DistinctPhrases(ids=ids, positions=starts[distinct_rows], lengths=lengths[distinct_rows])
