"""Read and write vector files, which contain words and their vectors.

Vector files are memory-mapped, so several processes can share the memory of a file. The file format is that of
meteor_e's indexes (``docs/index-format.md``). The content is described in ``docs/vectors.md``. The checksum of a file
is verified when the file is opened.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from meteor_e import InputError, ResourceError
from meteor_e.base.atomic import atomic_file
from meteor_e.base.files import open_regular, os_errors_as
from meteor_e.packs.index_format import Layout, raise_damaged, write_index
from meteor_e.packs.indexes import WORD_SECTIONS, IndexFile, make_vocabulary_sections
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
"""The sections of a vector file."""
SUFFIX = ".vectors"
_BLOCK = 1 << 16
"""Number of rows that are checked at once."""


class _Header(NamedTuple):
    """Store the parameters in the header of a vector file.

    Attributes:
        word_count: the number of words.
        longest_probe: the longest probe in the hash table of words.
        dimension: the number of dimensions of a vector.
        bucket_count: the number of subword buckets.
        shortest_subword: the length of the shortest subword in characters.
        longest_subword: the length of the longest subword in characters.
    """

    word_count: int
    longest_probe: int
    dimension: int
    bucket_count: int
    shortest_subword: int
    longest_subword: int


class VectorFile(Mapping[str, "NDArray[np.float32]"]):
    """Look up the vectors of words in an open vector file.

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
        header = _Header(*file.parameters[:6])
        self.path = file.path
        self._file = file
        self.rows = _read_rows(file, "rows", header.word_count, header.dimension)
        self.subwords = _read_subwords(file, header)
        self.counts = _read_counts(file, header.word_count)
        self.metadata = _read_metadata(file)
        self.digest: str = self.metadata["digest"]
        self.key: str = self.metadata.get("key", "word")

    @cached_property
    def words(self) -> list[str]:
        """Return all words of the file, most frequent first."""
        return [self._file.word(index) for index in range(self._file.size)]

    @property
    def dimension(self) -> int:
        """Return the number of dimensions of a vector."""
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
        """Return the vectors of words as an array ``(words, dimension)``.

        The vector of an unknown word is computed from its subwords. If the file has no subword vectors, an unknown word
        has a vector of zeros.
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


def _read_rows(file: IndexFile, section: str, row_count: int, dimension: int) -> NDArray[np.float32]:
    """Read a section of the file as a matrix. Raise ResourceError if the section does not have the expected size."""
    numbers: NDArray[np.float32] = np.frombuffer(file.sections[section], dtype=np.float32)
    if not dimension or len(numbers) != row_count * dimension:
        raise_damaged(file.path, "its vectors do not fit its header")
    return numbers.reshape(row_count, dimension)


def _read_subwords(file: IndexFile, header: _Header) -> Subwords | None:
    """Return the subword vectors of a file, or None if it has none. Raise ResourceError if the file is damaged."""
    subword_rows = _read_rows(file, "subword_rows", header.bucket_count, header.dimension)
    if not header.bucket_count:
        return None
    if not 0 < header.shortest_subword <= header.longest_subword:
        raise_damaged(file.path, "the lengths of its subwords do not fit")
    return Subwords(subword_rows, header.shortest_subword, header.longest_subword)


def _read_counts(file: IndexFile, word_count: int) -> NDArray[np.uint32]:
    """Return the frequency of each word. Raise ResourceError if the number of frequencies is wrong."""
    counts: NDArray[np.uint32] = np.frombuffer(file.sections["counts"], dtype=np.uint32)
    if len(counts) != word_count:
        raise_damaged(file.path, "its counts do not fit its header")
    return counts


def _read_metadata(file: IndexFile) -> dict[str, Any]:
    """Return the metadata of a file without the checksum. Raise ResourceError if the checksum is wrong."""
    try:
        metadata = json.loads(bytes(file.sections["metadata"]))
    except (ValueError, RecursionError):
        raise_damaged(file.path, "its metadata cannot be read")
    if not isinstance(metadata, dict) or not {"digest", "sha256"} <= metadata.keys():
        raise_damaged(file.path, "its metadata cannot be read")
    checksum = metadata.pop("sha256")
    other_sections = [file.sections[name] for name, _ in LAYOUT.sections if name != "metadata"]
    if _compute_checksum(other_sections, metadata) != checksum:
        raise_damaged(file.path, "its SHA-256 does not match its content")
    return metadata


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
        metadata: a description of how the vectors were trained or converted, as JSON values. The entry ``key``
            contains the kind of key by which vectors are looked up.

    Raises:
        InputError: if the numbers of words and rows differ or are 0, a word is repeated, or a vector is not finite.
        ResourceError: if the file cannot be written, or if it is too large for its format.
    """
    target = Path(os.path.realpath(path))
    _check_vectors(words, rows, subwords)
    encoded_words = [word.encode("utf-8", "surrogatepass") for word in words]
    word_sections, (word_count, longest_probe) = make_vocabulary_sections(encoded_words, target)
    # A file without subword vectors contains an empty matrix.
    stored_subwords = subwords or Subwords(np.empty((0, rows.shape[1]), np.float32), shortest=0, longest=0)
    sections: dict[str, bytes | memoryview] = {
        **dict(zip([name for name, _ in WORD_SECTIONS], word_sections, strict=True)),
        "counts": _view_bytes(_limit_counts(counts, len(words))),
        "rows": _view_bytes(np.ascontiguousarray(rows, dtype="<f4")),
        "subword_rows": _view_bytes(np.ascontiguousarray(stored_subwords.rows, dtype="<f4")),
    }
    sections["metadata"] = _make_metadata_section(metadata or {}, sections, stored_subwords)
    header = _Header(
        word_count=word_count,
        longest_probe=longest_probe,
        dimension=rows.shape[1],
        bucket_count=len(stored_subwords.rows),
        shortest_subword=stored_subwords.shortest,
        longest_subword=stored_subwords.longest,
    )
    with os_errors_as(ResourceError, f"cannot write {target}"):
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(target) as scratch:
            write_index(scratch, LAYOUT, header, sections.values())


def _make_metadata_section(
    metadata: Mapping[str, Any], sections: Mapping[str, bytes | memoryview], subwords: Subwords
) -> bytes:
    """Encode the metadata of a file, together with its digest and its checksum.

    Args:
        metadata: the metadata, as JSON values.
        sections: all other sections of the file, by name and in the order of the file.
        subwords: the subword vectors.
    """
    # The digest identifies the vectors in signatures, so it covers only the sections that determine the vectors.
    vector_sections = [sections[name] for name in ("word_offsets", "word_bytes", "rows", "subword_rows")]
    subword_lengths = str((subwords.shortest, subwords.longest)).encode()
    digest = _compute_digest([*vector_sections, subword_lengths])
    # The checksum detects damage, so it covers the complete file except for the checksum itself.
    checksum = _compute_checksum(sections.values(), {**metadata, "digest": digest})
    return _encode_metadata({**metadata, "digest": digest, "sha256": checksum})


def _check_vectors(words: Sequence[str], rows: NDArray[np.float32], subwords: Subwords | None) -> None:
    """Raise InputError unless each word has exactly one vector, and all vectors are finite."""
    _check_words(words, rows)
    _check_finite(rows, lambda index: f"the vector of {words[index]!r}")
    if subwords is not None:
        _check_finite(subwords.rows, lambda index: f"subword vector {index}")


def _check_words(words: Sequence[str], rows: NDArray[np.float32]) -> None:
    """Raise InputError if the words and rows differ in number, or if a word is repeated."""
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


def _compute_checksum(sections: Iterable[bytes | memoryview], metadata: Mapping[str, Any]) -> str:
    """Return the SHA-256 digest of the metadata and of all other sections. The checksum itself is excluded."""
    return _compute_digest([*sections, _encode_metadata(metadata)])


def _view_bytes(array: NDArray[Any]) -> memoryview:
    """Return the memory of an array as bytes, without copying the array."""
    return array.reshape(-1).view(np.uint8).data
