"""Features of captions, which depend on a caption and its own references only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e.base.array_cache import Floats
from meteor_e.base.memory import Memory
from meteor_e.scoring.arrays import each_number
from meteor_e_captions.grouping import group
from meteor_e_captions.lexicon import KINDS, split

if TYPE_CHECKING:
    from meteor_e_vectors.contextual import Encoder
    from numpy.typing import NDArray

    from meteor_e import Meteor
    from meteor_e.base.array_cache import Integers
    from meteor_e_captions.broken import BrokenDetector
    from meteor_e_captions.lexicon import CaptionLexicon, EncodedCaptions

_KINDS = ("object", "action", "number", "color")
SYNONYM = 0.5
"""Weight of a word that only a synonym matches."""


class Words(NamedTuple):
    """Distinct words of a side of segments: ``(entries,)`` each, ordered by segment and stem.

    Attributes:
        segment: the entry's segment.
        stem: number of its stem.
        word: a word with that stem.
        support: number of references that have the stem.
        synonym: whether the other side has a synonym.
    """

    segment: Integers
    stem: Integers
    word: Integers
    support: Integers
    synonym: NDArray[np.bool_]


@dataclass(frozen=True)
class CaptionComparison:
    """Words of hypotheses beside those of their references.

    Attributes:
        captions, references: all words of hypotheses, and of all references.
        own, theirs: distinct words of hypotheses, and of all references of each.
        columns: numbers by name, each the better the higher. ``precision``: share of the caption's words, by weight,
            that a reference has; ``recall``: share of the references' words that the caption has, each by the share of
            references with it; ``best recall``: of the reference that is best covered; ``told``: weight of the words
            that are right; ``best cosine``: of tf-idf vectors; ``object precision`` …: of words of a kind;
            ``opposites``: words that exclude one that references have, negative; ``negation``: whether a caption
            negates where no reference does, or the other way round, negative.
    """

    captions: EncodedCaptions
    references: EncodedCaptions
    own: Words
    theirs: Words
    columns: dict[str, Floats]


def _ratio(part: Floats, whole: Floats, empty: float = 0.0) -> Floats:
    result: Floats = np.where(whole > 0, part / np.where(whole > 0, whole, 1), empty)
    return result


def compare_words(
    lexicon: CaptionLexicon, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> CaptionComparison:
    """Compare the words of captions and references by stem and synonym."""
    captions, others = lexicon.number_all(hypotheses), lexicon.number_all(list(chain.from_iterable(references)))
    stems, kinds, weights = lexicon.columns[:3]
    size = lexicon.sizes[0]
    count = len(references)
    per = np.array([len(texts) for texts in references])
    starts = np.cumsum(per) - per
    segment_of_reference = np.repeat(np.arange(count), per)

    own_word, own_at = captions.words, captions.of
    ref_word, ref_at = others.words, others.of
    texts = len(others.lengths)
    # A reference's distinct stems with how often it has each; then a segment's, with how many references have it.
    ref_key, ref_first, ref_count, _ = group(ref_at * size + stems[ref_word])
    entry_ref, entry_stem = ref_key // size, ref_key % size
    entry_segment = segment_of_reference[entry_ref] if len(entry_ref) else entry_ref
    key, first, having, key_of = group(entry_segment * size + entry_stem)
    own_key, own_first, own_count, _ = group(own_at * size + stems[own_word])
    at_own = _position(key, own_key)
    support = np.where(at_own >= 0, having[at_own] if len(having) else 0, 0)
    their_segment = key // size
    their_word, own_words = ref_word[ref_first[first]], own_word[own_first]
    own_of = np.full(len(key), -1)
    own_of[at_own[at_own >= 0]] = np.flatnonzero(at_own >= 0)
    in_own = own_of >= 0
    by_own, by_theirs = _synonyms(lexicon, own_key // size, own_words, their_segment[~in_own], their_word[~in_own])
    synonym_theirs = np.zeros(len(key), bool)
    synonym_theirs[~in_own] = by_theirs
    own = Words(own_key // size, own_key % size, own_words, support, by_own & (support == 0))
    theirs = Words(their_segment, key % size, their_word, having, synonym_theirs)

    def total(entries: Integers, values: Floats, length: int = count) -> Floats:
        sums: Floats = np.bincount(entries, values, length).astype(float)
        return sums

    own_weight, their_weight = weights[own.word], weights[theirs.word]
    matched = np.where(own.support > 0, 1.0, SYNONYM * own.synonym)
    covered = np.where(in_own, 1.0, SYNONYM * theirs.synonym)
    own_total = total(own.segment, own_weight)
    columns = {
        "precision": _ratio(total(own.segment, own_weight * matched), own_total),
        "recall": _ratio(
            total(theirs.segment, their_weight * theirs.support * covered),
            total(theirs.segment, their_weight * theirs.support),
        ),
        "told": each_number(math.log1p, total(own.segment, own_weight * own.support) / per),
    }
    entry_weight = weights[ref_word[ref_first]]
    entry_covered = covered[key_of]
    covering = _ratio(total(entry_ref, entry_weight * entry_covered, texts), total(entry_ref, entry_weight, texts))
    columns["best recall"] = np.maximum.reduceat(covering, starts)
    # Cosines of tf-idf vectors. A stem weighs what the reference's word does.
    at_entry = own_of[key_of]
    counts = np.where(at_entry >= 0, own_count[at_entry] if len(own_count) else 0, 0)
    dots = total(entry_ref, ref_count * counts * entry_weight**2, texts)
    lengths = np.sqrt(total(entry_ref, (ref_count * entry_weight) ** 2, texts))
    own_length = np.sqrt(total(own.segment, (own_count * own_weight) ** 2))
    cosines = _ratio(dots, lengths * np.repeat(own_length, per))
    columns["best cosine"] = np.maximum.reduceat(cosines, starts)
    own_kind = kinds[own.word]
    for kind in _KINDS:
        mine = own_weight * (own_kind == KINDS.index(kind))
        # A caption without words of a kind is neither right nor wrong.
        columns[f"{kind} precision"] = _ratio(total(own.segment, mine * matched), total(own.segment, mine), empty=0.5)
    columns["opposites"] = -_opposites(lexicon, own, theirs, key, size, count) / per
    columns["negation"] = -_negation(lexicon, own_word, own_at, ref_word, ref_at, segment_of_reference, per)
    return CaptionComparison(captions, others, own, theirs, columns)


def _position(ordered: Integers, wanted: Integers) -> Integers:
    """Return where ordered numbers have each wanted one; -1 where they have not."""
    if not len(ordered):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[at] == wanted, at, -1)


def _synonyms(
    lexicon: CaptionLexicon, own_segment: Integers, own_word: Integers, their_segment: Integers, their_word: Integers
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which words of two sides share a synset with a word of the other side in the same segment.

    Args:
        lexicon: of the words.
        own_segment, own_word: one side's words by segment, ordered.
        their_segment, their_word: the other side's, none with a stem that the segment's other side has.
    """
    size = lexicon.sizes[1]
    own_entry, own_key = _expanded(lexicon, own_segment, own_word)
    their_entry, their_key = _expanded(lexicon, their_segment, their_word)
    of_own, of_theirs = np.zeros(len(own_word), bool), np.zeros(len(their_word), bool)
    # A table of some segments' synsets, small enough for the processor's cache.
    several = max(1, _TABLE // size)
    table = np.zeros(several * size, bool)
    last = max((int(keys[-1]) // size for keys in (own_key, their_key) if len(keys)), default=-1)
    starts = np.arange(0, last + several + 1, several) * size
    own_ends, their_ends = np.searchsorted(own_key, starts), np.searchsorted(their_key, starts)
    for at in range(len(starts) - 1):
        own, theirs = slice(*own_ends[at : at + 2]), slice(*their_ends[at : at + 2])
        mine, others = own_key[own] - starts[at], their_key[theirs] - starts[at]
        table[mine] = True
        hit = table[others]
        table[mine] = False
        met = others[hit]
        table[met] = True
        of_theirs[their_entry[theirs][hit]] = True
        of_own[own_entry[own][table[mine]]] = True
        table[met] = False
    return of_own, of_theirs


_TABLE = 1 << 18
"""Synsets of segments that are compared at once."""


def _expanded(lexicon: CaptionLexicon, segment: Integers, word: Integers) -> tuple[Integers, Integers]:
    """Return for each synset of each word the word's place, and a number of segment and synset."""
    starts, synsets = lexicon.columns.starts, lexicon.columns.synsets
    lengths = starts[word + 1] - starts[word]
    entry = np.repeat(np.arange(len(word)), lengths)
    ends = np.cumsum(lengths)
    number = synsets[np.arange(len(entry)) + np.repeat(starts[word] - ends + lengths, lengths)]
    return entry, segment[entry] * lexicon.sizes[1] + number


def _opposites(lexicon: CaptionLexicon, own: Words, theirs: Words, key: Integers, size: int, count: int) -> Floats:
    """Return for each segment the words that exclude one of references', each by the number of these references."""
    total = np.zeros(count)
    candidates = np.flatnonzero(lexicon.columns.excludes[own.word] & (own.support == 0))
    words, _, _, of_word = group(own.word[candidates])
    known = lexicon.opposites(words.tolist())
    lengths = np.array([len(each) for each in known], np.int64)
    starts, stems = np.cumsum(lengths) - lengths, np.array([stem for each in known for stem in each], np.int64)
    entry = np.repeat(np.arange(len(candidates)), lengths[of_word])
    if not len(entry):
        return total
    step = np.arange(len(entry)) - np.repeat(np.cumsum(lengths[of_word]) - lengths[of_word], lengths[of_word])
    opposite = own.segment[candidates][entry] * size + stems[starts[of_word][entry] + step]
    place = _position(key, opposite)
    # What the caption says as well is no contradiction.
    met = (place >= 0) & (_position(own.segment * size + own.stem, opposite) < 0)
    strongest = np.zeros(len(candidates))
    np.maximum.at(strongest, entry[met], theirs.support[place[met]])
    np.add.at(total, own.segment[candidates], strongest)
    return total


def _negation(
    lexicon: CaptionLexicon,
    own_word: Integers,
    own_at: Integers,
    ref_word: Integers,
    ref_at: Integers,
    segment_of_reference: Integers,
    per: Integers,
) -> Floats:
    """Return by how much captions and references differ in whether they negate, from 0 to 1."""
    negates = lexicon.columns.negates
    own = np.zeros(len(per))
    own[own_at[negates[own_word]]] = 1
    texts = np.zeros(len(segment_of_reference))
    texts[ref_at[negates[ref_word]]] = 1
    difference: Floats = np.abs(own - np.bincount(segment_of_reference, texts, len(per)) / per)
    return difference


def light_features(
    meteor: Meteor,
    lexicon: CaptionLexicon,
    detector: BrokenDetector,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> dict[str, Floats]:
    """Return the numbers that need no encoder, by name, each the better the higher.

    Beside those of :class:`CaptionComparison`: ``meteor``, with the best reference; ``fragmentation``, its penalty,
    negative; ``whole``, from 0 to -1, which is surely broken.
    """
    found = compare_words(lexicon, hypotheses, references)
    # Marks would count as words: some sources set them, some do not.
    plain = iter(found.references.plain)
    rows = meteor.rows(found.captions.plain, [[next(plain) for _ in texts] for texts in references])
    scores = np.nan_to_num(rows.arrays().scores)
    logits = np.clip(detector.logits(lexicon, found.captions), -50, 50)
    whole = -1 / (1 + each_number(math.exp, -_STEEP * (logits - _DOUBT)))
    return found.columns | {"meteor": scores[:, -1], "fragmentation": -scores[:, -2], "whole": whole}


_STEEP, _DOUBT = 1.5, 2.5
"""A caption counts as broken from a logit of about 2.5 on: 4 of 1,000 of people's captions has as much."""


class Encoding:
    """The vectors of whole captions, of length 1; references are remembered.

    Args:
        encoder: of the plugin meteor-e-vectors.
        remember: how many captions.
    """

    def __init__(self, encoder: Encoder, remember: int = 4096) -> None:
        self._encoder = encoder
        self._memory = Memory[str, Floats](remember)

    def __call__(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vector of each text."""
        distinct = dict.fromkeys(texts)
        found = {text: known for text in distinct if (known := self._memory.get(text)) is not None}
        missing = [text for text in distinct if text not in found]
        rows = self._encoder.vectors([split(text) for text in missing])
        fresh = {text: row.astype(np.float64) for text, row in zip(missing, rows, strict=True)}
        self._memory.remember(fresh)
        return found | fresh


def context_features(
    encoding: Encoding, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> dict[str, Floats]:
    """Return cosines of captions' vectors: with the mean of the references' vectors, and with the nearest of them."""
    pooled, best = [], []
    for start in range(0, len(hypotheses), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        known = encoding([*hypotheses[part], *chain.from_iterable(references[part])])
        for text, texts in zip(hypotheses[part], references[part], strict=True):
            own, vectors = known[text], np.array([known[other] for other in texts])
            middle = vectors.mean(axis=0)
            length = math.sqrt((middle * middle).sum())
            pooled.append(float((middle * own).sum()) / length if length else 0.0)
            best.append(float((vectors * own).sum(axis=1).max()))
    return {"encoder cosine": np.array(pooled), "best encoder cosine": np.array(best)}


_TOGETHER = 256
"""Captions that are encoded together."""
