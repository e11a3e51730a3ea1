"""SGML files as the Java program takes them, line by line; ``docs/compat.md`` lists the rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from meteor_e.base.errors import InputError
from meteor_e.text.normalization import unescape_entities

JavaSgml = dict[str, dict[str, dict[str, dict[str, str]]]]
"""Set → system or reference → document → segment → text."""


# Java's \s, and its idea of case, know ASCII only; its dot does not match U+0085, U+2028 and U+2029 either.
def _java(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(".", r"[^\n\r\x85\u2028\u2029]"), re.IGNORECASE | re.ASCII)


_JAVA_SET = _java(r"<\s*(?:tst|ref)set")
_JAVA_DOC = _java(r"<\s*doc")
_JAVA_SEG_ID = _java(r'<\s*seg\s*id\s*=(\s*)("?)')
_JAVA_VALUE_END = _java(r'"\s*>|[">]|$')
_JAVA_SEG_TAG = _java(r"<\s*seg.*?>")
_JAVA_SEG_END = _java(r"<\s*/seg\s*>")
_JAVA_PART_OF_END = _java(r"<\s*(?:/(?:s(?:e(?:g\s*)?)?)?)?\Z")
_JAVA_LINE_END = re.compile("[\x85\u2028\u2029]")
_JAVA_SET_ID = _java(r'setid\s*=\s*"([^"]+)"')
_JAVA_DOC_ID = _java(r'docid\s*=\s*"([^"]+)"')
_JAVA_SYSTEM = _java(r'(?:sysid|refid)\s*=\s*"([^"]+)"')


def read_java_sgml(lines: Iterable[str], name: str) -> JavaSgml:
    """Read an SGML file as the Java program does; ``docs/compat.md`` lists the rules.

    It searches each line for a set, a document and a segment, in this order, and takes the first of each. Test and
    reference files are alike.

    Args:
        lines: its lines.
        name: what to call it in messages.

    Raises:
        InputError: in the Java program's words if an id is missing or a segment cannot be read; if a segment stands
            outside of documents or is not closed (Java crashes or hangs).
    """
    sets: JavaSgml = {}
    own: dict[str, dict[str, dict[str, str]]] | None = None
    # A document without a system belongs to the last one that was named, and to the set that was named in.
    current: dict[str, dict[str, str]] | None = None
    segments: dict[str, str] | None = None
    rest = iter(lines)
    for line in rest:
        is_set, is_document = _JAVA_SET.search(line), _JAVA_DOC.search(line)
        if is_set:
            own = sets.setdefault(_java_id(_JAVA_SET_ID, line, name, "Set ID (setid) required in line"), {})
        if is_document:
            document = _java_id(_JAVA_DOC_ID, line, name, "Doc ID (docid) required in line")
        if (is_set or is_document) and (system := _JAVA_SYSTEM.search(line)):
            if own is None:
                raise InputError(f"{name}: document outside of tstset and refset: {line}")
            current = own.setdefault(system[1], {})
        if is_document:
            if current is None:
                what = "System ID (sysid or refid) must be specified in either Set or Doc header"
                raise InputError(f"{name}: {what}: {line}")
            segments = current.setdefault(document, {})
        if segment := _java_segment(line):
            if segments is None:
                raise InputError(f"{name}: segment outside of documents: {line}")
            segments[segment] = _java_text(line, rest, name, segment)
    return sets


def _java_id(pattern: re.Pattern[str], line: str, name: str, what: str) -> str:
    found = pattern.search(line)
    if not found:
        raise InputError(f"{name}: {what}: {line}")
    return found[1]


def _java_segment(line: str) -> str:
    r"""Return the id of the first segment, or nothing.

    It is what ``<\s*seg\s*id\s*=\s*"?([^">]+?)"?\s*>`` finds, in time that grows with the line and not its square.
    """
    failed = 0
    for head in _JAVA_SEG_ID.finditer(line):
        if head.end() >= failed:
            end = _JAVA_VALUE_END.search(line, head.end())
            assert end is not None  # at the end of the line at the latest
            value = line[head.end() : end.start()]
            if not head[2]:
                value = value.rstrip(" \t\x0b\f\r\n") or value[:1] or head[1][-1:]
            if value and end[0].endswith(">"):
                return value
            failed = end.start()
    return ""


def _java_text(line: str, rest: Iterator[str], name: str, segment: str) -> str:
    """Join lines up to one that closes a segment, and return the text from the first tag to the last end."""
    parts = [line]
    while not _JAVA_SEG_END.search(line):
        following = next(rest, None)
        if following is None:
            raise InputError(f"{name}: segment {segment!r} is not closed")
        parts.append(following)
        # An end may itself go over lines; white space in it is dropped, so that the time stays linear.
        begun = _JAVA_PART_OF_END.search(line, max(line.rfind("<"), 0))
        line = ("".join(begun[0].split()) if begun else "") + following
    for piece in _JAVA_LINE_END.split("".join(parts)):
        start = _JAVA_SEG_TAG.search(piece, 0, piece.rfind(">") + 1)
        ends = list(_JAVA_SEG_END.finditer(piece, start.end())) if start else []
        if start and ends:
            return unescape_entities(piece[start.end() : ends[-1].start()])
    raise InputError(f"{name}: Couldn't read segment from line: {''.join(parts)}")
