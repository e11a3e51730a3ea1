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
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e.base.extras import require
from meteor_e.scoring.arrays import apply_scalar, power
from meteor_e_captions.arrays import divide, find_indexes, group_keys, unique_keys

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats, Integers

ORDERS = 4
_MATCH_SMOOTHING, _TOTAL_SMOOTHING = 1e-15, 1e-9
_BETA, _SIGMA = 1.2, 6.0
_CIDER_SCALE = 10
_LENGTH_BITS = 32
_FIRST_SURROGATE, _N_SURROGATES = 0xD800, 0x800


class NgramCounts(NamedTuple):
    """Counts of all n-grams of one length, such as bigrams, in captions and references.

    Attributes:
        caption_index, caption_ngram, caption_count: one entry per caption and distinct n-gram, sorted.
        reference_index, reference_ngram, reference_count: one entry per reference and distinct n-gram, sorted.
            References are indexed across all captions.
        n_distinct: the number of distinct n-grams, at least 1.
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
        """Sorted integers. Each of them combines the index of a caption with the id of an n-gram."""
        return self.caption_index * self.n_distinct + self.caption_ngram


class DocumentFrequencies(NamedTuple):
    """Document frequencies of n-grams. A document consists of all references of one image.

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
        """Look up the ids of n-grams. The id is -1 if no document contains the n-gram.

        Args:
            prefixes: the ids of the n-grams without their last words.
            words: the ids of the last words.
            order: the length of the n-grams, at least 2.
        """
        vocabulary_size = len(self.word_ids)
        is_in_vocabulary = (prefixes >= 0) & (words < vocabulary_size)
        keys = np.where(is_in_vocabulary, prefixes * vocabulary_size + words, -1)
        return find_indexes(self.ngram_keys[order - 2], keys)

    def count_documents(self, ids: Integers, order: int) -> Integers:
        """Return the number of documents that contain each n-gram.

        Args:
            ids: the ids of the n-grams. The result is 0 for the id -1.
            order: the length of the n-grams.
        """
        counts = self.document_counts[order - 1]
        if not len(counts):
            return np.zeros(len(ids), np.int64)
        return np.where(ids >= 0, counts[ids], 0)


class Captions(NamedTuple):
    """The n-gram counts and the lengths of captions and references, stored in arrays.

    Attributes:
        counts_by_order: n-gram counts for each order from 1.
        document_counts: for each order, the number of documents that contain each n-gram.
        n_documents: the number of documents.
        caption_lengths, reference_lengths: the lengths in words.
        caption_of_reference: for each reference, the index of its caption.
        reference_counts: the number of references of each caption.
        encoded_captions, encoded_references: the texts with one character per word.
    """

    counts_by_order: list[NgramCounts]
    document_counts: list[Integers]
    n_documents: int
    caption_lengths: Integers
    reference_lengths: Integers
    caption_of_reference: Integers
    reference_counts: Integers
    encoded_captions: list[str]
    encoded_references: list[str]

    @property
    def first_references(self) -> Integers:
        """The index of each caption's first reference in the list of all references."""
        starts: Integers = np.cumsum(self.reference_counts) - self.reference_counts
        return starts


class _WordSequence(NamedTuple):
    """The concatenated words of several texts.

    Attributes:
        ids: the id of each word.
        text_index: the index of each word's text.
        remaining: the number of words from each word to the end of its text, including the word.
        lengths: the length of each text in words.
        vocabulary_size: the number of distinct words.
    """

    ids: Integers
    text_index: Integers
    remaining: Integers
    lengths: Integers
    vocabulary_size: int


class _NgramOccurrences(NamedTuple):
    """All occurrences of n-grams of one length, such as bigrams, in a sequence of words.

    Attributes:
        keys: the sorted keys of the distinct n-grams. A key combines the id of the n-gram's prefix with the id of its
            last word. The id of an n-gram is the index of its key.
        ids: for each word, the id of the n-gram that starts there, or 0 if the text ends before.
        starts: the indexes of the words at which an n-gram starts.
    """

    keys: Integers
    ids: Integers
    starts: Integers

    @property
    def n_distinct(self) -> int:
        """The number of distinct n-grams, but at least 1."""
        return max(len(self.keys), 1)


def _concatenate(texts: Sequence[Sequence[int]], vocabulary_size: int) -> _WordSequence:
    """Concatenate texts whose words are encoded as ids.

    Args:
        texts: the word ids of each text.
        vocabulary_size: the number of distinct words.
    """
    lengths = np.array([len(word_ids) for word_ids in texts], np.int64)
    text_ends = np.cumsum(lengths)
    text_index = np.repeat(np.arange(len(texts)), lengths)
    ids = np.array(list(chain.from_iterable(texts)), np.int64)
    return _WordSequence(
        ids=ids,
        text_index=text_index,
        remaining=text_ends[text_index] - np.arange(len(ids)),
        lengths=lengths,
        vocabulary_size=vocabulary_size,
    )


def _find_ngrams(words: _WordSequence) -> list[_NgramOccurrences]:
    """Find all unigrams, bigrams, trigrams and 4-grams."""
    unigrams = _NgramOccurrences(keys=np.arange(words.vocabulary_size), ids=words.ids, starts=np.arange(len(words.ids)))
    ngrams_by_order = [unigrams]
    for order in range(2, ORDERS + 1):
        ngrams_by_order.append(_extend_ngrams(words, ngrams_by_order[-1].ids, order))
    return ngrams_by_order


def _extend_ngrams(words: _WordSequence, prefixes: Integers, order: int) -> _NgramOccurrences:
    """Find all n-grams of one order by extending shorter n-grams by the word that follows them.

    Args:
        words: the words of all texts.
        prefixes: for each word, the id of the n-gram of the next lower order that starts there.
        order: the length of the n-grams to find, at least 2.
    """
    starts = np.flatnonzero(words.remaining >= order)
    last_words = words.ids[starts + order - 1]
    # N-grams with equal keys are equal, because a key combines the prefix and the last word.
    groups = group_keys(prefixes[starts] * words.vocabulary_size + last_words)
    ids = np.zeros(len(words.ids), np.int64)
    ids[starts] = groups.inverse
    return _NgramOccurrences(keys=groups.keys, ids=ids, starts=starts)


def count_frequencies(references: Sequence[Sequence[str]]) -> DocumentFrequencies:
    """Count, for each n-gram, the images whose references contain it.

    Args:
        references: the tokenized references of each image.
    """
    encoded_references, word_ids = _encode_words(chain.from_iterable(references), known_ids={})
    words = _concatenate(encoded_references, len(word_ids))
    image_of_reference = np.repeat(np.arange(len(references)), [len(texts) for texts in references])
    image_of_word = image_of_reference[words.text_index]
    ngrams_by_order = _find_ngrams(words)
    document_counts = []
    for ngrams in ngrams_by_order:
        # An n-gram that occurs several times in the references of an image counts only once.
        occurrences = unique_keys(image_of_word[ngrams.starts] * ngrams.n_distinct + ngrams.ids[ngrams.starts])
        distinct_ngram_ids = occurrences % ngrams.n_distinct
        document_counts.append(np.bincount(distinct_ngram_ids, minlength=len(ngrams.keys)))
    # Single words are identified by their word ids, so that only longer n-grams need keys.
    ngram_keys = [ngrams.keys for ngrams in ngrams_by_order[1:]]
    return DocumentFrequencies(word_ids, ngram_keys, document_counts, len(references))


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
    n_captions = len(captions)
    reference_counts = np.array([len(image_references) for image_references in references], np.int64)
    # The captions precede the references in the list of encoded texts.
    texts, word_ids = _encode_words(chain(captions, *references), frequencies.word_ids)
    encoded_texts = [_to_characters(text) for text in texts]
    words = _concatenate(texts, len(word_ids))
    ngrams_by_order = _find_ngrams(words)
    return Captions(
        counts_by_order=[_count_by_text(words, ngrams, n_captions) for ngrams in ngrams_by_order],
        document_counts=_count_documents(ngrams_by_order, words.vocabulary_size, frequencies),
        n_documents=frequencies.n_documents,
        caption_lengths=words.lengths[:n_captions],
        reference_lengths=words.lengths[n_captions:],
        caption_of_reference=np.repeat(np.arange(n_captions), reference_counts),
        reference_counts=reference_counts,
        encoded_captions=encoded_texts[:n_captions],
        encoded_references=encoded_texts[n_captions:],
    )


def _encode_words(texts: Iterable[str], known_ids: dict[str, int]) -> tuple[list[list[int]], dict[str, int]]:
    """Replace the words of each text by ids.

    Args:
        texts: the texts, whose words are separated by spaces.
        known_ids: the ids of some words. All other words receive the next free ids.

    Returns:
        The word ids of each text, and the ids of all words.
    """
    word_ids = dict(known_ids)
    encoded_texts = [[word_ids.setdefault(word, len(word_ids)) for word in text.split()] for text in texts]
    return encoded_texts, word_ids


def _count_documents(
    ngrams_by_order: Sequence[_NgramOccurrences], vocabulary_size: int, frequencies: DocumentFrequencies
) -> list[Integers]:
    """Look up the document frequencies of unigrams, bigrams, trigrams and 4-grams.

    Args:
        ngrams_by_order: the n-grams of each order from 1.
        vocabulary_size: the number of distinct words.
        frequencies: the document frequencies. Their word ids are a prefix of the word ids of the n-grams.
    """
    word_ids = np.arange(vocabulary_size)
    # ``frequency_ids`` contains the ids of n-grams in ``frequencies``, and -1 for n-grams that no document contains.
    frequency_ids = np.where(word_ids < len(frequencies.word_ids), word_ids, -1)
    document_counts = [frequencies.count_documents(frequency_ids, order=1)]
    for order, ngrams in enumerate(ngrams_by_order[1:], start=2):
        prefixes, last_words = np.divmod(ngrams.keys, max(vocabulary_size, 1))
        frequency_ids = frequencies.look_up(frequency_ids[prefixes], last_words, order)
        document_counts.append(frequencies.count_documents(frequency_ids, order))
    return document_counts


def _count_by_text(words: _WordSequence, ngrams: _NgramOccurrences, n_captions: int) -> NgramCounts:
    """Count the n-grams of each text.

    Args:
        words: the words of all texts.
        ngrams: the n-grams of the texts.
        n_captions: the number of captions. They precede the references.
    """
    # A key combines a text and an n-gram, so that each group contains the occurrences of an n-gram in a text.
    groups = group_keys(words.text_index[ngrams.starts] * ngrams.n_distinct + ngrams.ids[ngrams.starts])
    text_index, ngram_ids = np.divmod(groups.keys, ngrams.n_distinct)
    # The entries are sorted by text, so that all entries of captions precede the entries of references.
    split_index = int(np.searchsorted(text_index, n_captions))
    return NgramCounts(
        caption_index=text_index[:split_index],
        caption_ngram=ngram_ids[:split_index],
        caption_count=groups.counts[:split_index],
        reference_index=text_index[split_index:] - n_captions,
        reference_ngram=ngram_ids[split_index:],
        reference_count=groups.counts[split_index:],
        n_distinct=ngrams.n_distinct,
    )


def _to_characters(word_ids: Sequence[int]) -> str:
    """Encode each word id as one character. The code points of surrogates are skipped."""
    characters = []
    for word_id in word_ids:
        code_point = word_id + 1
        if code_point >= _FIRST_SURROGATE:
            code_point += _N_SURROGATES
        characters.append(chr(code_point))
    return "".join(characters)


def _find_shared_ngrams(counts: NgramCounts, caption_of_reference: Integers) -> tuple[Integers, Integers]:
    """Find all n-grams that a caption shares with one of its references, and return their indexes."""
    reference_keys = caption_of_reference[counts.reference_index] * counts.n_distinct + counts.reference_ngram
    caption_entries = find_indexes(counts.caption_keys, reference_keys)
    reference_entries = np.flatnonzero(caption_entries >= 0)
    return caption_entries[reference_entries], reference_entries


def bleu_statistics(captions: Captions) -> Floats:
    """Return the statistics of BLEU as an array ``(captions, 10)``.

    Two columns for each n-gram length contain the number of matching n-grams and the number of all n-grams. The last
    two columns contain the length of the caption and the length of the closest reference.
    """
    columns: list[Floats] = []
    for order, counts in enumerate(captions.counts_by_order, 1):
        n_ngrams = np.maximum(captions.caption_lengths - order + 1, 0)
        columns += [_count_matches(captions, counts), n_ngrams.astype(float)]
    columns.append(captions.caption_lengths.astype(float))
    columns.append(_find_closest_lengths(captions).astype(float))
    return np.stack(columns, axis=1)


def _count_matches(captions: Captions, counts: NgramCounts) -> Floats:
    """Count how many n-grams of each caption match a reference.

    The number of matches of an n-gram is limited to its highest count in a single reference.

    Args:
        captions: the captions and references.
        counts: the counts of n-grams of one order.
    """
    caption_entries, reference_entries = _find_shared_ngrams(counts, captions.caption_of_reference)
    max_counts = np.zeros(len(counts.caption_count), np.int64)
    np.maximum.at(max_counts, caption_entries, counts.reference_count[reference_entries])
    clipped_counts = np.minimum(counts.caption_count, max_counts)
    n_captions = len(captions.caption_lengths)
    matches: Floats = np.bincount(counts.caption_index, clipped_counts, n_captions).astype(float)
    return matches


def _find_closest_lengths(captions: Captions) -> Integers:
    """Return the reference length that is closest to each caption's length. Short references win ties."""
    distances = np.abs(captions.reference_lengths - captions.caption_lengths[captions.caption_of_reference])
    # The distance is stored in the high bits and the length in the low bits, so that ties prefer short references.
    ranks = distances * (1 << _LENGTH_BITS) + captions.reference_lengths
    lengths: Integers = np.minimum.reduceat(ranks, captions.first_references) & ((1 << _LENGTH_BITS) - 1)
    return lengths


def bleu(statistics: Floats) -> Floats:
    """Compute BLEU-1 to BLEU-4 from statistics (Papineni et al., 2002).

    Args:
        statistics: one row ``(10,)`` of :func:`bleu_statistics` per caption, or sums of such rows, ``(rows, 10)``.

    Returns:
        The scores, ``(rows, 4)``.
    """
    # The first columns alternate between the matching n-grams and all n-grams of each order.
    matches = statistics[:, 0 : 2 * ORDERS : 2]
    totals = statistics[:, 1 : 2 * ORDERS : 2]
    caption_length = statistics[:, 2 * ORDERS]
    reference_length = statistics[:, 2 * ORDERS + 1]
    precisions: Floats = (matches + _MATCH_SMOOTHING) / (totals + _TOTAL_SMOOTHING)
    geometric_means = _compute_geometric_means(precisions)
    length_ratio = (caption_length + _MATCH_SMOOTHING) / (reference_length + _TOTAL_SMOOTHING)
    log_penalty = np.minimum(1 - 1 / np.maximum(length_ratio, 1e-300), 0.0)
    brevity_penalty = apply_scalar(math.exp, log_penalty)
    scores: Floats = geometric_means * brevity_penalty[:, None]
    return scores


def _compute_geometric_means(precisions: Floats) -> Floats:
    """Return the geometric means of the first one, two, three and four n-gram precisions."""
    products = np.cumprod(precisions, axis=1).astype(float)
    means = [power(products[:, index], 1 / (index + 1)) for index in range(ORDERS)]
    return np.stack(means, axis=1)


def rouge_l(captions: Captions) -> Floats:
    """Return the ROUGE-L scores of captions (Lin, 2004) as an array ``(captions,)``.

    The score combines the highest precision and the highest recall over all references. Precision divides the length of
    the longest common subsequence by the caption's length, and recall divides it by the reference's length.
    """
    caption_lengths = captions.caption_lengths[captions.caption_of_reference]
    common = _compute_lcs_lengths(captions)
    # In pycocoevalcap, an empty caption matches an empty reference.
    common = np.where((caption_lengths == 0) & (captions.reference_lengths == 0), 1.0, common)
    precisions = common / np.maximum(caption_lengths, 1)
    recalls = common / np.maximum(captions.reference_lengths, 1)
    precision = np.maximum.reduceat(precisions, captions.first_references)
    recall = np.maximum.reduceat(recalls, captions.first_references)
    beta_squared = _BETA**2
    numerator = (1 + beta_squared) * precision * recall
    return divide(numerator, recall + beta_squared * precision, default=0.0)


def _compute_lcs_lengths(captions: Captions) -> Floats:
    """Count the words in the longest common subsequence of each reference and its caption."""
    library = require("rapidfuzz.distance", "ROUGE-L", distribution="meteor-e-captions")
    compute_similarity = library.LCSseq.similarity
    lengths = [
        compute_similarity(captions.encoded_captions[index], reference)
        for index, reference in zip(captions.caption_of_reference.tolist(), captions.encoded_references, strict=True)
    ]
    return np.array(lengths, float)


def cider(captions: Captions) -> Floats:
    """Return the CIDEr-D scores of captions (Vedantam et al., 2015) as an array ``(captions,)``.

    The score is 10 times the mean similarity of a caption to its references, averaged over n-gram lengths from 1 to 4.
    """
    length_penalty = _compute_length_penalty(captions)
    similarities = np.zeros(len(captions.reference_lengths))
    for counts, document_counts in zip(captions.counts_by_order, captions.document_counts, strict=True):
        similarities += _compute_tfidf_similarity(captions, counts, document_counts) * length_penalty
    sums = np.bincount(captions.caption_of_reference, similarities, len(captions.caption_lengths))
    scores: Floats = sums / captions.reference_counts / ORDERS * _CIDER_SCALE
    return scores


def _compute_tfidf_similarity(captions: Captions, counts: NgramCounts, document_counts: Integers) -> Floats:
    """Return the cosine similarity between the tf-idf vectors of each reference and its caption.

    The dot product limits each weight of the caption to the corresponding weight of the reference.

    Args:
        captions: the captions and references.
        counts: the counts of n-grams of one order.
        document_counts: the number of documents that contain each n-gram.
    """
    idf = math.log(captions.n_documents) - apply_scalar(math.log, np.maximum(document_counts, 1.0))
    caption_weights = counts.caption_count * idf[counts.caption_ngram]
    reference_weights = counts.reference_count * idf[counts.reference_ngram]

    n_references = len(captions.reference_lengths)
    caption_entries, reference_entries = _find_shared_ngrams(counts, captions.caption_of_reference)
    reference_index = counts.reference_index[reference_entries]
    shared_weights = reference_weights[reference_entries]
    clipped_weights = np.minimum(caption_weights[caption_entries], shared_weights)
    dot_products: Floats = np.bincount(reference_index, clipped_weights * shared_weights, n_references).astype(float)

    n_captions = len(captions.caption_lengths)
    caption_norms = np.sqrt(np.bincount(counts.caption_index, caption_weights**2, n_captions))
    reference_norms = np.sqrt(np.bincount(counts.reference_index, reference_weights**2, n_references))
    norms = caption_norms[captions.caption_of_reference] * reference_norms
    return divide(dot_products, norms, default=dot_products)


def _compute_length_penalty(captions: Captions) -> Floats:
    """Compute a Gaussian penalty from the difference in length between each reference and its caption."""
    caption_bigrams = np.maximum(captions.caption_lengths - 1, 0).astype(float)
    reference_bigrams = np.maximum(captions.reference_lengths - 1, 0).astype(float)
    difference = caption_bigrams[captions.caption_of_reference] - reference_bigrams
    return apply_scalar(math.exp, -(difference**2) / (2 * _SIGMA**2))
