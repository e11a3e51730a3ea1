"""A detector of broken captions: a linear model of adjacent words and of repetitions.

The detector was trained on captions by people, and on the same captions with an error. The captions with an error were
truncated, ended with a dangling word, repeated words, lacked a conjunction, verb or noun, or had words swapped. FENSE
(Zhou et al., 2022) showed that such a detector matters for generated captions. Words are replaced by classes: function
words are classes of their own, and the class of a content word depends on its ending. The model therefore depends
little on the topic of a caption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from meteor_e_captions.grouping import distinct, group
from meteor_e_captions.lexicon import word_class

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Cells, Floats, Integers
    from meteor_e_captions.lexicon import CaptionLexicon, EncodedCaptions, WordColumns

REPETITIONS = ("repeated words", "repeated pairs", "repeated triples", "doubled words", "longest repetition",
               "too short", "share of repeated words")  # fmt: skip
_LONGEST_REPETITION = 8
_NO_WORDS_LOGIT = 20.0
_MIN_REASON_WEIGHT = 0.9
"""The lowest weight of an n-gram that is reported as a reason."""


def _find_longest_repetition(words: Sequence[str]) -> tuple[int, int]:
    """Return the length of the longest n-gram that occurs twice, and the index of its second occurrence."""
    longest = 0, 0
    for length in range(1, len(words) // 2 + 1):
        ngrams: set[tuple[str, ...]] = set()
        for start, ngram in enumerate(zip(*(words[first:] for first in range(length)), strict=False)):
            if ngram in ngrams:
                longest = length, start
                break
            ngrams.add(ngram)
        else:  # If no n-gram is repeated, no longer n-gram is.
            break
    return longest


def _count_repeats(keys: Integers, text_of_key: Integers, n_texts: int) -> Integers:
    """Return for each text the number of its keys that repeat an earlier key of the same text."""
    n_keys = int(keys.max(initial=0)) + 1
    sorted_keys = np.sort(text_of_key * n_keys + keys)
    is_repeat = sorted_keys[1:] == sorted_keys[:-1]
    repeats: Integers = np.bincount(sorted_keys[1:][is_repeat] // n_keys, minlength=n_texts)
    return repeats


def repetitions(columns: WordColumns, texts: EncodedCaptions) -> Floats:
    """Count the repetitions in captions.

    Args:
        columns: the properties of the words.
        texts: the captions.

    Returns:
        An array ``(texts, 7)`` with the columns :data:`REPETITIONS`. Function words may be repeated.
    """
    words, text_of_word, lengths = texts.word_ids, texts.caption_index, texts.lengths
    n_texts, vocabulary_size = len(lengths), len(columns.stem)
    is_content, is_function = columns.is_content[words], columns.is_function[words]
    repeated_words = _count_repeats(words[is_content], text_of_word[is_content], n_texts)
    content_counts = np.bincount(text_of_word[is_content], minlength=n_texts)
    pairs, text_of_pair = words[:-1] * vocabulary_size + words[1:], text_of_word[1:]
    is_pair = text_of_word[1:] == text_of_word[:-1]
    is_content_pair = is_pair & ~(is_function[1:] & is_function[:-1])
    is_doubled = is_pair & (words[1:] == words[:-1])
    repeats_pair = _count_repeats(pairs[is_pair], text_of_pair[is_pair], n_texts) > 0
    longest, repeated_triples = _find_long_repetitions(texts, repeats_pair, repeated_words, vocabulary_size)
    return np.stack(
        [
            np.minimum(repeated_words, 3),
            np.minimum(_count_repeats(pairs[is_content_pair], text_of_pair[is_content_pair], n_texts), 3),
            np.minimum(repeated_triples, 3),
            np.minimum(np.bincount(text_of_pair[is_doubled], minlength=n_texts), 2),
            np.where(repeats_pair, np.minimum(longest, lengths // 2), longest),
            lengths < 4,
            repeated_words / np.maximum(1, content_counts),
        ],
        axis=1,
    )


def _find_long_repetitions(
    texts: EncodedCaptions, repeats_pair: Cells, repeated_words: Integers, vocabulary_size: int
) -> tuple[Integers, Integers]:
    """Return for each text the length of the longest repeated n-gram, and the number of repeated trigrams.

    Args:
        texts: the texts.
        repeats_pair: whether each text contains a bigram twice.
        repeated_words: the number of repeated content words of each text.
        vocabulary_size: the number of distinct words.
    """
    n_texts = len(texts.lengths)
    longest, repeated_triples = np.where(repeats_pair, 2, np.minimum(repeated_words, 1)), np.zeros(n_texts, np.int64)
    if not repeats_pair.any():
        return longest, repeated_triples
    # Longer n-grams are repeated only in texts that repeat a bigram.
    is_candidate = repeats_pair[texts.caption_index]
    words, text_of_word = texts.word_ids[is_candidate], texts.caption_index[is_candidate]
    ngrams = words
    for order in range(2, _LONGEST_REPETITION + 1):
        ngrams = group(ngrams[:-1] * vocabulary_size + words[order - 1 :]).inverse
        text_of_ngram = text_of_word[: len(ngrams)]
        is_in_text = text_of_ngram == text_of_word[order - 1 :]
        repeats = _count_repeats(ngrams[is_in_text], text_of_ngram[is_in_text], n_texts)
        if not repeats.any():
            break
        longest[repeats > 0] = order
        if order == 3:
            repeated_triples = repeats
    return longest, repeated_triples


class BrokenDetector:
    """A linear model whose logit is positive for captions that are probably broken.

    Args:
        weights: the weights of pairs and triples of word classes, joined by spaces.
        repeated: the weights of :data:`REPETITIONS`.
        intercept: the logit of a caption without any of these features.
    """

    def __init__(self, weights: Mapping[str, float], repeated: Sequence[float], intercept: float) -> None:
        self._weights, self._repetition_weights, self._intercept = weights, list(repeated), intercept

    @cached_property
    def _tables(self) -> tuple[dict[str, int], dict[int, tuple[Integers, Floats]]]:
        """The ids of classes; and for pairs and for triples, their sorted keys and their weights."""
        weights = {tuple(key.split(" ")): weight for key, weight in self._weights.items()}
        classes = sorted({"^", "$", *(name for ngram in weights for name in ngram)})
        class_ids = {name: class_id for class_id, name in enumerate(classes, 1)}
        n_classes = len(class_ids) + 1
        tables = {}
        for order in (2, 3):
            entries = sorted(
                (sum(class_ids[name] * n_classes**index for index, name in enumerate(ngram)), weight)
                for ngram, weight in weights.items()
                if len(ngram) == order
            )
            keys, ngram_weights = [key for key, _ in entries], [weight for _, weight in entries]
            tables[order] = np.array(keys, np.int64), np.array(ngram_weights)
        return class_ids, tables

    def logits(self, lexicon: CaptionLexicon, texts: EncodedCaptions) -> Floats:
        """Return the logit of each caption: positive if it is probably broken, 20 if it does not have words."""
        n_texts = len(texts.lengths)
        class_ids, tables = self._tables
        n_classes = len(class_ids) + 1
        classes, text_of_class = self._encode_classes(lexicon, texts)
        logits = np.full(n_texts, self._intercept)
        for order, (keys, weights) in tables.items():
            n_positions = len(classes) - order + 1
            if not len(keys) or n_positions < 1:
                continue
            ngrams = sum(classes[offset : n_positions + offset] * n_classes**offset for offset in range(order))
            is_in_text = text_of_class[:n_positions] == text_of_class[order - 1 :]
            # Each n-gram counts once per text.
            text_ngrams = distinct(text_of_class[:n_positions][is_in_text] * n_classes**order + ngrams[is_in_text])
            text, ngram = np.divmod(text_ngrams, n_classes**order)
            index = np.minimum(np.searchsorted(keys, ngram), len(keys) - 1)
            logits += np.bincount(text, np.where(keys[index] == ngram, weights[index], 0.0), n_texts)
        logits += repetitions(lexicon.columns, texts) @ np.array(self._repetition_weights)
        # Weights have three decimals: after rounding, the sum does not depend on the order of addition.
        result: Floats = np.where(texts.lengths == 0, _NO_WORDS_LOGIT, np.round(logits, 6))
        return result

    def _encode_classes(self, lexicon: CaptionLexicon, texts: EncodedCaptions) -> tuple[Integers, Integers]:
        """Return the class ids of all captions, each between a start and an end, and the caption of each class id."""
        class_ids, _ = self._tables
        lengths = texts.lengths + 2
        text_of_class = np.repeat(np.arange(len(lengths)), lengths)
        starts = np.cumsum(lengths) - lengths
        ends = starts + lengths - 1
        classes = np.full(len(text_of_class), class_ids["^"])
        classes[ends] = class_ids["$"]
        is_word = np.ones(len(text_of_class), bool)
        is_word[starts] = is_word[ends] = False
        # All classes that do not have a weight share the id 0.
        id_of_class = np.array([class_ids.get(name, 0) for name in lexicon.class_names], np.int64)
        classes[is_word] = id_of_class[lexicon.columns.word_class[texts.word_ids]] if len(texts.word_ids) else 0
        return classes, text_of_class

    def reasons(self, words: Sequence[str], *, repeats: bool) -> list[str]:
        """Return the reasons why a caption is considered broken, as text.

        Args:
            words: the words of the caption.
            repeats: whether it has one of the first five of :data:`REPETITIONS`.
        """
        if not words:
            return ["it has no words"]
        reasons = []
        if repeats:
            length, start = _find_longest_repetition(words)
            reasons.append(f"it repeats '{' '.join(words[start : start + length])}'")
        padded_words = ["", *words, ""]
        for weight, order, start in self._rank_ngrams(words)[:2]:
            end = start + order
            explains_end = bool(reasons) and reasons[-1].startswith("it ends")
            if weight < _MIN_REASON_WEIGHT or (explains_end and end >= len(padded_words) - 1):
                continue
            text = " ".join(filter(None, padded_words[start:end]))
            reasons.append(f"it ends with '{text}'" if end == len(padded_words) else f"'{text}' is unusual")
        return reasons

    def _rank_ngrams(self, words: Sequence[str]) -> list[tuple[float, int, int]]:
        """Return weight, order and start of each n-gram of classes, in descending order of weight."""
        classes = ["^", *map(word_class, words), "$"]
        ngrams = []
        for order in (2, 3):
            for start in range(len(classes) - order + 1):
                weight = self._weights.get(" ".join(classes[start : start + order]), 0.0)
                ngrams.append((weight, order, start))
        return sorted(ngrams, reverse=True)
