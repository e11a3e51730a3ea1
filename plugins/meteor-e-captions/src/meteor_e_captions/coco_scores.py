"""BLEU-1 to BLEU-4, ROUGE-L and CIDEr-D of captions, computed from arrays of n-grams.

The captions are tokenized texts whose words are joined by spaces, as :class:`meteor_e_captions.coco.PTBTokenizer`
returns them. The scores are equal to those of pycocoevalcap, which makes the following choices:

* BLEU (Papineni et al., 2002): clipped n-gram precisions. 1e-15 is added to the number of matching n-grams and 1e-9 to
  the number of all n-grams. The reference length is the length of the reference that is closest to the caption's
  length; if two references are equally close, the shorter one.
* ROUGE-L (Lin, 2004): β = 1.2, with the highest precision and the highest recall among the references.
* CIDEr-D (Vedantam et al., 2015): σ = 6, multiplied by 10. The Gaussian penalty compares the numbers of bigrams.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e.base.extras import require
from meteor_e.scoring.arrays import apply_scalar
from meteor_e_captions.grouping import distinct, group

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats, Integers

ORDERS = 4
_MATCH_SMOOTHING, _TOTAL_SMOOTHING = 1e-15, 1e-9
_BETA, _SIGMA = 1.2, 6.0


class NgramCounts(NamedTuple):
    """Counts of the n-grams of one order in captions and references.

    Attributes:
        caption_index, caption_ngram, caption_count: one entry per caption and distinct n-gram, sorted.
        reference_index, reference_ngram, reference_count: one entry per reference and distinct n-gram, sorted.
            References are indexed across all captions.
        n_distinct: the number of distinct n-grams.
    """

    caption_index: Integers
    caption_ngram: Integers
    caption_count: Integers
    reference_index: Integers
    reference_ngram: Integers
    reference_count: Integers
    n_distinct: int

    @property
    def caption_keys(self) -> Integers:
        """For each entry of a caption, one integer that combines caption and n-gram; sorted."""
        return self.caption_index * self.n_distinct + self.caption_ngram


class DocumentFrequencies(NamedTuple):
    """Document frequencies of n-grams. A document consists of the references of one image.

    Attributes:
        word_ids: the id of each word.
        ngram_keys: for each order from 2, the sorted keys of the n-grams. A key combines the id of the n-gram's prefix
            with the id of its last word.
        document_counts: for each order from 1, the number of documents that contain each n-gram.
        n_documents: the number of documents.
    """

    word_ids: dict[str, int]
    ngram_keys: list[Integers]
    document_counts: list[Integers]
    n_documents: int

    def look_up(self, prefixes: Integers, words: Integers, order: int) -> Integers:
        """Return the ids of n-grams, or -1 for unknown n-grams.

        Args:
            prefixes: the ids of the n-grams without their last words.
            words: the ids of the last words.
            order: the length of the n-grams, at least 2.
        """
        vocabulary_size = len(self.word_ids)
        is_in_vocabulary = (prefixes >= 0) & (words < vocabulary_size)
        keys = np.where(is_in_vocabulary, prefixes * vocabulary_size + words, -1)
        ids = np.full(len(keys), -1)
        positions, hits = _find(self.ngram_keys[order - 2], keys)
        ids[hits] = positions
        return ids


class Captions(NamedTuple):
    """Captions and references as arrays.

    Attributes:
        orders: n-gram counts for each order from 1.
        document_counts: for each order, the number of documents that contain each n-gram.
        n_documents: the number of documents.
        caption_lengths, reference_lengths: the lengths in words.
        caption_of_reference: for each reference, the index of its caption.
        reference_counts: the number of references of each caption.
        encoded_texts: captions and references with one character per word.
    """

    orders: list[NgramCounts]
    document_counts: list[Integers]
    n_documents: int
    caption_lengths: Integers
    reference_lengths: Integers
    caption_of_reference: Integers
    reference_counts: Integers
    encoded_texts: tuple[list[str], list[str]]

    @property
    def first_references(self) -> Integers:
        """For each caption, the index of its first reference."""
        starts: Integers = np.cumsum(self.reference_counts) - self.reference_counts
        return starts


class _WordSequence(NamedTuple):
    """The words of several texts, concatenated.

    Attributes:
        ids: the id of each word.
        text_index: the index of each word's text.
        remaining: the number of words from each word to the end of its text, including the word.
        lengths: the length of each text in words.
    """

    ids: Integers
    text_index: Integers
    remaining: Integers
    lengths: Integers


def _concatenate(texts: Sequence[Sequence[int]]) -> _WordSequence:
    lengths = np.array([len(words) for words in texts], np.int64)
    ids = np.array([word for words in texts for word in words], np.int64)
    offsets = np.arange(len(ids)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    text_index = np.repeat(np.arange(len(texts)), lengths)
    return _WordSequence(ids, text_index, lengths[text_index] - offsets, lengths)


def _extend_ngrams(
    words: _WordSequence, prefixes: Integers, order: int, vocabulary_size: int
) -> tuple[Integers, Integers, Integers]:
    """Extend the n-grams that start at each word by one word.

    Args:
        words: the words of all texts.
        prefixes: for each word, the id of the n-gram of the next lower order that starts there.
        order: the order of the extended n-grams, at least 2.
        vocabulary_size: the number of distinct words.

    Returns:
        The sorted keys of the distinct n-grams, for each word the id of the n-gram that starts there, and the indexes
        of the words at which an n-gram starts.
    """
    starts = np.flatnonzero(words.remaining >= order)
    keys, _, _, inverse = group(prefixes[starts] * vocabulary_size + words.ids[starts + order - 1])
    ngrams = np.zeros(len(words.ids), np.int64)
    ngrams[starts] = inverse
    return keys, ngrams, starts


def count_frequencies(references: Sequence[Sequence[str]]) -> DocumentFrequencies:
    """Count for each n-gram the images that have it in a reference."""
    word_ids: dict[str, int] = {}
    words = _concatenate(
        [[word_ids.setdefault(word, len(word_ids)) for word in text.split()] for texts in references for text in texts]
    )
    document_of_text = np.repeat(np.arange(len(references)), [len(texts) for texts in references])
    document_index = document_of_text[words.text_index]
    ngram_keys, document_counts = [], []
    ngrams, starts, n_distinct = words.ids, np.arange(len(words.ids)), len(word_ids)
    for order in range(1, ORDERS + 1):
        if order > 1:
            keys, ngrams, starts = _extend_ngrams(words, ngrams, order, max(len(word_ids), 1))
            ngram_keys.append(keys)
            n_distinct = len(keys)
        occurrences = distinct(document_index[starts] * max(n_distinct, 1) + ngrams[starts])
        document_counts.append(np.bincount(occurrences % max(n_distinct, 1), minlength=n_distinct))
    return DocumentFrequencies(word_ids, ngram_keys, document_counts, len(references))


def count_ngrams(
    captions: Sequence[str], references: Sequence[Sequence[str]], frequencies: DocumentFrequencies | None = None
) -> Captions:
    """Count the n-grams of captions and references.

    Args:
        captions: one caption per image.
        references: the references of each image.
        frequencies: the document frequencies of the whole data set; by default those of ``references``.
    """
    frequencies = count_frequencies(references) if frequencies is None else frequencies
    n_captions, n_known = len(captions), len(frequencies.word_ids)
    reference_texts = [text for texts in references for text in texts]
    texts, n_words = _encode_words([*captions, *reference_texts], frequencies.word_ids)
    vocabulary_size = max(n_words, 1)
    words = _concatenate(texts)
    # N-grams have two ids: one among these texts, and one in the document frequencies (-1 if they do not have it).
    ngrams, starts, n_distinct = words.ids, np.arange(len(words.ids)), vocabulary_size
    global_ids = np.append(np.arange(n_known), np.full(vocabulary_size - n_known, -1))
    orders, document_counts = [], []
    for order in range(1, ORDERS + 1):
        if order > 1:
            keys, ngrams, starts = _extend_ngrams(words, ngrams, order, vocabulary_size)
            prefixes, last_words = np.divmod(keys, vocabulary_size)
            global_ids = frequencies.look_up(global_ids[prefixes], last_words, order)
            n_distinct = max(len(keys), 1)
        counts = frequencies.document_counts[order - 1]
        document_counts.append(np.where(global_ids >= 0, counts[global_ids] if len(counts) else 0, 0))
        orders.append(_count_by_text(words.text_index[starts], ngrams[starts], n_distinct, n_captions))
    reference_counts = np.array([len(texts) for texts in references], np.int64)
    encoded_texts = ["".join([chr(_code_point(word)) for word in text]) for text in texts]
    return Captions(
        orders,
        document_counts,
        frequencies.n_documents,
        words.lengths[:n_captions],
        words.lengths[n_captions:],
        np.repeat(np.arange(n_captions), reference_counts),
        reference_counts,
        (encoded_texts[:n_captions], encoded_texts[n_captions:]),
    )


def _encode_words(texts: Sequence[str], word_ids: dict[str, int]) -> tuple[list[list[int]], int]:
    """Return the word ids of each text, and the size of the vocabulary; unknown words receive the next free ids."""
    new_ids: dict[str, int] = {}

    def get_id(word: str) -> int:
        word_id = word_ids.get(word)
        return new_ids.setdefault(word, len(word_ids) + len(new_ids)) if word_id is None else word_id

    encoded = [[get_id(word) for word in text.split()] for text in texts]
    return encoded, len(word_ids) + len(new_ids)


def _count_by_text(text_index: Integers, ngrams: Integers, n_distinct: int, n_captions: int) -> NgramCounts:
    """Count the n-grams of each text; the first ``n_captions`` texts are captions, all others are references."""
    keys, _, counts, _ = group(text_index * n_distinct + ngrams)
    texts, text_ngrams = np.divmod(keys, n_distinct)
    split = int(np.searchsorted(texts, n_captions))
    return NgramCounts(
        texts[:split],
        text_ngrams[:split],
        counts[:split],
        texts[split:] - n_captions,
        text_ngrams[split:],
        counts[split:],
        n_distinct,
    )


def _code_point(word_id: int) -> int:
    """Return the code point of the character that represents a word; surrogates are skipped."""
    return word_id + 0x800 + 1 if word_id + 1 >= 0xD800 else word_id + 1


def _find(sorted_keys: Integers, keys: Integers) -> tuple[Integers, Integers]:
    """Look up keys in a sorted array.

    Returns:
        The positions in ``sorted_keys`` of the keys that it contains, and the indexes of these keys in ``keys``.
    """
    if not len(sorted_keys) or not len(keys):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    positions = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    hits = np.flatnonzero(sorted_keys[positions] == keys)
    return positions[hits], hits


def _find_shared(counts: NgramCounts, caption_of_reference: Integers) -> tuple[Integers, Integers]:
    """Return the entries of captions, and the entries of their references, that have the same n-gram."""
    reference_keys = caption_of_reference[counts.reference_index] * counts.n_distinct + counts.reference_ngram
    return _find(counts.caption_keys, reference_keys)


def bleu_statistics(captions: Captions) -> Floats:
    """Return the statistics of BLEU as an array ``(captions, 10)``.

    The columns are the numbers of matching n-grams and of all n-grams for each order, the length of the caption and
    the length of the closest reference.
    """
    n_captions = len(captions.caption_lengths)
    columns = []
    for order, counts in enumerate(captions.orders, 1):
        clip = np.zeros(len(counts.caption_count), np.int64)
        caption_entries, reference_entries = _find_shared(counts, captions.caption_of_reference)
        np.maximum.at(clip, caption_entries, counts.reference_count[reference_entries])
        columns.append(np.bincount(counts.caption_index, np.minimum(counts.caption_count, clip), n_captions))
        columns.append(np.maximum(captions.caption_lengths - order + 1, 0).astype(float))
    closest = _find_closest_lengths(captions)
    return np.stack([*columns, captions.caption_lengths.astype(float), closest.astype(float)], axis=1)


def _find_closest_lengths(captions: Captions) -> Integers:
    """Return for each caption the closest reference length; if two are equally close, the shorter one."""
    distances = np.abs(captions.reference_lengths - captions.caption_lengths[captions.caption_of_reference])
    # One integer orders references by distance, then by length.
    ranks = distances * (1 << 32) + captions.reference_lengths
    lengths: Integers = np.minimum.reduceat(ranks, captions.first_references) & ((1 << 32) - 1)
    return lengths


def bleu(statistics: Floats) -> Floats:
    """Return BLEU-1 to BLEU-4 as an array ``(rows, 4)``; the rows are those of :func:`bleu_statistics`, or sums."""
    matches, totals = statistics[:, 0:8:2], statistics[:, 1:8:2]
    products = np.cumprod((matches + _MATCH_SMOOTHING) / (totals + _TOTAL_SMOOTHING), axis=1)
    means = [apply_scalar(partial(_root, order), column) for order, column in enumerate(products.T, 1)]
    length_ratio = (statistics[:, 8] + _MATCH_SMOOTHING) / (statistics[:, 9] + _TOTAL_SMOOTHING)
    brevity_penalty = apply_scalar(math.exp, np.minimum(1 - 1 / np.maximum(length_ratio, 1e-300), 0.0))
    scores: Floats = np.stack(means, axis=1) * brevity_penalty[:, None]
    return scores


def _root(order: int, value: float) -> float:
    return float(value ** (1 / order))


def rouge_l(captions: Captions) -> Floats:
    """Return ROUGE-L of each caption."""
    library = require("rapidfuzz.distance", "ROUGE-L", distribution="meteor-e-captions")
    compute_lcs = library.LCSseq.similarity
    caption_of_reference = captions.caption_of_reference
    caption_texts, reference_texts = captions.encoded_texts
    common = np.array(
        [
            compute_lcs(caption_texts[index], text)
            for index, text in zip(caption_of_reference.tolist(), reference_texts, strict=True)
        ],
        float,
    )
    caption_lengths = captions.caption_lengths[caption_of_reference]
    # pycocoevalcap treats an empty text as one empty word, which matches only the word of another empty text.
    common = np.where((caption_lengths == 0) & (captions.reference_lengths == 0), 1.0, common)
    precisions = common / np.maximum(caption_lengths, 1)
    recalls = common / np.maximum(captions.reference_lengths, 1)
    precision = np.maximum.reduceat(precisions, captions.first_references)
    recall = np.maximum.reduceat(recalls, captions.first_references)
    beta_squared = _BETA**2
    denominator = recall + beta_squared * precision
    scores: Floats = np.where(
        denominator > 0,
        (1 + beta_squared) * precision * recall / np.where(denominator > 0, denominator, 1),
        0.0,
    )
    return scores


def cider(captions: Captions) -> Floats:
    """Return CIDEr-D of each caption."""
    n_captions, n_references = len(captions.caption_lengths), len(captions.reference_lengths)
    caption_of_reference = captions.caption_of_reference
    log_documents = math.log(captions.n_documents)
    length_penalty = _compute_length_penalty(captions)
    similarities = np.zeros(n_references)
    for counts, document_counts in zip(captions.orders, captions.document_counts, strict=True):
        idf = log_documents - apply_scalar(math.log, np.maximum(document_counts, 1.0))
        caption_weights = counts.caption_count * idf[counts.caption_ngram]
        reference_weights = counts.reference_count * idf[counts.reference_ngram]
        caption_entries, reference_entries = _find_shared(counts, caption_of_reference)
        shared_weights = reference_weights[reference_entries]
        clipped_weights = np.minimum(caption_weights[caption_entries], shared_weights)
        products = np.bincount(
            counts.reference_index[reference_entries], clipped_weights * shared_weights, n_references
        )
        caption_norms = np.sqrt(np.bincount(counts.caption_index, caption_weights**2, n_captions))
        reference_norms = np.sqrt(np.bincount(counts.reference_index, reference_weights**2, n_references))
        norms = caption_norms[caption_of_reference] * reference_norms
        similarities += np.where(norms > 0, products / np.where(norms > 0, norms, 1), products) * length_penalty
    means = np.bincount(caption_of_reference, similarities, n_captions) / captions.reference_counts
    scores: Floats = means / ORDERS * 10
    return scores


def _compute_length_penalty(captions: Captions) -> Floats:
    """Return for each reference the Gaussian penalty for the difference between its length and its caption's."""
    caption_bigrams = np.maximum(captions.caption_lengths - 1, 0).astype(float)
    reference_bigrams = np.maximum(captions.reference_lengths - 1, 0).astype(float)
    difference = caption_bigrams[captions.caption_of_reference] - reference_bigrams
    return apply_scalar(math.exp, -(difference**2) / (2 * _SIGMA**2))
