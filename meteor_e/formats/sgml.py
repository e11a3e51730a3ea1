"""SGML files of the NIST and early WMT evaluations: ``tstset``, ``refset``, ``srcset``.

Two readers: :func:`read_sgml` takes what the format allows; :func:`read_java_sgml` takes what the Java program
takes, line by line, for output equal to its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from meteor_e.base.errors import InputError
from meteor_e.formats.documents import Collection, Role, SegmentKey
from meteor_e.text.normalization import unescape_entities

# One run of spaces at a time, "[^<>]*" and the look-behind keep the time linear in hostile input.
_TAG = re.compile(r"<\s*(/\s*)?(tstset|refset|srcset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(?<![\w:-])([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_WHITE = re.compile("[ \t\r\n]+")
_ROLES: dict[str, Role] = {"tstset": "hypothesis", "refset": "reference", "srcset": "source"}


def read_sgml(lines: Iterable[str], name: str) -> Collection:
    """Read an SGML file.

    Tags and attribute names may be in any case, attributes in any quotes or none, a segment may be anywhere in a
    line or go over several. ``&quot; &apos; &lt; &gt; &amp;`` stand for their characters.

    Args:
        lines: its lines.
        name: what to call it in messages.

    Raises:
        InputError: naming what is missing and the line: set, document, system or segment id, closing tags, sets.
    """
    text = _without_comments("\n".join(lines))
    collection = Collection(name)
    reader = _Reader(collection)
    if definition := re.search(r"<!ENTITY\b", text, re.IGNORECASE):
        line = text.count("\n", 0, definition.start()) + 1
        raise reader.problem(line, "definitions of entities are not read; put their texts in the segments")
    line, counted, end = 1, 0, 0
    for tag in _TAG.finditer(text):
        line += text.count("\n", counted, tag.start())
        reader.tag(tag, text[end : tag.start()], line)
        counted, end = tag.start(), tag.end()
    reader.end()
    return collection


class _Reader:
    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.role: Role | None = None
        self.set_id = ""
        self.set_system = self.system = ""
        self.document: str | None = None
        self.segment: tuple[str, int] | None = None

    def problem(self, line: int, what: str) -> InputError:
        return InputError(f"{self.collection.name}, line {line}: {what}")

    def tag(self, tag: re.Match[str], before: str, line: int) -> None:
        closing, element = bool(tag[1]), tag[2].lower()
        if self.segment and not (closing and element == "seg"):
            raise self.problem(self.segment[1], "this <seg> is not closed")
        attributes = {key.lower(): double or single or bare for key, double, single, bare in _ATTRIBUTE.findall(tag[3])}
        if element == "seg":
            self._segment(closing, attributes, before, line)
        elif closing:
            self.document = None
            if element != "doc":
                self.role = None
        elif element == "doc":
            self._document(attributes, line)
        else:
            self._set(element, attributes, line)

    def _set(self, element: str, attributes: dict[str, str], line: int) -> None:
        self.role = _ROLES[element]
        self.set_id = attributes.get("setid", "")
        if not self.set_id:
            raise self.problem(line, f"<{element}> has no setid")
        self.set_system = attributes.get("sysid") or attributes.get("refid", "")
        self.document = None

    def _document(self, attributes: dict[str, str], line: int) -> None:
        if self.role is None:
            raise self.problem(line, "<doc> outside of <tstset>, <refset> and <srcset>")
        self.document = attributes.get("docid", "")
        if not self.document:
            raise self.problem(line, "<doc> has no docid")
        self.system = attributes.get("sysid") or attributes.get("refid") or self.set_system
        if not self.system and self.role != "source":
            raise self.problem(line, "neither <doc> nor its set has a sysid or refid")

    def _segment(self, closing: bool, attributes: dict[str, str], before: str, line: int) -> None:
        if closing:
            if not self.segment:
                raise self.problem(line, "</seg> without <seg>")
            assert self.role is not None
            assert self.document is not None
            key = SegmentKey(self.set_id, self.document, self.segment[0])
            self.collection.add(self.role, self.system, key, unescape_entities(_WHITE.sub(" ", before).strip()))
            self.segment = None
            return
        if self.role is None or self.document is None:
            raise self.problem(line, "<seg> outside of <doc>")
        if not attributes.get("id"):
            raise self.problem(line, "<seg> has no id")
        self.segment = (attributes["id"], line)

    def end(self) -> None:
        if self.segment:
            raise self.problem(self.segment[1], "this <seg> is not closed")
        if not any(self.collection.texts.values()):
            raise InputError(f"{self.collection.name}: no segments in <tstset>, <refset> or <srcset>")


def _without_comments(text: str) -> str:
    """Blank out comments, keeping their line ends so that lines can still be named."""
    parts = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join((*parts, text[at:]))


JavaSgml = dict[str, dict[str, dict[str, dict[str, str]]]]
"""Set → system or reference → document → segment → text."""

_JAVA_SET = re.compile(r"<\s*(?:tst|ref)set\b", re.IGNORECASE)
_JAVA_DOC = re.compile(r"<\s*doc", re.IGNORECASE)
_JAVA_SEG = re.compile(r'<\s*seg\s+id\s*=\s*"([^"]+)"\s*>', re.IGNORECASE)
_JAVA_SEG_END = re.compile(r"<\s*/seg\s*>", re.IGNORECASE)
_JAVA_SET_ID = re.compile(r'setid\s*=\s*"([^"]+)"', re.IGNORECASE)
_JAVA_DOC_ID = re.compile(r'docid\s*=\s*"([^"]+)"', re.IGNORECASE)
_JAVA_SYSTEM = re.compile(r'(?:sysid|refid)\s*=\s*"([^"]+)"', re.IGNORECASE)


def read_java_sgml(lines: Iterable[str], name: str) -> JavaSgml:
    """Read an SGML file as the Java program does.

    One set, document and segment tag a line; a segment ends at the last ``</seg>`` of its line, or on a later
    line, where lines are joined as they are; a ``seg`` tag with any attribute but ``id`` is not seen; of two
    segments with one id the later counts; test and reference files are alike.

    Args:
        lines: its lines.
        name: what to call it in messages.

    Raises:
        InputError: in the Java program's words if an id is missing; if a segment stands outside of documents or
            is not closed (Java crashes or hangs).
    """
    sets: JavaSgml = {}
    set_id = set_system = ""
    documents: dict[str, str] | None = None
    rest = iter(lines)
    for line in rest:
        if _JAVA_SET.search(line):
            set_id = _java_id(_JAVA_SET_ID, line, name, "Set ID (setid) required in line")
            system = _JAVA_SYSTEM.search(line)
            set_system = system[1] if system and not _JAVA_DOC.search(line) else ""
            sets.setdefault(set_id, {})
            if set_system:
                sets[set_id].setdefault(set_system, {})
        if _JAVA_DOC.search(line):
            document = _java_id(_JAVA_DOC_ID, line, name, "Doc ID (docid) required in line")
            system = _JAVA_SYSTEM.search(line)
            if not system and not set_system:
                what = "System ID (sysid or refid) must be specified in either Set or Doc header"
                raise InputError(f"{name}: {what}: {line}")
            if not set_id:
                raise InputError(f"{name}: document outside of tstset and refset: {line}")
            documents = sets[set_id].setdefault(system[1] if system else set_system, {}).setdefault(document, {})
        if segment := _JAVA_SEG.search(line):
            if documents is None:
                raise InputError(f"{name}: segment outside of documents: {line}")
            documents[segment[1]] = _java_text(line[segment.end() :], rest, name, segment[1])
    return sets


def _java_id(pattern: re.Pattern[str], line: str, name: str, what: str) -> str:
    found = pattern.search(line)
    if not found:
        raise InputError(f"{name}: {what}: {line}")
    return found[1]


def _java_text(start: str, rest: Iterator[str], name: str, segment: str) -> str:
    parts = [start]
    while not (ends := list(_JAVA_SEG_END.finditer(parts[-1]))):
        following = next(rest, None)
        if following is None:
            raise InputError(f"{name}: segment {segment!r} is not closed")
        parts.append(following)
    parts[-1] = parts[-1][: ends[-1].start()]
    return unescape_entities("".join(parts))
