"""Vectors of other programs: which format a file has, and its words and vectors."""

from __future__ import annotations

import contextlib
import lzma
import re
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from meteor_e import InputError, ResourceError
from meteor_e.base.files import decompress, os_errors_as
from meteor_e_vectors.subwords import Subwords
from meteor_e_vectors.vector_file import reason

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass
class WordVectors:
    """Word vectors as a file of another program holds them.

    Attributes:
        format: see :func:`detect_format`.
        words: in the file's order, which is by frequency for all known programs.
        rows: one vector per word.
        counts: how often each word occurred, if the file says so.
        subwords: of fastText models.
        dropped: words that were there before, and are left out.
    """

    format: str
    words: list[str]
    rows: NDArray[np.float32]
    counts: NDArray[np.integer[Any]] | None = None
    subwords: Subwords | None = None
    dropped: int = field(default=0)

    def __post_init__(self) -> None:
        first = dict(zip(reversed(self.words), range(len(self.words) - 1, -1, -1), strict=True))
        if len(first) < len(self.words):
            kept = sorted(first.values())
            self.dropped = len(self.words) - len(kept)
            self.words = [self.words[number] for number in kept]
            self.rows = self.rows[kept]
            if self.counts is not None:
                self.counts = self.counts[kept]


_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
_FASTTEXT_HEADER = struct.Struct("<8xi44x8xi")
"""Dimension and number of words, among other numbers."""
_HEADER = re.compile(rb"\s*([0-9]{1,12})[ \t]+([0-9]{1,6})[ \t]*\r?\n")
_LONGEST_LINE = 1 << 24
_NUMBER = re.compile(rb"[-+]?\.?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""What numbers in binary have here and there, and text has not."""


def detect_format(path: Path) -> str:
    """Return the format of a file, by what it begins with.

    It is ``word2vec-text`` (so are fastText's ``.vec`` files), ``word2vec-binary``, ``glove`` or ``fasttext``.

    Raises:
        ResourceError: if it cannot be read.
        InputError: if it is of no known format.
    """
    with _opened(path) as stream:
        head = _read(path, lambda: stream.read(1 << 20))
    if head[:4] == _FASTTEXT_MAGIC:
        return "fasttext"
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise InputError(
            f"{path} is a file of gensim's own; write another one with its save_word2vec_format(file, binary=True)"
        )
    header = _HEADER.match(head)
    if header is not None:
        body = head[header.end() :]
        line = body.partition(b"\n")[0]
        if _row(line, int(header[2])) is not None or not _CONTROL.search(body):
            return "word2vec-text"  # With a mistake in it, perhaps, which is found when it is read.
        return "word2vec-binary"
    line = head.partition(b"\n")[0]
    if len(line.split()) > 2 and _row(line, len(line.split()) - 1) is not None:
        return "glove"
    raise InputError(
        f"{path} is of no known format: neither word2vec (text or binary), GloVe, fastText (.bin, .vec), nor "
        "a vector file of meteor_e"
    )


def read_vectors(path: Path, scratch: Path) -> WordVectors:
    """Read vectors of another program.

    Args:
        path: the file; text may be packed with gzip, bzip2 or xz.
        scratch: an existing folder, for numbers that do not fit into memory.

    Raises:
        ResourceError: if the file cannot be read.
        InputError: if there is a mistake in it, with its line where there are lines.
    """
    format = detect_format(path)
    if format in ("word2vec-text", "glove"):
        found = _read_text(path, scratch, format)
    else:
        found = _read_binary(path) if format == "word2vec-binary" else _read_fasttext(path)
    # A few words that are cut off inside a character are in many files; a file in another encoding has more.
    broken = sum("\ufffd" in word for word in found.words)
    if broken * 100 > len(found.words):
        raise InputError(f"{path}: {broken} of {len(found.words)} words are not UTF-8; convert the file to UTF-8 first")
    return found


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    with contextlib.ExitStack() as stack:
        with os_errors_as(ResourceError, f"cannot read the vectors {path}"):
            stream = stack.enter_context(decompress(stack.enter_context(path.open("rb")), str(path)))
        yield stream


def _read(path: Path, read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ResourceError(f"cannot read the vectors {path}: {reason(error)}") from error


def _row(line: bytes, dimension: int) -> tuple[bytes, NDArray[np.float32]] | None:
    """Return word and vector of a line; ``None`` if it does not have so many numbers, or more.

    A word may hold spaces, as some of GloVe's do; but none ends with a number.
    """
    fields = line.rstrip().rsplit(maxsplit=dimension)
    if len(fields) != dimension + 1 or not dimension:
        return None
    if len(parts := fields[0].split()) > 1 and _NUMBER.fullmatch(parts[-1]):
        return None
    if any(b"_" in field for field in fields[1:]):
        return None  # Python's numbers may have them
    try:
        return fields[0], np.array(fields[1:], dtype=np.float32)
    except ValueError:
        return None


def _read_text(path: Path, scratch: Path, format: str) -> WordVectors:
    words: list[str] = []
    dimension = expected = 0
    numbers = scratch / "rows"
    # Numbers that are too large for single precision become infinite, which is refused below.
    with _opened(path) as stream, numbers.open("wb") as out, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        number = 0
        while line := _read(path, lambda: stream.readline(_LONGEST_LINE)):
            number += 1
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
                if format == "word2vec-text":
                    header = _HEADER.match(line)
                    if header is None:
                        raise InputError(f"{path}:1: not a word2vec header, which is two numbers: words and dimension")
                    expected, dimension = int(header[1]), int(header[2])
                    continue
                dimension = len(line.split()) - 1
            if not line.strip():
                continue
            found = _row(line, dimension)
            if found is None:
                raise InputError(f"{path}:{number}: a line is a word and {dimension} numbers")
            word, row = found
            if not np.isfinite(row).all():
                raise InputError(f"{path}:{number}: a number is not finite")
            words.append(word.decode("utf-8", "replace"))
            out.write(row.tobytes())
    if not words:
        raise InputError(f"there are no vectors in {path}")
    if expected and len(words) != expected:
        raise InputError(f"{path} announces {expected} words and has {len(words)}; is it whole?")
    return WordVectors(format, words, np.memmap(numbers, np.float32, "r", shape=(len(words), dimension)))


def _read_binary(path: Path) -> WordVectors:
    from gensim.models import KeyedVectors

    with _opened(path) as stream:
        line = _read(path, lambda: stream.readline(1 << 10))
    header = _HEADER.match(line)
    if header is None:
        raise InputError(f"{path} does not begin with a word2vec header, which is two numbers: words and dimension")
    count, dimension = int(header[1]), int(header[2])
    if not count or not dimension:
        raise InputError(f"there are no vectors in {path}")
    # gensim makes room for as many vectors as are announced.
    if not _is_packed(path) and count * (4 * dimension + 1) > path.stat().st_size:
        raise InputError(f"{path} announces {count} words of {dimension} dimensions, for which it is too small")
    try:
        vectors = KeyedVectors.load_word2vec_format(str(path), binary=True, unicode_errors="replace")
    except (EOFError, ValueError, OSError, zlib.error, lzma.LZMAError, MemoryError) as error:
        raise InputError(f"cannot read {path} as word2vec's binary format: {reason(error)}") from error
    return WordVectors("word2vec-binary", list(vectors.index_to_key), vectors.vectors)


def _is_packed(path: Path) -> bool:
    return path.suffix in (".gz", ".bz2", ".xz")


def _read_fasttext(path: Path) -> WordVectors:
    from gensim.models.fasttext import load_facebook_vectors

    # gensim makes room for as many words as are announced, and waits for the end of a word that breaks off.
    with _opened(path) as stream:
        head = _read(path, lambda: stream.read(_FASTTEXT_HEADER.size))
    if len(head) == _FASTTEXT_HEADER.size and not _is_packed(path):
        dimension, count = _FASTTEXT_HEADER.unpack(head)
        if count * (4 * dimension + 10) > path.stat().st_size:
            raise InputError(f"{path} announces {count} words of {dimension} dimensions, for which it is too small")
    try:
        # Errors of a damaged file come from wherever gensim stumbles over it.
        vectors = load_facebook_vectors(str(path))
    except (
        *(EOFError, ValueError, OSError, AssertionError, NotImplementedError, KeyError, IndexError, TypeError),
        *(OverflowError, MemoryError, AttributeError, struct.error, zlib.error),
    ) as error:
        raise InputError(f"cannot read {path} as a fastText model: {reason(error) or type(error).__name__}") from error
    words = list(vectors.index_to_key)
    counts = np.array([vectors.get_vecattr(word, "count") for word in words], dtype=np.int64)
    subwords = Subwords(vectors.vectors_ngrams, vectors.min_n, vectors.max_n) if vectors.bucket else None
    return WordVectors("fasttext", words, vectors.vectors, counts, subwords)
