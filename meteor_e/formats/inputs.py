"""Input files of any format: plain text, SGML, WMT XML or COCO's JSON, told apart by their content."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import BinaryIO, Literal

from meteor_e.base.errors import InputError
from meteor_e.base.files import PathLike, input_name, open_binary, reading
from meteor_e.formats.coco import JSON_START
from meteor_e.formats.documents import Collection
from meteor_e.formats.plain import decode_lines

Format = Literal["plain", "sgml", "wmt-xml", "coco"]

TEXT_FORMATS = {
    "plain": "one segment per line",
    "sgml": "NIST's SGML",
    "wmt-xml": "WMT's XML",
    "coco": "COCO's JSON of captions",
}
"""Formats with hypotheses and references in files of their own, by name."""

INPUT_FORMATS = {
    **TEXT_FORMATS,
    "csv": "comma-separated values with a header",
    "tsv": "tab-separated values with a header",
    "jsonl": "JSON Lines",
    "parquet": "Parquet",
}
"""All formats that ``--format-in`` takes, by name; plugins may bring more tables."""

_HEAD = 4096
_PROLOGUE = re.compile(rb"^(?:\xef\xbb\xbf)?(?:\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*", re.DOTALL | re.IGNORECASE)
_SGML_START = re.compile(rb"<\s*(?:tstset|refset|srcset|mteval|docset)\b", re.IGNORECASE)
_XML_START = re.compile(rb"<(?:[\w.-]+:)?(?:dataset|collection|doc)\b", re.IGNORECASE)
_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!DOCTYPE|!ENTITY)\b", re.IGNORECASE)


class InputFile:
    """An open file of hypotheses or references.

    Attributes:
        name: what to call it in messages.
        format: one of :data:`TEXT_FORMATS`.
    """

    def __init__(self, stream: BinaryIO, name: str, encoding: str, form: Format | None = None) -> None:
        self.name = name
        self._stream = stream
        self._encoding = encoding
        self.format: Format = form or self._recognized()

    def _recognized(self) -> Format:
        with reading(self.name):
            head = self._stream.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]  # open_binary's streams are buffered
        prologue = _PROLOGUE.match(head)
        start = head[prologue.end() :] if prologue else head
        if _SGML_START.match(start):
            return "sgml"
        if _XML_START.match(start):
            return "wmt-xml"
        if _DECLARATION.match(head):
            raise InputError(
                f"{self.name} is XML or SGML, but neither WMT's nor NIST's, or it defines entities, which are not "
                "read; convert it, or say --format-in plain if it is text"
            )
        return "coco" if JSON_START.match(start) else "plain"

    def segments(self) -> Iterator[str]:
        """Iterate over the lines of a plain file; see :func:`~meteor_e.formats.plain.read_segments`."""
        return decode_lines(self._stream, self.name, encoding=self._encoding)

    def collection(self) -> Collection:
        """Read an SGML or XML file.

        Raises:
            InputError: if it is malformed.
        """
        if self.format == "wmt-xml":
            from meteor_e.formats.wmt_xml import read_wmt_xml

            return read_wmt_xml(self._stream, self.name)
        from meteor_e.formats.sgml import read_sgml

        return read_sgml(self.segments(), self.name)


@contextlib.contextmanager
def open_input(path: PathLike, *, encoding: str = "utf-8", form: Format | None = None) -> Iterator[InputFile]:
    """Open a file of hypotheses or references, plain, gzip, bzip2 or xz; ``-`` is standard input.

    Args:
        path: the file.
        encoding: encoding of plain text and SGML (XML says its own).
        form: its format; ``None``: the content tells.

    Raises:
        InputError: if it cannot be opened.
    """
    with open_binary(path) as stream:
        yield InputFile(stream, input_name(path), encoding, form)
