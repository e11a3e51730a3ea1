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
from meteor_e_captions.arrays import Groups, divide, find_indexes, group_keys
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


class DistinctWords(NamedTuple):
    """The distinct words of several segments, sorted by segment and then by stem.

    The arrays contain one element for all words of a segment that have the same stem. The words come either from the
    caption or from all references of the segment.

    Attributes:
        segment_index: the index of the segment.
        stem_id: the id of the stem.
        word_id: the id of a word with that stem.
        weight: the information weight of the word.
        support: the number of the segment's references that contain the stem.
        has_synonym: for a caption's word, whether the references contain a synonym; for a reference's word, whether
            the caption contains a synonym.
    """

    segment_index: Integers
    stem_id: Integers
    word_id: Integers
    weight: Floats
    support: Integers
    has_synonym: Cells

    def stem_keys(self, lexicon: CaptionLexicon) -> Integers:
        """Return integers that combine the segment and the stem of each word."""
        return self.segment_index * lexicon.n_stems + self.stem_id


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


class _StemCounts(NamedTuple):
    """The distinct stems of several texts, sorted by text and then by stem.

    Attributes:
        text_index: the index of the text.
        stem_id: the id of the stem.
        word_id: the id of a word with that stem.
        weight: the information weight of the word.
        occurrences: the number of words in the text that have the stem.
    """

    text_index: Integers
    stem_id: Integers
    word_id: Integers
    weight: Floats
    occurrences: Integers


class _StemMatches(NamedTuple):
    """The distinct stems of captions and references, and the indexes that connect equal stems.

    Attributes:
        captions: the distinct stems of each caption.
        references: the distinct stems of each reference.
        caption_words: one entry per entry of ``captions``.
        reference_words: one entry per segment and stem of its references.
        word_of_reference: for each entry of ``references``, the index of its entry in ``reference_words``.
        caption_entry: for each entry of ``reference_words``, the index in ``captions`` of the same stem, or -1.
    """

    captions: _StemCounts
    references: _StemCounts
    caption_words: DistinctWords
    reference_words: DistinctWords
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
    # A key combines a segment and a stem. Stems of several references of the same segment have the same key.
    reference_keys = segment_of_reference[references.text_index] * lexicon.n_stems + references.stem_id
    reference_groups = group_keys(reference_keys)
    reference_words = _merge_references(lexicon, references, reference_groups)
    caption_words = _list_caption_words(lexicon, captions, reference_groups)
    caption_entry = find_indexes(caption_words.stem_keys(lexicon), reference_groups.keys)
    _mark_synonyms(lexicon, caption_words, reference_words, is_in_caption=caption_entry >= 0)
    return _StemMatches(
        captions=captions,
        references=references,
        caption_words=caption_words,
        reference_words=reference_words,
        word_of_reference=reference_groups.inverse,
        caption_entry=caption_entry,
    )


def _merge_references(lexicon: CaptionLexicon, references: _StemCounts, groups: Groups) -> DistinctWords:
    """Return one entry for all references of a segment that contain the same stem. No synonyms are marked yet.

    Args:
        lexicon: the lexicon of the words.
        references: the distinct stems of each reference.
        groups: the groups of these stems that have the same segment and stem.
    """
    segment_index, stem_id = np.divmod(groups.keys, lexicon.n_stems)
    return DistinctWords(
        segment_index=segment_index,
        stem_id=stem_id,
        word_id=references.word_id[groups.first],
        weight=references.weight[groups.first],
        support=groups.counts,
        has_synonym=np.zeros(len(groups.keys), bool),
    )


def _list_caption_words(lexicon: CaptionLexicon, captions: _StemCounts, reference_groups: Groups) -> DistinctWords:
    """Return the distinct stems of each caption with their support in the references. No synonyms are marked yet.

    Args:
        lexicon: the lexicon of the words.
        captions: the distinct stems of each caption.
        reference_groups: for each segment and stem, the references that contain the stem.
    """
    keys = captions.text_index * lexicon.n_stems + captions.stem_id
    return DistinctWords(
        segment_index=captions.text_index,
        stem_id=captions.stem_id,
        word_id=captions.word_id,
        weight=captions.weight,
        support=_select(reference_groups.counts, find_indexes(reference_groups.keys, keys)),
        has_synonym=np.zeros(len(keys), bool),
    )


def _count_stems(lexicon: CaptionLexicon, texts: EncodedTexts) -> _StemCounts:
    """Count how often each stem occurs in each text."""
    properties = lexicon.word_properties
    groups = group_keys(texts.text_of_word * lexicon.n_stems + properties.stem_id[texts.word_ids])
    text_index, stem_id = np.divmod(groups.keys, lexicon.n_stems)
    # Several words of a text may have the same stem. The first of them represents the stem.
    word_id = texts.word_ids[groups.first]
    return _StemCounts(
        text_index=text_index,
        stem_id=stem_id,
        word_id=word_id,
        weight=properties.weight[word_id],
        occurrences=groups.counts,
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


def _compute_overlap(matches: _StemMatches, reference_counts: Integers) -> dict[str, Floats]:
    """Compute the features ``precision``, ``recall`` and ``told`` of each caption.

    ``told`` grows with the total weight of the words that a caption shares with its references.
    """
    n_segments = len(reference_counts)
    caption_words, reference_words = matches.caption_words, matches.reference_words
    caption_ratings = _rate_caption_words(caption_words)
    reference_ratings = _rate_reference_words(matches)
    caption_segment, reference_segment = caption_words.segment_index, reference_words.segment_index
    recall_weight = reference_words.weight * reference_words.support
    shared_weight = _sum_by_group(caption_segment, caption_words.weight * caption_words.support, n_segments)
    return {
        "precision": _compute_weighted_means(caption_segment, caption_words.weight, caption_ratings, n_segments),
        "recall": _compute_weighted_means(reference_segment, recall_weight, reference_ratings, n_segments),
        "told": apply_scalar(math.log1p, shared_weight / reference_counts),
    }


def _rate_caption_words(caption_words: DistinctWords) -> Floats:
    """Rate each word of a caption: 1 if a reference contains it, 0.5 if a reference contains a synonym, 0 otherwise."""
    ratings: Floats = np.where(caption_words.support > 0, 1.0, SYNONYM * caption_words.has_synonym)
    return ratings


def _rate_reference_words(matches: _StemMatches) -> Floats:
    """Rate each reference word: 1 if the caption contains it, 0.5 if the caption contains a synonym, 0 otherwise."""
    ratings: Floats = np.where(matches.caption_entry >= 0, 1.0, SYNONYM * matches.reference_words.has_synonym)
    return ratings


def _compute_best_recall(matches: _StemMatches, reference_counts: Integers) -> Floats:
    """Compute the recall of each caption with each of its references, and return the highest value."""
    references = matches.references
    n_references = int(reference_counts.sum())
    ratings = _rate_reference_words(matches)[matches.word_of_reference]
    recalls = _compute_weighted_means(references.text_index, references.weight, ratings, n_references)
    return _find_maxima(recalls, reference_counts)


def _compute_best_cosine(matches: _StemMatches, reference_counts: Integers) -> Floats:
    """Compare the tf-idf vectors of captions and references, and return each caption's highest cosine."""
    captions, references = matches.captions, matches.references
    caption_entry = matches.caption_entry[matches.word_of_reference]
    caption_occurrences = _select(captions.occurrences, caption_entry)
    # Caption and reference may contain different words with the same stem, but both use the reference's weight.
    products = references.occurrences * caption_occurrences * references.weight**2
    n_references = int(reference_counts.sum())
    scalar_products = _sum_by_group(references.text_index, products, n_references)
    caption_norms = _compute_norms(captions, len(reference_counts))
    reference_norms = _compute_norms(references, n_references)
    cosines = divide(scalar_products, reference_norms * np.repeat(caption_norms, reference_counts))
    return _find_maxima(cosines, reference_counts)


def _compute_norms(stems: _StemCounts, n_texts: int) -> Floats:
    """Return the Euclidean norm of the tf-idf vector of each text."""
    squares = (stems.occurrences * stems.weight) ** 2
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
    kinds = lexicon.word_properties.kind[caption_words.word_id]
    ratings = _rate_caption_words(caption_words)
    precisions = {}
    for kind in _SCORED_KINDS:
        # Words of other kinds receive the weight 0.
        weights = caption_words.weight * (kinds == KINDS.index(kind))
        precisions[f"{kind} precision"] = _compute_weighted_means(
            caption_words.segment_index, weights, ratings, n_segments, default=0.5
        )
    return precisions


def _mark_synonyms(
    lexicon: CaptionLexicon, captions: DistinctWords, references: DistinctWords, *, is_in_caption: Cells
) -> None:
    """Set ``has_synonym`` of the words of a caption and of its references that are synonyms of each other.

    Words that occur in both a caption and its references are not marked. Two words are synonyms if they share a
    synset, which is a set of words with the same meaning.

    Args:
        lexicon: the lexicon of the words.
        captions: the words of captions.
        references: the words of references.
        is_in_caption: for each word of references, whether the caption contains it.
    """
    missing = np.flatnonzero(~is_in_caption)
    missing_segments, missing_ids = references.segment_index[missing], references.word_id[missing]
    # One entry for each synset of each word.
    caption_words, caption_synsets = _expand_synsets(lexicon, captions.segment_index, captions.word_id)
    missing_words, missing_synsets = _expand_synsets(lexicon, missing_segments, missing_ids)
    is_caption_shared, is_missing_shared = _find_shared_keys(caption_synsets, missing_synsets, lexicon.n_synsets)
    captions.has_synonym[caption_words[is_caption_shared]] = True
    captions.has_synonym[captions.support > 0] = False
    references.has_synonym[missing[missing_words[is_missing_shared]]] = True


def _expand_synsets(lexicon: CaptionLexicon, segment_index: Integers, word_ids: Integers) -> tuple[Integers, Integers]:
    """List the synsets of words.

    Args:
        lexicon: the lexicon of the words.
        segment_index: the index of each word's segment.
        word_ids: the ids of the words.

    Returns:
        For each synset the index of its word in ``word_ids``, and a key that combines the segment and the synset.
    """
    properties = lexicon.word_properties
    starts = properties.synset_starts[word_ids]
    ends = properties.synset_starts[word_ids + 1]
    word_of_synset, positions = _expand_ranges(starts, ends - starts)
    keys = segment_index[word_of_synset] * lexicon.n_synsets + properties.synsets[positions]
    return word_of_synset, keys


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
    is_first_shared = np.zeros(len(first_keys), bool)
    is_second_shared = np.zeros(len(second_keys), bool)
    # Segments are processed in blocks so that the lookup table fits into the processor's cache.
    block_size = max(1, _TABLE_SIZE // n_synsets) * n_synsets
    table = np.zeros(block_size, bool)
    max_key = max(first_keys.max(initial=0), second_keys.max(initial=0))
    block_starts = np.arange(0, max_key + block_size + 1, block_size)
    first_bounds = np.searchsorted(first_keys, block_starts)
    second_bounds = np.searchsorted(second_keys, block_starts)
    for block, block_start in enumerate(block_starts[:-1]):
        in_first = slice(first_bounds[block], first_bounds[block + 1])
        in_second = slice(second_bounds[block], second_bounds[block + 1])
        first_cells = first_keys[in_first] - block_start
        second_cells = second_keys[in_second] - block_start
        is_first_shared[in_first] = _contains_cells(table, second_cells, first_cells)
        is_second_shared[in_second] = _contains_cells(table, first_cells, second_cells)
    return is_first_shared, is_second_shared


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
    is_exclusive = lexicon.word_properties.is_exclusive[caption_words.word_id]
    is_candidate = is_exclusive & (caption_words.support == 0)
    candidate_segments = caption_words.segment_index[is_candidate]
    candidate_of_opposite, opposite_stems = _expand_opposites(lexicon, caption_words.word_id[is_candidate])
    # A key combines a segment and a stem.
    opposite_keys = candidate_segments[candidate_of_opposite] * lexicon.n_stems + opposite_stems
    caption_entry = find_indexes(caption_words.stem_keys(lexicon), opposite_keys)
    reference_entry = find_indexes(reference_words.stem_keys(lexicon), opposite_keys)
    # A caption that contains a word and its opposite does not contradict the references.
    is_contradiction = (reference_entry >= 0) & (caption_entry < 0)
    opposite_support = reference_words.support[reference_entry[is_contradiction]]
    max_support = np.zeros(len(candidate_segments))
    np.maximum.at(max_support, candidate_of_opposite[is_contradiction], opposite_support)
    return _sum_by_group(candidate_segments, max_support, n_segments)


def _expand_opposites(lexicon: CaptionLexicon, word_ids: Integers) -> tuple[Integers, Integers]:
    """List the opposites of all words.

    Returns:
        For each opposite the index of its word in ``word_ids``, and the id of the opposite's stem.
    """
    groups = group_keys(word_ids)
    opposites = lexicon.find_opposites(groups.keys.tolist())
    opposite_stems = np.array(list(chain.from_iterable(opposites)), np.int64)
    lengths = np.array([len(stems) for stems in opposites], np.int64)
    starts = np.cumsum(lengths) - lengths
    word_of_opposite, positions = _expand_ranges(starts[groups.inverse], lengths[groups.inverse])
    return word_of_opposite, opposite_stems[positions]


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
    logits = np.clip(detector.logits(lexicon, comparison.captions), -50, 50)
    odds_of_whole = apply_scalar(math.exp, -_BROKEN_SLOPE * (logits - _BROKEN_THRESHOLD))
    return {
        **comparison.features,
        "meteor": meteor_columns[:, -1],
        "fragmentation": -meteor_columns[:, -2],
        "whole": -1 / (1 + odds_of_whole),
    }
