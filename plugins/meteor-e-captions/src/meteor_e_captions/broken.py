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

from meteor_e_captions.arrays import distinct, find, group
from meteor_e_captions.lexicon import word_class

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Cells, Floats, Integers
    from meteor_e_captions.lexicon import CaptionLexicon, EncodedCaptions, WordColumns

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


def count_repetitions(columns: WordColumns, texts: EncodedCaptions) -> Floats:
    """Count the repeated words, word pairs and longer n-grams in captions.

    Args:
        columns: the properties of the words.
        texts: the captions.

    Returns:
        An array ``(texts, 7)`` with the columns :data:`REPETITIONS`.
    """
    n_texts = len(texts.lengths)
    is_content = columns.is_content[texts.word_ids]
    text_of_word = texts.caption_index[is_content]
    content_words = np.bincount(text_of_word, minlength=n_texts)
    repeated_words = _count_repeats(texts.word_ids[is_content], text_of_word, n_texts)
    pairs = _count_repeated_pairs(columns, texts)
    has_repeated_pair = pairs.repeated > 0
    ngrams = _find_repeated_ngrams(texts, has_repeated_pair, len(columns.stem))
    longest_repetition = np.where(has_repeated_pair, ngrams.longest, np.minimum(repeated_words, 1))
    counts_by_name = {
        "repeated words": np.minimum(repeated_words, _MAX_REPEATS),
        "repeated pairs": np.minimum(pairs.repeated_content, _MAX_REPEATS),
        "repeated triples": np.minimum(ngrams.trigrams, _MAX_REPEATS),
        "doubled words": np.minimum(pairs.doubled_words, _MAX_DOUBLED_WORDS),
        "longest repetition": longest_repetition,
        "too short": texts.lengths < _MIN_LENGTH,
        "share of repeated words": repeated_words / np.maximum(1, content_words),
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


def _count_repeated_pairs(columns: WordColumns, texts: EncodedCaptions) -> _RepeatedPairs:
    """Count the pairs of adjacent words that occur more than once in a text.

    Args:
        columns: the properties of the words.
        texts: the texts.
    """
    n_texts = len(texts.lengths)
    is_in_text = texts.caption_index[1:] == texts.caption_index[:-1]
    first_words = texts.word_ids[:-1][is_in_text]
    second_words = texts.word_ids[1:][is_in_text]
    text_of_pair = texts.caption_index[1:][is_in_text]

    # The ids of two adjacent words are combined into a single integer.
    pairs = first_words * len(columns.stem) + second_words
    has_content = ~(columns.is_function[first_words] & columns.is_function[second_words])
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


def _find_repeated_ngrams(texts: EncodedCaptions, repeats_pair: Cells, vocabulary_size: int) -> _RepeatedNgrams:
    """Find the trigrams and longer n-grams that occur more than once in a text.

    Args:
        texts: the texts.
        repeats_pair: whether each text contains a bigram twice. Other texts cannot repeat longer n-grams.
        vocabulary_size: the number of distinct words.
    """
    n_texts = len(texts.lengths)
    longest = np.full(n_texts, 2)
    repeated_trigrams = np.zeros(n_texts, np.int64)
    is_candidate = repeats_pair[texts.caption_index]
    words = texts.word_ids[is_candidate]
    text_of_word = texts.caption_index[is_candidate]
    ngrams = words
    for order in range(2, _LONGEST_REPETITION + 1):
        # An n-gram is identified by the id of its first n - 1 words and the id of its last word.
        prefixes, last_words = ngrams[:-1], words[order - 1 :]
        ngrams = group(prefixes * vocabulary_size + last_words).inverse
        # N-grams that extend from one text into the next are not counted.
        first_text, last_text = text_of_word[: len(ngrams)], text_of_word[order - 1 :]
        is_in_text = first_text == last_text
        repeats = _count_repeats(ngrams[is_in_text], first_text[is_in_text], n_texts)
        if not repeats.any():
            break
        longest[repeats > 0] = order
        if order == 3:
            repeated_trigrams = repeats
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

    def logits(self, lexicon: CaptionLexicon, texts: EncodedCaptions) -> Floats:
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
        logits += count_repetitions(lexicon.columns, texts) @ self._repetition_weights
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
        n_keys = self._n_classes**order
        n_ngrams = max(len(classes) - order + 1, 0)
        ngrams = np.stack([classes[offset : offset + n_ngrams] for offset in range(order)], axis=1)
        first_text, last_text = text_of_class[:n_ngrams], text_of_class[order - 1 :]
        is_in_text = first_text == last_text
        # An n-gram that occurs several times in a text counts only once.
        distinct_ngrams = distinct(first_text[is_in_text] * n_keys + self._make_keys(ngrams[is_in_text]))
        text, key = distinct_ngrams // n_keys, distinct_ngrams % n_keys
        index = find(ngram_weights.keys, key)
        has_weight = index >= 0
        sums: Floats = np.bincount(text[has_weight], ngram_weights.weights[index[has_weight]], n_texts).astype(float)
        return sums

    def _encode_classes(self, lexicon: CaptionLexicon, texts: EncodedCaptions) -> tuple[Integers, Integers]:
        """Replace the words of all captions by the ids of their classes.

        Returns:
            The class ids of all captions, and for each class id the index of its caption. Each caption begins and ends
            with a boundary class.
        """
        word_class = lexicon.columns.word_class[texts.word_ids]
        id_by_class = np.array([self._class_ids.get(name, 0) for name in lexicon.class_names], np.int64)
        lengths = texts.lengths + 2
        starts = np.cumsum(lengths) - lengths
        ends = starts + lengths - 1
        text_of_class = np.repeat(np.arange(len(lengths)), lengths)
        is_word = np.ones(len(text_of_class), bool)
        is_word[starts] = False
        is_word[ends] = False
        classes = np.empty(len(text_of_class), np.int64)
        classes[starts] = self._class_ids[_START]
        classes[ends] = self._class_ids[_END]
        classes[is_word] = id_by_class[word_class]
        return classes, text_of_class

    def reasons(self, words: Sequence[str], *, repeats: bool) -> list[str]:
        """Return phrases that explain why a caption is considered broken.

        Args:
            words: the words of the caption.
            repeats: whether one of the first five :data:`REPETITIONS` of the caption is positive.
        """
        if not words:
            return ["it has no words"]
        reasons = self._explain_ngrams(words)
        if repeats:
            repeated_words = " ".join(_find_longest_repetition(words))
            reasons.insert(0, f"it repeats '{repeated_words}'")
        return reasons

    def _explain_ngrams(self, words: Sequence[str]) -> list[str]:
        """Return phrases such as ``it ends with 'a'`` for the most unusual n-grams of a caption.

        At most one phrase describes the end of the caption.
        """
        reasons = []
        padded_words = ["", *words, ""]
        explains_end = False
        for ngram in self._rank_ngrams(words)[:_MAX_NGRAM_REASONS]:
            end = ngram.start + ngram.order
            is_near_end = end >= len(padded_words) - 1
            if ngram.weight < _MIN_REASON_WEIGHT or (explains_end and is_near_end):
                continue
            phrase = " ".join(padded_words[ngram.start : end]).strip()
            if end == len(padded_words):
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
