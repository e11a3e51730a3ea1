"""Approximate the mean METEOR score of a hypothesis against many references, for minimum Bayes risk decoding.

Word counts are averaged over all references. Each hypothesis is then compared only once, with these mean counts. The
resulting score is approximate, because it usually differs from the mean of the scores against each reference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from meteor_e.api.languages import Parameters
from meteor_e.api.matchers import KeyMatcher, Matcher
from meteor_e.api.tokens import Token
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.base.lowercase import lowercase
from meteor_e.base.texts import check_text
from meteor_e.engine.tokenizer import Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.engine.protocol import Tokenization


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
    """Store the occurrences of keys in texts. Words match if they have the same key.

    Attributes:
        texts: index of the text.
        keys: index of the key.
        weights: weight of the word that has the key.
        key_count: number of distinct keys.
    """

    texts: Integers
    keys: Integers
    weights: Floats
    key_count: int

    def expected_matches(self, text_weights: Floats) -> Floats:
        """Compare each text with a randomly chosen text, and return the expected total weight of its matching words.

        Args:
            text_weights: probability of each text.
        """
        probabilities = np.bincount(self.keys, weights=text_weights[self.texts], minlength=self.key_count)
        expected_weights = self.weights * probabilities[self.keys]
        return np.asarray(np.bincount(self.texts, weights=expected_weights, minlength=len(text_weights)), float)

    def weigh_matches(self, hypotheses: Integers, references: Integers) -> Floats:
        """Return a matrix with the weight of the words that each hypothesis shares with each reference.

        Args:
            hypotheses: indexes of distinct texts.
            references: indexes of distinct texts.

        Returns:
            A matrix, ``(hypotheses, references)``.
        """
        # Keys that do not occur in any hypothesis cannot match, so they do not get a column.
        is_in_hypothesis = np.isin(self.texts, hypotheses)
        hypothesis_keys = np.unique(self.keys[is_in_hypothesis])
        hypothesis_weights = self._to_matrix(hypotheses, hypothesis_keys, self.weights)
        reference_contains_key = self._to_matrix(references, hypothesis_keys, np.ones(len(self.weights)))
        return np.asarray(hypothesis_weights @ reference_contains_key.T, float)

    def _to_matrix(self, row_texts: Integers, column_keys: Integers, cell_values: Floats) -> NDArray[np.float32]:
        """Return a matrix with a row for each text and a column for each key. Cells are 0 if a text lacks a key.

        Args:
            row_texts: indexes of distinct texts.
            column_keys: indexes of distinct keys, in increasing order.
            cell_values: the cell's value for each occurrence of a key in a text.
        """
        # The position is -1 if the matrix does not have a row for the text or a column for the key.
        rows = _find_positions(self.texts, row_texts)
        columns = _find_positions(self.keys, column_keys)
        is_cell = (rows >= 0) & (columns >= 0)
        matrix = np.zeros((len(row_texts), len(column_keys)), np.float32)
        matrix[rows[is_cell], columns[is_cell]] = cell_values[is_cell]
        return matrix


def _find_positions(indexes: Integers, distinct_indexes: Integers) -> Integers:
    """Return the position of each index in an array of distinct indexes, or -1 if it is not in the array."""
    largest_index = max(indexes.max(initial=0), distinct_indexes.max(initial=0))
    position_of_index = np.full(largest_index + 1, -1)
    position_of_index[distinct_indexes] = np.arange(len(distinct_indexes))
    return np.asarray(position_of_index[indexes], np.int64)


class WordTypes(NamedTuple):
    """Texts as word types.

    Attributes:
        types: the distinct tokens of all texts.
        texts: for each text the indexes of its tokens in ``types``.
    """

    types: Sequence[Token]
    texts: Sequence[Sequence[int]]


class CountSettings(NamedTuple):
    """Store the settings of METEOR that determine which words match, and how much each word counts.

    Attributes:
        matchers: the chain.
        parameters: parameters of the formula.
        function_words: the language's function words, in lower case.
    """

    matchers: Sequence[Matcher]
    parameters: Parameters
    function_words: Collection[str]


class _ExpectedMatches(NamedTuple):
    """Store numbers of matches between hypotheses and references. All arrays have the same shape.

    Attributes:
        weighted: weighted number of matched words, where each match counts as much as its matcher's weight.
        words: number of matched words.
        bigrams: number of matched bigrams, which are pairs of neighboring words.
    """

    weighted: Floats
    words: Floats
    bigrams: Floats


class _Level(NamedTuple):
    """Store the keys of words for one matcher of a chain, and the weight of the matcher. Words with equal keys match.

    These matches include the matches of all earlier matchers of the chain.

    Attributes:
        keys: the keys of the words.
        matcher_weight: weight of the matcher.
    """

    keys: _Keys
    matcher_weight: float


@dataclass
class _TextCounts:
    """Store how often words and bigrams occur in texts, and approximate scores from these counts.

    Attributes:
        levels: the keys for each key matcher.
        words: the keys of the last level, where each word has the weight 1.
        bigrams: the pairs of neighboring words.
        word_counts: number of words of each text.
        lengths: weighted number of words of each text.
        parameters: parameters of the formula.
    """

    levels: list[_Level]
    words: _Keys
    bigrams: _Keys
    word_counts: Integers
    lengths: Floats
    parameters: Parameters

    def expected_scores(self, text_weights: Floats) -> Floats:
        """Return the expected score of each text against a randomly chosen reference.

        Args:
            text_weights: probability of each text as a reference.
        """
        matches = self._count_matches(lambda keys: keys.expected_matches(text_weights))
        mean_reference_length = self.lengths @ text_weights
        expected = self._compute_scores(matches, self.lengths, mean_reference_length, has_penalty=True)
        return expected + self._self_match_penalties(text_weights)

    def _self_match_penalties(self, text_weights: Floats) -> Floats:
        """For each text, return a correction of the expected score for the case that the text is its own reference.

        The expected scores assume that every match is penalized. METEOR, however, does not penalize a text that matches
        itself, because the match is a single chunk. The correction is the penalty for a single chunk multiplied by the
        probability that the text is the reference.

        Args:
            text_weights: probability of each text as a reference.
        """
        self_match_score = self.levels[0].matcher_weight
        gamma, beta = self.parameters.gamma, self.parameters.beta
        # The fragmentation of a single chunk is 1 divided by the number of words.
        fragmentation_power = np.maximum(self.word_counts, 1.0) ** -beta
        return np.asarray(text_weights * self_match_score * gamma * fragmentation_power)

    def score_pairs(self, hypotheses: Integers, references: Integers) -> Floats:
        """Return the approximate score of each hypothesis against each reference.

        Args:
            hypotheses: indexes of the texts of the hypotheses.
            references: indexes of the texts of the references, which are distinct.

        Returns:
            A matrix, ``(hypotheses, references)``.
        """
        matches = self._count_matches(lambda keys: keys.weigh_matches(hypotheses, references))
        # NumPy broadcasting combines an array of the shape (hypotheses, 1) with an array of all references.
        hypothesis_column = hypotheses[:, np.newaxis]
        # METEOR does not penalize two texts that form a single chunk. Their lengths are equal, and all bigrams match.
        bigram_counts = self.word_counts[hypothesis_column] - 1
        has_equal_length = self.word_counts[hypothesis_column] == self.word_counts[references]
        is_single_chunk = has_equal_length & (matches.bigrams >= bigram_counts)
        return self._compute_scores(
            matches, self.lengths[hypothesis_column], self.lengths[references], has_penalty=~is_single_chunk
        )

    def _count_matches(self, count_common_keys: Callable[[_Keys], Floats]) -> _ExpectedMatches:
        """Count matched words and bigrams.

        Args:
            count_common_keys: function that returns the weight of the keys that hypotheses and references share.
        """
        level_matches = [count_common_keys(level.keys) for level in self.levels]
        return _ExpectedMatches(
            weighted=self._apply_matcher_weights(level_matches),
            words=count_common_keys(self.words),
            bigrams=count_common_keys(self.bigrams),
        )

    def _apply_matcher_weights(self, level_matches: Sequence[Floats]) -> Floats:
        """Multiply the matches of each level by the matcher's weight, and add up the products.

        Args:
            level_matches: for each level the matches, which include those of all previous levels.
        """
        weighted_matches: Floats = np.zeros_like(level_matches[0])
        previous_matches: Floats = np.zeros_like(level_matches[0])
        for level, matches in zip(self.levels, level_matches, strict=True):
            weighted_matches = weighted_matches + level.matcher_weight * (matches - previous_matches)
            previous_matches = matches
        return weighted_matches

    def _compute_scores(
        self, matches: _ExpectedMatches, hypothesis_lengths: Floats, reference_lengths: Any, has_penalty: Any
    ) -> Floats:
        """Apply METEOR's formula. The number of chunks is estimated as matched words minus matched bigrams.

        Args:
            matches: the matches.
            hypothesis_lengths: weighted number of words of the hypotheses.
            reference_lengths: weighted number of words of the references.
            has_penalty: whether the fragmentation penalty applies.
        """
        alpha, gamma, beta = self.parameters.alpha, self.parameters.gamma, self.parameters.beta
        # Without any matches, a division by zero yields NaN, which is replaced by the score 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            # The weighted harmonic mean of precision and recall is computed as the reciprocal of a sum of two terms.
            precision_term = (1 - alpha) * hypothesis_lengths / matches.weighted
            recall_term = alpha * reference_lengths / matches.weighted
            fmean = 1 / (precision_term + recall_term)
            chunks = np.maximum(matches.words - matches.bigrams, 1)
            fragmentation = chunks / np.maximum(matches.words, 1)
            penalty = has_penalty * gamma * fragmentation**beta
            scores: Floats = np.nan_to_num(fmean * (1 - penalty))
        return scores


def read_word_types(tokenization: Tokenization, texts: Sequence[str]) -> WordTypes:
    """Tokenize raw segments, and represent each of them by indexes of distinct tokens."""
    if tokenization.lemmatizer is None:
        return _read_words(tokenization, texts)
    type_indexes: dict[Token, int] = {}
    rows = []
    for text in texts:
        rows.append([type_indexes.setdefault(token, len(type_indexes)) for token in tokenization.tokenize(text)])
    return WordTypes(list(type_indexes), rows)


def _read_words(tokenization: Tokenization, texts: Sequence[str]) -> WordTypes:
    """Tokenize raw segments with the C++ core. The resulting tokens do not have lemmas."""
    for text in texts:
        check_text(text)
    tokenizer = Tokenizer(tokenization.normalizer, tokenization.insert_spaces)
    word_indexes = tokenizer(texts)
    return WordTypes([Token(word) for word in tokenizer.words], word_indexes)


@dataclass
class _PairScorer:
    """Approximate the scores of hypotheses against references. Both are selected by their indexes.

    Attributes:
        counts: counts of all distinct texts.
        hypothesis_indexes: index of each hypothesis among the distinct texts.
        reference_indexes: index of each reference among the distinct texts.
    """

    counts: _TextCounts
    hypothesis_indexes: Integers
    reference_indexes: Integers

    def __call__(self, hypotheses: Integers, references: Integers) -> Floats:
        """Return a matrix of approximate scores, ``(hypotheses, references)``."""
        # Score each distinct reference only once. If a reference occurs several times, copy its column of scores.
        distinct_references, columns = np.unique(references, return_inverse=True)
        hypothesis_texts = self.hypothesis_indexes[hypotheses]
        reference_texts = self.reference_indexes[distinct_references]
        return self.counts.score_pairs(hypothesis_texts, reference_texts)[:, columns.ravel()]


def aggregate_references(
    tokenization: Tokenization,
    settings: CountSettings,
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
        tokenization: functions that convert raw segments to tokens.
        settings: the chain, the parameters of the formula and the function words.
        hypotheses: raw segments.
        references: distinct raw segments.
        weights: weights of the references. Their sum is 1.
    """
    distinct_texts = list(dict.fromkeys([*hypotheses, *references]))
    text_indexes = {text: index for index, text in enumerate(distinct_texts)}
    hypothesis_indexes = np.array([text_indexes[text] for text in hypotheses], np.int64)
    reference_indexes = np.array([text_indexes[text] for text in references], np.int64)
    counts = _count_words(read_word_types(tokenization, distinct_texts), settings)
    # Texts that are not references have the weight 0.
    text_weights: Floats = np.bincount(reference_indexes, weights, len(distinct_texts)).astype(float)
    expected = counts.expected_scores(text_weights)[hypothesis_indexes]
    return Aggregated(expected, pairs=_PairScorer(counts, hypothesis_indexes, reference_indexes))


class _Words(NamedTuple):
    """Store the words of all texts in one-dimensional arrays, one text after another.

    Attributes:
        types: index of the word type of each word.
        texts: index of the text of each word.
        weights: weight of each word.
    """

    types: Integers
    texts: Integers
    weights: Floats

    def make_keys(self, class_of_type: Integers) -> _Keys:
        """Return a key for each word. Words of the same class match.

        Args:
            class_of_type: class of each word type.
        """
        return _make_keys(self.texts, class_of_type[self.types], self.weights)


def _list_words(word_types: WordTypes, word_counts: Integers, settings: CountSettings) -> _Words:
    """Concatenate the words of all texts.

    Args:
        word_types: the texts.
        word_counts: number of words of each text.
        settings: the weight δ and the function words, which determine the weights of the words.
    """
    types = np.fromiter(chain.from_iterable(word_types.texts), np.int64)
    texts = np.repeat(np.arange(len(word_counts)), word_counts)
    type_weights = _weigh_types(word_types.types, settings.parameters.delta, settings.function_words)
    return _Words(types, texts, type_weights[types])


def _count_words(word_types: WordTypes, settings: CountSettings) -> _TextCounts:
    """Count the words and bigrams of texts."""
    word_counts = np.array([len(text) for text in word_types.texts])
    words = _list_words(word_types, word_counts, settings)
    class_levels = _group_word_types(word_types.types, settings.matchers, settings.parameters.weights)
    levels = [_Level(words.make_keys(level.class_of_type), level.matcher_weight) for level in class_levels]
    # Count words and bigrams with the last matcher's keys and classes, because they cover the matches of all matchers.
    last_keys = levels[-1].keys
    last_classes = class_levels[-1].class_of_type[words.types]
    lengths = np.bincount(words.texts, weights=words.weights, minlength=len(word_counts))
    return _TextCounts(
        levels=levels,
        words=last_keys._replace(weights=np.ones(len(words.types))),
        bigrams=_make_bigrams(words.texts, last_classes, class_count=len(word_types.types)),
        word_counts=word_counts,
        lengths=np.asarray(lengths, float),
        parameters=settings.parameters,
    )


def _weigh_types(types: Sequence[Token], delta: float, function_words: Collection[str]) -> Floats:
    """Return the weight of each word type: δ for content words, and 1 - δ for function words."""
    is_function_word = np.array([lowercase(token.form) in function_words for token in types], bool)
    return np.where(is_function_word, 1 - delta, delta)


def _make_bigrams(text_of_word: Integers, word_classes: Integers, class_count: int) -> _Keys:
    """Return the bigrams of each text as keys, so that equal bigrams can be counted.

    Args:
        text_of_word: index of the text of each word.
        word_classes: class of each word, below ``class_count``.
        class_count: number of classes.
    """
    bigram_codes = word_classes[:-1] * class_count + word_classes[1:]
    # Adjacent words of the array do not form a bigram if they belong to different texts.
    is_bigram = text_of_word[1:] == text_of_word[:-1]
    text_of_bigram = text_of_word[1:][is_bigram]
    return _make_keys(text_of_bigram, bigram_codes[is_bigram], np.ones(len(text_of_bigram)))


class _DisjointSets:
    """Merge sets of items efficiently with a union-find structure. At first, each item forms its own set.

    Args:
        item_count: number of items. The items are indexes from 0.
    """

    def __init__(self, item_count: int) -> None:
        self._parents = list(range(item_count))

    def find_root(self, index: int) -> int:
        """Return the root of the set that contains an item. All items of a set have the same root."""
        parents = self._parents
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    def merge(self, first: int, second: int) -> None:
        """Merge the sets of two items."""
        self._parents[self.find_root(first)] = self.find_root(second)

    def roots(self) -> Integers:
        """Return the root of each item's set."""
        return np.array([self.find_root(index) for index in range(len(self._parents))], np.int64)


class _ClassLevel(NamedTuple):
    """Store the class of each word type for one matcher. A word type is a distinct token.

    Word types of the same class are matched by this matcher or by an earlier matcher of the chain.

    Attributes:
        class_of_type: class of each word type.
        matcher_weight: weight of the matcher.
    """

    class_of_type: Integers
    matcher_weight: float


def _group_word_types(
    types: Sequence[Token], matchers: Sequence[Matcher], weights: Sequence[float]
) -> list[_ClassLevel]:
    """Divide distinct words into classes of matching words, once for each matcher that compares words by keys.

    Words that have a key in common, such as a stem, belong to the same class. The first matcher starts with one class
    for each distinct word. Each later matcher starts with the classes of the previous matcher, and can merge them.
    """
    type_sets = _DisjointSets(len(types))
    levels = []
    for matcher, weight in zip(matchers, weights, strict=True):
        if isinstance(matcher, KeyMatcher):
            _merge_types_with_equal_keys(type_sets, matcher, types)
            levels.append(_ClassLevel(type_sets.roots(), weight))
    if not levels:
        # If the chain does not have a key matcher, each word type forms its own class.
        levels.append(_ClassLevel(type_sets.roots(), 1.0))
    return levels


def _merge_types_with_equal_keys(type_sets: _DisjointSets, matcher: KeyMatcher, types: Sequence[Token]) -> None:
    """Merge the sets of two word types if the types have a common key, such as a stem or a synset."""
    first_types: dict[Any, int] = {}
    for index, token in enumerate(types):
        for key in matcher.keys(token):
            first_type = first_types.setdefault(key, index)
            if first_type != index:
                type_sets.merge(index, first_type)


def _make_keys(texts: Integers, classes: Integers, weights: Floats) -> _Keys:
    """Return a key for each word. Repeated words of a text get different keys, so that each can match only once.

    Args:
        texts: index of the text of each word.
        classes: class of each word.
        weights: weight of each word.
    """
    occurrences = _number_occurrences(texts, classes)
    occurrence_limit = occurrences.max(initial=0) + 1
    distinct_codes, keys = np.unique(classes * occurrence_limit + occurrences, return_inverse=True)
    return _Keys(texts, keys.ravel(), weights, key_count=len(distinct_codes))


def _number_occurrences(texts: Integers, classes: Integers) -> Integers:
    """For each word, return how many earlier words of its text belong to the same class.

    Args:
        texts: index of the text of each word.
        classes: class of each word.
    """
    class_count = classes.max(initial=0) + 1
    # Words have the same code if they have the same text and the same class.
    codes = texts * class_count + classes
    order = np.argsort(codes, kind="stable")
    sorted_codes = codes[order]
    # For each sorted code, find the index of the first equal code: for 4 4 4 7 7, the indexes are 0 0 0 3 3.
    group_starts = np.searchsorted(sorted_codes, sorted_codes)
    occurrences = np.empty(len(order), np.int64)
    occurrences[order] = np.arange(len(order)) - group_starts
    return occurrences
