"""Words that are nearly the same, letter by letter: other endings, other spellings, names written otherwise."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import FeatureBatch
from meteor_e_learned.counting import alike, mean_over_references, precision_recall_f, segment_pairs, words
from meteor_e_learned.features.vocabulary import FrequencyFeature

LONGEST = 200
"""So many words of a side that the other lacks are compared, and so many characters, times ten."""


class NearWordsFeature(FrequencyFeature):
    """Each word that only one side has, and the likest one that only the other has; edits of words; letters in order.

    Likeness is 1 less the letters to insert and delete, over the letters of both words. Words in common are like
    each other; the sums are over all words, plain, and weighted by the information of the words (wordfreq).
    Per word of the reference: words too many, words too few, words substituted (by how much the edit distance is
    shorter where a substitution is one edit than where it is two), and words moved (those in common that are not in
    the longest common subsequence). Against several references, the mean over them.
    """

    name: ClassVar[str] = "near-words"
    requires: ClassVar[tuple[str, ...]] = ("rapidfuzz", "wordfreq")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers."""
        return (
            *(f"{kind}_{what}" for kind in ("near", "near_information") for what in ("precision", "recall", "f")),
            *("far_missing", "far_added", "near_missing", "letters_precision", "letters_recall", "letters_f"),
            *("inserted", "deleted", "substituted", "moved"),
        )

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Compare."""
        from rapidfuzz.distance import LCSseq, Levenshtein

        pairs, known = words(batch)
        _, information = self.frequency_and_information(batch)
        tally = pairs.tally()
        weight = information[tally.item]
        near = self._near(tally.pair, tally.item, tally.left, tally.right, known)
        # A word in common is as like as can be; one that is over goes by the likest that is over there.
        gained = [
            tally.common + near * np.where(side > 0, side - tally.common, 0) for side in (tally.left, tally.right)
        ]
        blocks = []
        for each in (np.ones_like(weight), weight):
            left, right = tally.total(tally.left * each), tally.total(tally.right * each)
            precision = tally.total(gained[0] * each) / np.where(left > 0, left, 1)
            recall = tally.total(gained[1] * each) / np.where(right > 0, right, 1)
            both = np.where(precision + recall > 0, precision + recall, 1)
            blocks.append(np.stack([precision, recall, 2 * precision * recall / both], axis=1))
        missing, added = (tally.right > tally.left), (tally.left > tally.right)
        columns = [
            tally.total((near < 0.5) * missing),
            tally.total((near < 0.5) * added),
            tally.total((near >= 0.5) * missing),
        ]
        written, others = ([text[: 10 * LONGEST] for text in side] for side in segment_pairs(batch))
        sizes = (np.array([len(text) for text in side], float) for side in (written, others))
        letters = precision_recall_f(alike(written, others, LCSseq.similarity), *sizes)
        blocks += [np.stack(columns, axis=1), letters]
        lengths = pairs.lengths
        length = np.maximum(lengths[1], 1)
        common, distance = (alike(*pairs.texts(), scorer) for scorer in (LCSseq.similarity, Levenshtein.distance))
        substituted = lengths[0] + lengths[1] - 2 * common - distance
        inserted = np.maximum(lengths[0] - lengths[1], 0) / length
        deleted = np.maximum(lengths[1] - lengths[0], 0) / length
        moved = tally.total(tally.common) - common
        blocks.append(np.stack([inserted, deleted, substituted / length, moved / length], axis=1))
        return mean_over_references(np.hstack(blocks), batch)

    @staticmethod
    def _near(
        pair: NDArray[np.int64],
        item: NDArray[np.int64],
        left: NDArray[np.int64],
        right: NDArray[np.int64],
        known: list[str],
    ) -> NDArray[np.float64]:
        """Return for each row of a tally the likeness of its word to the likest one that is over on the other side."""
        from rapidfuzz.distance import Indel
        from rapidfuzz.process import cdist

        result = np.zeros(len(pair))
        over = np.flatnonzero(left != right)
        ends = np.flatnonzero(np.diff(pair[over])) + 1
        for rows in np.split(over, ends):
            extra, lacking = rows[left[rows] > right[rows]][:LONGEST], rows[left[rows] < right[rows]][:LONGEST]
            if len(extra) and len(lacking):
                found = cdist(
                    [known[at] for at in item[extra].tolist()],
                    [known[at] for at in item[lacking].tolist()],
                    scorer=Indel.normalized_similarity,
                )
                result[extra], result[lacking] = found.max(axis=1), found.max(axis=0)
        return result
