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


class PairGroups(NamedTuple):
    """The distinct pairs in two arrays of integers, and the positions at which they occur.

    Attributes:
        left, right: the integers of each distinct pair. The pairs are sorted by ``left`` and then by ``right``.
        first: for each distinct pair, the index of its first occurrence.
        counts: for each distinct pair, the number of its occurrences.
        inverse: for each element of the two arrays, the index of its pair in ``left`` and ``right``.
    """

    left: Integers
    right: Integers
    first: Integers
    counts: Integers
    inverse: Integers


def group_pairs(left: Integers, right: Integers) -> PairGroups:
    """Return the distinct pairs in two arrays of integers, and the positions at which they occur.

    The pairs are sorted only once, which makes this function faster than :func:`numpy.unique`.

    Args:
        left, right: arrays of the same length that contain integers from 0.
    """
    # Each pair is combined into one integer.
    radix = right.max(initial=0) + 1
    keys = left * radix + right
    order = _sort_indexes(keys)
    sorted_keys = keys[order]
    group_starts = _find_run_starts(sorted_keys)
    counts = np.diff(np.append(group_starts, len(keys)))
    inverse = np.empty(len(keys), np.int64)
    inverse[order] = np.repeat(np.arange(len(group_starts)), counts)
    first = order[group_starts]
    return PairGroups(left=left[first], right=right[first], first=first, counts=counts, inverse=inverse)


def unique_pairs(left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """Return the distinct pairs in two arrays of integers, sorted by ``left`` and then by ``right``.

    Args:
        left, right: arrays of the same length that contain integers from 0.
    """
    radix = right.max(initial=0) + 1
    sorted_keys = np.sort(left * radix + right)
    return np.divmod(sorted_keys[_find_run_starts(sorted_keys)], radix)


def _sort_indexes(keys: Integers) -> Integers:
    """Return the indexes that sort an array. Equal integers remain in their order."""
    index_bits = len(keys).bit_length()
    if keys.max(initial=0) >= 1 << (_MAX_PACKED_BITS - index_bits):
        return np.argsort(keys, kind="stable")
    # Each integer and its index are packed into a single integer, because NumPy's sort is many times as fast as its
    # stable argsort.
    packed = np.sort((keys << index_bits) | np.arange(len(keys)))
    return packed & ((1 << index_bits) - 1)


def _find_run_starts(sorted_keys: Integers) -> Integers:
    """Return the index of the first occurrence of each integer in a sorted array."""
    is_start = np.ones(len(sorted_keys), bool)
    is_start[1:] = sorted_keys[1:] != sorted_keys[:-1]
    starts: Integers = np.flatnonzero(is_start)
    return starts
