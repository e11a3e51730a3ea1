"""Read the vector files of word2vec, GloVe and fastText."""

from __future__ import annotations

import contextlib
import lzma
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from meteor_e import InputError, ResourceError
from meteor_e.base.files import decompress, os_errors_as
from meteor_e_vectors.subwords import Subwords
from meteor_e_vectors.vector_file import error_reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
_PICKLE_MAGICS = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_FASTTEXT_HEADER = struct.Struct("<8xi44x8xi")
"""The dimension and the number of words in the header of a fastText model."""
_HEADER = re.compile(rb"\s*([0-9]{1,12})[ \t]+([0-9]{1,6})[ \t]*\r?\n")
"""The first line of a word2vec file: the number of words and the dimension."""
_MAX_LINE = 1 << 24
"""Maximum length of a line in bytes."""
_NUMBER = re.compile(rb"[-+]?\.?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""Control characters, which occur in binary numbers but not in text."""
_GENSIM_ERRORS = (
    *(EOFError, ValueError, OSError, AssertionError, NotImplementedError, KeyError, IndexError, TypeError),
    *(OverflowError, MemoryError, AttributeError, struct.error, zlib.error, lzma.LZMAError),
)
"""The errors that gensim may raise for a damaged file."""


@dataclass
class WordVectors:
    """Store word vectors that were read from a file. If a word is repeated, only its first vector is used.

    Attributes:
        format: the format of the file; see :func:`detect_format`.
        words: the words in the order of the file. All supported programs sort words by frequency.
        rows: the vector of each word.
        counts: the frequency of each word, if the file contains it.
        subwords: the subword vectors of a fastText model.
        duplicate_count: the number of repeated words that were ignored.
    """

    format: str
    words: list[str]
    rows: NDArray[np.float32]
    counts: NDArray[np.integer[Any]] | None = None
    subwords: Subwords | None = None
    duplicate_count: int = field(default=0)

    def __post_init__(self) -> None:
        first_indices: dict[str, int] = {}
        for index, word in enumerate(self.words):
            first_indices.setdefault(word, index)
        if len(first_indices) == len(self.words):
            return
        indices = list(first_indices.values())
        self.duplicate_count = len(self.words) - len(indices)
        self.words = list(first_indices)
        self.rows = self.rows[indices]
        if self.counts is not None:
            self.counts = self.counts[indices]


def detect_format(path: Path) -> str:
    """Detect the format of a vector file from its first bytes.

    Returns:
        ``word2vec-text`` (also for fastText's ``.vec`` files), ``word2vec-binary``, ``glove`` or ``fasttext``.

    Raises:
        ResourceError: if the file cannot be read.
        InputError: if the format is unknown.
    """
    with _open(path) as stream:
        head = _read(path, lambda: stream.read(1 << 20))
    if head.startswith(_FASTTEXT_MAGIC):
        return "fasttext"
    if head.startswith(_PICKLE_MAGICS):
        raise InputError(
            f"{path} is in gensim's own format; save the vectors with gensim's save_word2vec_format(file, binary=True)"
        )
    header = _HEADER.match(head)
    if header is not None:
        return _detect_word2vec_format(head[header.end() :], int(header[2]))
    first_line = head.partition(b"\n")[0]
    dimension = len(first_line.split()) - 1
    if dimension > 1 and _parse_line(first_line, dimension) is not None:
        return "glove"
    raise InputError(
        f"{path} has an unknown format; supported are word2vec (text or binary), GloVe, fastText (.bin, .vec), and "
        "vector files of meteor_e"
    )


def _detect_word2vec_format(body: bytes, dimension: int) -> str:
    """Detect whether a word2vec file is text or binary, and return the name of the format."""
    first_line = body.partition(b"\n")[0]
    is_valid_text = _parse_line(first_line, dimension) is not None
    # Malformed text is also classified as text, so that the text reader can report the number of the malformed line.
    if is_valid_text or not _CONTROL.search(body):
        return "word2vec-text"
    return "word2vec-binary"


def read_vectors(path: Path, scratch: Path) -> WordVectors:
    """Read vectors of another program.

    Args:
        path: the file. Text may be compressed with gzip, bzip2 or xz.
        scratch: an existing folder for temporary files, because vectors may be larger than memory.

    Raises:
        ResourceError: if the file cannot be read.
        InputError: if the file is malformed; for text, with the line.
    """
    format = detect_format(path)
    if format == "word2vec-binary":
        vectors = _read_binary(path)
    elif format == "word2vec-text":
        vectors = _read_word2vec_text(path, scratch)
    elif format == "glove":
        vectors = _read_glove(path, scratch)
    else:
        vectors = _read_fasttext(path)
    # Many files contain a few truncated characters, but many invalid words indicate another encoding.
    invalid_count = sum("\ufffd" in word for word in vectors.words)
    if invalid_count * 100 > len(vectors.words):
        raise InputError(
            f"{path}: {invalid_count} of {len(vectors.words)} words are not UTF-8; convert the file to UTF-8 first"
        )
    return vectors


@contextlib.contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    """Open a file, and decompress it if necessary."""
    with contextlib.ExitStack() as stack:
        with os_errors_as(ResourceError, f"cannot read the vectors {path}"):
            file = stack.enter_context(path.open("rb"))
            stream = stack.enter_context(decompress(file, str(path)))
        yield stream


def _read(path: Path, read: Callable[[], bytes]) -> bytes:
    """Call a function that reads a file. Raise ResourceError if the file cannot be read or decompressed."""
    try:
        return read()
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ResourceError(f"cannot read the vectors {path}: {error_reason(error)}") from error


def _parse_line(line: bytes, dimension: int) -> tuple[bytes, NDArray[np.float32]] | None:
    """Return the word and the vector of a line. Return None if the vector does not have the given dimension.

    A word may contain spaces, as in some GloVe files, but its last part must not be a number.
    """
    fields = line.rstrip().rsplit(maxsplit=dimension)
    if len(fields) != dimension + 1 or not dimension:
        return None
    word, *numbers = fields
    # Python accepts underscores in numbers, but the programs that write vector files do not use underscores.
    has_underscore = any(b"_" in number for number in numbers)
    if has_underscore or _ends_with_number(word):
        return None
    try:
        # Numbers that are too large for single precision become infinite.
        with np.errstate(over="ignore"):
            return word, np.array(numbers, dtype=np.float32)
    except ValueError:
        return None


def _ends_with_number(word: bytes) -> bool:
    """Return True if a word contains a space and the text after the last space is a number."""
    parts = word.split()
    return len(parts) > 1 and _NUMBER.fullmatch(parts[-1]) is not None


def _read_word2vec_text(path: Path, scratch: Path) -> WordVectors:
    """Read the text format of word2vec, whose first line contains the number of words and the dimension."""
    word_count, dimension = _parse_header(_read_first_line(path), f"{path}:1")
    words, rows = _read_rows(path, scratch, dimension, header_lines=1)
    # Some programs write 0 because they do not know the number of words in advance.
    if word_count not in (0, len(words)):
        raise InputError(f"{path} announces {word_count} words and has {len(words)}; is the file complete?")
    return WordVectors("word2vec-text", words, rows)


def _read_glove(path: Path, scratch: Path) -> WordVectors:
    """Read the text format of GloVe, which does not have a header."""
    dimension = len(_read_first_line(path).split()) - 1
    words, rows = _read_rows(path, scratch, dimension, header_lines=0)
    return WordVectors("glove", words, rows)


def _read_rows(
    path: Path, scratch: Path, dimension: int, *, header_lines: int
) -> tuple[list[str], NDArray[np.float32]]:
    """Read the words and the vectors of a text file. The vectors are collected in a temporary file.

    Args:
        path: the file.
        scratch: the folder of the temporary file.
        dimension: the number of dimensions of a vector.
        header_lines: the number of lines before the first vector.
    """
    words: list[str] = []
    row_file = scratch / "rows"
    with _open(path) as stream, row_file.open("wb") as row_stream:
        for line_number, line in enumerate(_read_lines(path, stream), 1):
            if line_number > header_lines and line.strip():
                word, row = _parse_finite_row(line, dimension, f"{path}:{line_number}")
                words.append(word)
                row_stream.write(row.tobytes())
    if not words:
        raise InputError(f"there are no vectors in {path}")
    return words, np.memmap(row_file, np.float32, "r", shape=(len(words), dimension))


def _parse_finite_row(line: bytes, dimension: int, location: str) -> tuple[str, NDArray[np.float32]]:
    """Return the word and the vector of a line. Raise InputError if the line is malformed."""
    parsed_line = _parse_line(line, dimension)
    if parsed_line is None:
        raise InputError(f"{location}: a line must contain a word and {dimension} numbers")
    word, row = parsed_line
    if not np.isfinite(row).all():
        raise InputError(f"{location}: a number is not finite")
    return word.decode("utf-8", "replace"), row


def _read_first_line(path: Path) -> bytes:
    """Return the first line of a file, without a byte order mark."""
    with _open(path) as stream:
        return next(_read_lines(path, stream), b"")


def _read_lines(path: Path, stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, without a byte order mark."""
    line = _read(path, lambda: stream.readline(_MAX_LINE)).removeprefix(b"\xef\xbb\xbf")
    while line:
        yield line
        line = _read(path, lambda: stream.readline(_MAX_LINE))


def _parse_header(line: bytes, location: str) -> tuple[int, int]:
    """Return the number of words and the dimension in the header of a word2vec file."""
    header = _HEADER.match(line)
    if header is None:
        raise InputError(f"{location}: not a word2vec header, which consists of two numbers: words and dimension")
    return int(header[1]), int(header[2])


def _read_binary(path: Path) -> WordVectors:
    """Read the binary format of word2vec with gensim."""
    from gensim.models import KeyedVectors

    word_count, dimension = _parse_header(_read_first_line(path), str(path))
    if not word_count or not dimension:
        raise InputError(f"there are no vectors in {path}")
    _check_size(path, word_count, dimension, bytes_per_word=4 * dimension + 1)
    try:
        vectors = KeyedVectors.load_word2vec_format(str(path), binary=True, unicode_errors="replace")
    except _GENSIM_ERRORS as error:
        raise InputError(f"cannot read {path} as word2vec's binary format: {error_reason(error)}") from error
    return WordVectors("word2vec-binary", list(vectors.index_to_key), vectors.vectors)


def _read_fasttext(path: Path) -> WordVectors:
    """Read a fastText model with gensim."""
    from gensim.models.fasttext import load_facebook_vectors

    _check_fasttext_size(path)
    try:
        vectors = load_facebook_vectors(str(path))
    except _GENSIM_ERRORS as error:
        reason = error_reason(error) or type(error).__name__
        raise InputError(f"cannot read {path} as a fastText model: {reason}") from error
    words = list(vectors.index_to_key)
    counts = np.array([vectors.get_vecattr(word, "count") for word in words], dtype=np.int64)
    subwords = None
    if vectors.bucket:
        subwords = Subwords(vectors.vectors_ngrams, vectors.min_n, vectors.max_n)
    return WordVectors("fasttext", words, vectors.vectors, counts, subwords)


def _check_fasttext_size(path: Path) -> None:
    """Raise InputError if a fastText model is too small for the number of words in its header."""
    with _open(path) as stream:
        header = _read(path, lambda: stream.read(_FASTTEXT_HEADER.size))
    if len(header) == _FASTTEXT_HEADER.size:
        dimension, word_count = _FASTTEXT_HEADER.unpack(header)
        _check_size(path, word_count, dimension, bytes_per_word=4 * dimension + 10)


def _check_size(path: Path, word_count: int, dimension: int, bytes_per_word: int) -> None:
    """Raise InputError if a file is too small for the number of words in its header.

    This check prevents gensim from allocating memory for a wrong number of words. Compressed files are not checked.
    """
    is_compressed = path.suffix in (".gz", ".bz2", ".xz")
    if not is_compressed and word_count * bytes_per_word > path.stat().st_size:
        raise InputError(f"{path} announces {word_count} words of {dimension} dimensions, for which it is too small")
