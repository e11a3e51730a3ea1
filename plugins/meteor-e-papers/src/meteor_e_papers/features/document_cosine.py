"""The feature ``document-cosine``, which compares the document vectors of two texts (Vela and Tan, 2015)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Feature, FeatureBatch, Meta
from meteor_e.base.arithmetic import add_in_order
from meteor_e_papers.features.vectors import VectorOptions, WordVectorFeature, cosine
from meteor_e_papers.splitting import split

DELIMITER = "_"
"""The separator of the words of a phrase, which is the default of gensim's ``Phrases``."""


def join_phrases(words: Sequence[str], vocabulary: Container[str]) -> list[str]:
    """Join consecutive words that form a phrase of the vocabulary.

    Phrases are built greedily from left to right: the next word is appended to a phrase as long as the vocabulary
    contains the longer phrase.

    Args:
        words: the words of a segment.
        vocabulary: the words and phrases that have vectors. The words of a phrase are separated by ``DELIMITER``.
    """
    units: list[str] = []
    for word in words:
        longer_phrase = DELIMITER.join([*units[-1:], word])
        if units and longer_phrase in vocabulary:
            units[-1] = longer_phrase
        else:
            units.append(word)
    return units


class DocumentCosineOptions(VectorOptions):
    """Options of the feature ``document-cosine``."""

    similarity: Annotated[
        Literal["cosine", "shared-words"],
        Meta(
            description="cosine: the cosine of the two document vectors, equation 11. shared-words: the squares of the "
            "vectors of the words that both documents share, divided by the roots of the sums of squares of all words."
        ),
    ] = "cosine"


class DocumentCosineFeature(WordVectorFeature, Feature):
    """The cosine of the document vectors of hypothesis and reference (Vela and Tan, 2015, equations 3, 4 and 11).

    A document vector is the sum of the vectors of a text's words and phrases, divided by the number of words and
    phrases. Consecutive words are joined to a phrase, such as ``prime_minister``, if the phrase has a vector. The
    similarity ``shared-words`` implements the alternative that section 3.1 of the paper describes. If no word of a text
    has a vector, the feature is 0.
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
        """Return the document vector of a segment as an array ``(dimension,)``.

        All values are 0 if no word of the segment has a vector.
        """
        units = self.units(segment)
        rows = self._vectors.find_rows(units)
        total: NDArray[np.float64] = self._vectors.table[rows[rows >= 0]].sum(axis=0, dtype=float)
        return total / max(len(units), 1)

    def compute(self, batch: FeatureBatch) -> list[list[float]]:
        """Return the mean similarity of each hypothesis to its references in a single column."""
        compare = self._compare_shared_words if self.options.similarity == "shared-words" else self._compare_documents
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            rows.append([add_in_order(compare(hypothesis, references)) / len(references)])
        return rows

    def _compare_documents(self, hypothesis: str, references: Sequence[str]) -> list[float]:
        """Compare the document vectors of a hypothesis and each of its references by their cosine."""
        document = self.document(hypothesis)
        return [cosine(document, self.document(reference)) for reference in references]

    def _compare_shared_words(self, hypothesis: str, references: Sequence[str]) -> list[float]:
        """Compare a hypothesis with each reference by the words that both texts contain."""
        counts = Counter(self.units(hypothesis))
        return [self._shared_words_similarity(counts, Counter(self.units(reference))) for reference in references]

    def _shared_words_similarity(self, hypothesis: Counter[str], reference: Counter[str]) -> float:
        """Return the similarity of two texts whose words and phrases have been counted.

        Each word has a count h in the hypothesis, a count r in the reference, and a weight w. The weight is the squared
        norm of the word's vector. The similarity is the weighted cosine Σ w h r / √(Σ w h² · Σ w r²) over all words.
        """
        squared_norms = {word: self._squared_norm(word) for word in {*hypothesis, *reference}}
        product = add_in_order(count * reference[word] * squared_norms[word] for word, count in hypothesis.items())
        hypothesis_square = add_in_order(count**2 * squared_norms[word] for word, count in hypothesis.items())
        reference_square = add_in_order(count**2 * squared_norms[word] for word, count in reference.items())
        if not hypothesis_square or not reference_square:
            return 0.0
        return product / (math.sqrt(hypothesis_square) * math.sqrt(reference_square))

    def _squared_norm(self, word: str) -> float:
        """Return the squared norm of a word's vector, or 0 if the word does not have a vector."""
        row = self._vectors.rows.get(word)
        if row is None:
            return 0.0
        vector = self._vectors.table[row].astype(float)
        return float(vector @ vector)

    def describe(self) -> str:
        """Return the digest of the vectors.

        If the similarity measure is not the cosine, append the name of the measure to the digest.
        """
        return super().describe() + ("" if self.options.similarity == "cosine" else f"|{self.options.similarity}")
