"""METEOR's expected scores against many references at once: what the references have in common is counted once.

The results approximate expected scores: a score of mean counts is not the mean of the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from meteor_e.api.languages import Parameters
from meteor_e.api.matchers import KeyMatcher, Matcher
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.base.lowercase import lowercase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.api.tokens import Token


class Aggregated(NamedTuple):
    """Approximate scores.

    Attributes:
        expected: of each hypothesis.
        pairs: returns approximate scores of some hypotheses, which it takes by their places, against some references;
            ``None`` if the metric has none that cost less than its scores.
    """

    expected: Floats
    pairs: Callable[[Integers, Integers], Floats] | None


class _Keys(NamedTuple):
    """Keys of texts: of which text, which key, and what its word counts."""

    rows: Integers
    keys: Integers
    values: Floats
    number: int

    def shared(self, weights: Floats) -> Floats:
        """Return for each text what its keys are worth in all texts, which have weights."""
        known = np.bincount(self.keys, weights[self.rows], self.number)
        return np.asarray(np.bincount(self.rows, self.values * known[self.keys], len(weights)), float)

    def matches(self, left: Integers, right: Integers) -> Floats:
        """Return what texts share with others, ``(left, right)``; no text comes twice on a side."""
        column = np.full(self.number, -1)
        used = np.unique(self.keys[np.isin(self.rows, left)])
        column[used] = np.arange(len(used))
        sides: list[NDArray[np.float32]] = []
        for texts in (left, right):
            place = np.full(max(self.rows.max(initial=0), texts.max(initial=0)) + 1, -1)
            place[texts] = np.arange(len(texts))
            at = np.flatnonzero((place[self.rows] >= 0) & (column[self.keys] >= 0))
            side = np.zeros((len(texts), len(used)), np.float32)
            side[place[self.rows[at]], column[self.keys[at]]] = 1 if sides else self.values[at]
            sides.append(side)
        return np.asarray(sides[0] @ sides[1].T, float)


class WordTypes(NamedTuple):
    """Texts as word types.

    Attributes:
        types: the distinct tokens of all texts.
        texts: for each text the indexes of its tokens in ``types``.
    """

    types: Sequence[Token]
    texts: Sequence[Sequence[int]]


def aggregate_references(
    read: Callable[[Sequence[str]], WordTypes],
    matchers: Sequence[Matcher],
    parameters: Parameters,
    function_words: Collection[str],
    hypotheses: Sequence[str],
    references: Sequence[str],
    weights: Floats,
) -> Aggregated:
    """Approximate METEOR by the keys of words: words, stems, synonyms, whatever the key matchers of the chain have.

    Words that share a key, directly or through other words, are one class. A word's second occurrence is a key of its
    own, so that matches are counted exactly. Chunks are matches less the pairs of neighboring words that both texts
    have. Phrases and matchers without keys are left out.

    Args:
        read: returns the word types of texts.
        matchers: the chain.
        parameters: of the formula.
        function_words: the language's function words, in lower case.
        hypotheses: raw segments.
        references: raw segments, each once.
        weights: of the references; their sum is 1.
    """
    places = {text: place for place, text in enumerate(dict.fromkeys([*hypotheses, *references]))}
    types, texts = read(list(places))
    left, right = (np.array([places[text] for text in side], np.int64) for side in (hypotheses, references))
    shares: Floats = np.bincount(right, weights, len(texts)).astype(float)
    words = np.fromiter(chain.from_iterable(texts), np.int64)
    lengths = np.array(list(map(len, texts)))
    rows = np.repeat(np.arange(len(texts)), lengths)
    worth = [1 - parameters.delta if lowercase(token.form) in function_words else parameters.delta for token in types]
    values = np.array(worth, float)[words]
    classes = _classes(matchers, parameters.weights, types)
    levels = [(_occurrences(rows, of[words], values), weight) for of, weight in classes]
    last = levels[-1][0]._replace(values=np.ones(len(words)))
    same = rows[1:] == rows[:-1]
    of = classes[-1][0][words]
    neighbors = _occurrences(rows[1:][same], (of[:-1] * len(types) + of[1:])[same], np.ones(int(same.sum())))
    length = np.asarray(np.bincount(rows, values, len(texts)), float)

    def score(
        matched: Sequence[Floats], words: Floats, pairs: Floats, left: Floats, right: Any, fragmented: Any
    ) -> Floats:
        total = sum(
            weight * (now - before)
            for (_, weight), now, before in zip(levels, matched, (np.zeros(()), *matched[:-1]), strict=True)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            fmean = 1 / ((1 - parameters.alpha) * left / total + parameters.alpha * right / total)
            fragmentation = np.maximum(words - pairs, 1) / np.maximum(words, 1)
            found: Floats = np.nan_to_num(fmean * (1 - fragmented * parameters.gamma * fragmentation**parameters.beta))
        return found

    def pairs(some: Integers, others: Integers) -> Floats:
        others, again = np.unique(others, return_inverse=True)  # A sample has some more than once.
        rows, columns = left[some], right[others]
        neighboring = neighbors.matches(rows, columns)
        # Where all words match in one chunk, there is no penalty.
        perfect = (neighboring + 1 >= lengths[rows][:, None]) & (lengths[rows][:, None] == lengths[columns])
        matched = [keys.matches(rows, columns) for keys, _ in levels]
        ones = last.matches(rows, columns)
        found = score(matched, ones, neighboring, length[rows][:, None], length[columns], ~perfect)
        return found[:, again.ravel()]

    matched = [keys.shared(shares) for keys, _ in levels]
    expected = score(matched, last.shared(shares), neighbors.shared(shares), length, length @ shares, 1)
    # A candidate that is a reference, too, has no penalty there.
    expected += shares * levels[0][1] * parameters.gamma * np.maximum(lengths, 1.0) ** -parameters.beta
    return Aggregated(expected[left], pairs)


def _classes(
    matchers: Sequence[Matcher], weights: Sequence[float], types: Sequence[Token]
) -> list[tuple[Integers, float]]:
    """Return for each matcher of keys the class of every token, and its weight; later classes hold earlier ones."""
    parent = list(range(len(types)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = place = parent[parent[place]]
        return place

    found = []
    for matcher, weight in zip(matchers, weights, strict=True):
        if isinstance(matcher, KeyMatcher):
            owners: dict[Any, int] = {}
            for place, token in enumerate(types):
                for key in matcher.keys(token):
                    owner = owners.setdefault(key, place)
                    if owner != place:
                        parent[root(place)] = root(owner)
            found.append((np.array([root(place) for place in range(len(types))], np.int64), weight))
    return found or [(np.arange(len(types)), 1.0)]


def _occurrences(rows: Integers, classes: Integers, values: Floats) -> _Keys:
    """Return keys of classes, a text's first, second and later words of a class being different keys."""
    span = int(classes.max(initial=0)) + 1
    order = np.argsort(rows * span + classes, kind="stable")
    ordered = rows[order], classes[order]
    places = np.arange(len(order))
    fresh = np.ones(len(order), bool)
    fresh[1:] = np.logical_or(*(part[1:] != part[:-1] for part in ordered))
    times = np.empty(len(order), np.int64)
    times[order] = places - np.maximum.accumulate(np.where(fresh, places, 0))
    keys, number = _numbered(classes * (times.max(initial=0) + 1) + times)
    return _Keys(rows, keys, values, number)


def _numbered(codes: Integers) -> tuple[Integers, int]:
    """Return the rank of each code among the distinct ones, and how many those are."""
    largest = int(codes.max(initial=-1)) + 1
    if largest > 1 << 20:  # Sorting costs less than a table.
        distinct, ranks = np.unique(codes, return_inverse=True)
        return ranks.ravel(), len(distinct)
    used = np.zeros(largest, np.int64)
    used[codes] = 1
    ranks = np.cumsum(used)
    return ranks[codes] - 1, int(ranks[-1]) if largest else 0
