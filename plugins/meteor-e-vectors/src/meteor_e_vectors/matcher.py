"""Define the matcher ``vector``, which compares word vectors as METEOR-E's module ``embeddings`` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from meteor_e.api import FilePath, Meta, SimilarityMatcher, Token
from meteor_e.api.options import SimilarityOptions
from meteor_e_vectors.keys import Key, check_key, make_lookup_key
from meteor_e_vectors.locations import check_language, find_vectors, open_any_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from meteor_e.api import MatcherContext


class VectorMatcher(SimilarityMatcher):
    """A matcher for words whose similarity, (1 + cosine)/2, reaches a threshold (Servan et al., 2016).

    Equal words match with probability 1, even if another matcher has proposed the match. A word without a vector does
    not match any other word.
    """

    name: ClassVar[str] = "vector"
    default_weight: ClassVar[float] = 0.8
    search_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("vectors",)

    class Options(SimilarityOptions):
        """Define the options of the matcher ``vector``, in addition to ``threshold`` and ``below``."""

        file: (
            Annotated[
                FilePath,
                Meta(
                    description="The vectors: a vector file, or a file of word2vec, GloVe or fastText, which is "
                    "converted once. By default, the installed vectors of the language are used."
                ),
            ]
            | None
        ) = None
        key: (
            Annotated[Key, Meta(description="How vectors are looked up; by default as the vector file says.")] | None
        ) = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        file = str(options.file)
        self.vector_file = open_any_vectors(file)
        self.key: str = options.key or check_key(self.vector_file.key, f"{file}: key")
        self.needs_lemmas = "lemma" in self.key
        self.needs_tags = "POS" in self.key

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> Self:
        """Create the matcher for a chain. By default, the matcher uses the installed vectors of the language.

        Raises:
            ConfigError: if the vectors are for another language.
            ResourceError: if there are no vectors for the language.
        """
        if options.file is None:
            options = options.replaced(file=str(find_vectors(context.language.code)))
        matcher = super().from_options(context, options)
        check_language(matcher.vector_file, cls.name, context)
        return matcher

    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return a unit vector for each token, or zeros if the token does not have a vector."""
        return unit_rows(self.vector_file.lookup([make_lookup_key(token, self.key) for token in tokens]))

    def describe(self) -> str:
        """Return the part of the metric's signature that describes the thresholds, the key and the vectors."""
        below = "" if self.options.below is None else f" below={self.options.below}"
        return f"threshold={self.options.threshold}{below} key={self.key} vectors@{self.vector_file.digest[:12]}"


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale each row to unit length in single precision, as METEOR-E does. Rows of zeros are not changed.

    The squares are added in double precision and in a fixed order. Therefore, the result for a word does not depend on
    the other rows.
    """
    squares = np.zeros(len(rows))
    for column in rows.T.astype(np.float64):
        squares += column * column
    lengths = np.sqrt(squares)
    lengths[lengths == 0] = 1
    return (rows / lengths[:, None]).astype(np.float32)
