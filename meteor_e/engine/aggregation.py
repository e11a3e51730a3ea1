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
        pairs: returns approximate scores of hypotheses against references, both by index; ``None`` if the metric has no
            approximation that costs less than its scores.
    """

    expected: Floats
    pairs: Callable[[Integers, Integers], Floats] | None


class _Keys(NamedTuple):
    """Occurrences of keys in texts, in columns.

    Attributes:
        rows: index of the text.
        keys: index of the key.
        values: weight of the word that has the key.
        key_count: number of distinct keys.
    """

    rows: Integers
    keys: Integers
    values: Floats
    key_count: int

    def expected_matches(self, text_weights: Floats) -> Floats:
        """Return for each text the weight of its keys, times the weight of all texts that have the key."""
        key_weights = np.bincount(self.keys, text_weights[self.rows], self.key_count)
        return np.asarray(np.bincount(self.rows, self.values * key_weights[self.keys], len(text_weights)), float)

    def matches(self, hypotheses: Integers, references: Integers) -> Floats:
        """Return the weight of the keys that hypotheses share with references, ``(hypotheses, references)``.

        The texts are given by index; no text occurs twice in an argument.
        """
        column_of_key = np.full(self.key_count, -1)
        used_keys = np.unique(self.keys[np.isin(self.rows, hypotheses)])
        column_of_key[used_keys] = np.arange(len(used_keys))
        matrices: list[NDArray[np.float32]] = []
        for texts, values in ((hypotheses, self.values), (references, np.ones(len(self.values)))):
            row_of_text = np.full(max(self.rows.max(initial=0), texts.max(initial=0)) + 1, -1)
            row_of_text[texts] = np.arange(len(texts))
            selected = np.flatnonzero((row_of_text[self.rows] >= 0) & (column_of_key[self.keys] >= 0))
            matrix = np.zeros((len(texts), len(used_keys)), np.float32)
            matrix[row_of_text[self.rows[selected]], column_of_key[self.keys[selected]]] = values[selected]
            matrices.append(matrix)
        return np.asarray(matrices[0] @ matrices[1].T, float)


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
    index_of = {text: index for index, text in enumerate(dict.fromkeys([*hypotheses, *references]))}
    types, texts = read(list(index_of))
    hypothesis_texts, reference_texts = (
        np.array([index_of[text] for text in column], np.int64) for column in (hypotheses, references)
    )
    text_weights: Floats = np.bincount(reference_texts, weights, len(texts)).astype(float)
    words = np.fromiter(chain.from_iterable(texts), np.int64)
    word_counts = np.array(list(map(len, texts)))
    rows = np.repeat(np.arange(len(texts)), word_counts)
    content_weight, function_weight = parameters.delta, 1 - parameters.delta
    type_weights = [function_weight if lowercase(token.form) in function_words else content_weight for token in types]
    values = np.array(type_weights, float)[words]
    classes = _word_classes(matchers, parameters.weights, types)
    levels = [(_make_keys(rows, class_of_type[words], values), weight) for class_of_type, weight in classes]
    unweighted = levels[-1][0]._replace(values=np.ones(len(words)))
    is_same_text = rows[1:] == rows[:-1]
    word_classes = classes[-1][0][words]
    bigrams = (word_classes[:-1] * len(types) + word_classes[1:])[is_same_text]
    neighbors = _make_keys(rows[1:][is_same_text], bigrams, np.ones(int(is_same_text.sum())))
    lengths = np.asarray(np.bincount(rows, values, len(texts)), float)

    def score(
        level_matches: Sequence[Floats],
        matched_words: Floats,
        matched_bigrams: Floats,
        hypothesis_lengths: Floats,
        reference_lengths: Any,
        has_penalty: Any,
    ) -> Floats:
        total = sum(
            weight * (matches - earlier_matches)
            for (_, weight), matches, earlier_matches in zip(
                levels, level_matches, (np.zeros(()), *level_matches[:-1]), strict=True
            )
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            fmean = 1 / (
                (1 - parameters.alpha) * hypothesis_lengths / total + parameters.alpha * reference_lengths / total
            )
            fragmentation = np.maximum(matched_words - matched_bigrams, 1) / np.maximum(matched_words, 1)
            penalty = has_penalty * parameters.gamma * fragmentation**parameters.beta
            scores: Floats = np.nan_to_num(fmean * (1 - penalty))
        return scores

    def score_pairs(hypothesis_indexes: Integers, reference_indexes: Integers) -> Floats:
        # A sample can have a reference more than once.
        distinct_references, inverse = np.unique(reference_indexes, return_inverse=True)
        left, right = hypothesis_texts[hypothesis_indexes], reference_texts[distinct_references]
        matched_bigrams = neighbors.matches(left, right)
        same_length = word_counts[left][:, None] == word_counts[right]
        # If all words match in one chunk, there is no penalty.
        is_perfect = (matched_bigrams + 1 >= word_counts[left][:, None]) & same_length
        level_matches = [keys.matches(left, right) for keys, _ in levels]
        matched_words = unweighted.matches(left, right)
        scores = score(
            level_matches, matched_words, matched_bigrams, lengths[left][:, None], lengths[right], ~is_perfect
        )
        return scores[:, inverse.ravel()]

    expected = score(
        [keys.expected_matches(text_weights) for keys, _ in levels],
        unweighted.expected_matches(text_weights),
        neighbors.expected_matches(text_weights),
        lengths,
        lengths @ text_weights,
        1,
    )
    # A candidate that is also a reference has no penalty against itself.
    expected += text_weights * levels[0][1] * parameters.gamma * np.maximum(word_counts, 1.0) ** -parameters.beta
    return Aggregated(expected[hypothesis_texts], score_pairs)


def _word_classes(
    matchers: Sequence[Matcher], weights: Sequence[float], types: Sequence[Token]
) -> list[tuple[Integers, float]]:
    """Return for each key matcher the class of every token, and the matcher's weight.

    Tokens that share a key are in one class (union-find); the classes of later matchers contain those of earlier ones.
    """
    parent = list(range(len(types)))

    def find_root(index: int) -> int:
        while parent[index] != index:
            parent[index] = index = parent[parent[index]]
        return index

    classes = []
    for matcher, weight in zip(matchers, weights, strict=True):
        if isinstance(matcher, KeyMatcher):
            owners: dict[Any, int] = {}
            for index, token in enumerate(types):
                for key in matcher.keys(token):
                    owner = owners.setdefault(key, index)
                    if owner != index:
                        parent[find_root(index)] = find_root(owner)
            classes.append((np.array([find_root(index) for index in range(len(types))], np.int64), weight))
    return classes or [(np.arange(len(types)), 1.0)]


def _make_keys(rows: Integers, classes: Integers, values: Floats) -> _Keys:
    """Return keys of classes: the first, second and later words of a class in a text have different keys."""
    span = int(classes.max(initial=0)) + 1
    order = np.argsort(rows * span + classes, kind="stable")
    positions = np.arange(len(order))
    is_first = np.ones(len(order), bool)
    is_first[1:] = np.logical_or(*(column[order][1:] != column[order][:-1] for column in (rows, classes)))
    occurrences = np.empty(len(order), np.int64)
    occurrences[order] = positions - np.maximum.accumulate(np.where(is_first, positions, 0))
    keys, key_count = _rank_codes(classes * (occurrences.max(initial=0) + 1) + occurrences)
    return _Keys(rows, keys, values, key_count)


def _rank_codes(codes: Integers) -> tuple[Integers, int]:
    """Return the rank of each code among the distinct codes, and the number of distinct codes."""
    table_size = int(codes.max(initial=-1)) + 1
    if table_size > 1 << 20:  # Sorting costs less than a table.
        distinct, ranks = np.unique(codes, return_inverse=True)
        return ranks.ravel(), len(distinct)
    is_used = np.zeros(table_size, np.int64)
    is_used[codes] = 1
    ranks = np.cumsum(is_used)
    return ranks[codes] - 1, int(ranks[-1]) if table_size else 0
