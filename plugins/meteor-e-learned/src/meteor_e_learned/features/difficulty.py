"""How hard a segment is, by its reference: what a score of a segment among others has to be seen against."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import FeatureBatch
from meteor_e_learned.counting import mean_over_references, words
from meteor_e_learned.features.vocabulary import FREQUENT, FrequencyFeature


class DifficultyFeature(FrequencyFeature):
    """Length, information, marks, numbers and repetition of the reference, and how the hypothesis differs in them.

    Against several references, the mean over them.
    """

    name: ClassVar[str] = "difficulty"
    _KINDS = ("information", "highest_information", "letters", "marks", "numbers", "frequent", "distinct")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers."""
        sides = [f"{kind}_{what}" for kind in self._KINDS for what in ("reference", "difference")]
        return ("log_reference_words", *sides)

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Count."""
        pairs, known = words(batch)
        known = known or [" "]
        frequency, information = self.frequency_and_information(batch)
        letters = np.array([len(word) for word in known], float)
        marks = np.array([not word[0].isalnum() for word in known], float)
        numbers = np.array([word[0].isdigit() for word in known], float)
        tally = pairs.tally()
        sides = []
        for counts, length in zip((tally.right, tally.left), reversed(pairs.lengths), strict=True):
            whole = np.maximum(length, 1)
            tables = (information, letters, marks, numbers, (frequency > FREQUENT).astype(float))
            means = [tally.total(counts * table[tally.item]) / whole for table in tables]
            highest = tally.largest(information[tally.item] * (counts > 0))
            sides.append([means[0], highest, *means[1:], tally.total(counts > 0) / whole])
        columns = [np.log(pairs.lengths[1] + 1.0)]
        for reference, hypothesis in zip(*sides, strict=True):
            columns += [reference, hypothesis - reference]
        return mean_over_references(np.stack(columns, axis=1), batch)
