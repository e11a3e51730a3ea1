"""The cosine of document vectors: USAAR's COSINE (Vela and Tan, 2015)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Feature, FeatureBatch
from meteor_e_papers.features.vectors import NeedsVectors, cosine
from meteor_e_papers.splitting import split

DELIMITER = "_"
"""Between the words of a phrase, as gensim's ``Phrases`` writes it."""


def join_phrases(words: Sequence[str], vocabulary: Container[str]) -> list[str]:
    """Join neighbors that the vocabulary holds as one, from the left on; what is joined may be joined again.

    Args:
        words: of a segment.
        vocabulary: words and phrases that have vectors.
    """
    joined: list[str] = []
    place = 0
    while place < len(words):
        phrase = words[place]
        place += 1
        while place < len(words) and (longer := f"{phrase}{DELIMITER}{words[place]}") in vocabulary:
            phrase = longer
            place += 1
        joined.append(phrase)
    return joined


class DocumentCosineFeature(NeedsVectors, Feature):
    """The cosine of the document vectors of hypothesis and reference (Vela and Tan, 2015, equations 3, 4 and 11).

    A document vector is the sum of the vectors of words and phrases over their number; neighbors that the file holds
    as one, such as ``prime_minister``, are joined. Where no word of a side is known, the cosine is 0, never NaN.
    """

    name: ClassVar[str] = "document-cosine"
    requires: ClassVar[tuple[str, ...]] = ("gensim", "word vectors")

    dimension: ClassVar[int] = 1
    columns: ClassVar[tuple[str, ...]] = ("cosine",)

    def document(self, segment: str) -> NDArray[np.float64]:
        """Return the vector of a raw segment, ``(dimension,)``; zeros where no word is known."""
        words = join_phrases(split(segment), self._vectors.rows)
        places = self._vectors.places(words)
        total: NDArray[np.float64] = self._vectors.table[places[places >= 0]].sum(axis=0, dtype=float)
        return total / max(len(words), 1)

    def compute(self, batch: FeatureBatch) -> list[list[float]]:
        """Compare with each reference; take the mean."""
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            own = self.document(hypothesis)
            rows.append([sum(cosine(own, self.document(reference)) for reference in references) / len(references)])
        return rows
