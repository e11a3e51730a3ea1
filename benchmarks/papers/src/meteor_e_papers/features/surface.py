"""What can be seen without knowing the language: lengths, kinds of characters, words in common, edits, order."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from meteor_e_learned.counting import (
    alike,
    capitals,
    characters,
    mean_over_references,
    precision_recall_f,
    segment_pairs,
    words,
)
from numpy.typing import NDArray

from meteor_e.api import Feature, FeatureBatch
from meteor_e_papers.sequences import longest_runs, ngram_shares, order_shares, replaced, skip_bigram_shares, texts

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
        tally = capitals(batch).tally()
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
        blocks = ngram_shares(pairs, 4)
        beginnings: dict[str, int] = {}
        stems = np.array([beginnings.setdefault(word[:6], len(beginnings)) for word in known] or [0], np.int64)
        blocks += [*ngram_shares(replaced(pairs, stems), 1), skip_bigram_shares(pairs, 4)]
        left, right = texts(pairs)
        both = list(zip(left, right, strict=True))
        lengths = pairs.lengths
        common = alike(left, right, LCSseq.similarity)
        blocks.append(precision_recall_f(common, *(length.astype(float) for length in lengths)))
        written, others = ([text[:2000] for text in side] for side in segment_pairs(batch))
        columns = [
            alike(left, right, Levenshtein.normalized_similarity),
            alike(written, others, Levenshtein.normalized_similarity),
            order_shares(pairs),
            longest_runs(pairs) / np.maximum(lengths[1], 1),
            np.array([one[:1] == other[:1] for one, other in both], float),
            np.array([one[-2:] == other[-2:] for one, other in both], float),
        ]
        return mean_over_references(np.column_stack([*blocks, *columns]), batch)
