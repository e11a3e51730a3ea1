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
from meteor_e.scoring.formula import FormulaScores
from meteor_e_captions.arrays import divide, find_indexes, group_pairs, max_by_group, sum_by_group, take_or_zero
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
        """Return one integer per entry, in ascending order, that encodes the text and the stem of the entry."""
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
        reference_counts: the number of references of each caption.
        caption_words, reference_words: the distinct words of the captions, and of all references of each caption.
        reference_stems: the distinct stems of each reference.
        reference_word_indexes: for each entry of ``reference_stems``, the index of the same stem in
            ``reference_words``.
        caption_word_indexes: for each entry of ``reference_words``, the index of the same stem in ``caption_words``,
            or -1.
    """

    captions: EncodedTexts
    references: EncodedTexts
    reference_counts: Integers
    caption_words: DistinctWords
    reference_words: DistinctWords
    reference_stems: StemCounts
    reference_word_indexes: Integers
    caption_word_indexes: Integers

    @property
    def n_references(self) -> int:
        """The number of all references."""
        return len(self.references.lengths)


def compare_words(
    lexicon: CaptionLexicon, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> CaptionComparison:
    """Compare the words of captions with the words of their references by stem and synonym.

    Args:
        lexicon: the lexicon that encodes the words.
        hypotheses: the captions.
        references: the references of each caption.
    """
    captions = lexicon.encode(hypotheses)
    encoded_references = lexicon.encode(list(chain.from_iterable(references)))
    reference_counts = np.array([len(texts) for texts in references], np.int64)
    caption_stems, _ = _count_stems(lexicon, captions.text_of_word, captions.word_ids)
    reference_stems, _ = _count_stems(lexicon, encoded_references.text_of_word, encoded_references.word_ids)
    # All references of a caption are merged into a single text.
    segment_of_reference = np.repeat(np.arange(len(references)), reference_counts)
    segment_of_stem = segment_of_reference[reference_stems.text_index]
    merged_stems, reference_word_indexes = _count_stems(lexicon, segment_of_stem, reference_stems.word_id)
    caption_word_indexes = find_indexes(caption_stems.keys(lexicon), merged_stems.keys(lexicon))
    caption_words, reference_words = _rate_words(lexicon, caption_stems, merged_stems, caption_word_indexes)
    return CaptionComparison(
        captions=captions,
        references=encoded_references,
        reference_counts=reference_counts,
        caption_words=caption_words,
        reference_words=reference_words,
        reference_stems=reference_stems,
        reference_word_indexes=reference_word_indexes,
        caption_word_indexes=caption_word_indexes,
    )


def _count_stems(lexicon: CaptionLexicon, text_of_word: Integers, word_ids: Integers) -> tuple[StemCounts, Integers]:
    """Count how often each stem occurs in each text.

    Args:
        lexicon: the lexicon of the words.
        text_of_word: for each word, the index of its text.
        word_ids: the ids of the words.

    Returns:
        The distinct stems of each text, and for each word, the index of its stem among them.
    """
    properties = lexicon.word_properties
    groups = group_pairs(text_of_word, properties.stem_id[word_ids])
    # Several words of a text may have the same stem. The first of them represents the stem.
    first_words = word_ids[groups.first_indexes]
    stems = StemCounts(groups.left, groups.right, first_words, properties.weight[first_words], groups.counts)
    return stems, groups.inverse


def _rate_words(
    lexicon: CaptionLexicon, captions: StemCounts, references: StemCounts, caption_word_indexes: Integers
) -> tuple[DistinctWords, DistinctWords]:
    """Count the references that contain each word, and rate the best match of each word.

    A caption's word is matched with the words of the references, and a reference word with the words of the caption.
    The rating is 1 if the stems are equal, 0.5 if the words are only synonyms, and 0 otherwise.

    Args:
        lexicon: the lexicon of the words.
        captions: the distinct stems of each caption.
        references: the distinct stems of all references of each caption.
        caption_word_indexes: for each entry of ``references``, the index of the same stem in ``captions``, or -1.
    """
    is_in_caption = caption_word_indexes >= 0
    is_missing = ~is_in_caption
    caption_has_synonym, missing_has_synonym = _find_synonyms(lexicon, captions, references.select(is_missing))

    caption_support = np.zeros(len(captions.stem_id), np.int64)
    caption_support[caption_word_indexes[is_in_caption]] = references.counts[is_in_caption]
    caption_ratings = np.where(caption_support > 0, 1.0, SYNONYM * caption_has_synonym)
    caption_words = DistinctWords(captions, caption_support, caption_ratings)

    # A reference word has the rating 1 if the caption contains the word's stem.
    reference_ratings = np.ones(len(references.stem_id))
    reference_ratings[is_missing] = SYNONYM * missing_has_synonym
    return caption_words, DistinctWords(references, references.counts, reference_ratings)


def compute_features(lexicon: CaptionLexicon, comparison: CaptionComparison) -> dict[str, Floats]:
    """Compute the features that depend on the words of captions and references. Higher values are better.

    - ``precision``: the weighted share of the caption's words that a reference contains.
    - ``recall``: the weighted share of the references' words that the caption contains. The weight of a word includes
      the number of references that contain it.
    - ``shared words``: the logarithm of the total weight of the caption's words that references contain.
    - ``best recall``: the highest recall of a single reference.
    - ``best cosine``: the highest cosine of tf-idf vectors.
    - ``object precision``, ``action precision`` and so on: the precision of words of one kind.
    - ``opposites``: the words that contradict a word of the references, as a negative number.
    - ``negation``: the difference between caption and references in whether they contain a negation, as a negative
      number.

    Args:
        lexicon: the lexicon that encoded the words.
        comparison: the result of comparing the words.

    Returns:
        The features by name, each as an array ``(captions,)``.
    """
    return {
        **_compute_overlap(comparison),
        "best recall": _compute_best_recall(comparison),
        "best cosine": _compute_best_cosine(comparison),
        **_compute_kind_precisions(lexicon, comparison.caption_words, len(comparison.reference_counts)),
        "opposites": -_count_contradictions(lexicon, comparison) / comparison.reference_counts,
        "negation": -_compare_negations(lexicon, comparison),
    }


def _compute_weighted_means(
    groups: Integers, weights: Floats, values: Floats, n_groups: int, default: float = 0.0
) -> Floats:
    """Return the weighted mean of each group, or ``default`` for a group whose weights sum to 0."""
    totals = sum_by_group(groups, weights * values, n_groups)
    return divide(totals, sum_by_group(groups, weights, n_groups), default)


def _compute_mean_ratings(words: DistinctWords, weights: Floats, n_segments: int, default: float = 0.0) -> Floats:
    """Return the weighted mean of the ratings of each segment's words, or ``default`` if the weights sum to 0."""
    return _compute_weighted_means(words.stems.text_index, weights, words.ratings, n_segments, default)


def _compute_overlap(comparison: CaptionComparison) -> dict[str, Floats]:
    """Compute the features ``precision``, ``recall`` and ``shared words`` of each caption."""
    n_segments = len(comparison.reference_counts)
    captions, references = comparison.caption_words, comparison.reference_words
    # The weight of a word is multiplied by the number of references that contain the word.
    supported_caption_weights = captions.stems.weight * captions.support
    supported_reference_weights = references.stems.weight * references.support
    shared_weight = sum_by_group(captions.stems.text_index, supported_caption_weights, n_segments)
    return {
        "precision": _compute_mean_ratings(captions, captions.stems.weight, n_segments),
        "recall": _compute_mean_ratings(references, supported_reference_weights, n_segments),
        "shared words": apply_scalar(math.log1p, shared_weight / comparison.reference_counts),
    }


def _compute_best_recall(comparison: CaptionComparison) -> Floats:
    """Compute the recall of each caption with each of its references, and return the highest value."""
    stems = comparison.reference_stems
    ratings = comparison.reference_words.ratings[comparison.reference_word_indexes]
    recalls = _compute_weighted_means(stems.text_index, stems.weight, ratings, comparison.n_references)
    return _find_maxima(recalls, comparison.reference_counts)


def _compute_best_cosine(comparison: CaptionComparison) -> Floats:
    """Compare the tf-idf vectors of captions and references, and return each caption's highest cosine."""
    captions, references = comparison.caption_words.stems, comparison.reference_stems
    reference_counts = comparison.reference_counts
    caption_indexes = comparison.caption_word_indexes[comparison.reference_word_indexes]
    caption_counts = take_or_zero(captions.counts, caption_indexes)
    # Caption and reference may contain different words with the same stem, but both use the reference's weight.
    products = references.counts * caption_counts * references.weight**2
    dot_products = sum_by_group(references.text_index, products, comparison.n_references)
    caption_norms = _compute_norms(captions, len(reference_counts))
    reference_norms = _compute_norms(references, comparison.n_references)
    cosines = divide(dot_products, reference_norms * np.repeat(caption_norms, reference_counts))
    return _find_maxima(cosines, reference_counts)


def _compute_norms(stems: StemCounts, n_texts: int) -> Floats:
    """Return the Euclidean norm of the tf-idf vector of each text."""
    squares = (stems.counts * stems.weight) ** 2
    return np.sqrt(sum_by_group(stems.text_index, squares, n_texts))


def _find_maxima(values: Floats, counts: Integers) -> Floats:
    """Return the maximum of each run of consecutive values.

    Args:
        values: the values of all runs.
        counts: the number of values in each run.
    """
    starts = np.cumsum(counts) - counts
    return np.maximum.reduceat(values, starts)


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


def _find_synonyms(lexicon: CaptionLexicon, captions: StemCounts, references: StemCounts) -> tuple[Cells, Cells]:
    """Find the words of captions that have a synonym in the references, and vice versa.

    Two words are synonyms if they share a synset, which is a set of words with the same meaning.

    Returns:
        For each entry of ``captions``, whether the references of the same segment contain a synonym, and for each entry
        of ``references``, whether the caption contains a synonym.
    """
    caption_synsets = _expand_synsets(lexicon, captions)
    reference_synsets = _expand_synsets(lexicon, references)
    is_caption_shared, is_reference_shared = _find_shared_keys(
        caption_synsets.keys, reference_synsets.keys, lexicon.n_synsets
    )
    caption_has_synonym = _make_mask(caption_synsets.word_index[is_caption_shared], len(captions.word_id))
    reference_has_synonym = _make_mask(reference_synsets.word_index[is_reference_shared], len(references.word_id))
    return caption_has_synonym, reference_has_synonym


def _make_mask(indexes: Integers, size: int) -> Cells:
    """Return an array that is true at the given indexes, and false everywhere else."""
    mask = np.zeros(size, bool)
    mask[indexes] = True
    return mask


class _WordKeys(NamedTuple):
    """Pairs of a word and one of its synsets, or of a word and one of its opposites.

    Attributes:
        word_index: the index of the word.
        keys: an integer that combines the segment of the word with the id of the synset, or with the id of the
            opposite's stem as in :meth:`StemCounts.keys`.
    """

    word_index: Integers
    keys: Integers


def _expand_synsets(lexicon: CaptionLexicon, words: StemCounts) -> _WordKeys:
    """List the synsets of words."""
    synsets = lexicon.synsets
    starts = synsets.starts[words.word_id]
    ends = synsets.starts[words.word_id + 1]
    word_index, positions = _expand_ranges(starts, ends - starts)
    keys = words.text_index[word_index] * lexicon.n_synsets + synsets.ids[positions]
    return _WordKeys(word_index, keys)


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
    # The lookup table has one entry per possible key of a block of segments, and fits into the processor's cache.
    # Using one table for all blocks is faster than ``np.isin``, which sorts the keys or allocates a table per call.
    block_size = max(1, _TABLE_SIZE // n_synsets) * n_synsets
    max_key = max(first_keys.max(initial=0), second_keys.max(initial=0))
    block_starts = np.arange(0, max_key + 1, block_size)
    first_blocks = _split_into_blocks(first_keys, block_starts)
    second_blocks = _split_into_blocks(second_keys, block_starts)
    table = np.zeros(block_size, bool)
    is_first_shared = []
    is_second_shared = []
    for first_offsets, second_offsets in zip(first_blocks, second_blocks, strict=True):
        is_first_shared.append(_are_members(first_offsets, second_offsets, table))
        is_second_shared.append(_are_members(second_offsets, first_offsets, table))
    return np.concatenate(is_first_shared), np.concatenate(is_second_shared)


def _split_into_blocks(keys: Integers, block_starts: Integers) -> list[Integers]:
    """Split sorted keys into blocks, and return the offsets of each block's keys from the start of the block.

    Args:
        keys: the keys, sorted by block.
        block_starts: the lowest possible key of each block. The first block starts at 0.
    """
    blocks = np.split(keys, np.searchsorted(keys, block_starts[1:]))
    return [block - start for block, start in zip(blocks, block_starts, strict=True)]


def _are_members(values: Integers, members: Integers, table: Cells) -> Cells:
    """Return, for each value, whether it is one of the given members.

    Args:
        values, members: integers from 0 that are less than the size of the table.
        table: a lookup table that contains only False. The table is restored after its use.
    """
    table[members] = True
    is_member = table[values]
    table[members] = False
    return is_member


def _count_contradictions(lexicon: CaptionLexicon, comparison: CaptionComparison) -> Floats:
    """Count how often the references of each segment contradict a word of the caption.

    A reference contradicts a word if it contains the word's opposite. If a word has several opposites, only the most
    frequent one is counted.
    """
    captions = comparison.caption_words
    is_exclusive = lexicon.word_properties.is_exclusive[captions.stems.word_id]
    is_unsupported = captions.support == 0
    candidates = captions.stems.select(is_exclusive & is_unsupported)
    opposites = _expand_opposites(lexicon, candidates)
    opposite_support = _compute_opposite_support(lexicon, comparison, opposites.keys)
    contradictions = max_by_group(opposites.word_index, opposite_support, len(candidates.word_id))
    return sum_by_group(candidates.text_index, contradictions, len(comparison.reference_counts))


def _compute_opposite_support(
    lexicon: CaptionLexicon, comparison: CaptionComparison, opposite_keys: Integers
) -> Integers:
    """For each opposite of a word in a caption, return the number of references that contain this opposite.

    The number is 0 if the caption itself contains the opposite. For example, a caption that mentions both a man and a
    woman does not contradict a reference that mentions a woman.
    """
    caption_indexes = find_indexes(comparison.caption_words.stems.keys(lexicon), opposite_keys)
    reference_indexes = find_indexes(comparison.reference_words.stems.keys(lexicon), opposite_keys)
    support = take_or_zero(comparison.reference_words.support, reference_indexes)
    return np.where(caption_indexes < 0, support, 0)


def _expand_opposites(lexicon: CaptionLexicon, words: StemCounts) -> _WordKeys:
    """List the opposites of words."""
    word_ids, inverse = np.unique(words.word_id, return_inverse=True)
    stem_ids_by_word = lexicon.find_opposites(word_ids.tolist())
    stem_ids = np.array(list(chain.from_iterable(stem_ids_by_word)), np.int64)
    lengths = np.array([len(word_stem_ids) for word_stem_ids in stem_ids_by_word], np.int64)
    starts = np.cumsum(lengths) - lengths
    word_index, positions = _expand_ranges(starts[inverse], lengths[inverse])
    keys = words.text_index[word_index] * lexicon.n_stems + stem_ids[positions]
    return _WordKeys(word_index, keys)


def _compare_negations(lexicon: CaptionLexicon, comparison: CaptionComparison) -> Floats:
    """Measure how much each caption and its references differ in their use of negation.

    If a caption contains a negation, the result is the fraction of its references that do not contain a negation.
    Otherwise, the result is the fraction of its references that contain a negation.
    """
    reference_counts = comparison.reference_counts
    n_segments = len(reference_counts)
    segment_of_reference = np.repeat(np.arange(n_segments), reference_counts)
    reference_negations = _contains_negation(lexicon, comparison.references).astype(float)
    negation_shares = sum_by_group(segment_of_reference, reference_negations, n_segments) / reference_counts
    return np.abs(_contains_negation(lexicon, comparison.captions) - negation_shares)


def _contains_negation(lexicon: CaptionLexicon, texts: EncodedTexts) -> Cells:
    """Determine which texts contain a negation."""
    is_negation = lexicon.word_properties.is_negation[texts.word_ids]
    return _make_mask(texts.text_of_word[is_negation], len(texts.lengths))


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

    The features are those of :func:`compute_features`, ``meteor``, ``fragmentation`` and ``completeness``. ``meteor``
    is the METEOR score with the best reference, and ``fragmentation`` is its fragmentation penalty as a negative
    number. ``completeness`` ranges from -1 for a caption that is certainly broken to 0. Higher values are better.

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
    meteor_rows = meteor.rows(comparison.captions.normalized, normalized_references)
    score_columns = np.nan_to_num(meteor_rows.arrays().scores).T
    scores_by_name = dict(zip(FormulaScores._fields, score_columns, strict=True))
    logits = detector.logits(lexicon, comparison.captions)
    return {
        **compute_features(lexicon, comparison),
        "meteor": scores_by_name["score"],
        "fragmentation": -scores_by_name["fragmentation_penalty"],
        "completeness": -_compute_broken_penalty(logits),
    }


def _compute_broken_penalty(logits: Floats) -> Floats:
    """Convert the logits of the broken-caption detector to penalties from 0 to 1 with a logistic function."""
    # The limits prevent an overflow of the exponential function.
    limited_logits = np.clip(logits, -50, 50)
    exponentials = apply_scalar(math.exp, -_BROKEN_SLOPE * (limited_logits - _BROKEN_THRESHOLD))
    return 1 / (1 + exponentials)
