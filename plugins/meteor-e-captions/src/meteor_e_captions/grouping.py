"""Distinct numbers of an array, by one sort: NumPy's ``unique`` sorts positions, or hashes, which takes longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Integers

__all__ = ["Groups", "distinct", "grouped"]


class Groups(NamedTuple):
    """The distinct numbers of an array, ordered.

    Attributes:
        keys: the numbers.
        first: the first place of each.
        counts: how often each is there.
        inverse: for each place of the array, the position of its number in ``keys``.
    """

    keys: Integers
    first: Integers
    counts: Integers
    inverse: Integers


def _new(ordered: Integers) -> Integers:
    found: Integers = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)])
    return found


def distinct(keys: Integers) -> Integers:
    """Return the distinct numbers of an array, ordered."""
    ordered = np.sort(keys)
    result: Integers = ordered[_new(ordered)]
    return result


def grouped(keys: Integers) -> Groups:
    """Return the distinct numbers of an array, and where they are.

    Args:
        keys: not negative.
    """
    bits = len(keys).bit_length()
    if len(keys) and int(keys.max()) >= 1 << (62 - bits):
        found, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        return Groups(found, first, counts, inverse)
    # A number and its place: ordered by both.
    packed = np.sort(keys << bits | np.arange(len(keys)))
    ordered, places = packed >> bits, packed & ((1 << bits) - 1)
    starts = _new(ordered)
    counts = np.diff(np.append(starts, len(keys)))
    inverse = np.empty(len(keys), np.int64)
    inverse[places] = np.repeat(np.arange(len(starts)), counts)
    return Groups(ordered[starts], places[starts], counts, inverse)
