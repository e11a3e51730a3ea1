"""A SimilarityMatcher: words match if their vectors are similar."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from meteor_e import ConfigError, SimilarityMatcher, Token

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CharacterNgrams(SimilarityMatcher):
    """Words of similar spelling match: inflected forms, typing errors, cognates.

    A word's vector counts its character n-grams, hashed to a fixed number of dimensions; the word's beginning
    and end count as characters. Words without letters have no vector, so that 1990 does not match 1999.

    Args:
        threshold: lowest similarity, (1 + cosine)/2, of a match, in [0, 1].
        size: characters of an n-gram.
        dimensions: numbers of a vector; the more, the fewer n-grams share one.
    """

    name: ClassVar[str] = "ngrams"
    default_weight: ClassVar[float] = 0.5

    def __init__(self, threshold: float = 0.8, size: int = 3, dimensions: int = 1024) -> None:
        super().__init__(threshold)
        if size < 1 or dimensions < 1:
            raise ConfigError(f"matcher 'ngrams': size {size} and dimensions {dimensions} must be 1 or more")
        self.size = size
        self.dimensions = dimensions

    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return the vectors of some words, one a row."""
        import numpy as np

        rows = np.zeros((len(tokens), self.dimensions), dtype=np.float32)
        for row, token in zip(rows, tokens, strict=True):
            if not any(map(str.isalpha, token.form)):
                continue
            word = f"<{token.form}>"
            for start in range(max(1, len(word) - self.size + 1)):
                # Not hash(): it gives a text another number in every process.
                row[zlib.crc32(word[start : start + self.size].encode("utf-8", "surrogatepass")) % len(row)] += 1
            row /= np.linalg.norm(row)
        return rows

    def describe(self) -> str:
        """Name what changes the result."""
        return f"{super().describe()} size={self.size} dimensions={self.dimensions}"
