"""Compute vectors for unknown words from the subword vectors of fastText."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Subwords:
    """Store the hashed character n-grams of a fastText model (Bojanowski et al., 2017).

    Args:
        rows: the vector of each bucket, ``(buckets, dimension)``.
        shortest, longest: the number of characters of an n-gram. The boundary marks ``<`` and ``>`` count.
    """

    def __init__(self, rows: NDArray[np.float32], shortest: int, longest: int) -> None:
        self.rows = rows
        self.shortest = shortest
        self.longest = longest

    def vector(self, word: str) -> NDArray[np.float32]:
        """Return the mean vector of a word's n-grams. The vector contains zeros if the word does not have n-grams."""
        from gensim.models.fasttext import ft_ngram_hashes

        total = np.zeros(self.rows.shape[1], dtype=np.float32)
        buckets = ft_ngram_hashes(word, self.shortest, self.longest, len(self.rows))
        for bucket in buckets:
            total += self.rows[bucket]
        return total / np.float32(max(1, len(buckets)))
