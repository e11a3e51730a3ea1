"""The base class of matchers that compare contextual vectors of words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from meteor_e.api.matchers import Match, VectorMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.base.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SENTENCE_LIMIT = 1 << 14
"""Number of distinct sentences whose vectors a matcher caches. The cache is cleared when it is full."""


SENTENCE_BYTES = 1 << 27
"""Maximum size of the cached vectors of sentences, in bytes."""


ENCODED_WORDS = 1 << 15
"""Maximum number of words in a group of sentences that are encoded together. A single sentence may have more words."""


VECTOR_GRID = 1 << 14
"""Vectors of sentences are rounded to multiples of 1 divided by this number."""


class SentenceMemory(BoundedCache[tuple[Token, ...], "NDArray[np.int16]"]):
    """A cache of contextual word vectors by sentence. It is cleared before its size exceeds :data:`SENTENCE_BYTES`.

    Several threads may use the same cache. The vectors are not pickled.
    """

    __slots__ = ("size",)

    def __init__(self) -> None:
        super().__init__(SENTENCE_LIMIT)
        self.size = 0

    def add_items(self, items: Mapping[tuple[Token, ...], NDArray[np.int16]]) -> None:
        """Add the vectors of new sentences. If the cache would become too large, all older vectors are removed."""
        size = sum(rows.nbytes for rows in items.values())
        if self.size + size > SENTENCE_BYTES:
            self.clear()
            self.size = 0
        self.size += size
        super().add_items(items)

    def __reduce__(self) -> tuple[object, tuple[()]]:
        return SentenceMemory, ()


class ContextualMatcher(VectorMatcher):
    """Base class of matchers that compare contextual vectors. The vector of a word depends on its sentence.

    The options and the conditions for a match are the same as for :class:`SimilarityMatcher`.

    The coordinates of the vectors are rounded to multiples of 2⁻¹⁴ (:data:`VECTOR_GRID`). As a result, the scalar
    product of two vectors is a sum of integers, which does not depend on the order of the summands. Therefore both
    engines compute the same similarities.

    Class attributes
    ----------------
    longest_sentence : int
        Maximum number of words of a segment. The vectors of longer segments would take too much memory.
    """

    longest_sentence: ClassVar[int] = 8192

    @abstractmethod
    def encode(self, sentences: Sequence[Sequence[Token]]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Return a unit vector for each token of each sentence.

        If a token does not have a vector, its row consists of zeros. Such a token only matches equal tokens.

        The vectors of a sentence must not depend on the other sentences, because scores must not depend on the
        grouping of segments into batches. The last digits of a neural network's output depend on the shape of its
        input. Therefore, pass one sentence at a time to the network, or always use the same shape.

        This method is called once per batch, for the distinct sentences that are not in the cache. Several threads may
        call it at the same time.

        Args:
            sentences: the normalized tokens of distinct segments, which are not empty.

        Returns:
            The vectors of all sentences, ``(tokens of all sentences, dimension)``; and offsets, ``(len(sentences) +
            1,)``. The vectors of sentence ``k`` are ``rows[offsets[k] : offsets[k + 1]]``.
        """

    def sentence_rows(self, sentences: Sequence[tuple[Token, ...]]) -> list[NDArray[np.int16]]:
        """Return the word vectors of distinct sentences, scaled by :data:`VECTOR_GRID` and rounded to integers.

        Sentences that are not in the cache are encoded in groups of at most :data:`ENCODED_WORDS` words.

        Raises:
            TypeError: if :meth:`encode` does not return one row per token.
            ValueError: if a vector is not finite, if its length exceeds 1, or if vectors differ in their dimension.
        """
        rows_by_sentence = self.memory.get_items(sentences)
        missing_sentences = [sentence for sentence in sentences if sentence not in rows_by_sentence]
        for group in _group_sentences(missing_sentences):
            rows_by_sentence.update(self._encode_and_cache(group))
        dimensions = {rows.shape[1] for rows in rows_by_sentence.values()}
        if len(dimensions) > 1:
            raise ValueError(
                f"{type(self).__name__}.encode returned rows of {min(dimensions)} and {max(dimensions)} dimensions"
            )
        return [rows_by_sentence[sentence] for sentence in sentences]

    @property
    def memory(self) -> SentenceMemory:
        """The cache of vectors. To share a cache, matchers with the same encoder can override this property."""
        memory: SentenceMemory = self.__dict__.setdefault("_memory", SentenceMemory())
        return memory

    def too_long(self, words: int) -> InputError:
        """Return the error for a segment with more words than :attr:`longest_sentence`."""
        return InputError(
            f"a segment of {words} words is too long for matcher {self.name!r}, which accepts "
            f"{self.longest_sentence}; split the segment"
        )

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose all pairs of similar words, ordered by reference word and then by hypothesis word."""
        longest = max(len(hypothesis), len(reference))
        if hypothesis and reference and longest > self.longest_sentence:
            raise self.too_long(longest)
        yield from super().match(hypothesis, reference)

    def _rows(self, tokens: Sequence[Token]) -> NDArray[np.float64]:
        """Return the vectors of a sentence's tokens, rescaled to a length of about 1."""
        (rows,) = self.sentence_rows([tuple(tokens)])
        scaled: NDArray[np.float64] = rows / VECTOR_GRID
        return scaled

    def _encode_and_cache(self, sentences: list[tuple[Token, ...]]) -> dict[tuple[Token, ...], NDArray[np.int16]]:
        """Encode sentences, round their vectors, and add them to the cache."""
        import numpy as np

        rows, offsets = self.encode(sentences)
        self._check_rows(rows, offsets, sentences)
        rounded_rows = np.rint(rows.astype(np.float64) * VECTOR_GRID).astype(np.int16)
        rows_by_sentence = {}
        start = 0
        for sentence in sentences:
            end = start + len(sentence)
            # The rows are copied, because a view would keep the vectors of all sentences in memory.
            rows_by_sentence[sentence] = rounded_rows[start:end].copy()
            start = end
        self.memory.add_items(rows_by_sentence)
        return rows_by_sentence

    def _check_rows(
        self, rows: NDArray[np.float32], offsets: NDArray[np.intp], sentences: Sequence[Sequence[Token]]
    ) -> None:
        """Check the vectors and offsets that :meth:`encode` returned for sentences.

        Raises:
            TypeError: if there is not one row per token.
            ValueError: if a vector is not finite, or if its length exceeds 1.
        """
        import numpy as np

        expected_offsets = list(accumulate(map(len, sentences), initial=0))
        token_count = expected_offsets[-1]
        if rows.ndim != 2 or len(rows) != token_count or not np.array_equal(offsets, expected_offsets):
            raise TypeError(
                f"{type(self).__name__}.encode returned rows of shape {rows.shape} in {len(offsets) - 1} parts for "
                f"{len(sentences)} sentences with {token_count} tokens; it must return one row per token"
            )
        squared_lengths = np.square(rows, dtype=np.float64).sum(axis=1)  # (tokens,)
        # The limit 1.01 allows for rounding errors. A vector that contains NaN also fails this check.
        if not (squared_lengths <= 1.01).all():
            raise ValueError(f"{type(self).__name__}.encode returned rows that are not finite, or longer than 1")


def _group_sentences(sentences: Sequence[tuple[Token, ...]]) -> Iterator[list[tuple[Token, ...]]]:
    """Divide sentences into groups of at most :data:`ENCODED_WORDS` words. A longer sentence forms its own group."""
    group: list[tuple[Token, ...]] = []
    word_count = 0
    for sentence in sentences:
        if group and word_count + len(sentence) > ENCODED_WORDS:
            yield group
            group, word_count = [], 0
        group.append(sentence)
        word_count += len(sentence)
    if group:
        yield group
