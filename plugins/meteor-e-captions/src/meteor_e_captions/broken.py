"""Detects broken captions, such as truncated ones, with a linear model of n-grams and repetitions.

The detector was trained on human captions and on copies of these captions with an artificial error. The copies were
truncated, ended with a dangling word, repeated words, lacked a conjunction, verb or noun, or had words swapped. FENSE
(Zhou et al., 2022) showed that such a detector improves the evaluation of generated captions.

The model reads word classes instead of words, so that it depends little on the topic of a caption. Each function word
is a class of its own. Other words are classified by their endings, or as colors or numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e_captions.arrays import find_indexes, group_keys, unique_keys
from meteor_e_captions.lexicon import word_class

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Cells, Floats, Integers
    from meteor_e_captions.lexicon import CaptionLexicon, EncodedTexts

REPETITIONS = ("repeated words", "repeated pairs", "repeated triples", "doubled words", "longest repetition",
               "too short", "share of repeated words")  # fmt: skip
_MAX_REPEATS, _MAX_DOUBLED_WORDS = 3, 2
_LONGEST_REPETITION = 8
_MIN_LENGTH = 4
_START, _END = "^", "$"
_NGRAM_ORDERS = (2, 3)
_NO_WORDS_LOGIT = 20.0
_MAX_NGRAM_REASONS = 2
_MIN_REASON_WEIGHT = 0.9
"""The lowest weight of an n-gram that is reported as a reason."""


def _find_longest_repetition(words: Sequence[str]) -> Sequence[str]:
    """Return the longest n-gram that occurs at least twice, or an empty list if no word is repeated."""
    longest: Sequence[str] = []
    for order in range(1, len(words) // 2 + 1):
        ngram = _find_repeated_ngram(words, order)
        if ngram is None:
            break
        longest = ngram
    return longest


def _find_repeated_ngram(words: Sequence[str], order: int) -> Sequence[str] | None:
    """Return the first n-gram of the given length that repeats an earlier n-gram, or None without a repetition."""
    earlier_ngrams = set()
    for start in range(len(words) - order + 1):
        ngram = tuple(words[start : start + order])
        if ngram in earlier_ngrams:
            return ngram
        earlier_ngrams.add(ngram)
    return None


def _count_repeats(keys: Integers, text_of_key: Integers, n_texts: int) -> Integers:
    """Count the repeated words or n-grams in each text.

    Args:
        keys: integers that represent words or n-grams.
        text_of_key: for each key, the index of its text.
        n_texts: the number of texts.
    """
    n_keys = int(keys.max(initial=0)) + 1
    sorted_keys = np.sort(text_of_key * n_keys + keys)
    is_repeat = sorted_keys[1:] == sorted_keys[:-1]
    repeats: Integers = np.bincount(sorted_keys[1:][is_repeat] // n_keys, minlength=n_texts)
    return repeats


def count_repetitions(lexicon: CaptionLexicon, texts: EncodedTexts) -> Floats:
    """Count the repeated words, word pairs and longer n-grams in captions.

    Args:
        lexicon: the lexicon that encoded the captions.
        texts: the captions.

    Returns:
        An array ``(captions, 7)`` with the columns :data:`REPETITIONS`.
    """
    n_texts = len(texts.lengths)
    is_content = lexicon.word_properties.is_content[texts.word_ids]
    content_words = texts.word_ids[is_content]
    text_of_content_word = texts.text_of_word[is_content]
    content_word_counts = np.bincount(text_of_content_word, minlength=n_texts)
    repeated_words = _count_repeats(content_words, text_of_content_word, n_texts)
    pairs = _count_repeated_pairs(lexicon, texts)
    has_repeated_pair = pairs.repeated > 0
    ngrams = _find_repeated_ngrams(texts, has_repeated_pair, len(lexicon.words))
    longest_repetition = np.where(has_repeated_pair, ngrams.longest, np.minimum(repeated_words, 1))
    counts_by_name = {
        "repeated words": np.minimum(repeated_words, _MAX_REPEATS),
        "repeated pairs": np.minimum(pairs.repeated_content, _MAX_REPEATS),
        "repeated triples": np.minimum(ngrams.trigrams, _MAX_REPEATS),
        "doubled words": np.minimum(pairs.doubled_words, _MAX_DOUBLED_WORDS),
        "longest repetition": longest_repetition,
        "too short": texts.lengths < _MIN_LENGTH,
        "share of repeated words": repeated_words / np.maximum(1, content_word_counts),
    }
    return np.stack([counts_by_name[name] for name in REPETITIONS], axis=1)


class _RepeatedPairs(NamedTuple):
    """Counts of repeated word pairs in each text.

    Attributes:
        repeated: the number of repeated pairs in each text.
        repeated_content: the number of repeated pairs in each text, except for pairs of two function words.
        doubled_words: the number of words in each text that follow the same word.
    """

    repeated: Integers
    repeated_content: Integers
    doubled_words: Integers


def _count_repeated_pairs(lexicon: CaptionLexicon, texts: EncodedTexts) -> _RepeatedPairs:
    """Count the pairs of adjacent words that occur more than once in a text.

    Args:
        lexicon: the lexicon that encoded the texts.
        texts: the texts.
    """
    n_texts = len(texts.lengths)
    text_of_word = texts.text_of_word
    # A pair that consists of the last word of a text and the first word of the next text is not counted.
    is_in_one_text = text_of_word[:-1] == text_of_word[1:]
    first_words = texts.word_ids[:-1][is_in_one_text]
    second_words = texts.word_ids[1:][is_in_one_text]
    text_of_pair = text_of_word[1:][is_in_one_text]

    # The ids of two adjacent words are combined into a single integer.
    pairs = first_words * len(lexicon.words) + second_words
    is_function = lexicon.word_properties.is_function
    has_content = ~(is_function[first_words] & is_function[second_words])
    is_doubled = first_words == second_words
    return _RepeatedPairs(
        repeated=_count_repeats(pairs, text_of_pair, n_texts),
        repeated_content=_count_repeats(pairs[has_content], text_of_pair[has_content], n_texts),
        doubled_words=np.bincount(text_of_pair[is_doubled], minlength=n_texts),
    )


class _RepeatedNgrams(NamedTuple):
    """The longest repeated n-gram and the number of repeated trigrams in each text.

    The values are meaningful only for texts that contain a bigram more than once.

    Attributes:
        longest: the length of the longest repeated n-gram in each text, at most half the length of the text.
        trigrams: the number of repeated trigrams in each text.
    """

    longest: Integers
    trigrams: Integers


def _find_repeated_ngrams(texts: EncodedTexts, has_repeated_pair: Cells, vocabulary_size: int) -> _RepeatedNgrams:
    """Find the trigrams and longer n-grams that occur more than once in a text.

    Args:
        texts: the texts.
        has_repeated_pair: whether each text contains a word pair twice. Other texts cannot repeat longer n-grams.
        vocabulary_size: the number of distinct words.
    """
    n_texts = len(texts.lengths)
    longest = np.full(n_texts, 2)
    repeated_trigrams = np.zeros(n_texts, np.int64)
    is_candidate = has_repeated_pair[texts.text_of_word]
    words = texts.word_ids[is_candidate]
    text_of_word = texts.text_of_word[is_candidate]
    # For each word, the id of the n-gram that starts there. The n-grams of the first order are the words.
    ngrams = words
    for order in range(2, _LONGEST_REPETITION + 1):
        prefixes = ngrams[:-1]
        last_words = words[order - 1 :]
        ngrams = group_keys(prefixes * vocabulary_size + last_words).inverse
        # N-grams that extend from one text into the next are not counted.
        text_of_first_word = text_of_word[: len(ngrams)]
        text_of_last_word = text_of_word[order - 1 :]
        is_in_one_text = text_of_first_word == text_of_last_word
        repeat_counts = _count_repeats(ngrams[is_in_one_text], text_of_first_word[is_in_one_text], n_texts)
        if not repeat_counts.any():
            break
        longest[repeat_counts > 0] = order
        if order == 3:
            repeated_trigrams = repeat_counts
    return _RepeatedNgrams(np.minimum(longest, texts.lengths // 2), repeated_trigrams)


class _NgramWeights(NamedTuple):
    """The weights of n-grams of word classes.

    Attributes:
        order: the length of the n-grams.
        keys: the sorted keys of the n-grams. A key combines the ids of the classes.
        weights: the weight of each n-gram.
    """

    order: int
    keys: Integers
    weights: Floats


class _RankedNgram(NamedTuple):
    """An n-gram of word classes, with its weight and its position in a caption."""

    weight: float
    order: int
    start: int


class BrokenDetector:
    """A linear classifier of captions. Its logit is positive if a caption is probably broken.

    Args:
        weights: the weights of bigrams and trigrams of word classes, which are separated by spaces.
        repeated: the weights of :data:`REPETITIONS`.
        intercept: the logit of a caption in which all features are 0.
    """

    def __init__(self, weights: Mapping[str, float], repeated: Sequence[float], intercept: float) -> None:
        self._weights = weights
        self._repetition_weights = np.array(repeated)
        self._intercept = intercept

    @cached_property
    def _class_ids(self) -> dict[str, int]:
        """The ids of the word classes that the model knows. All other classes share the id 0."""
        classes = {_START, _END}
        for ngram in self._weights:
            classes.update(ngram.split(" "))
        return {name: class_id for class_id, name in enumerate(sorted(classes), 1)}

    @property
    def _n_classes(self) -> int:
        """The number of distinct class ids, including the id 0 of unknown classes."""
        return len(self._class_ids) + 1

    @cached_property
    def _ngram_weights(self) -> list[_NgramWeights]:
        """The weights of bigrams and of trigrams."""
        return [self._encode_weights(order) for order in _NGRAM_ORDERS]

    def _encode_weights(self, order: int) -> _NgramWeights:
        """Return the weights of all bigrams or of all trigrams, sorted by the integer keys of the n-grams."""
        ngrams = []
        weights = []
        for ngram, weight in self._weights.items():
            classes = ngram.split(" ")
            if len(classes) == order:
                ngrams.append([self._class_ids[name] for name in classes])
                weights.append(weight)
        keys = self._make_keys(np.array(ngrams, np.int64).reshape(-1, order))
        ascending = np.argsort(keys)
        return _NgramWeights(order, keys[ascending], np.array(weights, float)[ascending])

    def _make_keys(self, ngrams: Integers) -> Integers:
        """Combine the class ids of each n-gram into one integer key.

        Args:
            ngrams: the ids of the classes, ``(n-grams, order)``.
        """
        keys = np.zeros(len(ngrams), np.int64)
        for index, class_ids in enumerate(ngrams.T):
            keys += class_ids * self._n_classes**index
        return keys

    def logits(self, lexicon: CaptionLexicon, texts: EncodedTexts) -> Floats:
        """Return the logit of each caption.

        A positive logit means that the caption is probably broken. The logit of an empty caption is 20.

        Args:
            lexicon: the lexicon that encoded the captions.
            texts: the captions.
        """
        n_texts = len(texts.lengths)
        logits = np.full(n_texts, self._intercept)
        classes, text_of_class = self._encode_classes(lexicon, texts)
        for ngram_weights in self._ngram_weights:
            logits += self._sum_weights(ngram_weights, classes, text_of_class, n_texts)
        logits += count_repetitions(lexicon, texts) @ self._repetition_weights
        # The sum is rounded, because a sum of floating-point numbers depends on the order of addition.
        result: Floats = np.where(texts.lengths == 0, _NO_WORDS_LOGIT, np.round(logits, 6))
        return result

    def _sum_weights(
        self, ngram_weights: _NgramWeights, classes: Integers, text_of_class: Integers, n_texts: int
    ) -> Floats:
        """Sum the weights of the distinct n-grams in each text.

        Args:
            ngram_weights: the weights of the n-grams of one order.
            classes: the ids of the word classes of all texts.
            text_of_class: for each class id, the index of its text.
            n_texts: the number of texts.
        """
        order = ngram_weights.order
        n_ngrams = max(len(classes) - order + 1, 0)
        # (n-grams, order)
        ngrams = np.stack([classes[offset : offset + n_ngrams] for offset in range(order)], axis=1)
        text_of_ngram = text_of_class[:n_ngrams]
        # N-grams that extend from one text into the next are not counted.
        is_in_one_text = text_of_ngram == text_of_class[order - 1 :]
        keys = self._make_keys(ngrams[is_in_one_text])
        # An n-gram that occurs several times in a text counts only once.
        n_keys = self._n_classes**order
        distinct_ngrams = unique_keys(text_of_ngram[is_in_one_text] * n_keys + keys)
        texts, distinct_keys = np.divmod(distinct_ngrams, n_keys)
        weight_indexes = find_indexes(ngram_weights.keys, distinct_keys)
        has_weight = weight_indexes >= 0
        weights = ngram_weights.weights[weight_indexes[has_weight]]
        sums: Floats = np.bincount(texts[has_weight], weights, n_texts).astype(float)
        return sums

    def _encode_classes(self, lexicon: CaptionLexicon, texts: EncodedTexts) -> tuple[Integers, Integers]:
        """Replace the words of all captions by the ids of their word classes, such as colors.

        Returns:
            The class ids of all captions, and for each class id the index of its caption. Each caption begins and ends
            with a boundary class.
        """
        # The lexicon and this model number the classes differently. Classes that the model does not know have the id 0.
        model_ids = np.array([self._class_ids.get(name, 0) for name in lexicon.class_names], np.int64)
        lexicon_classes = lexicon.word_properties.word_class[texts.word_ids]
        lengths = texts.lengths + 2
        last_positions = np.cumsum(lengths) - 1
        first_positions = last_positions - lengths + 1
        text_of_class = np.repeat(np.arange(len(lengths)), lengths)
        is_word = np.ones(len(text_of_class), bool)
        is_word[first_positions] = False
        is_word[last_positions] = False
        classes = np.empty(len(text_of_class), np.int64)
        classes[first_positions] = self._class_ids[_START]
        classes[last_positions] = self._class_ids[_END]
        classes[is_word] = model_ids[lexicon_classes]
        return classes, text_of_class

    def reasons(self, words: Sequence[str], *, has_repetition: bool) -> list[str]:
        """Return phrases that explain why a caption is considered broken.

        Args:
            words: the words of the caption.
            has_repetition: whether the caption repeats a word or a longer n-gram.
        """
        if not words:
            return ["it has no words"]
        reasons = []
        if has_repetition:
            repeated_words = " ".join(_find_longest_repetition(words))
            reasons.append(f"it repeats '{repeated_words}'")
        return reasons + self._explain_ngrams(words)

    def _explain_ngrams(self, words: Sequence[str]) -> list[str]:
        """Return phrases such as ``it ends with 'a'`` for the most unusual n-grams of a caption.

        At most one phrase describes the end of the caption.
        """
        reasons = []
        # The empty strings represent the beginning and the end of the caption.
        padded_words = ["", *words, ""]
        explains_end = False
        for ngram in self._rank_ngrams(words)[:_MAX_NGRAM_REASONS]:
            ngram_end = ngram.start + ngram.order
            includes_last_word = ngram_end >= len(padded_words) - 1
            if ngram.weight < _MIN_REASON_WEIGHT or (explains_end and includes_last_word):
                continue
            phrase = " ".join(padded_words[ngram.start : ngram_end]).strip()
            if ngram_end == len(padded_words):
                reasons.append(f"it ends with '{phrase}'")
                explains_end = True
            else:
                reasons.append(f"'{phrase}' is unusual")
        return reasons

    def _rank_ngrams(self, words: Sequence[str]) -> list[_RankedNgram]:
        """Return the bigrams and trigrams of a caption, sorted by descending weight."""
        classes = [_START, *map(word_class, words), _END]
        ngrams = []
        for order in _NGRAM_ORDERS:
            for start in range(len(classes) - order + 1):
                weight = self._weights.get(" ".join(classes[start : start + order]), 0.0)
                ngrams.append(_RankedNgram(weight, order, start))
        return sorted(ngrams, reverse=True)
