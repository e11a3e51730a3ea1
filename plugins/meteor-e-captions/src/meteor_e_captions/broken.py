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

from meteor_e_captions.arrays import find_indexes, sum_by_group, take_or_zero, unique_pairs
from meteor_e_captions.lexicon import word_class
from meteor_e_captions.ngrams import WordSequence, find_ngram_starts, iterate_ngrams

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Cells, Floats, Integers
    from meteor_e_captions.lexicon import CaptionLexicon, EncodedTexts

REPETITIONS = ("repeated words", "repeated pairs", "repeated triples", "doubled words", "longest repetition",
               "too short", "share of repeated words")  # fmt: skip
_MAX_REPEATS, _MAX_DOUBLED_WORDS = 3, 2
_LONGEST_REPETITION = 8
_TRIGRAM_INDEX = 2
"""The index of trigrams in arrays with one row per order from 1."""
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


def count_repetitions(lexicon: CaptionLexicon, texts: EncodedTexts) -> Floats:
    """Count the repeated words, word pairs and longer n-grams in captions.

    Args:
        lexicon: the lexicon that encoded the captions.
        texts: the captions.

    Returns:
        An array ``(captions, 7)`` with the columns :data:`REPETITIONS`.
    """
    words = _count_content_words(lexicon, texts)
    pairs = _count_repeated_pairs(lexicon, texts)
    ngrams = _count_repeated_ngrams(lexicon, texts, has_repeated_pair=pairs.repeats > 0)
    columns = {
        "repeated words": np.minimum(words.repeats, _MAX_REPEATS),
        "repeated pairs": np.minimum(pairs.content_repeats, _MAX_REPEATS),
        "repeated triples": np.minimum(ngrams.trigram_repeats, _MAX_REPEATS),
        "doubled words": np.minimum(pairs.doubled_words, _MAX_DOUBLED_WORDS),
        # If a text repeats a content word but no two-word phrase, the longest repetition is one word.
        "longest repetition": np.maximum(ngrams.longest, np.minimum(words.repeats, 1)),
        "too short": texts.lengths < _MIN_LENGTH,
        "share of repeated words": words.repeats / np.maximum(1, words.counts),
    }
    return np.stack([columns[name] for name in REPETITIONS], axis=1)


def _count_repeats(ids: Integers, text_index: Integers, n_texts: int) -> Integers:
    """For each text, count the words or n-grams that already occurred earlier in the same text.

    Args:
        ids: the ids of words or n-grams.
        text_index: for each id, the index of its text.
        n_texts: the number of texts.
    """
    n_ids = int(ids.max(initial=0)) + 1
    sorted_keys = np.sort(text_index * n_ids + ids)
    is_repeat = sorted_keys[1:] == sorted_keys[:-1]
    return np.bincount(sorted_keys[1:][is_repeat] // n_ids, minlength=n_texts)


class _ContentWords(NamedTuple):
    """The numbers of content words in several texts.

    Attributes:
        counts: the number of content words in each text.
        repeats: the number of content words in each text that repeat an earlier word.
    """

    counts: Integers
    repeats: Integers


def _count_content_words(lexicon: CaptionLexicon, texts: EncodedTexts) -> _ContentWords:
    """Count the content words and the repeated content words in each text."""
    n_texts = len(texts.lengths)
    is_content = lexicon.word_properties.is_content[texts.word_ids]
    word_ids = texts.word_ids[is_content]
    text_of_word = texts.text_of_word[is_content]
    counts = np.bincount(text_of_word, minlength=n_texts)
    return _ContentWords(counts, repeats=_count_repeats(word_ids, text_of_word, n_texts))


class _RepeatedPairs(NamedTuple):
    """The numbers of repeated word pairs in several texts.

    Attributes:
        repeats: the number of repeated pairs in each text.
        content_repeats: the number of repeated pairs in each text, except for pairs of two function words.
        doubled_words: the number of words in each text that follow the same word.
    """

    repeats: Integers
    content_repeats: Integers
    doubled_words: Integers


def _count_repeated_pairs(lexicon: CaptionLexicon, texts: EncodedTexts) -> _RepeatedPairs:
    """Count the pairs of adjacent words that occur more than once in a text."""
    n_texts = len(texts.lengths)
    text_of_word = texts.text_of_word
    starts = find_ngram_starts(text_of_word, order=2)
    text_of_pair = text_of_word[starts]
    first_words = texts.word_ids[starts]
    second_words = texts.word_ids[starts + 1]

    # The ids of two adjacent words are combined into a single integer.
    pairs = first_words * len(lexicon.words) + second_words
    is_function = lexicon.word_properties.is_function
    has_content = ~(is_function[first_words] & is_function[second_words])
    is_doubled = first_words == second_words
    return _RepeatedPairs(
        repeats=_count_repeats(pairs, text_of_pair, n_texts),
        content_repeats=_count_repeats(pairs[has_content], text_of_pair[has_content], n_texts),
        doubled_words=np.bincount(text_of_pair[is_doubled], minlength=n_texts),
    )


class _RepeatedNgrams(NamedTuple):
    """The longest repeated n-gram and the number of repeated trigrams in several texts.

    Attributes:
        longest: the length of the longest repeated n-gram in each text, at most half the length of the text. It is 0
            for texts without a repeated word pair.
        trigram_repeats: the number of repeated trigrams in each text.
    """

    longest: Integers
    trigram_repeats: Integers


def _count_repeated_ngrams(lexicon: CaptionLexicon, texts: EncodedTexts, has_repeated_pair: Cells) -> _RepeatedNgrams:
    """Find the n-grams that occur more than once in a text.

    Args:
        lexicon: the lexicon that encoded the texts.
        texts: the texts.
        has_repeated_pair: whether each text contains a word pair twice. Other texts cannot repeat longer n-grams.
    """
    text_of_word = texts.text_of_word
    is_candidate = has_repeated_pair[text_of_word]
    words = WordSequence(texts.word_ids[is_candidate], text_of_word[is_candidate], len(lexicon.words))
    repeats_by_order = _count_repeats_by_order(words, len(texts.lengths))
    longest = np.zeros(len(texts.lengths), np.int64)
    for order, repeats in enumerate(repeats_by_order, 1):
        longest[repeats > 0] = order
    # If a repeated phrase is longer than half the text, its two occurrences overlap, like "a a a" in "a a a a".
    longest_without_overlap = np.minimum(longest, texts.lengths // 2)
    return _RepeatedNgrams(longest_without_overlap, trigram_repeats=repeats_by_order[_TRIGRAM_INDEX])


def _count_repeats_by_order(words: WordSequence, n_texts: int) -> Integers:
    """Return an array ``(orders, texts)`` with the number of repeated unigrams, bigrams and so on in each text."""
    repeats = np.zeros((_LONGEST_REPETITION, n_texts), np.int64)
    for index, ngrams in enumerate(iterate_ngrams(words, _LONGEST_REPETITION)):
        repeats[index] = _count_repeats(ngrams.ids, ngrams.text_index, n_texts)
        # If no n-gram of this length is repeated, no longer n-gram can be repeated either.
        if not repeats[index].any():
            break
    return repeats


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

    def look_up(self, keys: Integers) -> Floats:
        """Return the weights of n-grams. The weight of an n-gram that the model does not know is 0."""
        return take_or_zero(self.weights, find_indexes(self.keys, keys))


class _RankedNgram(NamedTuple):
    """An n-gram of a caption with its weight in the model. The start and the end of the caption count as words.

    Attributes:
        weight: the weight. The model assigns high weights to n-grams that are typical of broken captions.
        order: the length of the n-gram.
        start: the position of the n-gram in the caption.
        phrase: the words of the n-gram.
        n_following: the number of words that follow the n-gram.
    """

    weight: float
    order: int
    start: int
    phrase: str
    n_following: int

    @property
    def is_at_end(self) -> bool:
        """Whether the n-gram includes the end of the caption."""
        return self.n_following == 0

    @property
    def includes_last_word(self) -> bool:
        """Whether the n-gram includes the last word of the caption."""
        return self.n_following <= 1

    def describe(self) -> str:
        """Return a phrase that states what is unusual about the n-gram."""
        return f"it ends with '{self.phrase}'" if self.is_at_end else f"'{self.phrase}' is unusual"


def _add_boundaries(ids: Integers, lengths: Integers, start_id: int, end_id: int) -> Integers:
    """Insert an id before and after each of several concatenated texts.

    Args:
        ids: the concatenated texts.
        lengths: the length of each text.
        start_id: the id to insert at the start of each text.
        end_id: the id to insert at the end of each text.
    """
    ends = np.cumsum(lengths)
    # The array contains two positions for each text: its start, followed by its end.
    positions = np.stack([ends - lengths, ends], axis=1).ravel()
    return np.insert(ids, positions, np.tile([start_id, end_id], len(lengths)))


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
        weights = {ngram: weight for ngram, weight in self._weights.items() if len(ngram.split(" ")) == order}
        ngrams = [[self._class_ids[name] for name in ngram.split(" ")] for ngram in weights]
        keys = self._make_keys(np.array(ngrams, np.int64).reshape(-1, order))
        ascending = np.argsort(keys)
        return _NgramWeights(order, keys[ascending], np.array(list(weights.values()), float)[ascending])

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
        classes = self._encode_classes(lexicon, texts)
        logits = np.full(n_texts, self._intercept)
        for ngram_weights in self._ngram_weights:
            logits += self._sum_weights(ngram_weights, classes, n_texts)
        logits += count_repetitions(lexicon, texts) @ self._repetition_weights
        # The sum is rounded, because a sum of floating-point numbers depends on the order of addition.
        return np.where(texts.lengths == 0, _NO_WORDS_LOGIT, np.round(logits, 6))

    def _encode_classes(self, lexicon: CaptionLexicon, texts: EncodedTexts) -> WordSequence:
        """Replace the words of captions by the ids of their word classes, and add boundary classes to each caption."""
        # The lexicon and this model number the classes differently. Classes that the model does not know have the id 0.
        model_ids = np.array([self._class_ids.get(name, 0) for name in lexicon.class_names], np.int64)
        classes = model_ids[lexicon.word_properties.word_class[texts.word_ids]]
        padded_classes = _add_boundaries(classes, texts.lengths, self._class_ids[_START], self._class_ids[_END])
        text_index = np.repeat(np.arange(len(texts.lengths)), texts.lengths + 2)
        return WordSequence(padded_classes, text_index, self._n_classes)

    def _sum_weights(self, ngram_weights: _NgramWeights, classes: WordSequence, n_texts: int) -> Floats:
        """Sum the weights of the distinct n-grams in each text.

        Args:
            ngram_weights: the weights of the n-grams of one order.
            classes: the word classes of all texts.
            n_texts: the number of texts.
        """
        starts = find_ngram_starts(classes.text_index, ngram_weights.order)
        ngrams = classes.ids[starts[:, None] + np.arange(ngram_weights.order)]  # (n-grams, order)
        # An n-gram that occurs several times in a text counts only once.
        text_index, keys = unique_pairs(classes.text_index[starts], self._make_keys(ngrams))
        return sum_by_group(text_index, ngram_weights.look_up(keys), n_texts)

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

        The list contains at most one phrase of the form ``it ends with ...``.
        """
        reasons = []
        explains_end = False
        for ngram in self._rank_ngrams(words)[:_MAX_NGRAM_REASONS]:
            if ngram.weight < _MIN_REASON_WEIGHT or (explains_end and ngram.includes_last_word):
                continue
            reasons.append(ngram.describe())
            explains_end = explains_end or ngram.is_at_end
        return reasons

    def _rank_ngrams(self, words: Sequence[str]) -> list[_RankedNgram]:
        """Return the bigrams and trigrams of a caption, sorted by descending weight."""
        classes = [_START, *map(word_class, words), _END]
        # The empty strings represent the start and the end of the caption.
        padded_words = ["", *words, ""]
        ngrams = []
        for order in _NGRAM_ORDERS:
            for start in range(len(classes) - order + 1):
                end = start + order
                weight = self._weights.get(" ".join(classes[start:end]), 0.0)
                phrase = " ".join(padded_words[start:end]).strip()
                ngrams.append(_RankedNgram(weight, order, start, phrase, n_following=len(classes) - end))
        return sorted(ngrams, reverse=True)
