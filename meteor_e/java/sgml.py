"""Read SGML files line by line in the same way as METEOR 1.5. ``docs/compat.md`` lists the rules."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from meteor_e.base.errors import InputError
from meteor_e.text.normalization import unescape_entities

JavaSgml = dict[str, dict[str, dict[str, dict[str, str]]]]
"""The texts by set, system or reference, document, and segment."""


def _compile_java(pattern: str) -> re.Pattern[str]:
    r"""Compile a pattern with Java's semantics.

    In Java, ``\s`` and case-insensitivity are limited to ASCII, and the dot does not match U+0085, U+2028 and U+2029.
    """
    return re.compile(pattern.replace(".", r"[^\n\r\x85\u2028\u2029]"), re.IGNORECASE | re.ASCII)


_JAVA_SET = _compile_java(r"<\s*(?:tst|ref)set")
_JAVA_DOC = _compile_java(r"<\s*doc")
_JAVA_SEG_ID = _compile_java(r'<\s*seg\s*id\s*=(?P<space>\s*)"?')
_JAVA_SPACE = " \t\n\x0b\f\r"
_JAVA_SEG_TAG = _compile_java(r"<\s*seg.*?>")
_JAVA_SEG_END = _compile_java(r"<\s*/seg\s*>")
_JAVA_PART_OF_END = _compile_java(r"<\s*(?:/(?:s(?:e(?:g\s*)?)?)?)?\Z")
_JAVA_LINE_END = re.compile("[\x85\u2028\u2029]")
_JAVA_SET_ID = _compile_java(r'setid\s*=\s*"([^"]+)"')
_JAVA_DOC_ID = _compile_java(r'docid\s*=\s*"([^"]+)"')
_JAVA_SYSTEM = _compile_java(r'(?:sysid|refid)\s*=\s*"([^"]+)"')


def read_java_sgml(lines: Iterable[str], name: str) -> JavaSgml:
    """Read an SGML file in the same way as METEOR 1.5. Test and reference files have the same structure.

    METEOR 1.5 searches each line for the tags of a test set, a document and a segment, in this order. Only the first
    tag of each kind is read.

    Args:
        lines: the lines of the file.
        name: the name of the file in messages.

    Raises:
        InputError: with METEOR 1.5's message if an id is missing or a segment cannot be read. Also if a segment
            is outside of documents or is not closed, which makes METEOR 1.5 crash or hang.
    """
    return _JavaSgmlReader(lines, name).read()


class _JavaSgmlReader:
    """Read an SGML file, and keep track of the current set, system and document.

    Args:
        lines: the lines of the file.
        name: the name of the file in messages.
    """

    def __init__(self, lines: Iterable[str], name: str) -> None:
        self._lines = iter(lines)
        self._name = name
        self._sets: JavaSgml = {}
        self._systems: dict[str, dict[str, dict[str, str]]] | None = None
        # A document without a system id belongs to the most recently named system, even if a new set has begun.
        self._documents: dict[str, dict[str, str]] | None = None
        self._segments: dict[str, str] | None = None

    def read(self) -> JavaSgml:
        """Read all lines, and return the test sets."""
        # If a segment spans several lines, _add_segment reads its remaining lines from self._lines.
        for line in self._lines:
            if _JAVA_SET.search(line):
                self._begin_set(line)
            if _JAVA_DOC.search(line):
                self._begin_document(line)
            segment_id = _find_segment_id(line)
            if segment_id:
                self._add_segment(segment_id, line)
        return self._sets

    def _begin_set(self, line: str) -> None:
        """Select the test set that a line names. If the line also names a system, select the system."""
        set_id = self._find_id(_JAVA_SET_ID, line, "Set ID (setid) required in line")
        self._systems = self._sets.setdefault(set_id, {})
        self._select_system(line)

    def _begin_document(self, line: str) -> None:
        """Select the document that a line names. If the line also names a system, select the system."""
        document_id = self._find_id(_JAVA_DOC_ID, line, "Doc ID (docid) required in line")
        self._select_system(line)
        if self._documents is None:
            message = "System ID (sysid or refid) must be specified in either Set or Doc header"
            raise InputError(f"{self._name}: {message}: {line}")
        self._segments = self._documents.setdefault(document_id, {})

    def _select_system(self, line: str) -> None:
        """Select the system or the reference whose id a line contains. A line without an id has no effect."""
        system_match = _JAVA_SYSTEM.search(line)
        if system_match is None:
            return
        if self._systems is None:
            raise InputError(f"{self._name}: document outside of tstset and refset: {line}")
        self._documents = self._systems.setdefault(system_match[1], {})

    def _find_id(self, pattern: re.Pattern[str], line: str, message: str) -> str:
        """Return the id that a pattern captures in a line. Without a match, raise InputError with the message."""
        match = pattern.search(line)
        if not match:
            raise InputError(f"{self._name}: {message}: {line}")
        return match[1]

    def _add_segment(self, segment_id: str, first_line: str) -> None:
        """Read a segment, and add its text to the current document.

        Raises:
            InputError: if the segment is outside of documents, is not closed, or cannot be read.
        """
        if self._segments is None:
            raise InputError(f"{self._name}: segment outside of documents: {first_line}")
        joined_lines = self._join_lines_to_closing_tag(segment_id, first_line)
        text = _extract_text(joined_lines)
        if text is None:
            raise InputError(f"{self._name}: Couldn't read segment from line: {joined_lines}")
        self._segments[segment_id] = text

    def _join_lines_to_closing_tag(self, segment_id: str, first_line: str) -> str:
        """Join the lines of a segment, from its first line to the line in which the closing tag ``</seg>`` ends."""
        segment_lines = []
        unfinished_tag = ""  # A closing tag may begin in one line and end in another line.
        for line in itertools.chain([first_line], self._lines):
            segment_lines.append(line)
            searched_text = unfinished_tag + line
            if _JAVA_SEG_END.search(searched_text):
                return "".join(segment_lines)
            unfinished_tag = _find_unfinished_tag(searched_text)
        raise InputError(f"{self._name}: segment {segment_id!r} is not closed")


def _find_segment_id(line: str) -> str:
    r"""Return the id of the first segment in a line, or an empty string if the line does not contain a segment.

    METEOR 1.5 searches for the pattern ``<\s*seg\s*id\s*=\s*"?([^">]+?)"?\s*>``, and uses the text of its group as the
    id. That search can take quadratic time. This function finds the same id in linear time.
    """
    for text in line.split(">")[:-1]:  # The last text is not followed by ">".
        tag_start = _find_tag_start(text)
        if tag_start and (segment_id := _get_id(tag_start)):
            return segment_id
    return ""


def _find_tag_start(text: str) -> re.Match[str] | None:
    """Return the first match of ``_JAVA_SEG_ID`` that is followed by an id without quotation marks.

    The id is the remaining text without its closing quotation mark.
    """
    unquoted_text = text.rstrip(_JAVA_SPACE).removesuffix('"')
    last_quote_position = unquoted_text.rfind('"')
    for match in _JAVA_SEG_ID.finditer(text):
        if match.end() > last_quote_position:
            return match
    return None


def _get_id(tag_start: re.Match[str]) -> str:
    """Return the id that follows a match of ``_JAVA_SEG_ID``.

    If a tag contains only white space instead of an id, one white-space character is the id.
    """
    text = tag_start.string[tag_start.end() :]
    stripped_text = text.rstrip(_JAVA_SPACE)
    if stripped_text:
        return stripped_text.removesuffix('"')
    return text[:1] or tag_start["space"][-1:]


def _extract_text(joined_lines: str) -> str | None:
    """Return the text between the first opening tag and the last closing tag, or ``None`` if a tag is missing."""
    for java_line in _JAVA_LINE_END.split(joined_lines):
        opening_tag = _JAVA_SEG_TAG.search(java_line, 0, java_line.rfind(">") + 1)
        if opening_tag is None:
            continue
        closing_tags = list(_JAVA_SEG_END.finditer(java_line, opening_tag.end()))
        if closing_tags:
            return unescape_entities(java_line[opening_tag.end() : closing_tags[-1].start()])
    return None


def _find_unfinished_tag(text: str) -> str:
    """If a text ends with an incomplete closing tag, return this part of the tag. Otherwise, return an empty string.

    White space in the tag is removed, so that a tag that spans many lines is read in linear time.
    """
    last_tag_position = max(text.rfind("<"), 0)
    unfinished_tag = _JAVA_PART_OF_END.search(text, last_tag_position)
    return "".join(unfinished_tag[0].split()) if unfinished_tag else ""
