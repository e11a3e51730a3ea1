"""Approximate expected METEOR scores of hypotheses against many references, for minimum Bayes risk decoding.

Every hypothesis is scored once against the mean word counts of all references, instead of once per reference. The
results are approximations, because the score of mean counts is not the mean of the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
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
        expected: expected score of each hypothesis.
        pairs: function of the indexes of hypotheses and references that returns a matrix of approximate scores;
            ``None`` if the metric does not have an approximation that is faster than its scores.
    """

    expected: Floats
    pairs: Callable[[Integers, Integers], Floats] | None


class _Keys(NamedTuple):
    """The occurrences of keys in texts. The arrays have one item per occurrence.

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
        """Return the expected weight of the words that each text has in common with a random text.

        Args:
            text_weights: probability of each text.
        """
        key_weights = np.bincount(self.keys, text_weights[self.rows], self.key_count)
        return np.asarray(np.bincount(self.rows, self.values * key_weights[self.keys], len(text_weights)), float)

    def matches(self, hypotheses: Integers, references: Integers) -> Floats:
        """Return the total weight of the words that each hypothesis has in common with each reference.

        Args:
            hypotheses: indexes of distinct texts.
            references: indexes of distinct texts.

        Returns:
            A matrix, ``(hypotheses, references)``.
        """
        column_of_key = np.full(self.key_count, -1)
        used_keys = np.unique(self.keys[np.isin(self.rows, hypotheses)])
        column_of_key[used_keys] = np.arange(len(used_keys))
        hypothesis_matrix = self._to_matrix(hypotheses, self.values, column_of_key, len(used_keys))
        reference_matrix = self._to_matrix(references, np.ones(len(self.values)), column_of_key, len(used_keys))
        return np.asarray(hypothesis_matrix @ reference_matrix.T, float)

    def _to_matrix(
        self, texts: Integers, values: Floats, column_of_key: Integers, column_count: int
    ) -> NDArray[np.float32]:
        """Return a matrix ``(texts, columns)`` that contains the value of each key of the texts.

        Args:
            texts: indexes of distinct texts.
            values: value of each occurrence.
            column_of_key: column of each key, or -1 for keys that are left out.
            column_count: number of columns.
        """
        row_of_text = np.full(max(self.rows.max(initial=0), texts.max(initial=0)) + 1, -1)
        row_of_text[texts] = np.arange(len(texts))
        selected = np.flatnonzero((row_of_text[self.rows] >= 0) & (column_of_key[self.keys] >= 0))
        matrix = np.zeros((len(texts), column_count), np.float32)
        matrix[row_of_text[self.rows[selected]], column_of_key[self.keys[selected]]] = values[selected]
        return matrix


class WordTypes(NamedTuple):
    """Texts as word types.

    Attributes:
        types: the distinct tokens of all texts.
        texts: for each text the indexes of its tokens in ``types``.
    """

    types: Sequence[Token]
    texts: Sequence[Sequence[int]]


@dataclass
class _TextCounts:
    """The counts of words and bigrams in texts, from which scores are approximated.

    Attributes:
        levels: for each key matcher, the keys of the words and the matcher's weight. The matches of a level include
            those of all previous levels.
        words: the keys of the last level, where each word has the weight 1.
        bigrams: the pairs of neighboring words.
        word_counts: number of words of each text.
        lengths: weighted number of words of each text.
        parameters: parameters of the formula.
    """

    levels: list[tuple[_Keys, float]]
    words: _Keys
    bigrams: _Keys
    word_counts: Integers
    lengths: Floats
    parameters: Parameters

    def expected_scores(self, text_weights: Floats) -> Floats:
        """Return the expected score of each text against a random reference.

        Args:
            text_weights: probability of each text as a reference.
        """
        parameters = self.parameters
        expected = self._score(
            [keys.expected_matches(text_weights) for keys, _ in self.levels],
            self.words.expected_matches(text_weights),
            self.bigrams.expected_matches(text_weights),
            self.lengths,
            self.lengths @ text_weights,
            1,
        )
        # This correction removes the penalty of a text against itself.
        first_weight = self.levels[0][1]
        expected += (
            text_weights * first_weight * parameters.gamma * np.maximum(self.word_counts, 1.0) ** -parameters.beta
        )
        return expected

    def score_pairs(
        self,
        hypothesis_texts: Integers,
        reference_texts: Integers,
        hypothesis_indexes: Integers,
        reference_indexes: Integers,
    ) -> Floats:
        """Return the approximate score of each hypothesis against each reference, as an array ``(hypotheses,
        references)``.

        Args:
            hypothesis_texts: index of the text of each hypothesis.
            reference_texts: index of the text of each reference.
            hypothesis_indexes: the hypotheses to score.
            reference_indexes: the references to score against. A reference may occur several times.
        """
        distinct_references, inverse = np.unique(reference_indexes, return_inverse=True)
        hypotheses, references = hypothesis_texts[hypothesis_indexes], reference_texts[distinct_references]
        matched_bigrams = self.bigrams.matches(hypotheses, references)
        hypothesis_counts = self.word_counts[hypotheses][:, None]
        # There is no penalty if all words match in a single chunk.
        is_perfect = (matched_bigrams + 1 >= hypothesis_counts) & (hypothesis_counts == self.word_counts[references])
        scores = self._score(
            [keys.matches(hypotheses, references) for keys, _ in self.levels],
            self.words.matches(hypotheses, references),
            matched_bigrams,
            self.lengths[hypotheses][:, None],
            self.lengths[references],
            ~is_perfect,
        )
        return scores[:, inverse.ravel()]

    def _score(
        self,
        level_matches: Sequence[Floats],
        matched_words: Floats,
        matched_bigrams: Floats,
        hypothesis_lengths: Floats,
        reference_lengths: Any,
        has_penalty: Any,
    ) -> Floats:
        """Apply METEOR's formula. The number of chunks is estimated as the difference of matched words and bigrams."""
        alpha = self.parameters.alpha
        weighted_matches: Any = 0
        earlier_matches = np.zeros(())
        for (_, weight), matches in zip(self.levels, level_matches, strict=True):
            weighted_matches = weighted_matches + weight * (matches - earlier_matches)
            earlier_matches = matches
        with np.errstate(divide="ignore", invalid="ignore"):
            # These are the two terms of the weighted harmonic mean of precision and recall.
            precision_term = (1 - alpha) * hypothesis_lengths / weighted_matches
            recall_term = alpha * reference_lengths / weighted_matches
            fmean = 1 / (precision_term + recall_term)
            fragmentation = np.maximum(matched_words - matched_bigrams, 1) / np.maximum(matched_words, 1)
            penalty = has_penalty * self.parameters.gamma * fragmentation**self.parameters.beta
            scores: Floats = np.nan_to_num(fmean * (1 - penalty))
        return scores


def aggregate_references(
    read: Callable[[Sequence[str]], WordTypes],
    matchers: Sequence[Matcher],
    parameters: Parameters,
    function_words: Collection[str],
    hypotheses: Sequence[str],
    references: Sequence[str],
    weights: Floats,
) -> Aggregated:
    """Approximate METEOR by counting words that match because they share a key, such as a stem or a synset.

    Words that share a key, directly or through other words, belong to the same class. Matches are counted exactly,
    because repeated words of a class have different keys. The number of chunks is estimated as the number of matched
    words minus the number of bigrams that occur in both texts. Only matchers with keys are taken into account, which
    excludes phrase matchers, for example.

    Args:
        read: function that returns the word types of texts.
        matchers: the chain.
        parameters: parameters of the formula.
        function_words: the language's function words, in lower case.
        hypotheses: raw segments.
        references: distinct raw segments.
        weights: weights of the references. Their sum is 1.
    """
    distinct_texts = list(dict.fromkeys([*hypotheses, *references]))
    index_of = {text: index for index, text in enumerate(distinct_texts)}
    hypothesis_texts = np.array([index_of[text] for text in hypotheses], np.int64)
    reference_texts = np.array([index_of[text] for text in references], np.int64)
    counts = _count_words(read(distinct_texts), matchers, parameters, function_words)
    text_weights: Floats = np.bincount(reference_texts, weights, len(distinct_texts)).astype(float)
    expected = counts.expected_scores(text_weights)
    return Aggregated(expected[hypothesis_texts], partial(counts.score_pairs, hypothesis_texts, reference_texts))


def _count_words(
    word_types: WordTypes, matchers: Sequence[Matcher], parameters: Parameters, function_words: Collection[str]
) -> _TextCounts:
    """Count the words and bigrams of texts. The other arguments are those of :func:`aggregate_references`."""
    types, texts = word_types
    # All words of all texts are in one array, which contains their types. The rows are the indexes of their texts.
    words = np.fromiter(chain.from_iterable(texts), np.int64)
    word_counts = np.array(list(map(len, texts)))
    rows = np.repeat(np.arange(len(texts)), word_counts)
    word_weights = _weigh_types(types, parameters.delta, function_words)[words]
    classes = _word_classes(matchers, parameters.weights, types)
    levels = []
    for class_of_type, weight in classes:
        levels.append((_make_keys(rows, class_of_type[words], word_weights), weight))
    last_keys, _ = levels[-1]
    last_classes, _ = classes[-1]
    return _TextCounts(
        levels=levels,
        words=last_keys._replace(values=np.ones(len(words))),
        bigrams=_make_bigrams(rows, last_classes[words], len(types)),
        word_counts=word_counts,
        lengths=np.asarray(np.bincount(rows, word_weights, len(texts)), float),
        parameters=parameters,
    )


def _weigh_types(types: Sequence[Token], delta: float, function_words: Collection[str]) -> Floats:
    """Return the weight of each word type: δ for content words, and 1 - δ for function words."""
    type_weights = []
    for token in types:
        is_function_word = lowercase(token.form) in function_words
        type_weights.append(1 - delta if is_function_word else delta)
    return np.array(type_weights, float)


def _make_bigrams(rows: Integers, word_classes: Integers, class_count: int) -> _Keys:
    """Return keys for the bigrams of each text.

    Args:
        rows: index of the text of each word.
        word_classes: class of each word.
        class_count: upper limit of the classes.
    """
    is_same_text = rows[1:] == rows[:-1]
    bigrams = (word_classes[:-1] * class_count + word_classes[1:])[is_same_text]
    return _make_keys(rows[1:][is_same_text], bigrams, np.ones(int(is_same_text.sum())))


class _DisjointSets:
    """A union-find structure, which merges sets of items efficiently. At first, each item is a set of its own.

    Args:
        item_count: number of items. The items are indexes from 0.
    """

    def __init__(self, item_count: int) -> None:
        self._parents = list(range(item_count))

    def find_root(self, index: int) -> int:
        """Return the item that represents the set of an item."""
        parents = self._parents
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    def merge(self, first: int, second: int) -> None:
        """Merge the sets of two items."""
        self._parents[self.find_root(first)] = self.find_root(second)

    def roots(self) -> Integers:
        """Return for each item the item that represents its set."""
        return np.array([self.find_root(index) for index in range(len(self._parents))], np.int64)


def _word_classes(
    matchers: Sequence[Matcher], weights: Sequence[float], types: Sequence[Token]
) -> list[tuple[Integers, float]]:
    """Divide word types into classes of words that match each other, for each key matcher of a chain.

    Word types that share a key are in the same class. Each further matcher merges some of the classes.

    Returns:
        For each key matcher the class of each word type, and the matcher's weight.
    """
    type_sets = _DisjointSets(len(types))
    classes = []
    for matcher, weight in zip(matchers, weights, strict=True):
        if isinstance(matcher, KeyMatcher):
            _merge_types_with_equal_keys(type_sets, matcher, types)
            classes.append((type_sets.roots(), weight))
    return classes or [(np.arange(len(types)), 1.0)]


def _merge_types_with_equal_keys(type_sets: _DisjointSets, matcher: KeyMatcher, types: Sequence[Token]) -> None:
    """Merge the sets of word types that share a key of the matcher."""
    first_types: dict[Any, int] = {}
    for index, token in enumerate(types):
        for key in matcher.keys(token):
            first_type = first_types.setdefault(key, index)
            if first_type != index:
                type_sets.merge(index, first_type)


def _make_keys(rows: Integers, classes: Integers, values: Floats) -> _Keys:
    """Return the keys of words. If a class occurs several times in a text, each occurrence has a different key.

    Args:
        rows: index of the text of each word.
        classes: class of each word.
        values: weight of each word.
    """
    # After sorting, equal classes of a text are neighbors. An occurrence is numbered by its distance from the first.
    class_count = int(classes.max(initial=0)) + 1
    order = np.argsort(rows * class_count + classes, kind="stable")
    positions = np.arange(len(order))
    is_first = np.ones(len(order), bool)
    sorted_rows, sorted_classes = rows[order], classes[order]
    is_first[1:] = (sorted_rows[1:] != sorted_rows[:-1]) | (sorted_classes[1:] != sorted_classes[:-1])
    first_positions = np.maximum.accumulate(np.where(is_first, positions, 0))
    occurrences = np.empty(len(order), np.int64)
    occurrences[order] = positions - first_positions
    keys, key_count = _rank_codes(classes * (occurrences.max(initial=0) + 1) + occurrences)
    return _Keys(rows, keys, values, key_count)


def _rank_codes(codes: Integers) -> tuple[Integers, int]:
    """Replace codes by consecutive numbers from 0 in the same order, and return their number as well."""
    table_size = int(codes.max(initial=-1)) + 1
    if table_size > 1 << 20:  # Sorting costs less than a table.
        distinct, ranks = np.unique(codes, return_inverse=True)
        return ranks.ravel(), len(distinct)
    is_used = np.zeros(table_size, np.int64)
    is_used[codes] = 1
    ranks = np.cumsum(is_used)
    return ranks[codes] - 1, int(ranks[-1]) if table_size else 0
