"""The matcher ``vector``: words match if their vectors are similar (METEOR-E's module `embeddings`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e import ConfigError, SimilarityMatcher, Token
from meteor_e_vectors.keys import checked_key, key_of, needed
from meteor_e_vectors.normalizing import unit_rows
from meteor_e_vectors.places import find_vectors, usable_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

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
        below: similarity from which on words do not match, equal words among them; for chains that have the matcher
            several times, with a weight for each band of similarities.
        tags: universal tags of the words that match; words of other tags match equal words only. For chains that
            have the matcher several times, with a weight for each group of tags.
    """

    name: ClassVar[str] = "vector"
    default_weight: ClassVar[float] = 0.8
    search_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("vectors",)

    def __init__(
        self,
        file: str | os.PathLike[str],
        threshold: float = 0.8,
        key: str | None = None,
        below: float | None = None,
        tags: Sequence[str] | None = None,
    ) -> None:
        super().__init__(threshold, below)
        if tags is not None and (isinstance(tags, str) or not tags or not all(isinstance(tag, str) for tag in tags)):
            raise ConfigError(f"matcher 'vector': tags is {tags!r}; it must be a list of tags, such as [NOUN, VERB]")
        self.tags = None if tags is None else frozenset(tags)
        if key is not None:
            checked_key(key, "matcher 'vector': key")
        self.vector_file = usable_vectors(file)
        self.key = key if key is not None else checked_key(self.vector_file.key, f"{file}: key")
        self.needs_lemmas = "lemma" in needed(self.key)
        self.needs_tags = "tag" in needed(self.key) or tags is not None

    @classmethod
    def create(cls, context: MatcherContext, **options: Any) -> Self:
        """Find the language's vectors where the chain names no file."""
        if options.get("file") is None:
            options["file"] = find_vectors(context.language.code)
        return super().create(context, **options)

    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return the vectors of some words, one a row, of length 1."""
        rows = unit_rows(self.vector_file.lookup([key_of(token, self.key) for token in tokens]))
        if self.tags is not None:
            rows[[token.tag not in self.tags for token in tokens]] = 0
        return rows

    def describe(self) -> str:
        """Name threshold, key and tags, and the vectors by their digest."""
        tags = "" if self.tags is None else f" tags={','.join(sorted(self.tags))}"
        return f"{super().describe()} key={self.key}{tags} vectors@{self.vector_file.digest[:12]}"
