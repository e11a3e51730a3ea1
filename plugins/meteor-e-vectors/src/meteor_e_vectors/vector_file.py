"""Vector files: words and their vectors, memory-mapped.

The container is that of meteor_e's indexes (``docs/index-format.md``); ``docs/vectors.md`` describes what is in
it. Opening one reads it once, to compare its SHA-256: a flipped bit would give another number. Processes that open the
same file share its memory.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e import InputError, ResourceError
from meteor_e.base.atomic import atomic_file
from meteor_e.base.files import open_regular, os_errors_as
from meteor_e.packs.indexes import (
    WORD_SECTIONS,
    IndexFile,
    Layout,
    damaged,
    vocabulary_sections,
    write_index,
)
from meteor_e_vectors.subwords import Subwords

if TYPE_CHECKING:
    from numpy.typing import NDArray

LAYOUT = Layout(
    b"MEvector",
    (
        *WORD_SECTIONS,
        ("counts", 4),
        ("rows", 4),
        ("subword_rows", 4),
        ("metadata", 1),
    ),
)
"""Parameters: words, longest probe, dimension, buckets of subwords, shortest and longest subword."""

SUFFIX = ".vectors"


class VectorFile(Mapping[str, "NDArray[np.float32]"]):
    """An open vector file: a mapping from words to rows of float32.

    It can be used from several threads, and is pickled as its path.

    Attributes:
        path: the file.
        rows: all vectors as they were trained, ``(words, dimension)``, read-only, not of length 1.
        counts: how often each word occurred in the training text, 0 where that is not known.
        subwords: vectors of parts of words (fastText), for words that are not there; ``None`` without.
        metadata: how the vectors were made.
    """

    def __init__(self, file: IndexFile) -> None:
        count, _, dimension, buckets, shortest, longest = file.parameters[:6]
        self.path = file.path
        self._file = file
        rows = np.frombuffer(file.sections["rows"], dtype=np.float32)
        subword_rows = np.frombuffer(file.sections["subword_rows"], dtype=np.float32)
        self.counts: NDArray[np.uint32] = np.frombuffer(file.sections["counts"], dtype=np.uint32)
        if not dimension or len(rows) != count * dimension or len(subword_rows) != buckets * dimension:
            damaged(file.path, "its vectors do not fit its header")
        if len(self.counts) != count:
            damaged(file.path, "its counts do not fit its header")
        self.rows: NDArray[np.float32] = rows.reshape(count, dimension)
        self.subwords: Subwords | None = None
        if buckets:
            if not 0 < shortest <= longest:
                damaged(file.path, "the lengths of its subwords do not fit")
            self.subwords = Subwords(subword_rows.reshape(buckets, dimension), shortest, longest)
        try:
            self.metadata: dict[str, Any] = json.loads(bytes(file.sections["metadata"]))
            self.digest: str = self.metadata["digest"]
            self.key: str = self.metadata.get("key", "word")
            expected = self.metadata.pop("sha256")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            damaged(file.path, "its metadata cannot be read")
        if _checksum([file.sections[name] for name, _ in LAYOUT.sections[:-1]], self.metadata) != expected:
            damaged(file.path, "its SHA-256 is another one")

    @cached_property
    def words(self) -> list[str]:
        """All words, the most frequent first; read from the file when they are asked for."""
        return [self._file.word(number) for number in range(self._file.size)]

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return int(self.rows.shape[1])

    def __len__(self) -> int:
        """Return the number of words."""
        return self._file.size

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._file.word_id(word) >= 0

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        number = self.number(word)
        if number < 0:
            raise KeyError(word)
        row: NDArray[np.float32] = self.rows[number]
        return row

    def number(self, word: str) -> int:
        """Return the word's place in :attr:`words`, -1 if it is not there."""
        return self._file.word_id(word)

    def lookup(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per word, ``(len(words), dimension)``: its own, else that of its subwords, else zeros."""
        found = np.zeros((len(words), self.dimension), dtype=np.float32)
        for row, word in zip(found, words, strict=True):
            number = self.number(word)
            if number >= 0:
                row[:] = self.rows[number]
            elif self.subwords is not None:
                row[:] = self.subwords.vector(word)
        return found

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return open_vectors, (self.path,)


def is_vector_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins like a vector file; ResourceError if it cannot be read."""
    with os_errors_as(ResourceError, f"cannot read the vectors {os.fspath(path)}"), open_regular(path) as file:
        return file.read(len(LAYOUT.magic)) == LAYOUT.magic


def reason(error: Exception) -> str:
    """Return what an error of the system says, without the file's name."""
    return getattr(error, "strerror", None) or str(error)


def open_vectors(path: str | os.PathLike[str]) -> VectorFile:
    """Map a vector file.

    Raises:
        ResourceError: if it cannot be read, is damaged, or is a file of another kind.
    """
    if not is_vector_file(path):
        raise ResourceError(
            f"{os.fspath(path)} is not a vector file; `meteor-e vectors convert` makes one from word2vec, GloVe "
            "and fastText files"
        )
    return VectorFile(IndexFile(path, LAYOUT))


def write_vectors(
    path: str | os.PathLike[str],
    words: Sequence[str],
    rows: NDArray[np.float32],
    *,
    counts: NDArray[np.integer[Any]] | None = None,
    subwords: Subwords | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write a vector file, whole or not at all.

    Args:
        path: the file.
        words: distinct, the most frequent first.
        rows: one vector per word, ``(len(words), dimension)``, finite; may be mapped from another file.
        counts: how often each word occurs.
        subwords: vectors of parts of words.
        metadata: how the vectors were made, as JSON can hold it; ``key`` says what they are looked up by.

    Raises:
        InputError: if words and rows do not fit together, a vector is not finite, a word is there twice, or
            there are none.
        ResourceError: if the file cannot be written, or is too large for its format.
    """
    target = Path(os.path.realpath(path))
    if rows.ndim != 2 or len(rows) != len(words) or not rows.size:
        raise InputError(f"there are {len(words)} words and vectors of shape {rows.shape}; each word needs a vector")
    seen = len(set(words))
    if seen != len(words):
        raise InputError(f"{len(words) - seen} of the {len(words)} words are there twice")
    for part in (rows, *([subwords.rows] if subwords is not None else [])):
        for start in range(0, len(part), 1 << 16):
            finite = np.isfinite(part[start : start + (1 << 16)]).all(axis=1)
            if not finite.all():
                at = start + int(np.argmin(finite))
                what = f"the vector of {words[at]!r}" if part is rows else f"subword vector {at}"
                raise InputError(f"{what} is not finite")
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    sections, parameters = vocabulary_sections(encoded, target)
    data = np.ascontiguousarray(rows, dtype="<f4")
    pieces = np.ascontiguousarray(subwords.rows, dtype="<f4") if subwords is not None else np.empty((0, 1), "<f4")
    limits = (subwords.shortest, subwords.longest) if subwords is not None else (0, 0)
    digest = hashlib.sha256()
    hashed: list[bytes | memoryview] = [*sections[:2], _bytes(data), _bytes(pieces), str(limits).encode()]
    for content in hashed:
        digest.update(content)
    described = {**(metadata or {}), "digest": digest.hexdigest()}
    frequency = np.zeros(len(words), "<u4") if counts is None else np.minimum(counts, 2**32 - 1).astype("<u4")
    everything: list[bytes | memoryview] = [*sections, _bytes(frequency), _bytes(data), _bytes(pieces)]
    everything.append(_encoded({**described, "sha256": _checksum(everything, described)}))
    with os_errors_as(ResourceError, f"cannot write {target}"):
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(target) as scratch:
            write_index(scratch, LAYOUT, [*parameters, data.shape[1], len(pieces), *limits], everything)


def _encoded(metadata: Mapping[str, Any]) -> bytes:
    return json.dumps(metadata, ensure_ascii=False, sort_keys=True).encode()


def _checksum(sections: Sequence[bytes | memoryview], metadata: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a file's sections before the metadata, and of the metadata without it."""
    checksum = hashlib.sha256()
    for content in (*sections, _encoded(metadata)):
        checksum.update(content)
    return checksum.hexdigest()


def _bytes(array: NDArray[Any]) -> memoryview:
    """Return the memory of an array, which may be mapped from a file."""
    view: memoryview = array.reshape(-1).view(np.uint8).data
    return view
