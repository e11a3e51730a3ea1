"""The built-in lemmatizers ``none``, which does not add lemmas, and ``lookup``, which reads a table from a file."""

from __future__ import annotations

import codecs
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.options import ComponentOptions, FilePath, Meta
from meteor_e.base.errors import InputError, ResourceError
from meteor_e.base.files import open_regular, os_errors_as, read_regular, spell_size

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api.context import MatcherContext

MAX_SIZE = 256 << 20
"""The maximum size of a table in bytes. The whole table is in memory."""


class NoLemmatizer(Lemmatizer):
    """A lemmatizer that does not add lemmas or tags to tokens."""

    name: ClassVar[str] = "none"
    tags = False

    def lemmatize(self, words: Sequence[str]) -> list[tuple[None, None]]:
        """Return ``(None, None)`` for each word, because lemmas and tags are unknown."""
        return [(None, None)] * len(words)


class LookupOptions(ComponentOptions):
    """Options of :class:`LookupLemmatizer`."""

    file: Annotated[FilePath, Meta(description="The table, plain or compressed (.gz).")]
    language: Annotated[str, Meta(description="Code of the lemmas' language; no other is accepted.")] | None = None


class LookupLemmatizer(Lemmatizer):
    """A lemmatizer that looks up lemmas and tags in a file. A word that the file does not contain is its own lemma.

    The UTF-8 file contains a line ``word⇥tag⇥lemma`` for each word. Words are looked up after normalization. If a word
    has several lines, the last one is used.

    Raises:
        ResourceError: if the file cannot be read, is not a regular file, or contains more than 256 MiB of text.
        InputError: if a line does not have three fields; the message contains the line number.
    """

    name: ClassVar[str] = "lookup"
    Options: ClassVar[type[Any] | str | None] = LookupOptions

    def __init__(self, options: LookupOptions) -> None:
        super().__init__(options)
        path = Path(options.file)
        content = _read(path)
        self._file = path.name
        self._digest = hashlib.sha256(content).hexdigest()[:12]
        self._table = _parse_table(content, path)
        self.tags = any(tag is not None for _, tag in self._table.values())

    @classmethod
    def from_options(cls, context: MatcherContext, options: LookupOptions) -> Self:
        """Read the lemma table. Raise ConfigError if the table is for another language."""
        if options.language is not None:
            context.check_language([options.language], "lemmatizer 'lookup': the lemmas are", is_stated=True)
        return super().from_options(context, options)

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str, str | None]]:
        """Return the lemma and the tag of each word."""
        return [self._table.get(word, (word, None)) for word in words]

    def describe(self) -> str:
        """Return the name of the lemma table, and the first twelve digits of its SHA-256."""
        return f"{self._file}@{self._digest}"


def _read(path: Path) -> bytes:
    """Read the file of a lemma table, which may be compressed with gzip."""
    import gzip

    with os_errors_as(ResourceError, f"lemma table {str(path)!r} cannot be read"):
        if path.suffix != ".gz":
            return read_regular(path, MAX_SIZE)
        with open_regular(path) as compressed, gzip.GzipFile(fileobj=compressed) as stream:
            content = stream.read(MAX_SIZE + 1)
    if len(content) > MAX_SIZE:
        raise ResourceError(f"lemma table {str(path)!r} holds more than {spell_size(MAX_SIZE)} of text")
    return content


def _parse_table(content: bytes, path: Path) -> dict[str, tuple[str, str | None]]:
    """Parse a table whose lines are ``word⇥tag⇥lemma``, and return the lemma and the tag of each word.

    A word with an empty lemma is its own lemma. Empty lines are ignored.

    Args:
        content: the content of the file.
        path: path of the file, for error messages.

    Raises:
        InputError: if a line is not valid UTF-8, or does not have three fields.
    """
    table = {}
    stream = io.BytesIO(content.removeprefix(codecs.BOM_UTF8))
    for line_number, line_bytes in enumerate(stream, 1):
        try:
            line = line_bytes.decode("utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            raise InputError(f"{path}:{line_number}: not UTF-8") from None
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) != 3 or not fields[0]:
            problem = f"{len(fields)} fields; a line is word, tag and lemma, joined by tabs"
            raise InputError(f"{path}:{line_number}: {problem}")
        word, tag, lemma = fields
        table[word] = (lemma or word, tag or None)
    return table
