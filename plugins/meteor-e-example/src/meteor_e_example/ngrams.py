"""A SimilarityMatcher: words match if their vectors are similar."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from meteor_e.api import Meta, SimilarityMatcher, SimilarityOptions, Token

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CharacterNgrams(SimilarityMatcher):
    """Words of similar spelling match: inflected forms, typing errors, cognates.

    A word's vector counts its character n-grams, hashed to a fixed number of dimensions; the word's beginning
    and end count as characters. Words without letters have no vector, so that 1990 does not match 1999.
    """

    name: ClassVar[str] = "ngrams"
    default_weight: ClassVar[float] = 0.5

    class Options(SimilarityOptions):
        """What a chain may say beside ``threshold`` and ``below``, which every such matcher has."""

        size: Annotated[int, Meta(ge=1, description="Characters of an n-gram.")] = 3
        dimensions: Annotated[
            int, Meta(ge=1, le=65536, description="Numbers of a vector; the more, the fewer n-grams share one.")
        ] = 1024

    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return the vectors of some words, one a row."""
        import numpy as np

        size: int = self.options.size
        rows = np.zeros((len(tokens), self.options.dimensions), dtype=np.float32)
        for row, token in zip(rows, tokens, strict=True):
            if not any(map(str.isalpha, token.form)):
                continue
            word = f"<{token.form}>"
            for start in range(max(1, len(word) - size + 1)):
                # Not hash(): it gives a text another number in every process.
                row[zlib.crc32(word[start : start + size].encode("utf-8", "surrogatepass")) % len(row)] += 1
            row /= np.linalg.norm(row)
        return rows
