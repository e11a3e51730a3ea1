"""Features that are computed from word vectors.

Vector files are read by the plugin meteor-e-vectors, which supports all common formats. Words are looked up in lower
case, as :func:`meteor_e_papers.splitting.split` returns them.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from meteor_e_vectors.locations import open_any_vectors
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, Feature, FilePath, Meta, ResourceError, SegmentFeature
from meteor_e.base.files import sha256_of
from meteor_e_papers.splitting import split

Floats32 = NDArray[np.float32]


VectorFile = Annotated[FilePath, Meta(description="Word vectors: word2vec, GloVe, fastText or a vector file.")]


class WordVectors:
    """Word vectors in memory.

    Attributes:
        rows: a mapping from each word to its row of the table.
        table: the vectors, ``(words, dimension)``.
        digest: the first 12 digits of the file's SHA-256 digest.
    """

    def __init__(self, rows: Mapping[str, int], table: Floats32, digest: str) -> None:
        self.rows = rows
        self.table = table
        self.digest = digest

    @property
    def dimension(self) -> int:
        """The number of values in a word's vector."""
        return int(self.table.shape[1])

    def find_rows(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each word. The row of an unknown word is -1."""
        return np.array([self.rows.get(word, -1) for word in words], np.int64)


@functools.lru_cache(maxsize=2)
def _load(path: str, size: int, modification_time: int) -> WordVectors:
    """Read a file of word vectors. If the file has changed, its cached vectors are not used."""
    vector_file = open_any_vectors(path)
    indexes = {word: index for index, word in enumerate(vector_file.words)}
    return WordVectors(indexes, vector_file.rows, sha256_of(Path(path))[:12])


def open_word_vectors(path: str | os.PathLike[str]) -> WordVectors:
    """Read a file of word vectors.

    The formats are word2vec (text or binary), GloVe, fastText (``.bin`` or ``.vec``) and meteor_e's own format. The two
    files that were read last are cached until they change. Only words in the vocabulary of a fastText model have
    vectors, because vectors are not composed from subwords.

    Raises:
        ResourceError: if the file cannot be read.
        InputError: if the file does not contain word vectors.
    """
    try:
        status = Path(path).stat()
    except OSError as error:
        raise ResourceError(f"word vectors {os.fspath(path)!r} cannot be read: {error.strerror or error}") from error
    return _load(os.fspath(path), status.st_size, status.st_mtime_ns)


class VectorOptions(ComponentOptions):
    """Options of features that read a file of word vectors."""

    file: VectorFile


class WordVectorFeature(Feature):
    """A base class for features that read word vectors.

    A pickled feature contains the path of the vector file instead of the vectors. Unpickling reads the file again.
    """

    Options: ClassVar[type[Any] | str | None] = VectorOptions

    def __init__(self, options: VectorOptions) -> None:
        super().__init__(options)
        self._vectors = open_word_vectors(options.file)

    def describe(self) -> str:
        """Return the digest of the vector file."""
        return f"@{self._vectors.digest}"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_vectors"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._vectors = open_word_vectors(self.options.file)


class WordVectorsFeature(WordVectorFeature, SegmentFeature):
    """The mean of a segment's word vectors (Mitchell and Lapata, 2010).

    All values are 0 if no word of the segment has a vector.
    """

    name: ClassVar[str] = "word-vectors"
    requires: ClassVar[tuple[str, ...]] = ("word vectors",)

    @property
    def word_vectors(self) -> WordVectors:
        """The word vectors that the feature has read."""
        return self._vectors

    @property
    def segment_dimension(self) -> int:
        """The dimension of a segment's vector, which is equal to the dimension of the word vectors."""
        return self._vectors.dimension

    def vectors(self, segments: Sequence[str]) -> NDArray[np.float64]:
        """Return the mean word vector of each segment as an array ``(segments, segment_dimension)``."""
        means = np.zeros((len(segments), self.segment_dimension))
        for index, segment in enumerate(segments):
            rows = self._vectors.find_rows(split(segment))
            known_rows = rows[rows >= 0]
            if len(known_rows):
                means[index] = self._vectors.table[known_rows].mean(axis=0)
        return means


def cosine(first: NDArray[np.floating[Any]], second: NDArray[np.floating[Any]]) -> float:
    """Return the cosine of two vectors, or 0 if one of them is a zero vector."""
    norms = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / norms if norms > 0 else 0.0
