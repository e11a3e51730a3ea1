"""Features of captions. They depend on a caption and its own references only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e.base.array_cache import Floats
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.scoring.arrays import apply_scalar
from meteor_e_captions.grouping import group
from meteor_e_captions.lexicon import KINDS, split

if TYPE_CHECKING:
    from meteor_e_vectors.contextual import Encoder
    from numpy.typing import NDArray

    from meteor_e import Meteor
    from meteor_e.base.array_cache import Integers
    from meteor_e_captions.broken import BrokenDetector
    from meteor_e_captions.lexicon import CaptionLexicon, EncodedCaptions

_SCORED_KINDS = ("object", "action", "number", "color")
SYNONYM = 0.5
"""Weight of a word that only a synonym matches."""


class DistinctWords(NamedTuple):
    """The words of captions, or of all references of each segment: one entry per segment and stem, sorted by both.

    Attributes:
        segment: the index of the segment.
        stem: the id of the stem.
        word: the id of a word with that stem.
        support: the number of the segment's references that contain the stem.
        has_synonym: for a caption's word, whether the references contain a synonym; for a reference's word, whether
            the caption does.
    """

    segment: Integers
    stem: Integers
    word: Integers
    support: Integers
    has_synonym: NDArray[np.bool_]


@dataclass(frozen=True)
class CaptionComparison:
    """The words of captions compared with those of their references.

    Attributes:
        captions, references: all words of the captions, and of all references.
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

    captions: EncodedCaptions
    references: EncodedCaptions
    caption_words: DistinctWords
    reference_words: DistinctWords
    features: dict[str, Floats]


class _StemCounts(NamedTuple):
    """The distinct stems of texts: one entry per text and stem, sorted by both.

    Attributes:
        text: the index of the text.
        stem: the id of the stem.
        word: the id of a word with that stem.
        occurrences: the number of words in the text that have the stem.
    """

    text: Integers
    stem: Integers
    word: Integers
    occurrences: Integers


class _StemMatches(NamedTuple):
    """The distinct stems of captions and references, and which of them are equal.

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
    """Compare the words of captions and references by stem and synonym."""
    captions = lexicon.encode(hypotheses)
    reference_texts = lexicon.encode(list(chain.from_iterable(references)))
    reference_counts = np.array([len(texts) for texts in references])
    segment_of_reference = np.repeat(np.arange(len(references)), reference_counts)
    matches = _match_stems(lexicon, captions, reference_texts, segment_of_reference)
    contradictions = _sum_opposites(lexicon, matches.caption_words, matches.reference_words, len(references))
    negations = _compare_negations(lexicon, captions, reference_texts, segment_of_reference, reference_counts)
    features = {
        **_compute_overlap(lexicon, matches, reference_counts),
        **_compute_best_reference(lexicon, matches, reference_counts),
        **_compute_kind_precisions(lexicon, matches.caption_words, len(references)),
        "opposites": -contradictions / reference_counts,
        "negation": -negations,
    }
    return CaptionComparison(captions, reference_texts, matches.caption_words, matches.reference_words, features)


def _match_stems(
    lexicon: CaptionLexicon,
    caption_texts: EncodedCaptions,
    reference_texts: EncodedCaptions,
    segment_of_reference: Integers,
) -> _StemMatches:
    """Find the stems and synonyms that captions and their references have in common."""
    captions, references = _count_stems(lexicon, caption_texts), _count_stems(lexicon, reference_texts)
    n_stems = lexicon.sizes[0]
    segment_of_entry = segment_of_reference[references.text] if len(references.text) else references.text
    keys, first, support, word_of_reference = group(segment_of_entry * n_stems + references.stem)
    segment, stem = np.divmod(keys, n_stems)
    word = references.word[first]
    # For each stem of a caption its entry among the references' stems, and the reverse.
    reference_entry = _find(keys, captions.text * n_stems + captions.stem)
    is_supported = reference_entry >= 0
    caption_entry = np.full(len(keys), -1)
    caption_entry[reference_entry[is_supported]] = np.flatnonzero(is_supported)
    caption_support = np.where(is_supported, support[reference_entry] if len(support) else 0, 0)
    is_missing = caption_entry < 0
    caption_synonyms, missing_synonyms = _match_synonyms(
        lexicon, captions.text, captions.word, segment[is_missing], word[is_missing]
    )
    reference_synonyms = np.zeros(len(keys), bool)
    reference_synonyms[is_missing] = missing_synonyms
    return _StemMatches(
        captions,
        references,
        DistinctWords(
            captions.text, captions.stem, captions.word, caption_support, caption_synonyms & (caption_support == 0)
        ),
        DistinctWords(segment, stem, word, support, reference_synonyms),
        word_of_reference,
        caption_entry,
    )


def _count_stems(lexicon: CaptionLexicon, texts: EncodedCaptions) -> _StemCounts:
    n_stems = lexicon.sizes[0]
    keys, first, counts, _ = group(texts.caption_index * n_stems + lexicon.columns.stem[texts.word_ids])
    text, stem = np.divmod(keys, n_stems)
    return _StemCounts(text, stem, texts.word_ids[first], counts)


def _sum_by_group(groups: Integers, values: Floats, n_groups: int) -> Floats:
    sums: Floats = np.bincount(groups, values, n_groups).astype(float)
    return sums


def _divide(numerator: Floats, denominator: Floats, default: float = 0.0) -> Floats:
    """Divide element by element; if the denominator is 0, the result is ``default``."""
    result: Floats = np.where(denominator > 0, numerator / np.where(denominator > 0, denominator, 1), default)
    return result


def _compute_overlap(lexicon: CaptionLexicon, matches: _StemMatches, reference_counts: Integers) -> dict[str, Floats]:
    """Return precision, recall, and the weight of what the references support, per segment."""
    caption_words, reference_words = matches.caption_words, matches.reference_words
    caption_weight = lexicon.columns.weight[caption_words.word]
    reference_weight = lexicon.columns.weight[reference_words.word]
    n_segments = len(reference_counts)

    def sum_captions(values: Floats) -> Floats:
        return _sum_by_group(caption_words.segment, values, n_segments)

    def sum_references(values: Floats) -> Floats:
        return _sum_by_group(reference_words.segment, values, n_segments)

    return {
        "precision": _divide(
            sum_captions(caption_weight * _rate_caption_words(caption_words)), sum_captions(caption_weight)
        ),
        "recall": _divide(
            sum_references(reference_weight * reference_words.support * _rate_reference_words(matches)),
            sum_references(reference_weight * reference_words.support),
        ),
        "told": apply_scalar(math.log1p, sum_captions(caption_weight * caption_words.support) / reference_counts),
    }


def _rate_caption_words(caption_words: DistinctWords) -> Floats:
    """Return for each word of a caption 1 if a reference contains it, 0.5 if one contains a synonym, else 0."""
    ratings: Floats = np.where(caption_words.support > 0, 1.0, SYNONYM * caption_words.has_synonym)
    return ratings


def _rate_reference_words(matches: _StemMatches) -> Floats:
    """Return for each word of references 1 if the caption contains it, 0.5 if it contains a synonym, else 0."""
    ratings: Floats = np.where(matches.caption_entry >= 0, 1.0, SYNONYM * matches.reference_words.has_synonym)
    return ratings


def _compute_best_reference(
    lexicon: CaptionLexicon, matches: _StemMatches, reference_counts: Integers
) -> dict[str, Floats]:
    """Return the recall of the reference with the highest recall, and the highest cosine of tf-idf vectors."""
    captions, references = matches.captions, matches.references
    n_references = int(reference_counts.sum())
    first_references = np.cumsum(reference_counts) - reference_counts
    weight = lexicon.columns.weight[references.word]
    ratings = _rate_reference_words(matches)[matches.word_of_reference]
    recalls = _divide(
        _sum_by_group(references.text, weight * ratings, n_references),
        _sum_by_group(references.text, weight, n_references),
    )
    # In the scalar product, a stem has the weight of the reference's word.
    caption_entry = matches.caption_entry[matches.word_of_reference]
    caption_count = np.where(
        caption_entry >= 0, captions.occurrences[caption_entry] if len(captions.occurrences) else 0, 0
    )
    products = _sum_by_group(references.text, references.occurrences * caption_count * weight**2, n_references)
    reference_norms = np.sqrt(_sum_by_group(references.text, (references.occurrences * weight) ** 2, n_references))
    caption_weight = lexicon.columns.weight[captions.word]
    caption_norms = np.sqrt(
        _sum_by_group(captions.text, (captions.occurrences * caption_weight) ** 2, len(reference_counts))
    )
    cosines = _divide(products, reference_norms * np.repeat(caption_norms, reference_counts))
    return {
        "best recall": np.maximum.reduceat(recalls, first_references),
        "best cosine": np.maximum.reduceat(cosines, first_references),
    }


def _compute_kind_precisions(
    lexicon: CaptionLexicon, caption_words: DistinctWords, n_segments: int
) -> dict[str, Floats]:
    """Return the precision of words of each kind; 0.5 for captions without such words."""
    columns = lexicon.columns
    ratings = _rate_caption_words(caption_words)
    precisions = {}
    for kind in _SCORED_KINDS:
        is_kind = columns.kind[caption_words.word] == KINDS.index(kind)
        weight = columns.weight[caption_words.word] * is_kind
        precisions[f"{kind} precision"] = _divide(
            _sum_by_group(caption_words.segment, weight * ratings, n_segments),
            _sum_by_group(caption_words.segment, weight, n_segments),
            default=0.5,
        )
    return precisions


def _find(sorted_keys: Integers, keys: Integers) -> Integers:
    """Return the index of each key in a sorted array, or -1 if the array does not contain the key."""
    if not len(sorted_keys):
        return np.full(len(keys), -1)
    indexes = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[indexes] == keys, indexes, -1)


_TABLE_SIZE = 1 << 18
"""Number of table cells, each for a segment and a synset, in :func:`_match_synonyms`."""


def _match_synonyms(
    lexicon: CaptionLexicon,
    caption_segment: Integers,
    caption_word: Integers,
    reference_segment: Integers,
    reference_word: Integers,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Find the words that share a synset with a word of the caption or of the references in the same segment.

    Args:
        lexicon: the lexicon of the words.
        caption_segment, caption_word: the words of captions, sorted by segment.
        reference_segment, reference_word: the words of references that their captions do not contain, sorted by
            segment.

    Returns:
        For each word of captions whether it has a synonym in the references, and for each word of references whether
        it has a synonym in the caption.
    """
    n_synsets = lexicon.sizes[1]
    caption_entry, caption_keys = _expand_synsets(lexicon, caption_segment, caption_word)
    reference_entry, reference_keys = _expand_synsets(lexicon, reference_segment, reference_word)
    caption_matches, reference_matches = np.zeros(len(caption_word), bool), np.zeros(len(reference_word), bool)
    # Segments are processed in blocks whose table of synsets fits into the processor's cache.
    block_size = max(1, _TABLE_SIZE // n_synsets)
    table = np.zeros(block_size * n_synsets, bool)
    last_segment = max((int(keys[-1]) // n_synsets for keys in (caption_keys, reference_keys) if len(keys)), default=-1)
    block_starts = np.arange(0, last_segment + block_size + 1, block_size) * n_synsets
    caption_bounds = np.searchsorted(caption_keys, block_starts)
    reference_bounds = np.searchsorted(reference_keys, block_starts)
    for block, block_start in enumerate(block_starts[:-1]):
        caption_slice = slice(*caption_bounds[block : block + 2])
        reference_slice = slice(*reference_bounds[block : block + 2])
        caption_cells = caption_keys[caption_slice] - block_start
        reference_cells = reference_keys[reference_slice] - block_start
        table[caption_cells] = True
        is_shared = table[reference_cells]
        table[caption_cells] = False
        shared_cells = reference_cells[is_shared]
        table[shared_cells] = True
        reference_matches[reference_entry[reference_slice][is_shared]] = True
        caption_matches[caption_entry[caption_slice][table[caption_cells]]] = True
        table[shared_cells] = False
    return caption_matches, reference_matches


def _expand_ranges(starts: Integers, lengths: Integers) -> tuple[Integers, Integers]:
    """Return for each element of several ranges the index of its range, and the element."""
    indexes = np.repeat(np.arange(len(lengths)), lengths)
    offsets = np.arange(len(indexes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return indexes, starts[indexes] + offsets


def _expand_synsets(lexicon: CaptionLexicon, segment: Integers, word: Integers) -> tuple[Integers, Integers]:
    """Return for each synset of each word the index of the word, and a key that combines segment and synset."""
    starts, synsets = lexicon.columns.synset_starts, lexicon.columns.synsets
    entry, position = _expand_ranges(starts[word], starts[word + 1] - starts[word])
    return entry, segment[entry] * lexicon.sizes[1] + synsets[position]


def _sum_opposites(
    lexicon: CaptionLexicon, caption_words: DistinctWords, reference_words: DistinctWords, n_segments: int
) -> Floats:
    """Return for each segment how strongly the references contradict the caption.

    Each word of the caption counts as often as references contain the most frequent word that excludes it.
    """
    totals = np.zeros(n_segments)
    n_stems = lexicon.sizes[0]
    candidates = np.flatnonzero(lexicon.columns.is_exclusive[caption_words.word] & (caption_words.support == 0))
    words, _, _, word_of_candidate = group(caption_words.word[candidates])
    opposites = lexicon.opposites(words.tolist())
    lengths = np.array([len(stems) for stems in opposites], np.int64)
    starts, opposite_stems = np.cumsum(lengths) - lengths, np.array([*chain.from_iterable(opposites)], np.int64)
    entry, position = _expand_ranges(starts[word_of_candidate], lengths[word_of_candidate])
    if not len(entry):
        return totals
    opposite_keys = caption_words.segment[candidates][entry] * n_stems + opposite_stems[position]
    index = _find(reference_words.segment * n_stems + reference_words.stem, opposite_keys)
    # A caption that contains both words does not contradict the references.
    is_in_caption = _find(caption_words.segment * n_stems + caption_words.stem, opposite_keys) >= 0
    is_contradiction = (index >= 0) & ~is_in_caption
    strongest = np.zeros(len(candidates))
    np.maximum.at(strongest, entry[is_contradiction], reference_words.support[index[is_contradiction]])
    np.add.at(totals, caption_words.segment[candidates], strongest)
    return totals


def _compare_negations(
    lexicon: CaptionLexicon,
    captions: EncodedCaptions,
    references: EncodedCaptions,
    segment_of_reference: Integers,
    reference_counts: Integers,
) -> Floats:
    """Return for each segment the share of its references that differ from the caption in having a negation."""
    is_negation = lexicon.columns.is_negation
    caption_negates = np.zeros(len(reference_counts))
    caption_negates[captions.caption_index[is_negation[captions.word_ids]]] = 1
    reference_negates = np.zeros(len(segment_of_reference))
    reference_negates[references.caption_index[is_negation[references.word_ids]]] = 1
    negating_references = np.bincount(segment_of_reference, reference_negates, len(reference_counts))
    difference: Floats = np.abs(caption_negates - negating_references / reference_counts)
    return difference


_BROKEN_SLOPE, _BROKEN_THRESHOLD = 1.5, 2.5
"""Slope and midpoint of the penalty for broken captions. 4 of 1,000 captions by people have a logit above 2.5."""


def light_features(
    meteor: Meteor,
    lexicon: CaptionLexicon,
    detector: BrokenDetector,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> dict[str, Floats]:
    """Return the features that do not need an encoder, by name; higher values are better.

    They are the features of :class:`CaptionComparison` and three more. ``meteor`` is the METEOR score with the best
    reference. ``fragmentation`` is its fragmentation penalty, as a negative number. ``whole`` ranges from -1 for a
    caption that is certainly broken to 0.
    """
    comparison = compare_words(lexicon, hypotheses, references)
    # METEOR would count punctuation as words, and only some data sets contain it.
    normalized_texts = iter(comparison.references.normalized)
    normalized_references = [[next(normalized_texts) for _ in texts] for texts in references]
    rows = meteor.rows(comparison.captions.normalized, normalized_references)
    scores = np.nan_to_num(rows.arrays().scores)
    logits = np.clip(detector.logits(lexicon, comparison.captions), -50, 50)
    whole = -1 / (1 + apply_scalar(math.exp, -_BROKEN_SLOPE * (logits - _BROKEN_THRESHOLD)))
    return comparison.features | {"meteor": scores[:, -1], "fragmentation": -scores[:, -2], "whole": whole}


class Encoding:
    """Computes and caches the vectors of captions. All vectors have length 1.

    Args:
        encoder: an encoder of the plugin meteor-e-vectors.
        remember: the number of captions whose vectors are cached.
    """

    def __init__(self, encoder: Encoder, remember: int = 4096) -> None:
        self._encoder = encoder
        self._cache = BoundedCache[str, Floats](remember)

    def __call__(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vector of each text."""
        vectors: dict[str, Floats] = {}
        missing: list[str] = []
        for text in dict.fromkeys(texts):
            vector = self._cache.get(text)
            if vector is None:
                missing.append(text)
            else:
                vectors[text] = vector
        rows = self._encoder.vectors([split(text) for text in missing])
        new_vectors = {text: row.astype(np.float64) for text, row in zip(missing, rows, strict=True)}
        self._cache.add_items(new_vectors)
        return vectors | new_vectors


_BATCH_SIZE = 256
"""Number of captions that are encoded together."""


def context_features(
    encoding: Encoding, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> dict[str, Floats]:
    """Return the cosines of each caption's vector with the mean vector of its references, and with the nearest one."""
    mean_cosines, best_cosines = [], []
    for start in range(0, len(hypotheses), _BATCH_SIZE):
        batch = slice(start, start + _BATCH_SIZE)
        vectors = encoding([*hypotheses[batch], *chain.from_iterable(references[batch])])
        for hypothesis, texts in zip(hypotheses[batch], references[batch], strict=True):
            caption_vector = vectors[hypothesis]
            reference_vectors = np.array([vectors[text] for text in texts])
            mean = reference_vectors.mean(axis=0)
            length = math.sqrt((mean * mean).sum())
            mean_cosines.append(float((mean * caption_vector).sum()) / length if length else 0.0)
            best_cosines.append(float((reference_vectors * caption_vector).sum(axis=1).max()))
    return {"encoder cosine": np.array(mean_cosines), "best encoder cosine": np.array(best_cosines)}
