"""What a text and its reference share, lack and add: words by class and rarity, characters, pairs of words, negation.

The words of a batch are numbered once, and all numbers are counted from that (:mod:`meteor_e_learned.counting`).
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base.extras import require
from meteor_e.scoring.arrays import each_number
from meteor_e_learned.counting import (
    Pairs,
    Tally,
    alike,
    characters,
    mean_over_references,
    segment_pairs,
    words,
)
from meteor_e_learned.features.word_pairs import COLUMNS as PAIR_COLUMNS
from meteor_e_learned.features.word_pairs import added_pairs
from meteor_e_learned.frequencies import FREQUENT, RARE, frequencies

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


def listed(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


WORD_CLASSES: dict[str, frozenset[str]] = {
    "determiner": listed(
        "a an the this that these those some any each every either neither another such all both half many much few "
        "several own other"
    ),
    "pronoun": listed(
        "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself "
        "yourself himself herself itself ourselves yourselves themselves one someone somebody something anyone anybody "
        "anything everyone everybody everything there"
    ),
    "preposition": listed(
        "of in to for with on at from by about as into like through after over between out against during without "
        "before under around among within along across behind beyond up down off above near since until towards "
        "toward despite upon per via onto"
    ),
    "conjunction": listed(
        "and but or so yet because although though while whereas if unless whether than however therefore thus also "
        "then moreover"
    ),
    "auxiliary": listed(
        "be am is are was were been being have has had having do does did doing will would shall should can could may "
        "might must ought 's 're 've 'll 'm 'd"
    ),
    "question": listed("who whom whose which what when where why how"),
    "negation": listed("no not never none nobody nothing nowhere nor cannot 't t hardly"),
}
"""The classes and their words, in lower case; a word is of the first class that has it."""
_CLASS = {word: place for place, members in reversed(list(enumerate(WORD_CLASSES.values()))) for word in members}
_NUMBER, _MARK, _CONTENT = (len(WORD_CLASSES) + step for step in range(3))
_DENIALS = WORD_CLASSES["negation"] - {"t"} | {"without", "neither"}
_IMPLIED = listed(
    "absence absent avoid avoided avoiding avoids ban banned barely cease ceased denied denies deny denying disagree "
    "disagreed disagrees dislike dislikes except fail failed failing fails failure far few forbid forbidden forbids "
    "ignore ignored illegal impossible improbable incapable inability insufficient instead lack lacked lacking "
    "lacks little lose loses lost miss missed misses missing neglect neglected negative only prevent prevented "
    "preventing prevents prohibit prohibited rarely rather refusal refuse refused refuses refusing reject rejected "
    "rejects scarcely seldom stop stopped stops too unable uncertain unclear unexpected unfortunately unhappy unknown "
    "unlike unlikely unnecessary unless unwilling"
)
"""Words that deny without a word of negation: one text may use them where another says "not"."""
_ENDING = re.compile(r"(?<=\w{3})(?:e?s|e?d|ing|e)$")
_LONGEST = 2000
"""Characters of a text that the edit distance compares."""

COLUMNS = (
    *("references", "length", "ratio"),
    *("chrf", "precision2", "precision6", "recall2", "recall6"),
    *("abs_log_word_ratio", "reference_characters", "abs_log_character_ratio", "edit_similarity"),
    *("capitals", "capitals_missing", "capitals_added", "digits", "non_ascii_added", "first_capital"),
    *("unknown", "unknown_added", "unknown_added_share", "rare_added", "unknown_capitalized", "unknown_reference"),
    *("frequent_recall", "repeated", "doubled"),
    *("determiner_recall", "determiner_missing", "pronoun_recall", "pronoun_missing"),
    *("preposition_recall", "preposition_missing", "preposition_added", "conjunction_recall", "auxiliary_added"),
    *("negation_recall", "negation_missing", "mark_precision", "content_recall"),
    *("letters_difference", "numbers_reference", "frequent_difference", "distinct_reference"),
    *("negations_missing", "denials_added", "denials_missing", "polarity"),
    *PAIR_COLUMNS,
)


class TextFeature(Feature):
    """Numbers of a text beside its reference, all counted in one pass over the words (English).

    ``references``, ``length`` and ``ratio`` say what kind of text it is: the number of references, the logarithm of
    one plus the reference's words, and of the hypothesis's words over the reference's. ``chrf`` and character n-grams
    of orders 2 and 6 are without spaces (Popović, 2015). Words are unknown or rare by wordfreq's list. ``*_added`` is
    what the reference lacks, ``*_missing`` what the hypothesis lacks. ``polarity`` counts content words that are
    negated on one side only. ``pairs_*`` is how usual added pairs of words are on the web
    (:mod:`meteor_e_learned.features.word_pairs`). Against several references, every number is the mean over them.
    """

    name: ClassVar[str] = "text"
    requires: ClassVar[tuple[str, ...]] = ("wordfreq", "wordsegment", "rapidfuzz")
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    dimension = len(COLUMNS)

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Refuse other languages than English, and say at once if a list is not installed."""
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} knows English words only, not {context.language.code!r}")
        for library in ("wordfreq", "wordsegment"):
            require(library, f"feature {cls.name!r}", distribution="meteor-e-learned")
        return super().from_options(context, options)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Count."""
        pairs, known = words(batch)
        kinds = word_kinds(known)
        tally = pairs.tally()
        count = np.array([len(each) for each in batch.references], float)
        left, right = pairs.lengths
        ratio = each_number(math.log, (left + 1) / (right + 1))
        blocks = [
            np.repeat(count, count.astype(int)), each_number(math.log, right + 1.0), ratio,
            *_characters(batch, ratio),
            *_rarity(batch, pairs, known, tally),
            *_classes(tally, kinds),
            *_difficulty(pairs, known, tally),
            *_negation(pairs, known, tally, kinds),
        ]  # fmt: skip
        rows = mean_over_references(np.column_stack(blocks), batch)
        return np.hstack([rows, added_pairs(batch)])


def word_kinds(known: list[str]) -> NDArray[np.int64]:
    """Return the class of each word; after the classes of function words come numbers, marks and content words."""
    of_first = {
        first: _NUMBER if first.isdigit() else _CONTENT if first.isalpha() or first == "'" else _MARK
        for first in {word[0] for word in known}
    }
    return np.array([_CLASS[word] if word in _CLASS else of_first[word[0]] for word in known] or [0])


def _truths(known: list[str], members: frozenset[str]) -> Truths:
    return np.array([word in members for word in known] or [False])


def _characters(batch: FeatureBatch, word_ratio: Floats) -> list[Floats]:
    """Return chrF, character n-grams, lengths, edits, and capitals, digits and characters beyond ASCII."""
    from rapidfuzz.distance import Levenshtein

    pairs, points = characters(batch, lambda text: "".join(text.split()), "without spaces")
    common = pairs.common_ngrams(6).astype(float)
    sides = [np.stack([np.maximum(side - step, 0) for step in range(6)], axis=1) for side in pairs.lengths]
    precisions, recalls = (common / np.maximum(side, 1) for side in sides)
    # An order counts where both sides have it; recall weighs four times as much as precision.
    both = (sides[0] > 0) & (sides[1] > 0)
    orders = np.maximum(both.sum(axis=1), 1)
    precision, recall = ((share * both).sum(axis=1) / orders for share in (precisions, recalls))
    chrf = 5 * precision * recall / np.where(precision + recall > 0, 4 * precision + recall, 1)
    texts = segment_pairs(batch)
    left, right = (np.array([len(text) for text in side], float) for side in texts)
    short = [[text[:_LONGEST] for text in side] for side in texts]
    edits = alike(short[0], short[1], Levenshtein.normalized_similarity)
    columns = [chrf, precisions[:, 1], precisions[:, 5], recalls[:, 1], recalls[:, 5], abs(word_ratio), right]
    columns += [abs(each_number(math.log, (left + 1) / (right + 1))), edits]
    upper = np.array([chr(point).isupper() for point in points.tolist()] or [False])
    digit = np.array([chr(point).isdigit() for point in points.tolist()] or [False])
    of_capitals = pairs.where(upper[pairs.items]).tally()
    columns += [of_capitals.total(of_capitals.left)]
    columns += [of_capitals.total(np.maximum(of_capitals.right - of_capitals.left, 0))]
    columns += [of_capitals.total(np.maximum(of_capitals.left - of_capitals.right, 0))]
    beyond = pairs.where(points[pairs.items] > 127 if len(points) else np.zeros(0, bool)).tally()
    columns += [pairs.where(digit[pairs.items]).lengths[0].astype(float)]
    columns += [beyond.total(np.maximum(beyond.left - beyond.right, 0))]
    first = [[text.lstrip()[:1].isupper() for text in side] for side in texts]
    return [*columns, np.equal(*map(np.array, first)).astype(float)]


def _rarity(batch: FeatureBatch, pairs: Pairs, known: list[str], tally: Tally) -> list[Floats]:
    """Return words that no list has and rare ones, frequent words in common, and words said twice in a row."""
    found = frequencies(known or [" "])
    often, wordlike = found[tally.item], np.array([word[0].isalpha() for word in known] or [False])[tally.item]
    absent, unknown = tally.right == 0, wordlike & (often == 0)
    added, rare = (tally.total(tally.left * which) for which in (unknown & absent, wordlike & absent & (often < RARE)))
    columns = [tally.total(tally.left * unknown), added]
    columns += [added / np.maximum(tally.total(tally.left * wordlike), 1), rare]
    columns += [_capitalized(batch, pairs.count, known, tally, unknown & absent), tally.total(tally.right * unknown)]
    frequent = often > FREQUENT
    shared = tally.total(tally.common * frequent)
    columns.append(shared / np.maximum(tally.total(tally.right * frequent), 1))
    twice = (pairs.items[1:] == pairs.items[:-1]) & (pairs.owner[1:] == pairs.owner[:-1])
    repeated = np.bincount(pairs.owner[1:][twice], minlength=2 * pairs.count)
    twice &= (word_kinds(known) != _MARK)[pairs.items[1:]]
    doubled = np.bincount(pairs.owner[1:][twice], minlength=2 * pairs.count)
    columns.append(repeated[: pairs.count].astype(float))
    columns.append(np.maximum(doubled[: pairs.count] - doubled[pairs.count :], 0).astype(float))
    return columns


def _capitalized(batch: FeatureBatch, count: int, known: list[str], tally: Tally, foreign: Truths) -> Floats:
    """Return how many of the unknown words that the reference lacks are written with a capital."""
    result = np.zeros(count)
    left, _ = segment_pairs(batch)
    chosen = foreign & (tally.left > 0)
    by_pair: dict[int, set[str]] = {}
    for pair, item in zip(tally.pair[chosen].tolist(), tally.item[chosen].tolist(), strict=True):
        by_pair.setdefault(pair, set()).add(known[item])
    for pair, found in by_pair.items():
        result[pair] = sum(word[0].isupper() for word in left[pair].split() if word.lower() in found)
    return result


def _classes(tally: Tally, kinds: NDArray[np.int64]) -> list[Floats]:
    """Return what both sides share of each class of words; 0.5 of a class that a side does not have."""
    common, left, right = (
        tally.totals(each, kinds[tally.item], _CONTENT + 1) for each in (tally.common, tally.left, tally.right)
    )
    precision, recall = (np.where(side > 0, common / np.maximum(side, 1), 0.5) for side in (left, right))
    missing, added = right - common, left - common
    determiner, pronoun, preposition, conjunction, auxiliary, _, negation = range(len(WORD_CLASSES))
    return [
        recall[:, determiner], missing[:, determiner], recall[:, pronoun], missing[:, pronoun],
        recall[:, preposition], missing[:, preposition], added[:, preposition], recall[:, conjunction],
        added[:, auxiliary], recall[:, negation], missing[:, negation], precision[:, _MARK], recall[:, _CONTENT],
    ]  # fmt: skip


def _difficulty(pairs: Pairs, known: list[str], tally: Tally) -> list[Floats]:
    """Return length and frequency of words, beside the reference's, and the reference's numbers and variety."""
    letters = np.array([len(word) for word in known] or [0], float)[tally.item]
    numbers = np.array([word[0].isdigit() for word in known] or [False])[tally.item]
    frequent = (frequencies(known or [" "]) > FREQUENT)[tally.item]
    left, right = (np.maximum(length, 1) for length in pairs.lengths)

    def difference(values: NDArray[Any]) -> Floats:
        result: Floats = tally.total(tally.left * values) / left - tally.total(tally.right * values) / right
        return result

    return [
        difference(letters), tally.total(tally.right * numbers) / right, difference(frequent),
        tally.total(tally.right > 0) / right,
    ]  # fmt: skip


def _negation(pairs: Pairs, known: list[str], tally: Tally, kinds: NDArray[np.int64]) -> list[Floats]:
    """Return negations that are missing, denials too many and too few, and words that one side only negates."""
    denies = _truths(known, _DENIALS)

    def over(table: Truths) -> Floats:
        return tally.total((tally.left - tally.right) * table[tally.item])

    denials = over(denies | _truths(known, _IMPLIED))
    return [
        np.maximum(-over(denies), 0), np.maximum(denials, 0), np.maximum(-denials, 0),
        _polarity(pairs, known, denies, kinds == _CONTENT),
    ]  # fmt: skip


def _polarity(pairs: Pairs, known: list[str], denies: Truths, content: Truths) -> Floats:
    """Return how many content words of both sides are negated on one side only: up to four words after a negation.

    Words count as the same if they differ by an ending only (s, d, ed, ing).
    """
    negated = np.zeros(len(pairs.items), bool)
    denied = denies[pairs.items]
    for step in range(1, 5):
        negated[step:] |= denied[:-step] & (pairs.owner[step:] == pairs.owner[:-step])
    # Only pairs with a negation can differ.
    some = np.zeros(pairs.count, bool)
    some[pairs.owner[denied] % max(1, pairs.count)] = True
    chosen = content[pairs.items] & some[pairs.owner % max(1, pairs.count)]
    place: dict[str, int] = {}
    stems = np.zeros(max(1, len(known)), np.int64)
    for item in np.unique(pairs.items[chosen]).tolist():
        stems[item] = place.setdefault(_ENDING.sub("", known[item]), len(place))
    owner, negated, items = pairs.owner[chosen], negated[chosen], stems[pairs.items[chosen]]
    both = Pairs(pairs.count, items, owner, max(1, len(place))).tally()
    signed = Pairs(pairs.count, 2 * items + negated, owner, max(2, 2 * len(place))).tally()
    result: Floats = both.total(both.common) - signed.total(signed.common)
    return result
