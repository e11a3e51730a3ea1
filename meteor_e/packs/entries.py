"""Read text files in METEOR's formats, in which an entry consists of a certain number of lines."""

from __future__ import annotations

import codecs
import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, cast

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import decode_utf8, open_regular, os_errors_as, spell_size
from meteor_e.base.progress import Progress, Stage

MAX_TEXT = 8 << 30
"""The maximum size of a table's text in bytes. It also limits what a gzip bomb can unpack."""
MAX_ENTRY = 1 << 23
"""The maximum size in bytes of an entry, including all its lines."""
_READ_SIZE = 1 << 23
"""The number of bytes of uncompressed text that are read at once."""
_BUFFER_SIZE = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
"""The first bytes of a file that is compressed by gzip."""


class Format(NamedTuple):
    """The format of a text file.

    Attributes:
        kind: the content of the file, for messages.
        lines_per_entry: the number of lines of an entry.
        max_size: the maximum size of the text in bytes.
    """

    kind: str
    lines_per_entry: int
    max_size: int


class Stream(NamedTuple):
    """A file in an archive. The file is decompressed while it is being read.

    Attributes:
        stream: the content of the file, plain or compressed by gzip.
        name: the name of the file in messages.
        size: the size of the file in bytes, for the progress; ``None`` if it is unknown.
    """

    stream: IO[bytes]
    name: str
    size: int | None = None


PathOrStream = str | os.PathLike[str] | Stream
"""A file in METEOR's format, plain or compressed by gzip."""


def check_table_size(path: Path) -> None:
    """Check that a synonym file or paraphrase table is not too large to be indexed.

    Raises:
        ResourceError: if the file is too large.
        OSError: if the size of the file cannot be determined.
    """
    if path.stat().st_size > MAX_TEXT:
        raise ResourceError(f"{path} is larger than {spell_size(MAX_TEXT)}; refusing to index it")


class Block(NamedTuple):
    """Lines of complete entries.

    Attributes:
        name: the name of the file in error messages.
        n_previous_lines: the number of lines of the file before the block.
        lines: the lines.
    """

    name: str
    n_previous_lines: int
    lines: list[bytes]

    def locate(self, index: int) -> str:
        """Return the file and the number of a line for error messages, given the index of the line in the block."""
        return f"{self.name}, line {self.n_previous_lines + index + 1}"

    def check_encoding(self) -> None:
        """Raise a ResourceError if a line is not valid UTF-8."""
        decode_utf8(b"\n".join(self.lines), self.name, self.n_previous_lines)


def read_entries(source: PathOrStream, file_format: Format, progress: Progress) -> Iterator[Block]:
    """Read a file in blocks of complete entries, and decompress it if necessary.

    Raises:
        ResourceError: if the file cannot be read, is too large, is not valid UTF-8, or ends inside an entry.
    """
    stage = Stage(f"reading {file_format.kind}", "B")
    file = _open_stream(source, file_format.kind)
    with io.BufferedReader(cast("io.RawIOBase", file.stream), _BUFFER_SIZE) as buffered:
        texts = _read_text(buffered, file.name, file_format)
        for block in _split_entries(texts, file.name, file_format):
            block.check_encoding()
            yield block
            # The file is read block by block, so the current position in the file is the progress.
            progress(stage, buffered.tell(), file.size)


def _open_stream(source: PathOrStream, kind: str) -> Stream:
    """Open a file, and return it as a stream. A source that is a stream is returned unchanged."""
    if isinstance(source, Stream):
        return source
    name = os.fspath(source)
    with os_errors_as(ResourceError, f"cannot read the file of {kind} {name}"):
        file = open_regular(source)
        return Stream(file, name, os.fstat(file.fileno()).st_size)


def _split_entries(texts: Iterator[bytes], name: str, file_format: Format) -> Iterator[Block]:
    """Split the text of a file into lines, and yield blocks of complete entries.

    Args:
        texts: the text of the file in parts, which can end anywhere in a line.
        name: the name of the file in errors.
        file_format: the format of the file.
    """
    n_previous_lines = 0
    incomplete_entry = b""
    for text in texts:
        lines = (incomplete_entry + text).split(b"\n")
        # The last line may continue in the next piece of text, so the last entry is not complete yet.
        n_complete_entries = (len(lines) - 1) // file_format.lines_per_entry
        n_complete_lines = n_complete_entries * file_format.lines_per_entry
        yield Block(name, n_previous_lines, lines[:n_complete_lines])
        n_previous_lines += n_complete_lines
        incomplete_entry = b"\n".join(lines[n_complete_lines:])
        _check_entry_size(incomplete_entry, f"{name}, line {n_previous_lines + 1}", file_format)
    # At the end of the file, the last entry is complete, although its last line may not have a line end.
    last_block = Block(name, n_previous_lines, incomplete_entry.splitlines())
    _check_last_block(last_block, file_format)
    yield last_block


def _check_entry_size(entry: bytes, location: str, file_format: Format) -> None:
    """Raise a ResourceError if an entry is too large."""
    if len(entry) > MAX_ENTRY:
        raise ResourceError(
            f"{location}: an entry of more than {spell_size(MAX_ENTRY)}; this cannot be a file of {file_format.kind}, "
            f"whose entries have {file_format.lines_per_entry} lines"
        )


def _check_last_block(block: Block, file_format: Format) -> None:
    """Raise a ResourceError if the last block of a file ends inside an entry."""
    if len(block.lines) % file_format.lines_per_entry:
        location = block.locate(len(block.lines) - 1)
        raise ResourceError(
            f"{location}: the file ends inside an entry; entries have {file_format.lines_per_entry} lines"
        )


def _read_text(buffered: io.BufferedReader[io.RawIOBase], name: str, file_format: Format) -> Iterator[bytes]:
    """Yield the uncompressed text of a file in parts, without a byte order mark. All line ends are line feeds.

    Args:
        buffered: the file, plain or compressed by gzip.
        name: the name of the file in errors.
        file_format: the format of the file.

    Raises:
        ResourceError: if the file is damaged or too large.
    """
    is_compressed = buffered.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC)
    stream = cast("IO[bytes]", gzip.GzipFile(fileobj=buffered) if is_compressed else buffered)
    text = _read_part(stream, name).removeprefix(codecs.BOM_UTF8)
    n_bytes = 0
    while text:
        n_bytes += len(text)
        if n_bytes > file_format.max_size:
            limit = spell_size(file_format.max_size)
            raise ResourceError(f"{name} contains more than {limit} of text; refusing to index it")
        yield text
        text = _read_part(stream, name)


def _read_part(stream: IO[bytes], name: str) -> bytes:
    """Read a part of a text, and convert its line ends to line feeds. The result is empty at the end of the text."""
    with os_errors_as(ResourceError, f"{name} is damaged or cut short"):
        text = stream.read(_READ_SIZE)
        if text.endswith(b"\r"):
            # If the next byte is a line feed, it belongs to the same line end.
            text += stream.read(1)
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
