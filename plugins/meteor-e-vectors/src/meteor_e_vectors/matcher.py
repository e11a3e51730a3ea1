"""The matcher ``vector``: words match if their vectors are similar (METEOR-E's module `embeddings`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e import SimilarityMatcher, Token
from meteor_e_vectors.keys import checked_key, key_of
from meteor_e_vectors.normalizing import unit_rows
from meteor_e_vectors.places import find_vectors, usable_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from meteor_e.matchers.base import MatcherContext

__all__ = ["VectorMatcher"]


class VectorMatcher(SimilarityMatcher):
    """Words match if their vectors are similar: (1 + cosine)/2 of at least the threshold (Servan et al., 2016).

    Equal words match with probability 1, also where another matcher has found them before. A word without a vector
    matches no other word.

    Args:
        file: the vectors: a vector file, or a file of word2vec, GloVe, fastText or gensim, which is converted
            once; by default those that are installed for the language.
        threshold: lowest similarity of a match, in [0, 1].
        key: what a vector is looked up by (``word``, ``lemma``, ``word_POS``, ``lemma_POS``, ``word_lemma``); by
            default what the file says.
    """

    name: ClassVar[str] = "vector"
    default_weight: ClassVar[float] = 0.8
    search_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("vectors",)

    def __init__(self, file: str | os.PathLike[str], threshold: float = 0.8, key: str | None = None) -> None:
        super().__init__(threshold)
        if key is not None:
            checked_key(key, "matcher 'vector': key")
        self.vector_file = usable_vectors(file)
        self.key = key if key is not None else checked_key(self.vector_file.key, f"{file}: key")

    @classmethod
    def create(cls, context: MatcherContext, **options: Any) -> Self:
        """Find the language's vectors where the chain names no file."""
        if options.get("file") is None:
            options["file"] = find_vectors(context.language.code)
        return super().create(context, **options)

    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return the vectors of some words, one a row, of length 1."""
        return unit_rows(self.vector_file.lookup([key_of(token, self.key) for token in tokens]))

    def describe(self) -> str:
        """Name threshold and key, and the vectors by their digest."""
        return f"{super().describe()} key={self.key} vectors@{self.vector_file.digest[:12]}"
