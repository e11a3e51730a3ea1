"""The matcher ``phrase-vector``: phrases match if their vectors are similar.

The paper names phrase embeddings beside the paraphrase module as future work (Servan et al., 2016, section 5). A
phrase's vector is the weighted mean of its words' vectors, rare words counting more (Arora et al., 2017, smooth
inverse frequency, without the removal of the common component).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from meteor_e.api import ComponentOptions, FilePath, Match, Matcher, Meta, Token
from meteor_e_vectors.keys import Key, checked_key, key_of, needed
from meteor_e_vectors.normalizing import unit_rows
from meteor_e_vectors.places import check_language, find_vectors, usable_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

_SMOOTHING = 1e-3
_BLOCK = 1 << 20
"""Pairs of phrases that are compared at once."""


class PhraseVectorMatcher(Matcher):
    """Phrases match if their vectors, weighted means of their words' vectors, are similar.

    At least one of the two phrases has several words. Phrases that begin or end with the same word are left out: what
    is left of them matches without that word.

    Args:
        file: the vectors; see :class:`Options`.
        options: the other options.
    """

    name: ClassVar[str] = "phrase-vector"
    default_weight: ClassVar[float] = 0.6
    accuracy_search_weight: ClassVar[float] = 0.0
    requires: ClassVar[tuple[str, ...]] = ("vectors",)

    class Options(ComponentOptions):
        """What a chain may say beside the name."""

        file: Annotated[FilePath, Meta(description="The vectors, as for the matcher vector.")] | None = None
        threshold: Annotated[float, Meta(ge=0, le=1, description="Lowest similarity, (1 + cosine)/2, of a match.")] = (
            0.95
        )
        longest: Annotated[int, Meta(ge=2, description="Words of the longest phrase.")] = 3
        key: (
            Annotated[Key, Meta(description="What a vector is looked up by; by default what the file says.")] | None
        ) = None

    def __init__(self, file: str | os.PathLike[str], **options: Any) -> None:
        super().__init__(file=file, **options)
        key = self.options.key
        self.threshold: float = self.options.threshold
        self.longest: int = self.options.longest
        self.vector_file = usable_vectors(file)
        self.key = key if key is not None else checked_key(self.vector_file.key, f"{file}: key")
        self.needs_lemmas = "lemma" in needed(self.key)
        self.needs_tags = "tag" in needed(self.key)
        self._total = max(1, int(self.vector_file.counts.sum(dtype=np.uint64)))

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> Self:
        """Find the language's vectors where the chain names no file; refuse those of another language."""
        if options.file is None:
            options = options.replaced(file=str(find_vectors(context.language.code)))
        made = super().from_options(context, options)
        check_language(made.vector_file, cls.name, context)
        return made

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose every similar pair of phrases: by the reference's phrase, then by the hypothesis's."""
        left_spans, left = self._phrases(hypothesis)
        right_spans, right = self._phrases(reference)
        if not left_spans or not right_spans:
            return
        step = max(1, _BLOCK // len(left_spans))
        for start in range(0, len(right_spans), step):
            similarities: NDArray[np.float64] = (1 + _products(right[start : start + step], left)) / 2
            for row, column in np.argwhere(similarities >= self.threshold).tolist():
                j, length = right_spans[start + row]
                i, other_length = left_spans[column]
                if length == other_length == 1:
                    continue
                words = [token.form for token in reference[j : j + length]]
                others = [token.form for token in hypothesis[i : i + other_length]]
                if words[0] == others[0] or words[-1] == others[-1]:
                    continue
                yield Match(j, i, length, other_length, min(1.0, float(similarities[row, column])))

    def _phrases(self, tokens: Sequence[Token]) -> tuple[list[tuple[int, int]], NDArray[np.float64]]:
        """Return start and length of the phrases whose words all have vectors, and their vectors of length 1."""
        keys = [key_of(token, self.key) for token in tokens]
        rows = unit_rows(self.vector_file.lookup(keys)).astype(np.float64)
        known = [bool(row.any()) for row in rows]
        numbers = [self.vector_file.number(key) for key in keys]
        counts = [int(self.vector_file.counts[number]) if number >= 0 else 0 for number in numbers]
        for row, count in zip(rows, counts, strict=True):
            row *= _SMOOTHING / (_SMOOTHING + count / self._total)
        spans = [
            (start, length)
            for start in range(len(tokens))
            for length in range(1, self.longest + 1)
            if start + length <= len(tokens) and all(known[start : start + length])
        ]
        vectors = np.zeros((len(spans), rows.shape[1]))
        for vector, (start, length) in zip(vectors, spans, strict=True):
            for row in rows[start : start + length]:
                vector += row
        lengths = np.sqrt(_squares(vectors))
        return spans, vectors / np.where(lengths > 0, lengths, 1)[:, None]

    def describe(self) -> str:
        """Name what changes the result."""
        return (
            f"threshold={self.threshold} longest={self.longest} key={self.key} vectors@{self.vector_file.digest[:12]}"
        )


def _squares(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.zeros(len(rows))
    for column in rows.T:
        total += column * column
    return total


def _products(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return all products, each summed in the order of the dimensions, whatever the number of rows."""
    total = np.zeros((len(left), len(right)))
    for one, other in zip(left.T, right.T, strict=True):
        total += one[:, None] * other
    return total
