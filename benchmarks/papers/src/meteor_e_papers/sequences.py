"""What two sequences share beyond what models that are shipped count: skip-bigrams, order, runs; in numpy.

Sequences are those of :class:`meteor_e_learned.counting.Pairs`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from meteor_e_learned.counting import Pairs, precision_recall_f
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def ngram_shares(pairs: Pairs, longest: int) -> list[Floats]:
    """Return precision, recall and F of n-grams, ``(pairs, 3)`` for each order up to the longest."""
    common = pairs.common_ngrams(longest).astype(float)
    return [
        precision_recall_f(common[:, step], *(np.maximum(side - step, 0).astype(float) for side in pairs.lengths))
        for step in range(longest)
    ]


def skip_bigram_shares(pairs: Pairs, skipped: int) -> Floats:
    """Return precision, recall and F of pairs of items, in order, with at most so many between them."""
    tally = skip_bigrams(pairs, skipped).tally()
    sides = (sum(np.maximum(side - gap, 0) for gap in range(1, skipped + 2)) for side in pairs.lengths)
    return precision_recall_f(tally.total(tally.common), *(np.asarray(side, float) for side in sides))


def skip_bigrams(pairs: Pairs, skipped: int) -> Pairs:
    """Return pairs of items, in order, with at most so many between them."""
    numbers, owners = [], []
    for gap in range(1, skipped + 2):
        whole = pairs.owner[gap:] == pairs.owner[:-gap]
        numbers.append((pairs.items[:-gap] * pairs.size + pairs.items[gap:])[whole])
        owners.append(pairs.owner[gap:][whole])
    owner = np.concatenate(owners)
    by_sequence = np.argsort(owner, kind="stable")
    distinct, found = np.unique(np.concatenate(numbers)[by_sequence], return_inverse=True)
    return Pairs(pairs.count, found, owner[by_sequence], max(1, len(distinct)))


def replaced(pairs: Pairs, numbers: Integers) -> Pairs:
    """Return the same sequences with other numbers of items; ``numbers`` has one for each old number."""
    return Pairs(pairs.count, numbers[pairs.items], pairs.owner, int(numbers.max(initial=0)) + 1)


def texts(pairs: Pairs) -> tuple[list[str], list[str]]:
    """Return each sequence as a text with one character for each item, for libraries that compare texts."""
    # Surrogates are no characters that a decoder takes without being told.
    whole = pairs.items.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    bounds = pairs.starts.tolist()
    found = [whole[start:end] for start, end in itertools.pairwise(bounds)]
    return found[: pairs.count], found[pairs.count :]


def order_shares(pairs: Pairs) -> Floats:
    """Return of items that each side has once the share of pairs in the same order, ``(pairs,)``; 1 without any.

    The first 500 by their place on the right count.
    """
    result = np.ones(pairs.count)
    for pair, (left, right) in enumerate(_sides(pairs)):
        (mine, places, times), (others, there, also) = (
            np.unique(side, return_index=True, return_counts=True) for side in (left, right)
        )
        _, one, other = np.intersect1d(mine[times == 1], others[also == 1], return_indices=True)
        by_place = np.argsort(there[also == 1][other])[:500]
        found = places[times == 1][one][by_place]
        possible = len(found) * (len(found) - 1) // 2
        if possible:
            # A later place on the right that is later on the left, too.
            result[pair] = np.triu(found[:, None] < found).sum() / possible
    return result


def longest_runs(pairs: Pairs, longest: int = 1000) -> Floats:
    """Return the length of the longest run of items that both sides of each pair have, of the first thousand."""
    result = np.zeros(pairs.count)
    for pair, (left, right) in enumerate(_sides(pairs)):
        right = right[:longest]
        row = np.zeros(len(right) + 1, np.int64)
        for item in left[:longest]:
            # Each run goes on from the one that ends one item earlier on both sides.
            row[1:] = (row[:-1] + 1) * (right == item)
            result[pair] = max(result[pair], row.max())
    return result


def _sides(pairs: Pairs) -> Iterator[tuple[Integers, Integers]]:
    """Yield the items of the hypothesis and of the reference of each pair."""
    starts = pairs.starts
    for pair in range(pairs.count):
        other = pairs.count + pair
        yield pairs.items[starts[pair] : starts[pair + 1]], pairs.items[starts[other] : starts[other + 1]]
