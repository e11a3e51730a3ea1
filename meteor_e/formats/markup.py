"""This module reads test sets in SGML (NIST, and WMT until 2020) and in XML (WMT since 2021)."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import BinaryIO, ClassVar, NamedTuple, NoReturn
from xml.parsers import expat

from meteor_e.base.errors import InputError
from meteor_e.base.files import os_errors_as, spell_size
from meteor_e.formats.documents import Role, SegmentKey, TextCollection
from meteor_e.text.normalization import unescape_entities

_TAG_START = re.compile(r"<\s*(?P<slash>/\s*)?(?P<element>tstset|refset|srcset|doc|seg)\b", re.IGNORECASE)
_PAIR = r"\s+([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>=]+))"
_TAG_END = re.compile(rf"(?P<attributes>(?:{_PAIR})*)\s*/?>")
_ATTRIBUTE = re.compile(_PAIR)
_WHITE = re.compile("[ \t\r\n]+")
_BLOCK = 1 << 16
_LONGEST_TAG = 1 << 20
"""Longer XML tags and comments, in bytes, are an error. Incomplete tags are parsed again with each new block."""

_SETS: dict[str, Role] = {"tstset": "hypothesis", "refset": "reference", "srcset": "source"}
"""The table maps each SGML element that contains documents to the role of its texts."""

_TEXTS: dict[str, tuple[Role, str]] = {
    "src": ("source", "lang"),
    "ref": ("reference", "translator"),
    "hyp": ("hypothesis", "system"),
}
"""The table maps each XML element that contains segments to their role and to the attribute with their origin."""


def read_sgml(lines: Iterable[str], name: str) -> TextCollection:
    """Read the texts of an SGML file.

    The names of elements and attributes are case-insensitive. Attribute values may be in double quotes, in single
    quotes or unquoted. Segments may span several lines. The entities ``&quot; &apos; &lt; &gt; &amp;`` are decoded.

    Args:
        lines: the lines of the file.
        name: the name of the file for error messages.

    Raises:
        InputError: if an id or a closing tag is missing, there are no segments, or the attributes of a tag cannot be
            parsed. The message contains the line number.
    """
    document = _blank_comments("\n".join(lines))
    collector = _SegmentCollector(name, "docid")
    _refuse_entity_definitions(document, collector)
    for tag in _read_tags(document, collector):
        if tag.is_end:
            collector.end(tag.element, unescape_entities(tag.preceding_text))
        else:
            collector.begin(tag.element, _parse_attributes(tag.attributes, tag.element, collector))
    return collector.finish("<tstset>, <refset> or <srcset>")


class _Tag(NamedTuple):
    """A tag of an SGML document.

    Attributes:
        element: the name of the element in lowercase.
        is_end: whether this is an end tag.
        attributes: the attributes, which have not been parsed yet.
        preceding_text: the text between the previous tag and this tag.
    """

    element: str
    is_end: bool
    attributes: str
    preceding_text: str


def _read_tags(document: str, collector: _SegmentCollector) -> Iterator[_Tag]:
    """Yield the tags of an SGML document, and set the line number of the collector to the line of each tag."""
    previous_start = previous_end = 0
    while tag_start := _TAG_START.search(document, previous_end):
        collector.line += document.count("\n", previous_start, tag_start.start())
        tag_end = _TAG_END.match(document, tag_start.end())
        if tag_end is None:
            # If a malformed tag were skipped, the next segments could be assigned to the wrong document.
            raise collector.problem(f"cannot read the attributes of this <{tag_start['element']}>; is a quote missing?")
        preceding_text = document[previous_end : tag_start.start()]
        yield _Tag(tag_start["element"].lower(), tag_start["slash"] is not None, tag_end["attributes"], preceding_text)
        previous_start = tag_start.start()
        previous_end = tag_end.end()


def _refuse_entity_definitions(document: str, collector: _SegmentCollector) -> None:
    """Raise InputError if an SGML document defines entities."""
    definition = re.search(r"<!ENTITY\b", document, re.IGNORECASE)
    if definition:
        collector.line = document.count("\n", 0, definition.start()) + 1
        raise collector.problem("entity definitions are not supported; replace the entities by their texts")


def _parse_attributes(text: str, element: str, collector: _SegmentCollector) -> dict[str, str]:
    """Parse the attributes of an SGML tag, and return their values by lowercased name."""
    attributes: dict[str, str] = {}
    for name, double_quoted, single_quoted, unquoted in _ATTRIBUTE.findall(text):
        if name.lower() in attributes:
            raise collector.problem(f"<{element}> has an attribute twice")
        attributes[name.lower()] = double_quoted or single_quoted or unquoted
    return attributes


def read_wmt_xml(stream: BinaryIO, name: str) -> TextCollection:
    """Read the texts of a WMT XML file, whose elements are ``dataset > doc > src | ref | hyp > [p >] seg``.

    The attribute ``translator`` names a reference, and ``system`` names a hypothesis; the defaults are ``ref`` and
    ``hyp``. The names of elements and attributes are case-insensitive, and elements may have a namespace prefix.

    Document type declarations and entity definitions are rejected, because XML attacks use them and WMT files do not.

    Args:
        stream: the content of the file.
        name: the name of the file for error messages.

    Raises:
        InputError: if the file is not well-formed or has another structure. The message contains the line number.
    """
    collector = _SegmentCollector(name, "id")
    with os_errors_as(InputError, f"cannot read {name}"), _parser_errors(name):
        _WmtParser(collector).parse(stream)
    return collector.finish("<src>, <ref> or <hyp>")


@contextlib.contextmanager
def _parser_errors(name: str) -> Iterator[None]:
    """Convert errors of the XML parser, such as syntax errors, to InputError."""
    try:
        yield
    except expat.ExpatError as error:
        raise InputError(f"{name}, line {error.lineno}: {expat.errors.messages[error.code]}") from error
    except (LookupError, ValueError) as error:
        raise InputError(f"{name}: its encoding cannot be read ({error}); convert it to UTF-8") from error


class _WmtParser:
    """An XML parser that passes the elements of a WMT XML file to a collector.

    Args:
        collector: the collector of the file's segments.
    """

    def __init__(self, collector: _SegmentCollector) -> None:
        self._collector = collector
        self._segment_parts: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._begin_element
        self._parser.EndElementHandler = self._end_element
        self._parser.CharacterDataHandler = self._segment_parts.append
        self._parser.StartDoctypeDeclHandler = self._refuse_declaration
        self._parser.EntityDeclHandler = self._refuse_declaration

    def parse(self, stream: BinaryIO) -> None:
        """Parse a stream. Raise InputError if a tag or comment is too long."""
        n_bytes = 0
        while block := stream.read(_BLOCK):
            self._parser.Parse(block)
            n_bytes += len(block)
            # While a tag is incomplete, the parser's byte index remains at the beginning of the tag.
            unparsed_size = n_bytes - self._parser.CurrentByteIndex
            if unparsed_size > _LONGEST_TAG + _BLOCK:
                raise self._error(f"a tag or comment of more than {spell_size(_LONGEST_TAG)}")
        # The second argument marks the end of the file.
        self._parser.Parse(b"", True)

    def _error(self, message: str) -> InputError:
        """Create an error whose message contains the current line number of the parser."""
        self._collector.line = self._parser.CurrentLineNumber
        return self._collector.problem(message)

    def _begin_element(self, qualified_name: str, attributes: dict[str, str]) -> None:
        """Process the start tag of an element."""
        self._collector.line = self._parser.CurrentLineNumber
        element = _strip_namespace(qualified_name)
        if element == "seg":
            self._segment_parts.clear()
        self._collector.begin(element, {name.lower(): value for name, value in attributes.items()})

    def _end_element(self, qualified_name: str) -> None:
        """Process the end tag of an element."""
        self._collector.end(_strip_namespace(qualified_name), "".join(self._segment_parts))

    def _refuse_declaration(self, *_: object) -> NoReturn:
        """Raise InputError for a document type declaration or an entity declaration."""
        raise self._error("document type declarations are not allowed in WMT XML files; remove it")


def _strip_namespace(element: str) -> str:
    """Return the name of an element in lowercase, without its namespace prefix."""
    return element.rpartition(":")[2].lower()


class _SegmentCollector:
    """Collects the segments of an SGML or XML file from its start tags and end tags.

    Args:
        name: the name of the file for error messages.
        document_id: the name of the attribute with the id of a document: ``docid`` in SGML, ``id`` in XML.
    """

    def __init__(self, name: str, document_id: str) -> None:
        self.line = 1
        self._collection = TextCollection(name)
        self._document_id = document_id
        self._set = self._document = self._name = self._system = ""
        self._role: Role | None = None
        self._segment: tuple[str, int] | None = None

    def problem(self, message: str) -> InputError:
        """Create an error whose message begins with the name of the file and the current line number."""
        return InputError(f"{self._collection.name}, line {self.line}: {message}")

    def begin(self, element: str, attributes: Mapping[str, str]) -> None:
        """Process the start tag of any element. Unknown elements are ignored."""
        handler = self._START_HANDLERS.get(element)
        if handler is not None:
            self._check_closed()
            handler(self, element, attributes)

    def _begin_dataset(self, element: str, attributes: Mapping[str, str]) -> None:
        """Process the WMT XML start tag ``<dataset>``, which contains documents."""
        self._set = attributes.get("id", "")

    def _begin_set(self, element: str, attributes: Mapping[str, str]) -> None:
        """Process the SGML start tag of a set, such as ``<refset>``, which contains documents."""
        self._role = _SETS[element]
        self._set = self._require(element, attributes, "setid")
        self._system = _system_name(attributes)
        self._document = ""

    def _begin_text(self, element: str, attributes: Mapping[str, str]) -> None:
        """Process the WMT XML start tag ``<src>``, ``<ref>`` or ``<hyp>``, which must be inside a document."""
        if not self._document:
            raise self.problem(f"<{element}> outside of <doc>")
        self._role, name_attribute = _TEXTS[element]
        # The attribute can be missing or empty.
        self._name = attributes.get(name_attribute) or element

    def _begin_segment(self, element: str, attributes: Mapping[str, str]) -> None:
        """Process the start tag ``<seg>``, which begins a segment."""
        if not self._document:
            raise self.problem("<seg> outside of <doc>")
        if self._role is None:
            raise self.problem("<seg> outside of <src>, <ref> and <hyp>")
        self._segment = self._require(element, attributes, "id"), self.line

    def _begin_document(self, element: str, attributes: Mapping[str, str]) -> None:
        """Process the start tag ``<doc>``, which begins a document."""
        is_sgml = self._document_id == "docid"
        if is_sgml and self._role is None:
            raise self.problem("<doc> outside of <tstset>, <refset> and <srcset>")
        if is_sgml:
            self._name = _system_name(attributes) or self._system
        self._document = self._require(element, attributes, self._document_id)
        if self._role in ("hypothesis", "reference") and not self._name:
            raise self.problem("neither <doc> nor its set has a sysid or refid")

    _START_HANDLERS: ClassVar[dict[str, Callable[[_SegmentCollector, str, Mapping[str, str]], None]]] = {
        "dataset": _begin_dataset,
        "doc": _begin_document,
        "seg": _begin_segment,
        **dict.fromkeys(_SETS, _begin_set),
        **dict.fromkeys(_TEXTS, _begin_text),
    }
    """The table maps the name of each element to the method that processes its start tag."""

    def _require(self, element: str, attributes: Mapping[str, str], name: str) -> str:
        """Return the value of a required attribute, or raise InputError if the attribute is missing or empty."""
        if not attributes.get(name):
            raise self.problem(f"<{element}> has no {name}")
        return attributes[name]

    def end(self, element: str, text: str) -> None:
        """Process the end tag of any element, and store the text if the element is a segment."""
        if element == "seg":
            self._end_segment(text)
        elif element == "doc":
            self._check_closed()
            self._document = ""
        elif element in _SETS:
            self._check_closed()
            self._document = ""
            self._role = None
        elif element in _TEXTS:
            self._role = None

    def _end_segment(self, text: str) -> None:
        """Store the text of the current segment."""
        if self._segment is None or self._role is None:
            raise self.problem("</seg> without <seg>")
        key = SegmentKey(self._set, self._document, self._segment[0])
        self._collection.add(self._role, self._name, key, _WHITE.sub(" ", text).strip())
        self._segment = None

    def _check_closed(self) -> None:
        """Raise InputError if the current segment lacks its end tag."""
        if self._segment:
            self.line = self._segment[1]
            raise self.problem("this <seg> is not closed")

    def finish(self, elements: str) -> TextCollection:
        """Return the collected segments, or raise InputError if there are no segments.

        Args:
            elements: the elements that should contain segments, for the error message.
        """
        self._check_closed()
        if not any(self._collection.texts.values()):
            raise InputError(f"{self._collection.name}: no segments in {elements}")
        return self._collection


def _system_name(attributes: Mapping[str, str]) -> str:
    """Return the name of the system or reference from the attributes of an SGML element, or an empty string."""
    return attributes.get("sysid") or attributes.get("refid", "")


def _blank_comments(text: str) -> str:
    """Remove comments from SGML, but keep their line feeds, so that line numbers do not change."""
    parts: list[str] = []
    position = 0
    while True:
        start = text.find("<!--", position)
        end = text.find("-->", start)
        if start < 0 or end < 0:
            return "".join([*parts, text[position:]])
        parts += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end + len("-->")
