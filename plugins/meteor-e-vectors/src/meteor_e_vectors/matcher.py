"""The matcher ``vector``: words match if their vectors are similar (METEOR-E's module `embeddings`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from meteor_e.api import FilePath, Meta, SimilarityMatcher, Token
from meteor_e.api.options import SimilarityOptions
from meteor_e_vectors.keys import Key, checked_key, key_of, needed
from meteor_e_vectors.normalizing import unit_rows
from meteor_e_vectors.places import check_language, find_vectors, usable_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from meteor_e.api import MatcherContext


class VectorMatcher(SimilarityMatcher):
    """Words match if their vectors are similar: (1 + cosine)/2 of at least the threshold (Servan et al., 2016).

    Equal words match with probability 1, also where another matcher has found them before. A word without a vector
    matches no other word.

    Args:
        file: the vectors; see :class:`Options`.
        options: the other options.
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
        tags: (
            Annotated[
                list[str],
                Meta(
                    min_length=1,
                    description="Universal tags of the words that match; words of other tags match equal words only. A "
                    "chain that has the matcher several times gives each group of tags a weight of its own.",
                ),
            ]
            | None
        ) = None

    def __init__(self, file: str | os.PathLike[str], **options: Any) -> None:
        super().__init__(file=file, **options)
        tags, key = self.options.tags, self.options.key
        self.tags = None if tags is None else frozenset(tags)
        self.vector_file = usable_vectors(file)
        self.key = key if key is not None else checked_key(self.vector_file.key, f"{file}: key")
        self.needs_lemmas = "lemma" in needed(self.key)
        self.needs_tags = "tag" in needed(self.key) or tags is not None

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
        rows = unit_rows(self.vector_file.lookup([key_of(token, self.key) for token in tokens]))
        if self.tags is not None:
            rows[[token.tag not in self.tags for token in tokens]] = 0
        return rows

    def describe(self) -> str:
        """Name threshold, key and tags, and the vectors by their digest."""
        tags = "" if self.tags is None else f" tags={','.join(sorted(self.tags))}"
        below = "" if self.options.below is None else f" below={self.options.below}"
        return f"threshold={self.options.threshold}{below} key={self.key}{tags} vectors@{self.vector_file.digest[:12]}"
