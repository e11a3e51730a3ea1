"""Computes BLEU-1 to BLEU-4, ROUGE-L and CIDEr-D of captions from arrays of n-gram counts.

The captions are tokenized strings whose words are separated by spaces, as returned by
:class:`meteor_e_captions.coco.PTBTokenizer`. The scores are equal to those of pycocoevalcap, which makes the following
choices:

* BLEU (Papineni et al., 2002): n-gram precisions are clipped. 1e-15 is added to the number of matching n-grams and 1e-9
  to the number of all n-grams. The reference length is the length of the reference that is closest to the caption's
  length; if two references are equally close, the shorter one.
* ROUGE-L (Lin, 2004): β = 1.2, with the highest precision and the highest recall among the references.
* CIDEr-D (Vedantam et al., 2015): σ = 6, multiplied by 10. The Gaussian penalty compares the numbers of bigrams.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e.base.extras import require
from meteor_e.scoring.arrays import apply_scalar, power
from meteor_e_captions.arrays import (
    divide,
    find_indexes,
    group_pairs,
    max_by_group,
    sum_by_group,
    take_or_zero,
    unique_pairs,
)
from meteor_e_captions.ngrams import Ngrams, WordSequence, iterate_ngrams

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats, Integers

ORDERS = 4
_MATCH_SMOOTHING, _TOTAL_SMOOTHING = 1e-15, 1e-9
_BETA, _SIGMA = 1.2, 6.0
_CIDER_SCALE = 10
_LENGTH_BITS = 32
_FIRST_SURROGATE, _N_SURROGATES = 0xD800, 0x800


class NgramCounts(NamedTuple):
    """The n-gram counts of several texts. Each entry contains the count of one n-gram in one text.

    The entries are sorted by text and then by n-gram.

    Attributes:
        text_index: for each entry, the index of the text.
        ngram_ids: for each entry, the id of the n-gram.
        counts: for each entry, the number of occurrences of the n-gram in the text.
    """

    text_index: Integers
    ngram_ids: Integers
    counts: Integers


class CaptionNgrams(NamedTuple):
    """All n-grams of one length, such as bigrams, in captions and references.

    Attributes:
        hypotheses: the n-gram counts of the captions.
        references: the n-gram counts of the references, which are indexed across all captions.
        document_counts: for each n-gram id, the number of documents that contain the n-gram.
    """

    hypotheses: NgramCounts
    references: NgramCounts
    document_counts: Integers


class NgramFrequencies(NamedTuple):
    """Document frequencies of all n-grams of one length, such as bigrams.

    Attributes:
        keys: the sorted keys of the n-grams. A key combines the id of the n-gram's prefix, which is 0 for single words,
            with the id of its last word. The index of a key is the id of the n-gram.
        document_counts: for each n-gram, the number of documents that contain it.
    """

    keys: Integers
    document_counts: Integers


class DocumentFrequencies(NamedTuple):
    """Document frequencies of n-grams. A document consists of all references of one image.

    Attributes:
        word_ids: the id of each word.
        ngrams_by_order: the document frequencies of the n-grams of each order from 1.
        n_documents: the number of documents.
    """

    word_ids: dict[str, int]
    ngrams_by_order: list[NgramFrequencies]
    n_documents: int


def _combine_ids(prefixes: Integers, last_words: Integers, vocabulary_size: int) -> Integers:
    """Return the key of each n-gram: an integer that combines the ids of its prefix and of its last word."""
    return prefixes * vocabulary_size + last_words


class CaptionTexts(NamedTuple):
    """Several texts.

    Attributes:
        lengths: the length of each text in words.
        encoded: each text as a string with one character per word.
    """

    lengths: Integers
    encoded: list[str]


class Captions(NamedTuple):
    """The n-gram counts and the lengths of captions and references, stored in arrays.

    Attributes:
        hypotheses, references: the captions and their references.
        reference_counts: the number of references of each caption.
        ngrams_by_order: the n-grams of each order from 1.
        n_documents: the number of documents, from which the document frequencies are computed.
    """

    hypotheses: CaptionTexts
    references: CaptionTexts
    reference_counts: Integers
    ngrams_by_order: list[CaptionNgrams]
    n_documents: int

    @property
    def caption_of_reference(self) -> Integers:
        """For each reference, the index of the caption to which the reference belongs."""
        return np.repeat(np.arange(len(self.reference_counts)), self.reference_counts)

    @property
    def first_references(self) -> Integers:
        """The index of each caption's first reference in the list of all references."""
        return np.cumsum(self.reference_counts) - self.reference_counts


def count_frequencies(references: Sequence[Sequence[str]]) -> DocumentFrequencies:
    """Count, for each n-gram, the images whose references contain it.

    Args:
        references: the tokenized references of each image.
    """
    encoded_references, word_ids = _encode_words(chain.from_iterable(references), {})
    words = _concatenate(encoded_references, len(word_ids))
    image_of_reference = np.repeat(np.arange(len(references)), [len(texts) for texts in references])
    ngrams_by_order = []
    for ngrams in iterate_ngrams(words, ORDERS):
        keys = _combine_ids(ngrams.prefixes, ngrams.last_words, len(word_ids))
        ngrams_by_order.append(NgramFrequencies(keys, _count_images(ngrams, image_of_reference)))
    return DocumentFrequencies(word_ids, ngrams_by_order, len(references))


def _count_images(ngrams: Ngrams, image_of_reference: Integers) -> Integers:
    """Return, for each distinct n-gram of the references, the number of images whose references contain it."""
    # An n-gram that occurs several times in the references of an image counts only once.
    _, ngram_ids = unique_pairs(image_of_reference[ngrams.text_index], ngrams.ids)
    return np.bincount(ngram_ids, minlength=ngrams.n_distinct)


def count_ngrams(
    captions: Sequence[str], references: Sequence[Sequence[str]], frequencies: DocumentFrequencies | None = None
) -> Captions:
    """Count the n-grams of captions and references.

    Args:
        captions: one tokenized caption per image.
        references: the tokenized references of each image.
        frequencies: the document frequencies of the whole data set. By default, they are counted in ``references``.
    """
    if frequencies is None:
        frequencies = count_frequencies(references)
    # The n-grams of captions and references are found together, so that equal n-grams have equal ids.
    encoded_texts, word_ids = _encode_words(chain(captions, *references), frequencies.word_ids)
    ngrams_by_order = list(iterate_ngrams(_concatenate(encoded_texts, len(word_ids)), ORDERS))
    document_counts = _count_documents(ngrams_by_order, frequencies)
    return Captions(
        hypotheses=_encode_texts(encoded_texts[: len(captions)]),
        references=_encode_texts(encoded_texts[len(captions) :]),
        reference_counts=np.array([len(image_references) for image_references in references], np.int64),
        ngrams_by_order=[
            _count_by_text(ngrams, counts, len(captions))
            for ngrams, counts in zip(ngrams_by_order, document_counts, strict=True)
        ],
        n_documents=frequencies.n_documents,
    )


def _encode_words(texts: Iterable[str], known_word_ids: Mapping[str, int]) -> tuple[list[list[int]], dict[str, int]]:
    """Replace the words of each text by ids. New words receive the next free ids.

    Args:
        texts: the texts, whose words are separated by spaces.
        known_word_ids: the ids of known words.

    Returns:
        The word ids of each text, and the ids of all known and new words.
    """
    word_ids = dict(known_word_ids)
    encoded_texts = [[word_ids.setdefault(word, len(word_ids)) for word in text.split()] for text in texts]
    return encoded_texts, word_ids


def _concatenate(texts: Sequence[Sequence[int]], vocabulary_size: int) -> WordSequence:
    """Concatenate texts whose words are encoded as ids.

    Args:
        texts: the word ids of each text.
        vocabulary_size: the number of distinct words.
    """
    text_index = np.repeat(np.arange(len(texts)), [len(word_ids) for word_ids in texts])
    return WordSequence(np.array(list(chain.from_iterable(texts)), np.int64), text_index, vocabulary_size)


def _count_documents(ngrams_by_order: Sequence[Ngrams], frequencies: DocumentFrequencies) -> list[Integers]:
    """For the n-grams of each order, look up how many documents contain them.

    Args:
        ngrams_by_order: the n-grams of each order from 1. The ids of known words are those of ``frequencies``.
        frequencies: the document frequencies.
    """
    # In ``frequencies``, the prefix of each single word is the empty n-gram, whose id is 0.
    known_prefix_ids = np.zeros(1, np.int64)
    document_counts = []
    for ngrams, known_ngrams in zip(ngrams_by_order, frequencies.ngrams_by_order, strict=True):
        prefix_ids = known_prefix_ids[ngrams.prefixes]
        known_ids = _find_known_ids(prefix_ids, ngrams.last_words, known_ngrams, len(frequencies.word_ids))
        document_counts.append(take_or_zero(known_ngrams.document_counts, known_ids))
        # These n-grams are the prefixes of the n-grams that are one word longer.
        known_prefix_ids = known_ids
    return document_counts


def _find_known_ids(
    prefix_ids: Integers, last_words: Integers, known_ngrams: NgramFrequencies, vocabulary_size: int
) -> Integers:
    """Return the id of each n-gram in ``known_ngrams``, or -1 for an unknown n-gram.

    Args:
        prefix_ids: the id of each n-gram's prefix, or -1 if the prefix is unknown.
        last_words: the id of each n-gram's last word.
        known_ngrams: the n-grams whose document frequencies are known.
        vocabulary_size: the number of known words. The ids of unknown words are not less than this number.
    """
    keys = _combine_ids(prefix_ids, last_words, vocabulary_size)
    may_be_known = (prefix_ids >= 0) & (last_words < vocabulary_size)
    return find_indexes(known_ngrams.keys, np.where(may_be_known, keys, -1))


def _count_by_text(ngrams: Ngrams, document_counts: Integers, n_captions: int) -> CaptionNgrams:
    """Count the n-grams of each caption and of each reference.

    Args:
        ngrams: the n-grams of captions and references.
        document_counts: for each n-gram id, the number of documents that contain the n-gram.
        n_captions: the number of captions. They precede the references.
    """
    is_caption = ngrams.text_index < n_captions
    is_reference = ~is_caption
    captions = group_pairs(ngrams.text_index[is_caption], ngrams.ids[is_caption])
    references = group_pairs(ngrams.text_index[is_reference] - n_captions, ngrams.ids[is_reference])
    return CaptionNgrams(
        hypotheses=NgramCounts(captions.left, captions.right, captions.counts),
        references=NgramCounts(references.left, references.right, references.counts),
        document_counts=document_counts,
    )


def _encode_texts(texts: Sequence[Sequence[int]]) -> CaptionTexts:
    """Return the length of each text, and a string in which each character represents a word of the text."""
    lengths = np.array([len(word_ids) for word_ids in texts], np.int64)
    return CaptionTexts(lengths, [_to_characters(word_ids) for word_ids in texts])


def _to_characters(word_ids: Sequence[int]) -> str:
    """Encode each word id as one character. The code points of surrogates are skipped."""
    characters = []
    for word_id in word_ids:
        code_point = word_id + 1
        if code_point >= _FIRST_SURROGATE:
            code_point += _N_SURROGATES
        characters.append(chr(code_point))
    return "".join(characters)


def _find_shared_ngrams(ngrams: CaptionNgrams, caption_of_reference: Integers) -> tuple[Integers, Integers]:
    """Find the n-grams that a reference shares with its caption.

    Returns:
        For each shared n-gram, the index of its entry in ``ngrams.hypotheses`` and the index of its entry in
        ``ngrams.references``.
    """
    captions, references = ngrams.hypotheses, ngrams.references
    # A key combines a caption and an n-gram.
    n_distinct = len(ngrams.document_counts)
    caption_keys = captions.text_index * n_distinct + captions.ngram_ids
    reference_keys = caption_of_reference[references.text_index] * n_distinct + references.ngram_ids
    caption_entries = find_indexes(caption_keys, reference_keys)
    is_shared = caption_entries >= 0
    return caption_entries[is_shared], np.flatnonzero(is_shared)


def bleu_statistics(captions: Captions) -> Floats:
    """Return the statistics of BLEU as an array ``(captions, 10)``.

    Two columns for each n-gram length contain the number of matching n-grams and the number of all n-grams. The last
    two columns contain the length of the caption and the length of the closest reference.
    """
    lengths = captions.hypotheses.lengths
    columns: list[Floats | Integers] = []
    for order, ngrams in enumerate(captions.ngrams_by_order, 1):
        columns += [_count_matches(captions, ngrams), np.maximum(lengths - order + 1, 0)]
    columns += [lengths, _find_closest_lengths(captions)]
    return np.stack(columns, axis=1, dtype=float)


def _count_matches(captions: Captions, ngrams: CaptionNgrams) -> Floats:
    """Count how many n-grams of each caption match a reference.

    The number of matches of an n-gram is limited to its highest count in a single reference.

    Args:
        captions: the captions and references.
        ngrams: their n-grams of one order.
    """
    caption_counts = ngrams.hypotheses.counts
    caption_entries, reference_entries = _find_shared_ngrams(ngrams, captions.caption_of_reference)
    max_counts = max_by_group(caption_entries, ngrams.references.counts[reference_entries], len(caption_counts))
    clipped_counts = np.minimum(caption_counts, max_counts)
    return _sum_by_text(ngrams.hypotheses, clipped_counts, captions.hypotheses)


def _sum_by_text(counts: NgramCounts, values: Floats | Integers, texts: CaptionTexts) -> Floats:
    """Return the sum of the values in each text.

    Args:
        counts: the n-gram counts of the texts.
        values: one value per entry of ``counts``.
        texts: the texts.
    """
    return sum_by_group(counts.text_index, values, len(texts.lengths))


def _find_closest_lengths(captions: Captions) -> Integers:
    """Return the reference length that is closest to each caption's length. Short references win ties."""
    reference_lengths = captions.references.lengths
    distances = np.abs(reference_lengths - captions.hypotheses.lengths[captions.caption_of_reference])
    # The distance is stored in the high bits and the length in the low bits, so that ties prefer short references.
    ranks = distances * (1 << _LENGTH_BITS) + reference_lengths
    return np.minimum.reduceat(ranks, captions.first_references) & ((1 << _LENGTH_BITS) - 1)


def bleu(statistics: Floats) -> Floats:
    """Compute BLEU-1 to BLEU-4 from statistics (Papineni et al., 2002).

    Args:
        statistics: one row ``(10,)`` of :func:`bleu_statistics` per caption, or sums of such rows, ``(rows, 10)``.

    Returns:
        The scores, ``(rows, 4)``.
    """
    # For each order, one column counts the matching n-grams, and the next column counts all n-grams.
    matches = statistics[:, 0 : 2 * ORDERS : 2]
    totals = statistics[:, 1 : 2 * ORDERS : 2]
    precisions: Floats = (matches + _MATCH_SMOOTHING) / (totals + _TOTAL_SMOOTHING)
    brevity_penalty = _compute_brevity_penalty(statistics[:, 2 * ORDERS], statistics[:, 2 * ORDERS + 1])
    return _compute_geometric_means(precisions) * brevity_penalty[:, None]


def _compute_brevity_penalty(caption_length: Floats, reference_length: Floats) -> Floats:
    """Return brevity penalties for BLEU.

    A brevity penalty is a factor of at most 1. Captions that are shorter than their references receive lower factors.
    """
    length_ratio = (caption_length + _MATCH_SMOOTHING) / (reference_length + _TOTAL_SMOOTHING)
    # The lower limit prevents a division by zero.
    log_penalty = np.minimum(1 - 1 / np.maximum(length_ratio, 1e-300), 0.0)
    # The last bits of ``np.exp`` depend on the processor.
    return apply_scalar(math.exp, log_penalty)


def _compute_geometric_means(precisions: Floats) -> Floats:
    """Return the geometric means of the n-gram precisions for BLEU-1 to BLEU-4.

    The mean for BLEU-n combines the precisions of all n-grams from one word to n words.
    """
    products = np.cumprod(precisions, axis=1).astype(float)
    means = [power(products[:, index], 1 / (index + 1)) for index in range(ORDERS)]
    return np.stack(means, axis=1)


def rouge_l(captions: Captions) -> Floats:
    """Return the ROUGE-L score of each caption (Lin, 2004) in a one-dimensional array.

    The score combines the highest precision and the highest recall over all references. Precision divides the length of
    the longest common subsequence by the caption's length, and recall divides it by the reference's length.
    """
    caption_lengths = captions.hypotheses.lengths[captions.caption_of_reference]
    reference_lengths = captions.references.lengths
    common_lengths = _compute_lcs_lengths(captions)
    # In pycocoevalcap, an empty caption matches an empty reference.
    common_lengths[(caption_lengths == 0) & (reference_lengths == 0)] = 1
    precisions = common_lengths / np.maximum(caption_lengths, 1)
    recalls = common_lengths / np.maximum(reference_lengths, 1)
    precision = np.maximum.reduceat(precisions, captions.first_references)
    recall = np.maximum.reduceat(recalls, captions.first_references)
    beta_squared = _BETA**2
    numerator = (1 + beta_squared) * precision * recall
    return divide(numerator, recall + beta_squared * precision, default=0.0)


def _compute_lcs_lengths(captions: Captions) -> Floats:
    """Count the words in the longest common subsequence of each reference and its caption."""
    library = require("rapidfuzz.distance", "ROUGE-L", distribution="meteor-e-captions")
    compute_length = library.LCSseq.similarity
    lengths = []
    for index, reference in zip(captions.caption_of_reference.tolist(), captions.references.encoded, strict=True):
        lengths.append(compute_length(captions.hypotheses.encoded[index], reference))
    return np.array(lengths, float)


def cider(captions: Captions) -> Floats:
    """Return the CIDEr-D scores of captions (Vedantam et al., 2015) as an array ``(captions,)``.

    The score is 10 times the mean similarity of a caption to its references, averaged over n-gram lengths from 1 to 4.
    """
    length_penalty = _compute_length_penalty(captions)
    similarities = np.zeros(len(captions.references.lengths))
    for ngrams in captions.ngrams_by_order:
        similarities += _compute_tfidf_similarity(captions, ngrams) * length_penalty
    sums = np.bincount(captions.caption_of_reference, similarities, len(captions.hypotheses.lengths))
    return sums / captions.reference_counts / ORDERS * _CIDER_SCALE


def _compute_tfidf_similarity(captions: Captions, ngrams: CaptionNgrams) -> Floats:
    """Return the cosine similarity between the tf-idf vectors of each reference and its caption.

    Args:
        captions: the captions and references.
        ngrams: their n-grams of one order.
    """
    idf = math.log(captions.n_documents) - apply_scalar(math.log, np.maximum(ngrams.document_counts, 1.0))
    caption_weights, caption_norms = _compute_tfidf(ngrams.hypotheses, idf, captions.hypotheses)
    reference_weights, reference_norms = _compute_tfidf(ngrams.references, idf, captions.references)
    dot_products = _compute_clipped_dot_products(captions, ngrams, caption_weights, reference_weights)
    return divide(dot_products, caption_norms[captions.caption_of_reference] * reference_norms)


def _compute_tfidf(counts: NgramCounts, idf: Floats, texts: CaptionTexts) -> tuple[Floats, Floats]:
    """Return the tf-idf weight of each entry of ``counts``, and the Euclidean norm of each text's weights."""
    weights = counts.counts * idf[counts.ngram_ids]
    return weights, np.sqrt(_sum_by_text(counts, weights**2, texts))


def _compute_clipped_dot_products(
    captions: Captions, ngrams: CaptionNgrams, caption_weights: Floats, reference_weights: Floats
) -> Floats:
    """Return the dot product of the tf-idf vectors of each reference and its caption.

    If an n-gram has a higher weight in the caption than in the reference, the weight in the reference is used for both.

    Args:
        captions: the captions and references.
        ngrams: their n-grams of one order.
        caption_weights: the tf-idf weight of each entry of ``ngrams.hypotheses``.
        reference_weights: the tf-idf weight of each entry of ``ngrams.references``.
    """
    caption_entries, reference_entries = _find_shared_ngrams(ngrams, captions.caption_of_reference)
    # The weights of n-grams that do not occur in the caption remain 0.
    clipped_weights = np.zeros(len(reference_weights))
    clipped_weights[reference_entries] = np.minimum(
        caption_weights[caption_entries], reference_weights[reference_entries]
    )
    return _sum_by_text(ngrams.references, clipped_weights * reference_weights, captions.references)


def _compute_length_penalty(captions: Captions) -> Floats:
    """Compute a Gaussian penalty from the difference in length between each reference and its caption."""
    caption_bigrams = np.maximum(captions.hypotheses.lengths - 1, 0).astype(float)
    reference_bigrams = np.maximum(captions.references.lengths - 1, 0).astype(float)
    difference = caption_bigrams[captions.caption_of_reference] - reference_bigrams
    return apply_scalar(math.exp, -(difference**2) / (2 * _SIGMA**2))
