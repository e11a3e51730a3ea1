"""What can be seen without knowing the language: lengths, kinds of characters, words in common, edits, order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.features import Feature, FeatureBatch, ReferenceFeature
from meteor_e.features.words import split

Item = TypeVar("Item", bound=Hashable)

__all__ = ["CharactersFeature", "LengthsFeature", "OverlapFeature"]


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

    def compute(self, batch: FeatureBatch) -> list[list[float]]:
        """Return the lengths; one is added to each side of a ratio, for empty segments."""
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            row: list[float] = []
            for count_words in (True, False):
                left, *others = (len(split(text) if count_words else text) for text in (hypothesis, *references))
                right = sum(others) / len(others)
                ratio = math.log((left + 1) / (right + 1))
                row += [left, right, ratio, abs(ratio)]
            rows.append(row)
        return rows


_KINDS: dict[str, Callable[[str], bool]] = {
    "capitals": str.isupper,
    "digits": str.isdigit,
    "punctuation": lambda char: not char.isalnum() and not char.isspace(),
    "non_ascii": lambda char: ord(char) > 127,
}


class CharactersFeature(ReferenceFeature):
    """Capitals, digits, punctuation and characters beyond ASCII: how many, how many too few, how many too many."""

    name: ClassVar[str] = "characters"

    @property
    def columns(self) -> tuple[str, ...]:
        """Three numbers a kind of character, and four on how words are written."""
        kinds = [f"{kind}_{what}" for kind in _KINDS for what in ("hypothesis", "missing", "added")]
        return (*kinds, "capitalised_missing", "capitalised_added", "first_capital", "last_mark")

    def row(self, hypothesis: str, reference: str) -> list[float]:
        """Count."""
        row: list[float] = []
        for is_kind in _KINDS.values():
            left, right = (Counter(char for char in text if is_kind(char)) for text in (hypothesis, reference))
            row += [left.total(), (right - left).total(), (left - right).total()]
        left, right = (
            Counter(word for word in text.split()[1:] if word[0].isupper()) for text in (hypothesis, reference)
        )
        row += [(right - left).total(), (left - right).total()]
        row.append(float(hypothesis.strip()[:1].isupper() == reference.strip()[:1].isupper()))
        row.append(float(hypothesis.strip()[-1:] == reference.strip()[-1:]))
        return row


class OverlapFeature(ReferenceFeature):
    """Words, stems of six letters, skip-bigrams and n-grams in common; edits; longest common subsequence; order.

    Precision and recall of n-grams count each as often as it occurs on the other side; skip-bigrams have up to
    four words between them (ROUGE-S, Lin, 2004); the longest common subsequence gives a recall and a precision
    (ROUGE-L); order is the share of pairs of words, each once on both sides, that stand in the same order.
    """

    name: ClassVar[str] = "overlap"
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

    def row(self, hypothesis: str, reference: str) -> list[float]:
        """Compare."""
        left, right = split(hypothesis), split(reference)
        row: list[float] = []
        for order in range(1, 5):
            row += _shares(_ngrams(left, order), _ngrams(right, order))
        row += _shares(Counter(word[:6] for word in left), Counter(word[:6] for word in right))
        row += _shares(_skip_bigrams(left), _skip_bigrams(right))
        common = _longest_common_subsequence(left, right)
        row += _prf(common, len(left), len(right))
        row.append(_edit_similarity(left, right))
        row.append(_edit_similarity(hypothesis[:2000], reference[:2000]))
        row.append(_order(left, right))
        row.append(_longest_match(left, right) / max(1, len(right)))
        row += [float(left[:1] == right[:1]), float(left[-2:] == right[-2:])]
        return row


def _prf(common: float, left: float, right: float) -> list[float]:
    precision, recall = (common / left if left else 0.0), (common / right if right else 0.0)
    return [precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0]


def _shares(left: Counter[Item], right: Counter[Item]) -> list[float]:
    common = sum(min(count, right[item]) for item, count in left.items())
    return _prf(common, left.total(), right.total())


def _ngrams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))


def _skip_bigrams(words: Sequence[str], skipped: int = 4) -> Counter[tuple[str, ...]]:
    return Counter(
        (word, other) for place, word in enumerate(words) for other in words[place + 1 : place + 2 + skipped]
    )


def _codes(left: Sequence[str], right: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    known: dict[str, int] = {}
    return (
        np.array([known.setdefault(item, len(known)) for item in left], np.int64),
        np.array([known.setdefault(item, len(known)) for item in right], np.int64),
    )


def _longest_common_subsequence(left: Sequence[str], right: Sequence[str]) -> int:
    """Return its length; a bit vector holds a row of the table (Hyyrö, 2004)."""
    places: dict[str, int] = {}
    for place, item in enumerate(left):
        places[item] = places.get(item, 0) | 1 << place
    everything = (1 << len(left)) - 1
    row = everything
    for item in right:
        matches = row & places.get(item, 0)
        row = ((row + matches) | (row - matches)) & everything
    return len(left) - row.bit_count() if left else 0


def _edit_similarity(left: Sequence[str], right: Sequence[str]) -> float:
    """Return 1 - Levenshtein distance over the longer side's length, by bit vectors (Myers, 1999; Hyyrö, 2003)."""
    longest = max(len(left), len(right))
    if not left or not right:
        return 1.0 if not longest else 0.0
    places: dict[str, int] = {}
    for place, item in enumerate(left):
        places[item] = places.get(item, 0) | 1 << place
    everything, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    plus, minus, distance = everything, 0, len(left)
    for item in right:
        match = places.get(item, 0)
        zero = (((match & plus) + plus) ^ plus) | match | minus
        up = minus | (~(zero | plus) & everything)
        down = plus & zero
        distance += bool(up & last) - bool(down & last)
        up = (up << 1 | 1) & everything
        down = (down << 1) & everything
        plus = down | (~(zero | up) & everything)
        minus = up & zero
    return 1 - distance / longest


def _order(left: Sequence[str], right: Sequence[str]) -> float:
    """Return the share of pairs of words that stand in the same order; 1 if there are none."""
    once_left, once_right = Counter(left), Counter(right)
    places = {word: place for place, word in enumerate(left) if once_left[word] == 1}
    order = np.array([places[word] for word in right if once_right[word] == 1 and word in places][:500], np.int64)
    pairs = len(order) * (len(order) - 1) // 2
    if not pairs:
        return 1.0
    return float(np.triu(order[:, None] < order[None, :], 1).sum()) / pairs


def _longest_match(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the longest run of words that both sides have."""
    first, second = _codes(left, right)
    if not len(first) or not len(second):
        return 0
    best, row = 0, np.zeros(len(second) + 1, np.int64)
    for code in first:
        fresh = np.zeros_like(row)
        fresh[1:] = np.where(second == code, row[:-1] + 1, 0)
        row = fresh
        best = max(best, int(row.max()))
    return best
