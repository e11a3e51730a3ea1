"""What captions are judged by: numbers per caption, each the better the higher.

``LIGHT`` compares words by METEOR, by stems and synonyms, and by kinds; ``CONTEXT`` compares a sentence encoder's
vectors as well. A caption's numbers depend on its own references only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from meteor_e.base.memory import Memory
from meteor_e.engine.metric import aligned
from meteor_e.scoring.arrays import each_number
from meteor_e_captions.grouping import grouped
from meteor_e_captions.lexicon import KINDS, split

if TYPE_CHECKING:
    from meteor_e_vectors.contextual import Encoder
    from numpy.typing import NDArray

    from meteor_e import Meteor
    from meteor_e.base.array_cache import Floats, Integers
    from meteor_e_captions.broken import BrokenDetector
    from meteor_e_captions.lexicon import Lexicon, Texts

_KINDS = ("object", "attribute", "action", "number", "color")
LIGHT = (
    "meteor", "fragmentation", "precision", "recall", "best recall", "told", "cosine", "best cosine",
    *(f"{kind} precision" for kind in _KINDS), *(f"{kind} recall" for kind in _KINDS),
    "opposites", "negation", "whole",
)  # fmt: skip
"""Numbers that need no encoder.

``meteor``: METEOR with the best reference; ``fragmentation``: its penalty, negative. ``precision``: share
of the caption's words, by weight, that a reference has; ``recall``: share of the references' words that the caption
has, each by the share of references with it; ``best recall``: of the reference that is best covered; ``told``: weight
of the words that are right; ``cosine``: of tf-idf vectors, mean and maximum over references. ``opposites``: words that
exclude one that references have, negative. ``negation``: whether a caption negates where no reference does, or the
other way round. ``whole``: that the caption is not broken.
"""
CONTEXT = (
    *LIGHT, "encoder cosine", "best encoder cosine", "mean encoder cosine", "contextual precision",
    "contextual recall", "contextual f", "worst word",
)  # fmt: skip
"""Those, and what the encoder tells.

``encoder cosine``: of the caption's vector and the mean of the references' vectors; best and mean over references.
``contextual precision``: mean over the caption's words, by weight, of the cosine of the most similar word in any
reference; recall and F: the mean over references. ``worst word``: the word of the caption that is least like any.
"""
SYNONYM = 0.5
"""What a word counts that only a synonym matches."""


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
class Comparison:
    """Words of hypotheses beside those of their references.

    Attributes:
        own, theirs: distinct words of hypotheses, and of all references of each.
        columns: numbers by name.
    """

    own: Words
    theirs: Words
    columns: dict[str, Floats]


def _ratio(part: Floats, whole: Floats, empty: float = 0.0) -> Floats:
    result: Floats = np.where(whole > 0, part / np.where(whole > 0, whole, 1), empty)
    return result


class Numbered(NamedTuple):
    """Captions, and the references of all of them, as the numbers of their words."""

    own: Texts
    theirs: Texts


def number_words(lexicon: Lexicon, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Numbered:
    """Number the words of captions and references."""
    own, theirs = lexicon.number_all(hypotheses), lexicon.number_all(list(chain.from_iterable(references)))
    return Numbered(own, theirs)


def compare_words(lexicon: Lexicon, words: Numbered, references: Sequence[Sequence[str]]) -> Comparison:
    """Compare the words of captions and references by stem and synonym."""
    stems, kinds, weights = lexicon.columns[:3]
    size = lexicon.sizes[0]
    count = len(references)
    per = np.array([len(texts) for texts in references])
    starts = np.cumsum(per) - per
    segment_of_reference = np.repeat(np.arange(count), per)

    own_word, own_at = words.own.words, words.own.of
    ref_word, ref_at = words.theirs.words, words.theirs.of
    texts = len(words.theirs.lengths)
    # A reference's distinct stems with how often it has each; then a segment's, with how many references have it.
    ref_key, ref_first, ref_count, _ = grouped(ref_at * size + stems[ref_word])
    entry_ref, entry_stem = ref_key // size, ref_key % size
    entry_segment = segment_of_reference[entry_ref] if len(entry_ref) else entry_ref
    key, first, having, key_of = grouped(entry_segment * size + entry_stem)
    own_key, own_first, own_count, _ = grouped(own_at * size + stems[own_word])
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
    columns["cosine"] = np.add.reduceat(cosines, starts) / per
    columns["best cosine"] = np.maximum.reduceat(cosines, starts)
    own_kind, their_kind = kinds[own.word], kinds[theirs.word]
    agreed = their_weight * theirs.support**2
    for kind in _KINDS:
        number = KINDS.index(kind)
        # A caption without words of a kind is neither right nor wrong.
        mine, other = own_weight * (own_kind == number), agreed * (their_kind == number)
        columns[f"{kind} precision"] = _ratio(total(own.segment, mine * matched), total(own.segment, mine), empty=0.5)
        columns[f"{kind} recall"] = _ratio(
            total(theirs.segment, other * covered), total(theirs.segment, other), empty=0.5
        )
    columns["opposites"] = -_opposites(lexicon, own, theirs, key, size, count) / per
    columns["negation"] = -_negation(lexicon, own_word, own_at, ref_word, ref_at, segment_of_reference, per)
    return Comparison(own, theirs, columns)


def _position(ordered: Integers, wanted: Integers) -> Integers:
    """Return where ordered numbers have each wanted one; -1 where they have not."""
    if not len(ordered):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[at] == wanted, at, -1)


def _synonyms(
    lexicon: Lexicon, own_segment: Integers, own_word: Integers, their_segment: Integers, their_word: Integers
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


def _expanded(lexicon: Lexicon, segment: Integers, word: Integers) -> tuple[Integers, Integers]:
    """Return for each synset of each word the word's place, and a number of segment and synset."""
    starts, synsets = lexicon.columns.starts, lexicon.columns.synsets
    lengths = starts[word + 1] - starts[word]
    entry = np.repeat(np.arange(len(word)), lengths)
    ends = np.cumsum(lengths)
    number = synsets[np.arange(len(entry)) + np.repeat(starts[word] - ends + lengths, lengths)]
    return entry, segment[entry] * lexicon.sizes[1] + number


def _opposites(lexicon: Lexicon, own: Words, theirs: Words, key: Integers, size: int, count: int) -> Floats:
    """Return for each segment the words that exclude one of references', each by the number of these references."""
    total = np.zeros(count)
    candidates = np.flatnonzero(lexicon.columns.excludes[own.word] & (own.support == 0))
    words, _, _, of_word = grouped(own.word[candidates])
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
    lexicon: Lexicon,
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
    lexicon: Lexicon,
    detector: BrokenDetector,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
) -> Comparison:
    """Return the numbers of :data:`LIGHT`, and the words that they come from."""
    words = number_words(lexicon, hypotheses, references)
    found = compare_words(lexicon, words, references)
    # Marks would count as words: some sources set them, some do not.
    plain = iter(words.theirs.plain)
    scores = np.nan_to_num(
        aligned(meteor, words.own.plain, [[next(plain) for _ in texts] for texts in references]).scores
    )
    columns = found.columns
    columns["meteor"], columns["fragmentation"] = scores[:, -1], -scores[:, -2]
    columns["whole"] = whole(detector, lexicon, words.own)
    return found


def whole(detector: BrokenDetector, lexicon: Lexicon, texts: Texts) -> Floats:
    """Return how whole captions are: from 0 to -1, which is surely broken."""
    logits = np.where(texts.lengths == 0, 20.0, detector.logits(lexicon, texts))
    result: Floats = -1 / (1 + each_number(math.exp, -_STEEP * (np.clip(logits, -50, 50) - _DOUBT)))
    return result


_STEEP, _DOUBT = 1.5, 2.5
"""A caption counts as broken from a logit of about 2.5 on: 4 of 1,000 of people's captions has as much."""


class _Encoded(NamedTuple):
    whole: NDArray[np.float32]
    rows: NDArray[np.float32]


class Encoding:
    """Captions as an encoder sees them; references are remembered.

    Args:
        encoder: of the plugin meteor-e-vectors.
        remember: how many captions, of some 20 kB each.
    """

    def __init__(self, encoder: Encoder, remember: int = 4096) -> None:
        self._encoder = encoder
        self._memory = Memory[str, _Encoded](remember)

    def __call__(self, texts: Sequence[str]) -> dict[str, _Encoded]:
        """Return the vectors of texts: of each whole text, of length 1, and of its words."""
        found: dict[str, _Encoded] = {}
        for text in dict.fromkeys(texts):
            known = self._memory.get(text)
            if known is not None:
                found[text] = known
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        fresh = {
            text: _Encoded(*pair)
            for text, pair in zip(missing, self._encoder.sentences([split(text) for text in missing]), strict=True)
        }
        self._memory.remember(fresh)
        return found | fresh


def context_features(
    encoding: Encoding, lexicon: Lexicon, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> dict[str, Floats]:
    """Return the numbers of :data:`CONTEXT` that :data:`LIGHT` does not have."""
    names = CONTEXT[len(LIGHT) :]
    rows = []
    for start in range(0, len(hypotheses), 256):
        part = slice(start, start + 256)
        known = encoding([*hypotheses[part], *(text for texts in references[part] for text in texts)])
        for text, texts in zip(hypotheses[part], references[part], strict=True):
            rows.append(_compared(known, lexicon, text, texts))
    return dict(zip(names, np.array(rows, float).reshape(-1, len(names)).T, strict=True))


def _compared(known: dict[str, _Encoded], lexicon: Lexicon, text: str, texts: Sequence[str]) -> list[float]:
    own = known[text]
    weights = lexicon.columns.weight
    own_weight = weights[lexicon.numbers(text)]
    others = [known[other] for other in texts]
    vectors = np.array([other.whole for other in others], np.float64)
    middle = vectors.mean(axis=0)
    length = float(np.sqrt(middle @ middle))
    cosines = vectors @ own.whole.astype(np.float64)
    pooled = float(middle @ own.whole) / length if length else 0.0
    row = [pooled, float(cosines.max()), float(cosines.mean())]
    if not len(own_weight):
        return [*row, 0.0, 0.0, 0.0, -1.0]
    best = np.full(len(own_weight), -1.0)
    recalls, fs = [], []
    for other, each in zip(others, texts, strict=True):
        other_weight = weights[lexicon.numbers(each)]
        if not len(other_weight):
            recalls.append(0.0)
            fs.append(0.0)
            continue
        similar = (own.rows @ other.rows.T).astype(np.float64)
        mine = similar.max(axis=1)
        best = np.maximum(best, mine)
        precision = float(mine @ own_weight / own_weight.sum())
        recall = float(similar.max(axis=0) @ other_weight / other_weight.sum())
        recalls.append(recall)
        fs.append(2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0)
    precision = float(best @ own_weight / own_weight.sum())
    worst = -float(((1 - best) * own_weight).max())
    return [*row, precision, float(np.mean(recalls)), float(np.mean(fs)), worst]
