"""What can be seen without knowing the language: lengths, kinds of characters, words in common, edits, order."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Feature, FeatureBatch
from meteor_e_learned.counting import (
    Pairs,
    Tally,
    characters,
    groups_of_pairs,
    mean_over_references,
    numbered,
    precision_recall_f,
    segment_pairs,
    words,
)

__all__ = ["CharactersFeature", "LengthsFeature", "OverlapFeature"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class LengthsFeature(Feature):
    """Words and characters of hypothesis and references, and the logarithm of their ratios."""

    name: ClassVar[str] = "lengths"
    dimension = 8

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers."""
        return (
            *("hypothesis_words", "reference_words", "log_word_ratio", "abs_log_word_ratio"),
            *("hypothesis_characters", "reference_characters", "log_character_ratio", "abs_log_character_ratio"),
        )

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return the lengths; one is added to each side of a ratio, for empty segments."""
        left, right = segment_pairs(batch)
        of_characters = [np.array([len(text) for text in side]) for side in (left, right)]
        columns: list[Floats] = []
        for sides in (words(batch)[0].lengths, of_characters):
            both = mean_over_references(np.stack(sides, axis=1).astype(float), batch)
            ratio = np.log((both[:, 0] + 1) / (both[:, 1] + 1))
            columns += [both[:, 0], both[:, 1], ratio, abs(ratio)]
        return np.stack(columns, axis=1)


_KINDS: dict[str, Callable[[str], bool]] = {
    "capitals": str.isupper,
    "digits": str.isdigit,
    "punctuation": lambda char: not char.isalnum() and not char.isspace(),
    "non_ascii": lambda char: ord(char) > 127,
}


class CharactersFeature(Feature):
    """Capitals, digits, punctuation and characters beyond ASCII: how many, how many too few, how many too many.

    Against several references, the mean over them.
    """

    name: ClassVar[str] = "characters"

    @property
    def columns(self) -> tuple[str, ...]:
        """Three numbers for each kind of character, and four on how words are written."""
        kinds = [f"{kind}_{what}" for kind in _KINDS for what in ("hypothesis", "missing", "added")]
        return (*kinds, "capitalised_missing", "capitalised_added", "first_capital", "last_mark")

    @property
    def dimension(self) -> int:
        """As many as there are columns."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Count."""
        left, right = segment_pairs(batch)
        pairs, points = characters(batch)
        tally = pairs.tally()
        columns: list[Floats] = []
        for is_kind in _KINDS.values():
            wanted = np.array([is_kind(chr(point)) for point in points.tolist()], bool)[tally.item]
            missing, added = (
                np.maximum(each, 0) * wanted for each in (tally.right - tally.left, tally.left - tally.right)
            )
            columns += [tally.total(tally.left * wanted), tally.total(missing), tally.total(added)]
        capitalised = numbered(left, right, lambda text: [word for word in text.split()[1:] if word[0].isupper()])[0]
        tally = capitalised.tally()
        columns += [
            tally.total(np.maximum(tally.right - tally.left, 0)),
            tally.total(np.maximum(tally.left - tally.right, 0)),
        ]
        ends = {text: _ends(text) for text in {*left, *right}}
        same = [
            (ends[one][0] == ends[other][0], ends[one][1] == ends[other][1])
            for one, other in zip(left, right, strict=True)
        ]
        return mean_over_references(np.column_stack([*columns, np.array(same, float)]), batch)


def _missing_and_added(tally: Tally, wanted: NDArray[np.bool_] | bool = True) -> list[Floats]:
    """Return how many items the hypotheses lack, and how many they have too many."""
    common = tally.common
    return [tally.total((side - common) * wanted) for side in (tally.right, tally.left)]


def _ends(text: str) -> tuple[bool, str]:
    """Return whether a text begins with a capital, and its last character."""
    bare = text.strip()
    return bare[:1].isupper(), bare[-1:]


class OverlapFeature(Feature):
    """Words, stems of six letters, skip-bigrams and n-grams in common; edits; longest common subsequence; order.

    Precision and recall of n-grams count each as often as it occurs on the other side; skip-bigrams have up to
    four words between them (ROUGE-S, Lin, 2004); the longest common subsequence gives a recall and a precision
    (ROUGE-L); order is the share of pairs of words, each once on both sides, that stand in the same order.
    Of characters the first 2,000 are compared, for order the first 500 words that both sides have once, for the longest
    match the first 1,000 words. Against several references, the mean over them.
    """

    name: ClassVar[str] = "overlap"
    requires: ClassVar[tuple[str, ...]] = ("rapidfuzz",)
    _PAIRS = ("unigram", "bigram", "trigram", "fourgram", "beginning", "skip_bigram", "lcs")

    @property
    def columns(self) -> tuple[str, ...]:
        """Precision, recall and F of each kind; the edits."""
        sides = [f"{kind}_{what}" for kind in self._PAIRS for what in ("precision", "recall", "f")]
        return (
            *sides,
            "edit_similarity",
            "character_edit_similarity",
            "order",
            "longest_match",
            "same_first",
            "same_last",
        )

    @property
    def dimension(self) -> int:
        """As many as there are columns."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Compare."""
        from rapidfuzz.distance import LCSseq, Levenshtein

        pairs, known = words(batch)
        blocks = [pairs.ngrams(order).tally().shares() for order in range(1, 5)]
        beginnings: dict[str, int] = {}
        stems = np.array([beginnings.setdefault(word[:6], len(beginnings)) for word in known] or [0], np.int64)
        blocks += [pairs.replaced(stems).tally().shares(), pairs.skip_bigrams(4).tally().shares()]
        left, right = pairs.texts()
        both = list(zip(left, right, strict=True))
        lengths = pairs.lengths
        common = np.array([LCSseq.similarity(one, other) for one, other in both], float)
        blocks.append(precision_recall_f(common, *(length.astype(float) for length in lengths)))
        written = zip(*segment_pairs(batch), strict=True)
        columns = [
            np.array([Levenshtein.normalized_similarity(one, other) for one, other in both]),
            np.array([Levenshtein.normalized_similarity(one[:2000], other[:2000]) for one, other in written]),
            _order(pairs),
            _longest_match(pairs) / np.maximum(lengths[1], 1),
            np.array([one[:1] == other[:1] for one, other in both], float),
            np.array([one[-2:] == other[-2:] for one, other in both], float),
        ]
        return mean_over_references(np.column_stack([*blocks, *columns]), batch)


def _order(pairs: Pairs) -> Floats:
    """Return the share of pairs of words that stand in the same order; 1 if there are none."""
    owner, left, _ = pairs.once_on_both()
    counts = np.bincount(owner, minlength=pairs.count)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else counts
    counts = np.minimum(counts, 500)
    result = np.ones(pairs.count)
    for group in groups_of_pairs(counts**2):
        widest = int(counts[group].max(initial=0))
        if widest < 2:
            continue
        places = np.arange(widest)
        inside = places < counts[group][:, None]
        table = np.where(inside, left[np.minimum(starts[group][:, None] + places, len(left) - 1)], -1)
        # A later place on the right that is later on the left, too; what lies outside is before everything.
        ahead = (table[:, :, None] < table[:, None, :]) & (places[:, None] < places)
        ordered = (ahead & inside[:, :, None]).sum(axis=(1, 2))
        possible = counts[group] * (counts[group] - 1) // 2
        result[group] = np.where(possible > 0, ordered / np.maximum(possible, 1), 1.0)
    return result


def _longest_match(pairs: Pairs, longest: int = 1000) -> Floats:
    """Return the length of the longest run of words that both sides of each pair have."""
    lengths = np.bincount(pairs.owner, minlength=2 * pairs.count)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(lengths) else lengths
    lengths = np.minimum(lengths, longest)
    result = np.zeros(pairs.count)
    for group in groups_of_pairs(np.maximum(lengths[: pairs.count], lengths[pairs.count :]), 1 << 16):
        left, right = _table(pairs, group, starts, lengths), _table(pairs, group + pairs.count, starts, lengths)
        right[right < 0] = -2
        row = np.zeros((len(group), right.shape[1] + 1), np.int16)
        best = np.zeros_like(row)
        for column in left.T:
            # Each run goes on from the one that ends one word earlier on both sides.
            row[:, 1:] = (row[:, :-1] + 1) * (right == column[:, None])
            np.maximum(best, row, out=best)
        result[group] = best.max(axis=1, initial=0)
    return result


def _table(
    pairs: Pairs, sequences: NDArray[np.int64], starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return sequences as rows, filled up with -1."""
    places = np.arange(int(lengths[sequences].max(initial=0)))
    at = np.minimum(starts[sequences][:, None] + places, max(0, len(pairs.items) - 1))
    items = pairs.items if len(pairs.items) else np.zeros(1, np.int64)
    return np.where(places < lengths[sequences][:, None], items[at], -1)
