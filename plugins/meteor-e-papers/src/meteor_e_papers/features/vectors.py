"""The mean word vectors of segments.

The plugin meteor-e-vectors reads the file, whatever its format. Words are looked up in lower case, split as
:func:`meteor_e_papers.splitting.split` does.
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
        rows: word → row.
        table: the vectors, ``(words, dimension)``.
        digest: the beginning of the file's SHA-256.
    """

    def __init__(self, rows: Mapping[str, int], table: Floats32, digest: str) -> None:
        self.rows = rows
        self.table = table
        self.digest = digest

    @property
    def dimension(self) -> int:
        """Numbers a word."""
        return int(self.table.shape[1])

    def places(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the rows of words; -1 for those that are not there."""
        return np.array([self.rows.get(word, -1) for word in words], np.int64)


@functools.lru_cache(maxsize=2)
def _load(path: str, size: int, changed: int) -> WordVectors:
    # The reader of the matcher `vector`, so that both take the same files.
    vector_file = open_any_vectors(path)
    indexes = {word: index for index, word in enumerate(vector_file.words)}
    return WordVectors(indexes, vector_file.rows, sha256_of(Path(path))[:12])


def open_word_vectors(path: str | os.PathLike[str]) -> WordVectors:
    """Read word vectors: word2vec's text or binary form, GloVe, fastText (``.bin``, ``.vec``), or meteor_e's own form.

    A file that was read before and has not changed is not read again. Words that a fastText model composes of subwords
    are not in the vocabulary and have no vector here.

    Raises:
        ResourceError: if the file cannot be read.
        InputError: if it holds no vectors.
    """
    try:
        status = Path(path).stat()
    except OSError as error:
        raise ResourceError(f"word vectors {os.fspath(path)!r} cannot be read: {error.strerror or error}") from error
    return _load(os.fspath(path), status.st_size, status.st_mtime_ns)


class VectorOptions(ComponentOptions):
    """What a recipe may say."""

    file: VectorFile


class NeedsVectors(Feature):
    """A feature that holds word vectors, and is pickled as the name of their file."""

    Options: ClassVar[type[Any] | str | None] = VectorOptions

    def __init__(self, options: VectorOptions) -> None:
        super().__init__(options)
        self._vectors = open_word_vectors(options.file)

    def describe(self) -> str:
        """Return the digest of the file."""
        return f"@{self._vectors.digest}"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_vectors"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._vectors = open_word_vectors(self.options.file)


class WordVectorsFeature(NeedsVectors, SegmentFeature):
    """The mean of a segment's word vectors (Mitchell and Lapata, 2010); zeros where no word is known."""

    name: ClassVar[str] = "word-vectors"
    requires: ClassVar[tuple[str, ...]] = ("word vectors",)

    @property
    def word_vectors(self) -> WordVectors:
        """Vectors of the words."""
        return self._vectors

    @property
    def segment_dimension(self) -> int:
        """As the file has it."""
        return self._vectors.dimension

    def vectors(self, segments: Sequence[str]) -> NDArray[np.float64]:
        """Average."""
        rows = np.zeros((len(segments), self.segment_dimension))
        for row, segment in zip(rows, segments, strict=True):
            places = self._vectors.places(split(segment))
            places = places[places >= 0]
            if len(places):
                row += self._vectors.table[places].mean(axis=0)
        return rows


def cosine(one: NDArray[np.floating[Any]], other: NDArray[np.floating[Any]]) -> float:
    """Return the cosine of two vectors; 0 if one of them is zero."""
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths > 0 else 0.0
