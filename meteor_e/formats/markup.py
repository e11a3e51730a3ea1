"""Test sets in markup: SGML of NIST and the early WMT evaluations, and XML of WMT since 2021."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import BinaryIO, NoReturn
from xml.parsers import expat

from meteor_e.base.errors import InputError
from meteor_e.base.files import os_errors_as, spell_size
from meteor_e.formats.documents import Collection, Role, SegmentKey
from meteor_e.text.normalization import unescape_entities

_OPEN = re.compile(r"<\s*(/\s*)?(tstset|refset|srcset|doc|seg)\b", re.IGNORECASE)
_PAIR = r"\s+([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>=]+))"
_REST = re.compile(rf"((?:{_PAIR})*)\s*/?>")
_ATTRIBUTE = re.compile(_PAIR)
_WHITE = re.compile("[ \t\r\n]+")
_BLOCK = 1 << 16
_LONGEST_TAG = 1 << 20
"""Bytes of a tag or comment of XML; the parser begins anew with each block until it is whole."""

_SETS: dict[str, Role] = {"tstset": "hypothesis", "refset": "reference", "srcset": "source"}
"""Elements of SGML with the documents of a side."""

_SIDES: dict[str, tuple[Role, str]] = {
    "src": ("source", "lang"),
    "ref": ("reference", "translator"),
    "hyp": ("hypothesis", "system"),
}
"""Elements of XML with a side of a document, and the attribute that names it."""


def read_sgml(lines: Iterable[str], name: str) -> Collection:
    """Read an SGML file.

    Tags and attribute names may be in any case, attributes in any order and in any quotes or none, a segment may be
    anywhere in a line or go over several. ``&quot; &apos; &lt; &gt; &amp;`` stand for their characters.

    Args:
        lines: its lines.
        name: what to call it in messages.

    Raises:
        InputError: naming what is missing and the line: set, document, system or segment id, closing tags, sets,
            or a tag whose attributes cannot be told apart.
    """
    text, reader = _without_comments("\n".join(lines)), _Reader(name, "docid")
    if definition := re.search(r"<!ENTITY\b", text, re.IGNORECASE):
        reader.line = text.count("\n", 0, definition.start()) + 1
        raise reader.problem("definitions of entities are not read; put their texts in the segments")
    counted = end = 0
    while tag := _OPEN.search(text, end):
        reader.line += text.count("\n", counted, tag.start())
        rest, element = _REST.match(text, tag.end()), tag[2].lower()
        if not rest:
            # Never skipped: what follows would be read as part of another document or segment.
            raise reader.problem(f"cannot read the attributes of this <{tag[2]}>; is a quote missing?")
        if tag[1]:
            reader.end(element, unescape_entities(text[end : tag.start()]))
        else:
            found = [
                (key.lower(), double or single or bare) for key, double, single, bare in _ATTRIBUTE.findall(rest[1])
            ]
            if len(dict(found)) < len(found):
                raise reader.problem(f"<{element}> has an attribute twice")
            reader.begin(element, dict(found))
        counted, end = tag.start(), rest.end()
    return reader.finished("<tstset>, <refset> or <srcset>")


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
    reader, parser, text = _Reader(name, "id"), expat.ParserCreate(), list[str]()

    def begin(element: str, attributes: dict[str, str]) -> None:
        reader.line = parser.CurrentLineNumber
        element = element.rpartition(":")[2].lower()  # without its namespace's prefix
        if element == "seg":
            text.clear()
        reader.begin(element, {key.lower(): value for key, value in attributes.items()})

    def end(element: str) -> None:
        reader.end(element.rpartition(":")[2].lower(), "".join(text))

    def refuse(*_: object) -> NoReturn:
        reader.line = parser.CurrentLineNumber
        raise reader.problem("document type declarations are not allowed in WMT XML files; remove it")

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, text.append
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    size = 0
    with os_errors_as(InputError, f"cannot read {name}"):
        try:
            while block := stream.read(_BLOCK):
                size += len(block)
                parser.Parse(block)
                if size - parser.CurrentByteIndex > _LONGEST_TAG + _BLOCK:
                    reader.line = parser.CurrentLineNumber
                    raise reader.problem(f"a tag or comment of more than {spell_size(_LONGEST_TAG)}")
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise InputError(f"{name}, line {error.lineno}: {expat.errors.messages[error.code]}") from error
        except (LookupError, ValueError) as error:
            raise InputError(f"{name}: its encoding cannot be read ({error}); convert it to UTF-8") from error
    return reader.finished("<src>, <ref> or <hyp>")


class _Reader:
    """Collects segments while elements begin and end.

    Args:
        name: of the file.
        document_id: the attribute that names a document.
    """

    def __init__(self, name: str, document_id: str) -> None:
        self.line = 1
        self._collection = Collection(name)
        self._document_id = document_id
        self._set = self._document = self._name = self._system = ""
        self._role: Role | None = None
        self._segment: tuple[str, int] | None = None

    def problem(self, what: str) -> InputError:
        return InputError(f"{self._collection.name}, line {self.line}: {what}")

    def begin(self, element: str, attributes: Mapping[str, str]) -> None:
        if element not in (*_SETS, *_SIDES, "dataset", "doc", "seg"):
            return
        self._check_closed()

        def needed(attribute: str) -> str:
            if not attributes.get(attribute):
                raise self.problem(f"<{element}> has no {attribute}")
            return attributes[attribute]

        named = attributes.get("sysid") or attributes.get("refid", "")
        if element == "seg":
            if self._role is None or not self._document:
                raise self.problem(f"<seg> outside of {'<doc>' if not self._document else '<src>, <ref> and <hyp>'}")
            self._segment = needed("id"), self.line
        elif element == "dataset":
            self._set = attributes.get("id", "")
        elif element in _SETS:
            self._role, self._set, self._system, self._document = _SETS[element], needed("setid"), named, ""
        elif element == "doc":
            if self._document_id == "docid":
                if self._role is None:
                    raise self.problem("<doc> outside of <tstset>, <refset> and <srcset>")
                self._name = named or self._system
            self._document = needed(self._document_id)
            if self._role in ("hypothesis", "reference") and not self._name:
                raise self.problem("neither <doc> nor its set has a sysid or refid")
        else:
            if not self._document:
                raise self.problem(f"<{element}> outside of <doc>")
            self._role, attribute = _SIDES[element]
            self._name = attributes.get(attribute) or element

    def end(self, element: str, text: str) -> None:
        if element == "seg":
            if self._segment is None or self._role is None:
                raise self.problem("</seg> without <seg>")
            key = SegmentKey(self._set, self._document, self._segment[0])
            self._collection.add(self._role, self._name, key, _WHITE.sub(" ", text).strip())
            self._segment = None
            return
        if element in (*_SETS, "doc"):
            self._check_closed()
            self._document = ""
        if element in (*_SETS, *_SIDES):
            self._role = None

    def _check_closed(self) -> None:
        if self._segment:
            self.line = self._segment[1]
            raise self.problem("this <seg> is not closed")

    def finished(self, elements: str) -> Collection:
        self._check_closed()
        if not any(self._collection.texts.values()):
            raise InputError(f"{self._collection.name}: no segments in {elements}")
        return self._collection


def _without_comments(text: str) -> str:
    """Blank out comments, keeping their line ends so that lines can still be named."""
    parts = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join((*parts, text[at:]))
