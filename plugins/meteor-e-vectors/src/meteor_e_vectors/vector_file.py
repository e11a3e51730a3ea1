"""Reading and writing of vector files, which contain words and their vectors.

Vector files are memory-mapped, so that processes share the memory of a file. They have the format of meteor_e's indexes
(``docs/index-format.md``). Their content is described in ``docs/vectors.md``. The checksum of a file is verified when
the file is opened.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    make_vocabulary_sections,
    raise_damaged,
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
"""The sections of a vector file.

The parameters in the header are the number of words, the longest probe, the dimension, the number of subword buckets,
and the lengths of the shortest and the longest subword in characters.
"""

SUFFIX = ".vectors"


_BLOCK = 1 << 16
"""Number of rows that are checked at once."""


class VectorFile(Mapping[str, "NDArray[np.float32]"]):
    """An open vector file, which is a mapping from words to vectors.

    Several threads can use a vector file at the same time. A pickled vector file contains only its path.

    Attributes:
        path: the file.
        rows: the unnormalized vectors of all words as a read-only array, ``(words, dimension)``.
        counts: the frequency of each word in the training text, or 0 if it is unknown.
        subwords: the subword vectors of fastText for unknown words, or None if the file does not contain any.
        metadata: a description of how the vectors were trained or converted.
        digest: the SHA-256 digest of words and vectors.
        key: the kind of key by which vectors are looked up; see :data:`~meteor_e_vectors.keys.KEYS`.
    """

    def __init__(self, file: IndexFile) -> None:
        self.path = file.path
        self._file = file
        count, _, dimension, bucket_count, shortest, longest = file.parameters[:6]
        rows = np.frombuffer(file.sections["rows"], dtype=np.float32)
        subword_rows = np.frombuffer(file.sections["subword_rows"], dtype=np.float32)
        self.counts: NDArray[np.uint32] = np.frombuffer(file.sections["counts"], dtype=np.uint32)
        if not dimension or len(rows) != count * dimension or len(subword_rows) != bucket_count * dimension:
            raise_damaged(file.path, "its vectors do not fit its header")
        if len(self.counts) != count:
            raise_damaged(file.path, "its counts do not fit its header")
        self.rows: NDArray[np.float32] = rows.reshape(count, dimension)
        self.subwords: Subwords | None = None
        if bucket_count:
            if not 0 < shortest <= longest:
                raise_damaged(file.path, "the lengths of its subwords do not fit")
            self.subwords = Subwords(subword_rows.reshape(bucket_count, dimension), shortest, longest)
        try:
            self.metadata: dict[str, Any] = json.loads(bytes(file.sections["metadata"]))
            self.digest: str = self.metadata["digest"]
            self.key: str = self.metadata.get("key", "word")
            checksum = self.metadata.pop("sha256")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise_damaged(file.path, "its metadata cannot be read")
        sections = [file.sections[name] for name, _ in LAYOUT.sections[:-1]]
        if _compute_checksum(sections, self.metadata) != checksum:
            raise_damaged(file.path, "its SHA-256 does not match its content")

    @cached_property
    def words(self) -> list[str]:
        """All words of the file, most frequent first."""
        return [self._file.word(index) for index in range(self._file.size)]

    @property
    def dimension(self) -> int:
        """The number of dimensions of a vector."""
        return int(self.rows.shape[1])

    def __len__(self) -> int:
        """Return the number of words."""
        return self._file.size

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._file.word_id(word) >= 0

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        index = self.index(word)
        if index < 0:
            raise KeyError(word)
        row: NDArray[np.float32] = self.rows[index]
        return row

    def index(self, word: str) -> int:
        """Return the index of a word in :attr:`words`, or -1 if the word is unknown."""
        return self._file.word_id(word)

    def lookup(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each word, ``(words, dimension)``.

        The vector of an unknown word is computed from its subwords. Without subword vectors, it contains zeros.
        """
        rows = np.zeros((len(words), self.dimension), dtype=np.float32)
        for row, word in zip(rows, words, strict=True):
            index = self.index(word)
            if index >= 0:
                row[:] = self.rows[index]
            elif self.subwords is not None:
                row[:] = self.subwords.vector(word)
        return rows

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return open_vectors, (self.path,)


def is_vector_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a vector file. Raise ResourceError if the file cannot be read."""
    with os_errors_as(ResourceError, f"cannot read the vectors {os.fspath(path)}"), open_regular(path) as file:
        return file.read(len(LAYOUT.magic)) == LAYOUT.magic


def error_reason(error: Exception) -> str:
    """Return the message of an exception. The message of an OSError does not include its file name."""
    return getattr(error, "strerror", None) or str(error)


def open_vectors(path: str | os.PathLike[str]) -> VectorFile:
    """Open a vector file as a memory map.

    Raises:
        ResourceError: if the file cannot be read, is damaged, or is not a vector file.
    """
    if not is_vector_file(path):
        raise ResourceError(
            f"{os.fspath(path)} is not a vector file; use `meteor-e vectors convert` to convert files of "
            "word2vec, GloVe and fastText"
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
    """Write a vector file. An existing file is replaced only if writing succeeds.

    Args:
        path: the file.
        words: the distinct words, most frequent first.
        rows: the vector of each word, ``(words, dimension)``.
        counts: the frequency of each word.
        subwords: subword vectors for unknown words.
        metadata: a description of how the vectors were trained or converted, as JSON values. The entry ``key`` contains
            the kind of key by which vectors are looked up.

    Raises:
        InputError: if the numbers of words and rows differ or are 0, if a word is repeated, or if a vector is not
            finite.
        ResourceError: if the file cannot be written, or if it is too large for its format.
    """
    target = Path(os.path.realpath(path))
    _check_words(words, rows)
    _check_finite(rows, lambda index: f"the vector of {words[index]!r}")
    if subwords is not None:
        _check_finite(subwords.rows, lambda index: f"subword vector {index}")
    word_sections, word_parameters = make_vocabulary_sections(
        [word.encode("utf-8", "surrogatepass") for word in words], target
    )
    row_data = np.ascontiguousarray(rows, dtype="<f4")
    subword_data, subword_lengths = np.empty((0, 1), "<f4"), (0, 0)
    if subwords is not None:
        subword_data = np.ascontiguousarray(subwords.rows, dtype="<f4")
        subword_lengths = (subwords.shortest, subwords.longest)
    row_bytes, subword_bytes = _view_bytes(row_data), _view_bytes(subword_data)
    count_bytes = _view_bytes(_limit_counts(counts, len(words)))
    sections: list[bytes | memoryview] = [*word_sections, count_bytes, row_bytes, subword_bytes]
    digest = _compute_digest([*word_sections[:2], row_bytes, subword_bytes, str(subword_lengths).encode()])
    description = {**(metadata or {}), "digest": digest}
    checksum = _compute_checksum(sections, description)
    sections.append(_encode_metadata({**description, "sha256": checksum}))
    parameters = [*word_parameters, row_data.shape[1], len(subword_data), *subword_lengths]
    with os_errors_as(ResourceError, f"cannot write {target}"):
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(target) as scratch:
            write_index(scratch, LAYOUT, parameters, sections)


def _check_words(words: Sequence[str], rows: NDArray[np.float32]) -> None:
    """Raise InputError if the numbers of words and rows differ, or if a word is repeated."""
    if rows.ndim != 2 or len(rows) != len(words) or not rows.size:
        raise InputError(f"there are {len(words)} words and vectors of shape {rows.shape}; each word needs a vector")
    duplicate_count = len(words) - len(set(words))
    if duplicate_count:
        raise InputError(f"{duplicate_count} of the {len(words)} words are repeated; each word needs a single vector")


def _check_finite(rows: NDArray[np.float32], describe: Callable[[int], str]) -> None:
    """Raise InputError if a value is not finite.

    Args:
        rows: the vectors.
        describe: a function that returns the name of the row with an index, for the error message.
    """
    for start in range(0, len(rows), _BLOCK):
        is_finite = np.isfinite(rows[start : start + _BLOCK]).all(axis=1)
        if not is_finite.all():
            raise InputError(f"{describe(start + int(np.argmin(is_finite)))} is not finite")


def _limit_counts(counts: NDArray[np.integer[Any]] | None, word_count: int) -> NDArray[np.uint32]:
    """Return the word counts as 32-bit integers. Without counts, return zeros."""
    if counts is None:
        return np.zeros(word_count, "<u4")
    limited_counts: NDArray[np.uint32] = np.minimum(counts, 2**32 - 1).astype("<u4")
    return limited_counts


def _encode_metadata(metadata: Mapping[str, Any]) -> bytes:
    return json.dumps(metadata, ensure_ascii=False, sort_keys=True).encode()


def _compute_digest(parts: Sequence[bytes | memoryview]) -> str:
    """Return the SHA-256 digest of the concatenated parts."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _compute_checksum(sections: Sequence[bytes | memoryview], metadata: Mapping[str, Any]) -> str:
    """Return the SHA-256 digest of all other sections and of the metadata without the checksum."""
    return _compute_digest([*sections, _encode_metadata(metadata)])


def _view_bytes(array: NDArray[Any]) -> memoryview:
    """Return the memory of an array as bytes, without copying it."""
    view: memoryview = array.reshape(-1).view(np.uint8).data
    return view
