"""XML files of WMT since 2021: sources, references and system outputs of a test set in one file."""

from __future__ import annotations

import re
from typing import BinaryIO, NoReturn
from xml.parsers import expat

from meteor_e.base.errors import InputError
from meteor_e.base.files import reading, spell_size
from meteor_e.formats.documents import Collection, Role, SegmentKey

_WHITE = re.compile("[ \t\r\n]+")
_BLOCK = 1 << 16
_LONGEST_TAG = 1 << 20
"""Bytes of a tag or comment; the parser begins anew with each block until it is whole."""
_ROLES: dict[str, tuple[Role, str]] = {
    "src": ("source", "lang"),
    "ref": ("reference", "translator"),
    "hyp": ("hypothesis", "system"),
}


def read_wmt_xml(stream: BinaryIO, name: str) -> Collection:
    """Read an XML file of the form ``dataset > [collection >] doc > src | ref | hyp > [p >] seg``.

    References go by their ``translator``, hypotheses by their ``system``; one without a name is called ``ref``
    or ``hyp``. Names of elements and attributes may be in any case, those of elements with a prefix of a namespace.
    Document type declarations and entity definitions are refused: no such file needs them, and they are how XML
    attacks its readers.

    Args:
        stream: the file.
        name: what to call it in messages.

    Raises:
        InputError: if it is not well-formed or not of this form, with line and reason.
    """
    reader = _Reader(name)
    with reading(name):
        try:
            size = 0
            while block := stream.read(_BLOCK):
                size += len(block)
                reader.parser.Parse(block)
                if size - reader.parser.CurrentByteIndex > _LONGEST_TAG + _BLOCK:
                    line = reader.parser.CurrentLineNumber
                    raise InputError(f"{name}, line {line}: a tag or comment of more than {spell_size(_LONGEST_TAG)}")
            reader.parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise InputError(f"{name}, line {error.lineno}: {expat.errors.messages[error.code]}") from error
        except (LookupError, ValueError) as error:
            raise InputError(f"{name}: its encoding cannot be read ({error}); convert it to UTF-8") from error
    if not any(reader.collection.texts.values()):
        raise InputError(f"{name}: no segments in <src>, <ref> or <hyp>")
    return reader.collection


class _Reader:
    def __init__(self, name: str) -> None:
        self.collection = Collection(name)
        self.data_set = ""
        self.document = ""
        self.side: tuple[Role, str] | None = None
        self.segment = ""
        self.text: list[str] | None = None
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def _problem(self, what: str) -> InputError:
        return InputError(f"{self.collection.name}, line {self.parser.CurrentLineNumber}: {what}")

    def _refuse(self, *declaration: object) -> NoReturn:
        raise self._problem("document type declarations are not allowed in WMT XML files; remove it")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        element = _local(element)
        attributes = {key.lower(): value for key, value in attributes.items()}
        if element == "dataset":
            self.data_set = attributes.get("id", "")
        elif element == "doc":
            self.document = attributes.get("id", "")
            if not self.document:
                raise self._problem("<doc> has no id")
        elif element in _ROLES:
            if not self.document:
                raise self._problem(f"<{element}> outside of <doc>")
            role, attribute = _ROLES[element]
            self.side = (role, attributes.get(attribute) or element)
        elif element == "seg":
            if self.side is None:
                raise self._problem("<seg> outside of <src>, <ref> and <hyp>")
            if self.text is not None:
                raise self._problem("<seg> within <seg>")
            self.segment = attributes.get("id", "")
            if not self.segment:
                raise self._problem("<seg> has no id")
            self.text = []

    def _end(self, element: str) -> None:
        element = _local(element)
        if element == "seg" and self.text is not None and self.side is not None:
            key = SegmentKey(self.data_set, self.document, self.segment)
            self.collection.add(*self.side, key, _WHITE.sub(" ", "".join(self.text)).strip())
            self.text = None
        elif element in _ROLES:
            self.side = None
        elif element == "doc":
            self.document = ""

    def _characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)


def _local(element: str) -> str:
    """Return an element's name without its namespace's prefix, in lower case."""
    return element.rpartition(":")[2].lower()
