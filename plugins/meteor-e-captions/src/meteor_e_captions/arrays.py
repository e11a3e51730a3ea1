"""Functions for NumPy arrays that several caption metrics use."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.base.array_cache import Floats, Integers

_Number = TypeVar("_Number", np.int64, np.float64)

_MAX_PACKED_BITS = 62


def divide(numerator: Floats, denominator: Floats, default: float | Floats = 0.0) -> Floats:
    """Divide two arrays element by element. The result is ``default`` where the denominator is not positive."""
    is_positive = denominator > 0
    safe_denominator = np.where(is_positive, denominator, 1)
    return np.where(is_positive, numerator / safe_denominator, default)


def find_indexes(sorted_keys: Integers, keys: Integers) -> Integers:
    """Return the index of each key in a sorted array, or -1 if the array does not contain the key."""
    if not len(sorted_keys):
        return np.full(len(keys), -1)
    indexes = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[indexes] == keys, indexes, -1)


def take_or_zero(values: NDArray[_Number], indexes: Integers) -> NDArray[_Number]:
    """Return the value at each index, or 0 if the index is -1.

    The function :func:`find_indexes` returns the index -1 for each key that is missing.
    """
    selected = np.zeros(len(indexes), values.dtype)
    is_valid = indexes >= 0
    selected[is_valid] = values[indexes[is_valid]]
    return selected


def sum_by_group(groups: Integers, values: Floats | Integers, n_groups: int) -> Floats:
    """Return the sum of the values in each group.

    Args:
        groups: for each value, the index of its group.
        values: the values.
        n_groups: the number of groups.
    """
    # Without any values, ``bincount`` returns integers.
    return np.bincount(groups, values, n_groups).astype(float)


def max_by_group(groups: Integers, values: Integers, n_groups: int) -> Integers:
    """Return the maximum of the values in each group, or 0 for a group without any values.

    Args:
        groups: for each value, the index of its group.
        values: the values, none of which is negative.
        n_groups: the number of groups.
    """
    maxima = np.zeros(n_groups, np.int64)
    np.maximum.at(maxima, groups, values)
    return maxima


class PairGroups(NamedTuple):
    """The distinct pairs in two arrays of integers, and the positions at which they occur.

    Attributes:
        left, right: the integers of each distinct pair. The pairs are sorted by ``left`` and then by ``right``.
        first_indexes: for each distinct pair, the index of its first occurrence.
        counts: for each distinct pair, the number of its occurrences.
        inverse: for each element of the two arrays, the index of its pair in ``left`` and ``right``.
    """

    left: Integers
    right: Integers
    first_indexes: Integers
    counts: Integers
    inverse: Integers


def group_pairs(left: Integers, right: Integers) -> PairGroups:
    """Return the distinct pairs in two arrays of integers, and the positions at which they occur.

    The pairs are sorted only once, which makes this function faster than :func:`numpy.unique`.

    Args:
        left, right: arrays of the same length that contain integers from 0.
    """
    # Each pair is combined into one integer.
    keys = left * (right.max(initial=0) + 1) + right
    # Sorting makes equal pairs adjacent and keeps their order, so that each group starts with its first occurrence.
    sorted_indexes = _sort_indexes(keys)
    group_starts = _find_run_starts(keys[sorted_indexes])
    first_indexes = sorted_indexes[group_starts]
    counts = np.diff(group_starts, append=len(keys))
    # The groups are numbered in sorted order.
    # The array ``inverse`` contains the group number of each pair, in the original order of the pairs.
    inverse = np.empty(len(keys), np.int64)
    inverse[sorted_indexes] = np.repeat(np.arange(len(counts)), counts)
    return PairGroups(left[first_indexes], right[first_indexes], first_indexes, counts, inverse)


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
    # Each integer is packed together with its index, because NumPy's sort is much faster than its stable argsort.
    packed = np.sort((keys << index_bits) | np.arange(len(keys)))
    return packed & ((1 << index_bits) - 1)


def _find_run_starts(sorted_keys: Integers) -> Integers:
    """Return the index of the first occurrence of each integer in a sorted array."""
    is_start = np.ones(len(sorted_keys), bool)
    is_start[1:] = sorted_keys[1:] != sorted_keys[:-1]
    return np.flatnonzero(is_start)
