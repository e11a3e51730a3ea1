"""Distinct integers of an array, by a single sort. NumPy's ``unique`` is slower: it sorts indexes or builds hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Integers

__all__ = ["Groups", "distinct", "group"]


class Groups(NamedTuple):
    """The distinct integers of an array.

    Attributes:
        keys: the distinct integers, sorted.
        first: for each key, the index of its first occurrence.
        counts: for each key, the number of its occurrences.
        inverse: for each element of the array, the index of its key in ``keys``.
    """

    keys: Integers
    first: Integers
    counts: Integers
    inverse: Integers


def _find_run_starts(sorted_keys: Integers) -> Integers:
    """Return the index of the first occurrence of each key."""
    is_start = np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])[: len(sorted_keys)]
    starts: Integers = np.flatnonzero(is_start)
    return starts


def distinct(keys: Integers) -> Integers:
    """Return the distinct integers of an array, sorted."""
    sorted_keys = np.sort(keys)
    result: Integers = sorted_keys[_find_run_starts(sorted_keys)]
    return result


def group(keys: Integers) -> Groups:
    """Return the distinct integers of an array and where they occur.

    Args:
        keys: the integers, not negative.
    """
    index_bits = len(keys).bit_length()
    if len(keys) and int(keys.max()) >= 1 << (62 - index_bits):
        unique, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        return Groups(unique, first, counts, inverse)
    # Key and index are packed into one integer, so that one sort orders by both.
    packed = np.sort(keys << index_bits | np.arange(len(keys)))
    sorted_keys, indexes = packed >> index_bits, packed & ((1 << index_bits) - 1)
    starts = _find_run_starts(sorted_keys)
    counts = np.diff(np.append(starts, len(keys)))
    inverse = np.empty(len(keys), np.int64)
    inverse[indexes] = np.repeat(np.arange(len(starts)), counts)
    return Groups(sorted_keys[starts], indexes[starts], counts, inverse)
