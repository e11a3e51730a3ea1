"""Numbers for the distinct ones of very many phrases, which are rows of word numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Numbered(NamedTuple):
    """Distinct phrases, shorter ones first.

    Attributes:
        numbers: of each row the number of its phrase.
        places: of each phrase, where it begins in the words of the rows.
        lengths: of each phrase, in words.
    """

    numbers: NDArray[np.uint32]
    places: NDArray[np.int64]
    lengths: NDArray[np.uint8]


def number_rows(words: NDArray[Any], lengths: NDArray[np.uint8]) -> Numbered:
    """Number the distinct phrases of rows, equal ones alike.

    A word at a time from the left: the first words of a row up to some place have a number, and with the next word's
    they make a pair; the distinct pairs are the numbers of the next place. Memory is some 60 bytes a row.

    Args:
        words: of all rows, one after the other; may be mapped.
        lengths: of each row.
    """
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    numbers, prefixes = np.zeros(len(lengths), np.uint32), np.zeros(len(lengths), np.uint32)
    chosen = [np.zeros(0, np.int64)]
    count = 0
    for place in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > place)
        keys = prefixes[rows].astype(np.uint64) << np.uint64(32) | words[starts[rows] + place].astype(np.uint64)
        prefixes[rows] = np.unique(keys, return_inverse=True)[1]
        ending = rows[lengths[rows] == place + 1]
        ended, first, inverse = np.unique(prefixes[ending], return_index=True, return_inverse=True)
        numbers[ending] = count + inverse
        chosen.append(ending[first])
        count += len(ended)
    one_of_each = np.concatenate(chosen)
    return Numbered(numbers, starts[one_of_each], lengths[one_of_each])
