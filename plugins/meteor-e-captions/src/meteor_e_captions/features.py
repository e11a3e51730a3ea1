"""Computes features that compare each caption with its references."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e.base.array_cache import Floats
from meteor_e.scoring.arrays import apply_scalar
from meteor_e_captions.arrays import divide, find_indexes, group_pairs
from meteor_e_captions.lexicon import KINDS
from meteor_e_captions.segmenter import split_by_lengths

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e.base.array_cache import Cells, Integers
    from meteor_e_captions.broken import BrokenDetector
    from meteor_e_captions.lexicon import CaptionLexicon, EncodedTexts

_SCORED_KINDS = ("object", "action", "number", "color")
SYNONYM = 0.5
"""The rating of a word that matches only a synonym."""


class StemCounts(NamedTuple):
    """The distinct stems of several texts, sorted by text and then by stem.

    Attributes:
        text_index: the index of the text. All references of a caption can form a single text.
        stem_id: the id of the stem.
        word_id: the id of a word with that stem.
        weight: the information weight of the word.
        counts: the number of words in the text that have the stem. If several references form a single text, the
            number of references that contain the stem.
    """

    text_index: Integers
    stem_id: Integers
    word_id: Integers
    weight: Floats
    counts: Integers

    def keys(self, lexicon: CaptionLexicon) -> Integers:
        """Return sorted integers that combine the text and the stem."""
        return self.text_index * lexicon.n_stems + self.stem_id

    def select(self, mask: Cells) -> StemCounts:
        """Return the entries at which a Boolean array is true."""
        return StemCounts._make(column[mask] for column in self)


class DistinctWords(NamedTuple):
    """The distinct words of several segments. The words come either from the caption or from all of its references.

    Attributes:
        stems: the stems of the words. The index of a segment is its ``text_index``.
        support: for each word, the number of the segment's references that contain its stem.
        ratings: for a caption's word, 1 if a reference contains its stem, 0.5 if a reference contains a synonym, and 0
            otherwise; for a reference's word, the same with the caption instead of the references.
    """

    stems: StemCounts
    support: Integers
    ratings: Floats


@dataclass(frozen=True)
class CaptionComparison:
    """The result of comparing the words of captions with the words of their references.

    Attributes:
        captions, references: all words of the captions, and all words of the references.
        caption_words, reference_words: the distinct words of the captions, and of all references of each caption.
        features: values by name; higher values are better.

            - ``precision``: the weighted share of the caption's words that a reference contains.
            - ``recall``: the weighted share of the references' words that the caption contains. The weight of a word
              includes the number of references that contain it.
            - ``told``: the total weight of the caption's words that references contain.
            - ``best recall``: the highest recall of a single reference.
            - ``best cosine``: the highest cosine of tf-idf vectors.
            - ``object precision``, ``action precision`` and so on: the precision of words of one kind.
            - ``opposites``: the words that contradict a word of the references, as a negative number.
            - ``negation``: the difference between caption and references in whether they contain a negation, as a
              negative number.
    """

    captions: EncodedTexts
    references: EncodedTexts
    caption_words: DistinctWords
    reference_words: DistinctWords
    features: dict[str, Floats]


class _StemMatches(NamedTuple):
    """The distinct stems of captions and references, and the indexes that connect equal stems.

    Attributes:
        caption_words: the distinct stems of each caption.
        reference_words: the distinct stems of all references of each caption.
        references: the distinct stems of each reference.
        word_of_reference: for each entry of ``references``, the index of its entry in ``reference_words``.
        caption_entry: for each entry of ``reference_words``, the index of the same stem in ``caption_words``, or -1.
    """

    caption_words: DistinctWords
    reference_words: DistinctWords
    references: StemCounts
    word_of_reference: Integers
    caption_entry: Integers


def compare_words(
    lexicon: CaptionLexicon, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> CaptionComparison:
    """Compare the words of captions with the words of their references by stem and synonym.

    Args:
        lexicon: the lexicon that encodes the words.
        hypotheses: the captions.
        references: the references of each caption.
    """
    caption_texts = lexicon.encode(hypotheses)
    reference_texts = lexicon.encode(list(chain.from_iterable(references)))
    reference_counts = np.array([len(texts) for texts in references], np.int64)
    matches = _match_stems(lexicon, caption_texts, reference_texts, reference_counts)
    caption_words, reference_words = matches.caption_words, matches.reference_words
    contradictions = _count_contradictions(lexicon, caption_words, reference_words, len(references))
    negation_differences = _compare_negations(lexicon, caption_texts, reference_texts, reference_counts)
    features = {
        **_compute_overlap(matches, reference_counts),
        "best recall": _compute_best_recall(matches, reference_counts),
        "best cosine": _compute_best_cosine(matches, reference_counts),
        **_compute_kind_precisions(lexicon, caption_words, len(references)),
        "opposites": -contradictions / reference_counts,
        "negation": -negation_differences,
    }
    return CaptionComparison(caption_texts, reference_texts, caption_words, reference_words, features)


def _match_stems(
    lexicon: CaptionLexicon,
    caption_texts: EncodedTexts,
    reference_texts: EncodedTexts,
    reference_counts: Integers,
) -> _StemMatches:
    """Find the stems and synonyms that captions and their references have in common.

    Args:
        lexicon: the lexicon of the words.
        caption_texts: the captions.
        reference_texts: the references of all captions.
        reference_counts: the number of references of each caption.
    """
    captions = _count_stems(lexicon, caption_texts)
    references = _count_stems(lexicon, reference_texts)
    segment_of_reference = np.repeat(np.arange(len(reference_counts)), reference_counts)
    groups = group_pairs(segment_of_reference[references.text_index], references.stem_id)
    merged_references = StemCounts(
        text_index=groups.left,
        stem_id=groups.right,
        word_id=references.word_id[groups.first],
        weight=references.weight[groups.first],
        counts=groups.counts,
    )
    caption_entry = find_indexes(captions.keys(lexicon), merged_references.keys(lexicon))
    caption_words, reference_words = _rate_words(lexicon, captions, merged_references, caption_entry)
    return _StemMatches(caption_words, reference_words, references, groups.inverse, caption_entry)


def _rate_words(
    lexicon: CaptionLexicon, captions: StemCounts, references: StemCounts, caption_entry: Integers
) -> tuple[DistinctWords, DistinctWords]:
    """Return the words of captions and the words of their references with support and ratings.

    Args:
        lexicon: the lexicon of the words.
        captions: the distinct stems of each caption.
        references: the distinct stems of all references of each caption.
        caption_entry: for each entry of ``references``, the index of the same stem in ``captions``, or -1.
    """
    is_shared = caption_entry >= 0
    shared_captions = caption_entry[is_shared]  # the entries of captions whose stems the references contain
    support = np.zeros(len(captions.stem_id), np.int64)
    support[shared_captions] = references.counts[is_shared]
    caption_ratings, missing_ratings = _rate_synonyms(lexicon, captions, references.select(~is_shared))
    caption_ratings[shared_captions] = 1
    reference_ratings = np.ones(len(references.stem_id))
    reference_ratings[~is_shared] = missing_ratings
    return (
        DistinctWords(captions, support, caption_ratings),
        DistinctWords(references, references.counts, reference_ratings),
    )


def _count_stems(lexicon: CaptionLexicon, texts: EncodedTexts) -> StemCounts:
    """Count how often each stem occurs in each text."""
    properties = lexicon.word_properties
    groups = group_pairs(texts.text_of_word, properties.stem_id[texts.word_ids])
    # Several words of a text may have the same stem. The first of them represents the stem.
    word_id = texts.word_ids[groups.first]
    return StemCounts(
        text_index=groups.left,
        stem_id=groups.right,
        word_id=word_id,
        weight=properties.weight[word_id],
        counts=groups.counts,
    )


def _select(values: Integers, indexes: Integers) -> Integers:
    """Select values by their indexes. The index -1 selects the value 0."""
    selected = np.zeros(len(indexes), np.int64)
    is_valid = indexes >= 0
    selected[is_valid] = values[indexes[is_valid]]
    return selected


def _sum_by_group(groups: Integers, values: Floats, n_groups: int) -> Floats:
    """Return the sum of the values in each group.

    Args:
        groups: for each value, the index of its group.
        values: the values.
        n_groups: the number of groups.
    """
    sums: Floats = np.bincount(groups, values, n_groups).astype(float)
    return sums


def _compute_weighted_means(
    groups: Integers, weights: Floats, values: Floats, n_groups: int, default: float = 0.0
) -> Floats:
    """Return the weighted mean of each group, or ``default`` for a group whose weights sum to 0."""
    totals = _sum_by_group(groups, weights * values, n_groups)
    return divide(totals, _sum_by_group(groups, weights, n_groups), default)


def _compute_mean_ratings(words: DistinctWords, weights: Floats, n_segments: int, default: float = 0.0) -> Floats:
    """Return the weighted mean of the ratings of each segment's words, or ``default`` if the weights sum to 0."""
    return _compute_weighted_means(words.stems.text_index, weights, words.ratings, n_segments, default)


def _compute_overlap(matches: _StemMatches, reference_counts: Integers) -> dict[str, Floats]:
    """Compute the features ``precision``, ``recall`` and ``told`` of each caption.

    ``told`` grows with the total weight of the words that a caption shares with its references.
    """
    n_segments = len(reference_counts)
    captions, references = matches.caption_words, matches.reference_words
    shared_weights = captions.stems.weight * captions.support
    total_shared_weight = _sum_by_group(captions.stems.text_index, shared_weights, n_segments)
    return {
        "precision": _compute_mean_ratings(captions, captions.stems.weight, n_segments),
        "recall": _compute_mean_ratings(references, references.stems.weight * references.support, n_segments),
        "told": apply_scalar(math.log1p, total_shared_weight / reference_counts),
    }


def _compute_best_recall(matches: _StemMatches, reference_counts: Integers) -> Floats:
    """Compute the recall of each caption with each of its references, and return the highest value."""
    references = matches.references
    n_references = int(reference_counts.sum())
    ratings = matches.reference_words.ratings[matches.word_of_reference]
    recalls = _compute_weighted_means(references.text_index, references.weight, ratings, n_references)
    return _find_maxima(recalls, reference_counts)


def _compute_best_cosine(matches: _StemMatches, reference_counts: Integers) -> Floats:
    """Compare the tf-idf vectors of captions and references, and return each caption's highest cosine."""
    captions, references = matches.caption_words.stems, matches.references
    caption_counts = _select(captions.counts, matches.caption_entry[matches.word_of_reference])
    # Caption and reference may contain different words with the same stem, but both use the reference's weight.
    products = references.counts * caption_counts * references.weight**2
    n_references = int(reference_counts.sum())
    dot_products = _sum_by_group(references.text_index, products, n_references)
    caption_norms = _compute_norms(captions, len(reference_counts))
    reference_norms = _compute_norms(references, n_references)
    cosines = divide(dot_products, reference_norms * np.repeat(caption_norms, reference_counts))
    return _find_maxima(cosines, reference_counts)


def _compute_norms(stems: StemCounts, n_texts: int) -> Floats:
    """Return the Euclidean norm of the tf-idf vector of each text."""
    squares = (stems.counts * stems.weight) ** 2
    norms: Floats = np.sqrt(_sum_by_group(stems.text_index, squares, n_texts))
    return norms


def _find_maxima(values: Floats, counts: Integers) -> Floats:
    """Return the maximum of each run of consecutive values.

    Args:
        values: the values of all runs.
        counts: the number of values in each run.
    """
    starts = np.cumsum(counts) - counts
    maxima: Floats = np.maximum.reduceat(values, starts)
    return maxima


def _compute_kind_precisions(
    lexicon: CaptionLexicon, caption_words: DistinctWords, n_segments: int
) -> dict[str, Floats]:
    """Compute the precision of each caption separately for objects, actions, numbers and colors.

    A caption without any words of a kind receives the precision 0.5 for this kind.
    """
    kinds = lexicon.word_properties.kind[caption_words.stems.word_id]
    precisions = {}
    for kind in _SCORED_KINDS:
        # Words of other kinds receive the weight 0.
        weights = caption_words.stems.weight * (kinds == KINDS.index(kind))
        precisions[f"{kind} precision"] = _compute_mean_ratings(caption_words, weights, n_segments, default=0.5)
    return precisions


def _rate_synonyms(lexicon: CaptionLexicon, captions: StemCounts, references: StemCounts) -> tuple[Floats, Floats]:
    """Rate each word of a caption by whether the references contain a synonym, and vice versa.

    Two words are synonyms if they share a synset, which is a set of words with the same meaning.

    Returns:
        For each entry of ``captions`` and for each entry of ``references``, 0.5 if it has a synonym, and 0 otherwise.
    """
    caption_synsets = _expand_synsets(lexicon, captions)
    reference_synsets = _expand_synsets(lexicon, references)
    is_caption_shared, is_reference_shared = _find_shared_keys(
        caption_synsets.keys, reference_synsets.keys, lexicon.n_synsets
    )
    caption_ratings = np.zeros(len(captions.word_id))
    caption_ratings[caption_synsets.word_index[is_caption_shared]] = SYNONYM
    reference_ratings = np.zeros(len(references.word_id))
    reference_ratings[reference_synsets.word_index[is_reference_shared]] = SYNONYM
    return caption_ratings, reference_ratings


class _WordSynsets(NamedTuple):
    """The synsets of words. There is one entry for each synset of each word.

    Attributes:
        word_index: the index of the word.
        keys: an integer that combines the segment of the word and the id of the synset.
    """

    word_index: Integers
    keys: Integers


def _expand_synsets(lexicon: CaptionLexicon, words: StemCounts) -> _WordSynsets:
    """List the synsets of words."""
    synsets = lexicon.synsets
    starts = synsets.starts[words.word_id]
    ends = synsets.starts[words.word_id + 1]
    word_index, positions = _expand_ranges(starts, ends - starts)
    keys = words.text_index[word_index] * lexicon.n_synsets + synsets.ids[positions]
    return _WordSynsets(word_index, keys)


def _expand_ranges(starts: Integers, lengths: Integers) -> tuple[Integers, Integers]:
    """List all integers of several ranges.

    Returns:
        For each element the index of its range, and the element.
    """
    indexes = np.repeat(np.arange(len(lengths)), lengths)
    offsets = np.arange(len(indexes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return indexes, starts[indexes] + offsets


_TABLE_SIZE = 1 << 18
"""The size of the lookup table in :func:`_find_shared_keys`, in entries."""


def _find_shared_keys(first_keys: Integers, second_keys: Integers, n_synsets: int) -> tuple[Cells, Cells]:
    """Find the keys that two arrays have in common.

    Args:
        first_keys, second_keys: keys that combine a segment and a synset, sorted by segment.
        n_synsets: the number of synsets.

    Returns:
        For each key of the first array, whether the second array contains it, and vice versa.
    """
    # Segments are processed in blocks, so that the lookup table fits into the processor's cache. This is many times as
    # fast as ``np.isin``, which sorts the keys.
    block_size = max(1, _TABLE_SIZE // n_synsets) * n_synsets
    table = np.zeros(block_size, bool)
    max_key = max(first_keys.max(initial=0), second_keys.max(initial=0))
    block_starts = np.arange(0, max_key + 1, block_size)
    first_blocks = np.split(first_keys, np.searchsorted(first_keys, block_starts[1:]))
    second_blocks = np.split(second_keys, np.searchsorted(second_keys, block_starts[1:]))
    is_first_shared = []
    is_second_shared = []
    for start, first_block, second_block in zip(block_starts, first_blocks, second_blocks, strict=True):
        first_cells = first_block - start
        second_cells = second_block - start
        is_first_shared.append(_contains_cells(table, second_cells, first_cells))
        is_second_shared.append(_contains_cells(table, first_cells, second_cells))
    return np.concatenate(is_first_shared), np.concatenate(is_second_shared)


def _contains_cells(table: Cells, marked_cells: Integers, cells: Integers) -> Cells:
    """Determine which cells of a lookup table are marked.

    Args:
        table: a lookup table that contains only False. The table is restored after its use.
        marked_cells: the indexes of the cells to mark in the table.
        cells: the indexes of the cells to look up.
    """
    table[marked_cells] = True
    is_marked = table[cells]
    table[marked_cells] = False
    return is_marked


def _count_contradictions(
    lexicon: CaptionLexicon, caption_words: DistinctWords, reference_words: DistinctWords, n_segments: int
) -> Floats:
    """Count how often the references of each segment contradict a word of the caption.

    A reference contradicts a word if it contains the word's opposite. If a word has several opposites, only the most
    frequent one is counted.
    """
    is_exclusive = lexicon.word_properties.is_exclusive[caption_words.stems.word_id]
    candidates = caption_words.stems.select(is_exclusive & (caption_words.support == 0))
    opposites = _expand_opposites(lexicon, candidates)
    opposite_keys = opposites.keys(lexicon)
    reference_entry = find_indexes(reference_words.stems.keys(lexicon), opposite_keys)
    opposite_support = _select(reference_words.support, reference_entry)
    # A caption that contains a word and its opposite does not contradict the references.
    is_in_caption = find_indexes(caption_words.stems.keys(lexicon), opposite_keys) >= 0
    opposite_support[is_in_caption] = 0
    max_support = np.zeros(len(candidates.word_id))
    np.maximum.at(max_support, opposites.word_index, opposite_support)
    return _sum_by_group(candidates.text_index, max_support, n_segments)


class _Opposites(NamedTuple):
    """The opposites of words. There is one entry for each opposite of each word.

    Attributes:
        word_index: the index of the word.
        text_index: the index of the word's segment.
        stem_id: the id of the opposite's stem.
    """

    word_index: Integers
    text_index: Integers
    stem_id: Integers

    def keys(self, lexicon: CaptionLexicon) -> Integers:
        """Return integers that combine the segment and the stem; see :meth:`StemCounts.keys`."""
        return self.text_index * lexicon.n_stems + self.stem_id


def _expand_opposites(lexicon: CaptionLexicon, words: StemCounts) -> _Opposites:
    """List the opposites of words."""
    word_ids, inverse = np.unique(words.word_id, return_inverse=True)
    stem_ids_by_word = lexicon.find_opposites(word_ids.tolist())
    stem_ids = np.array(list(chain.from_iterable(stem_ids_by_word)), np.int64)
    lengths = np.array([len(word_stem_ids) for word_stem_ids in stem_ids_by_word], np.int64)
    starts = np.cumsum(lengths) - lengths
    word_index, positions = _expand_ranges(starts[inverse], lengths[inverse])
    return _Opposites(word_index, words.text_index[word_index], stem_ids[positions])


def _compare_negations(
    lexicon: CaptionLexicon, captions: EncodedTexts, references: EncodedTexts, reference_counts: Integers
) -> Floats:
    """Measure how much each caption and its references differ in their use of negation.

    If a caption contains a negation, the result is the share of its references without a negation. Otherwise, the
    result is the share of its references with a negation.
    """
    n_segments = len(reference_counts)
    segment_of_reference = np.repeat(np.arange(n_segments), reference_counts)
    caption_negations = _contains_negation(lexicon, captions)
    reference_negations = _contains_negation(lexicon, references)
    negation_shares = _sum_by_group(segment_of_reference, reference_negations, n_segments) / reference_counts
    differences: Floats = np.abs(caption_negations - negation_shares)
    return differences


def _contains_negation(lexicon: CaptionLexicon, texts: EncodedTexts) -> Floats:
    """Return 1 for each text that contains a negation, and 0 for all other texts."""
    is_negation = lexicon.word_properties.is_negation[texts.word_ids]
    contains_negation = np.zeros(len(texts.lengths))
    contains_negation[texts.text_of_word[is_negation]] = 1
    return contains_negation


_BROKEN_SLOPE, _BROKEN_THRESHOLD = 1.5, 2.5
"""The slope and the midpoint of the penalty for broken captions. 4 of 1,000 human captions have a logit above 2.5."""


def light_features(
    meteor: Meteor,
    lexicon: CaptionLexicon,
    detector: BrokenDetector,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> dict[str, Floats]:
    """Return all features of captions that do not require a sentence encoder.

    The features are those of :class:`CaptionComparison`, ``meteor``, ``fragmentation`` and ``whole``. ``meteor`` is the
    METEOR score with the best reference, and ``fragmentation`` is its fragmentation penalty as a negative number.
    ``whole`` ranges from -1 for a caption that is certainly broken to 0. Higher values are better.

    Args:
        meteor: the metric METEOR.
        lexicon: the lexicon that encodes the words.
        detector: the detector of broken captions.
        hypotheses: the captions.
        references: the references of each caption.

    Returns:
        The features by name, each as an array ``(captions,)``.
    """
    comparison = compare_words(lexicon, hypotheses, references)
    # Punctuation is removed, because METEOR counts it as words, and only some data sets contain it.
    normalized_references = split_by_lengths(comparison.references.normalized, [len(texts) for texts in references])
    rows = meteor.rows(comparison.captions.normalized, normalized_references)
    # The last two columns are the fragmentation penalty and the score.
    meteor_columns = np.nan_to_num(rows.arrays().scores)
    logits = detector.logits(lexicon, comparison.captions)
    return {
        **comparison.features,
        "meteor": meteor_columns[:, -1],
        "fragmentation": -meteor_columns[:, -2],
        "whole": -_compute_broken_penalty(logits),
    }


def _compute_broken_penalty(logits: Floats) -> Floats:
    """Map the logits of the detector of broken captions to penalties from 0 to 1 by a logistic function."""
    # The limits prevent an overflow of the exponential function.
    limited_logits = np.clip(logits, -50, 50)
    exponentials = apply_scalar(math.exp, -_BROKEN_SLOPE * (limited_logits - _BROKEN_THRESHOLD))
    return 1 / (1 + exponentials)
