"""The matcher ``vector``: words match if their vectors are similar (METEOR-E's module `embeddings`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from meteor_e.api import FilePath, Meta, SimilarityMatcher, Token
from meteor_e.api.options import SimilarityOptions
from meteor_e_vectors.keys import Key, checked_key, key_of, needed
from meteor_e_vectors.places import check_language, find_vectors, usable_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from meteor_e.api import MatcherContext


class VectorMatcher(SimilarityMatcher):
    """Words match if their vectors are similar: (1 + cosine)/2 of at least the threshold (Servan et al., 2016).

    Equal words match with probability 1, also where another matcher has found them before. A word without a vector
    matches no other word.
    """

    name: ClassVar[str] = "vector"
    default_weight: ClassVar[float] = 0.8
    search_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("vectors",)

    class Options(SimilarityOptions):
        """What a chain may say beside ``threshold`` and ``below``."""

        file: (
            Annotated[
                FilePath,
                Meta(
                    description="The vectors: a vector file, or one of word2vec, GloVe or fastText, which is "
                    "converted once; by default those that are installed for the language."
                ),
            ]
            | None
        ) = None
        key: (
            Annotated[Key, Meta(description="What a vector is looked up by; by default what the file says.")] | None
        ) = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        file = str(options.file)
        self.vector_file = usable_vectors(file)
        self.key = options.key if options.key is not None else checked_key(self.vector_file.key, f"{file}: key")
        self.needs_lemmas = "lemma" in needed(self.key)
        self.needs_tags = "tag" in needed(self.key)

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> Self:
        """Find the language's vectors where the chain names no file; refuse those of another language."""
        if options.file is None:
            options = options.replaced(file=str(find_vectors(context.language.code)))
        made = super().from_options(context, options)
        check_language(made.vector_file, cls.name, context)
        return made

    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return the vectors of some words, one a row, of length 1."""
        return unit_rows(self.vector_file.lookup([key_of(token, self.key) for token in tokens]))

    def describe(self) -> str:
        """Name threshold and key, and the vectors by their digest."""
        below = "" if self.options.below is None else f" below={self.options.below}"
        return f"threshold={self.options.threshold}{below} key={self.key} vectors@{self.vector_file.digest[:12]}"


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return each row divided by its length, in single precision as METEOR-E computes it; zeros stay zeros.

    The squares are added up in double precision in the order of the dimensions, whatever the number of rows, so
    that a word's vector does not depend on the words that it is asked for with.
    """
    squares = np.zeros(len(rows))
    for column in rows.T.astype(np.float64):
        squares += column * column
    lengths = np.sqrt(squares)
    lengths[lengths == 0] = 1
    return (rows / lengths[:, None]).astype(np.float32)
