"""The cosine of document vectors: USAAR's COSINE (Vela and Tan, 2015)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Feature, FeatureBatch, Meta
from meteor_e_papers.features.vectors import NeedsVectors, VectorOptions, cosine
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


class DocumentCosineOptions(VectorOptions):
    """Options of the feature ``document-cosine``."""

    similarity: Annotated[
        Literal["cosine", "shared-words"],
        Meta(
            description="cosine: the cosine of the two document vectors, equation 11. shared-words: the squares of the "
            "vectors of the words that both documents share, divided by the roots of the sums of squares of all words."
        ),
    ] = "cosine"


class DocumentCosineFeature(NeedsVectors, Feature):
    """The cosine of the document vectors of hypothesis and reference (Vela and Tan, 2015, equations 3, 4 and 11).

    A document vector is the sum of the vectors of words and phrases divided by their number. Consecutive words that
    the vectors hold as a phrase, such as ``prime_minister``, are joined. The similarity ``shared-words`` is the
    alternative that the paper's section 3.1 describes in words. If no word of a text has a vector, the feature is 0.
    """

    name: ClassVar[str] = "document-cosine"
    requires: ClassVar[tuple[str, ...]] = ("word vectors",)
    Options: ClassVar[type[Any] | str | None] = DocumentCosineOptions

    dimension: ClassVar[int] = 1
    columns: ClassVar[tuple[str, ...]] = ("cosine",)

    def units(self, segment: str) -> list[str]:
        """Return the words and phrases of a segment."""
        return join_phrases(split(segment), self._vectors.rows)

    def document(self, segment: str) -> NDArray[np.float64]:
        """Return the vector of a raw segment, ``(dimension,)``; zeros if no word has a vector."""
        units = self.units(segment)
        places = self._vectors.places(units)
        total: NDArray[np.float64] = self._vectors.table[places[places >= 0]].sum(axis=0, dtype=float)
        return total / max(len(units), 1)

    def compute(self, batch: FeatureBatch) -> list[list[float]]:
        """Compare with each reference; return the mean."""
        compare = self._compare_shared_words if self.options.similarity == "shared-words" else self._compare_documents
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            rows.append([sum(compare(hypothesis, references)) / len(references)])
        return rows

    def _compare_documents(self, hypothesis: str, references: Sequence[str]) -> list[float]:
        document = self.document(hypothesis)
        return [cosine(document, self.document(reference)) for reference in references]

    def _compare_shared_words(self, hypothesis: str, references: Sequence[str]) -> list[float]:
        counts = Counter(self.units(hypothesis))
        return [self._share_words(counts, Counter(self.units(reference))) for reference in references]

    def _share_words(self, first: Counter[str], second: Counter[str]) -> float:
        """Return Σ f(w) s(w) |v(w)|² of the shared words, over the root of Σ f(w)² |v(w)|² times that of the second."""
        squares = {word: self._square(word) for word in {*first, *second}}
        shared = sum(first[word] * second[word] * squares[word] for word in first)
        lengths = [math.sqrt(sum(count**2 * squares[word] for word, count in each.items())) for each in (first, second)]
        return shared / (lengths[0] * lengths[1]) if all(lengths) else 0.0

    def _square(self, word: str) -> float:
        """Return the squared length of a word's vector; 0 for a word without a vector."""
        row = self._vectors.rows.get(word)
        if row is None:
            return 0.0
        vector = self._vectors.table[row].astype(float)
        return float(vector @ vector)

    def describe(self) -> str:
        """Return the digest of the vectors, and the similarity if it is not the cosine."""
        return super().describe() + ("" if self.options.similarity == "cosine" else f"|{self.options.similarity}")
