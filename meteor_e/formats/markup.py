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
_TAG_END = re.compile(rf"((?:{_PAIR})*)\s*/?>")
_ATTRIBUTE = re.compile(_PAIR)
_WHITE = re.compile("[ \t\r\n]+")
_BLOCK = 1 << 16
_LONGEST_TAG = 1 << 20
"""Maximum number of bytes of a tag or comment of XML. The parser rescans an incomplete tag with each new block."""

_SETS: dict[str, Role] = {"tstset": "hypothesis", "refset": "reference", "srcset": "source"}
"""The role of the texts in each SGML element that contains documents."""

_TEXTS: dict[str, tuple[Role, str]] = {
    "src": ("source", "lang"),
    "ref": ("reference", "translator"),
    "hyp": ("hypothesis", "system"),
}
"""The role of the texts in each XML element that contains segments, and the attribute with its name."""


def read_sgml(lines: Iterable[str], name: str) -> Collection:
    """Read an SGML file.

    Tags and attribute names are case-insensitive. Attributes may be in any order, and values may be in double quotes,
    single quotes or no quotes. A segment may begin anywhere in a line and span several lines. The entities ``&quot;
    &apos; &lt; &gt; &amp;`` are replaced by their characters.

    Args:
        lines: the lines of the file.
        name: the name of the file in messages.

    Raises:
        InputError: if the id of a set, document, system or segment is missing, a closing tag is missing, there are no
            segments, or the attributes of a tag cannot be parsed. The message names the line.
    """
    text, reader = _without_comments("\n".join(lines)), _Reader(name, "docid")
    if definition := re.search(r"<!ENTITY\b", text, re.IGNORECASE):
        reader.line = text.count("\n", 0, definition.start()) + 1
        raise reader.problem("definitions of entities are not read; put their texts in the segments")
    previous_start = previous_end = 0
    while tag := _OPEN.search(text, previous_end):
        reader.line += text.count("\n", previous_start, tag.start())
        tag_end, element = _TAG_END.match(text, tag.end()), tag[2].lower()
        if not tag_end:
            # A tag must not be skipped: its segments would become part of another document.
            raise reader.problem(f"cannot read the attributes of this <{tag[2]}>; is a quote missing?")
        if tag[1]:
            reader.end(element, unescape_entities(text[previous_end : tag.start()]))
        else:
            attributes = [
                (key.lower(), double or single or bare) for key, double, single, bare in _ATTRIBUTE.findall(tag_end[1])
            ]
            if len(dict(attributes)) < len(attributes):
                raise reader.problem(f"<{element}> has an attribute twice")
            reader.begin(element, dict(attributes))
        previous_start, previous_end = tag.start(), tag_end.end()
    return reader.finish("<tstset>, <refset> or <srcset>")


def read_wmt_xml(stream: BinaryIO, name: str) -> Collection:
    """Read an XML file of the form ``dataset > [collection >] doc > src | ref | hyp > [p >] seg``.

    The name of a reference is its ``translator`` or else ``ref``; the name of a hypothesis is its ``system`` or else
    ``hyp``. Names of elements and attributes are case-insensitive, and elements may have a namespace prefix. Document
    type declarations and entity definitions are refused: WMT's files do not need them, and XML attacks use them.

    Args:
        stream: the content of the file.
        name: the name of the file in messages.

    Raises:
        InputError: if the file is not well-formed or does not have this form. The message names the line.
    """
    reader, parser, text = _Reader(name, "id"), expat.ParserCreate(), list[str]()

    def begin(element: str, attributes: dict[str, str]) -> None:
        reader.line = parser.CurrentLineNumber
        element = element.rpartition(":")[2].lower()  # without the namespace prefix
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
    return reader.finish("<src>, <ref> or <hyp>")


class _Reader:
    """Collects the segments of a file from the start tags and end tags of its elements.

    Args:
        name: the name of the file in messages.
        document_id: the attribute that holds the id of a document: ``docid`` in SGML, ``id`` in XML.
    """

    def __init__(self, name: str, document_id: str) -> None:
        self.line = 1
        self._collection = Collection(name)
        self._document_id = document_id
        self._set = self._document = self._name = self._system = ""
        self._role: Role | None = None
        self._segment: tuple[str, int] | None = None

    def problem(self, message: str) -> InputError:
        """Return an error whose message begins with the current line."""
        return InputError(f"{self._collection.name}, line {self.line}: {message}")

    def begin(self, element: str, attributes: Mapping[str, str]) -> None:
        """Process a start tag."""
        if element not in (*_SETS, *_TEXTS, "dataset", "doc", "seg"):
            return
        self._check_closed()

        def require(attribute: str) -> str:
            if not attributes.get(attribute):
                raise self.problem(f"<{element}> has no {attribute}")
            return attributes[attribute]

        system = attributes.get("sysid") or attributes.get("refid", "")
        if element == "seg":
            if self._role is None or not self._document:
                raise self.problem(f"<seg> outside of {'<doc>' if not self._document else '<src>, <ref> and <hyp>'}")
            self._segment = require("id"), self.line
        elif element == "dataset":
            self._set = attributes.get("id", "")
        elif element in _SETS:
            self._role, self._set, self._system, self._document = _SETS[element], require("setid"), system, ""
        elif element == "doc":
            if self._document_id == "docid":
                if self._role is None:
                    raise self.problem("<doc> outside of <tstset>, <refset> and <srcset>")
                self._name = system or self._system
            self._document = require(self._document_id)
            if self._role in ("hypothesis", "reference") and not self._name:
                raise self.problem("neither <doc> nor its set has a sysid or refid")
        else:
            if not self._document:
                raise self.problem(f"<{element}> outside of <doc>")
            self._role, attribute = _TEXTS[element]
            self._name = attributes.get(attribute) or element

    def end(self, element: str, text: str) -> None:
        """Process an end tag, and the text of the element if it is a segment."""
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
        if element in (*_SETS, *_TEXTS):
            self._role = None

    def _check_closed(self) -> None:
        if self._segment:
            self.line = self._segment[1]
            raise self.problem("this <seg> is not closed")

    def finish(self, elements: str) -> Collection:
        """Return the collected segments; ``elements`` lists the elements with segments, for the error message."""
        self._check_closed()
        if not any(self._collection.texts.values()):
            raise InputError(f"{self._collection.name}: no segments in {elements}")
        return self._collection


def _without_comments(text: str) -> str:
    """Remove the comments of a text except their line feeds, so that line numbers do not change."""
    parts = []
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end + 3
    return "".join((*parts, text[position:]))
