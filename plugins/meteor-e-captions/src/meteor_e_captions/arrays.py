"""Functions for NumPy arrays that several caption metrics use."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats, Integers

_MAX_PACKED_BITS = 62


def divide(numerator: Floats, denominator: Floats, default: float | Floats = 0.0) -> Floats:
    """Divide two arrays element by element. The result is ``default`` where the denominator is not positive."""
    is_positive = denominator > 0
    safe_denominator = np.where(is_positive, denominator, 1)
    quotient: Floats = np.where(is_positive, numerator / safe_denominator, default)
    return quotient


def find_indexes(sorted_keys: Integers, keys: Integers) -> Integers:
    """Return the index of each key in a sorted array, or -1 if the array does not contain the key."""
    if not len(sorted_keys):
        return np.full(len(keys), -1)
    indexes = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[indexes] == keys, indexes, -1)


class Groups(NamedTuple):
    """The distinct integers of an array, and the positions at which they occur.

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


def unique_keys(keys: Integers) -> Integers:
    """Return the distinct integers of an array in ascending order. This is faster than :func:`numpy.unique`."""
    sorted_keys = np.sort(keys)
    result: Integers = sorted_keys[_find_run_starts(sorted_keys)]
    return result


def group_keys(keys: Integers) -> Groups:
    """Return the distinct integers of an array and the positions at which they occur.

    The array is sorted only once, which makes this function faster than :func:`numpy.unique`.

    Args:
        keys: an array of integers that are not negative.
    """
    n_keys = len(keys)
    index_bits = n_keys.bit_length()
    if keys.max(initial=0) >= 1 << (_MAX_PACKED_BITS - index_bits):
        return _group_large_keys(keys)
    # Each key is packed with its index into one integer, so that a single sort orders keys and indexes together.
    sorted_pairs = np.sort((keys << index_bits) | np.arange(n_keys))
    sorted_keys = sorted_pairs >> index_bits
    indexes = sorted_pairs & ((1 << index_bits) - 1)
    group_starts = _find_run_starts(sorted_keys)
    counts = np.diff(np.append(group_starts, n_keys))
    inverse = np.empty(n_keys, np.int64)
    inverse[indexes] = np.repeat(np.arange(len(group_starts)), counts)
    return Groups(keys=sorted_keys[group_starts], first=indexes[group_starts], counts=counts, inverse=inverse)


def _group_large_keys(keys: Integers) -> Groups:
    """Group equal integers by :func:`numpy.unique`, which also supports very large integers."""
    unique, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return Groups(keys=unique, first=first, counts=counts, inverse=inverse)


def _find_run_starts(sorted_keys: Integers) -> Integers:
    """Return the index of the first occurrence of each integer in a sorted array."""
    is_start = np.ones(len(sorted_keys), bool)
    is_start[1:] = sorted_keys[1:] != sorted_keys[:-1]
    starts: Integers = np.flatnonzero(is_start)
    return starts
