"""YAML files with line numbers, from anyone.

The rules are those of YAML 1.2's core schema, which are JSON's, too: ``true`` and ``false`` are the only truth
values, so that Norwegian's code needs no quotes, and ``1e-3`` is a number. Nothing is constructed but texts,
numbers, truth values, lists and mappings. Size, nesting and the number of values are bounded.
:mod:`meteor_e.base.checked` checks the types.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from meteor_e.base.errors import ConfigError
from meteor_e.base.files import read_regular

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

SIZE_LIMIT = 1 << 20
"""Bytes of the largest file that is read."""
VALUE_LIMIT = 20_000
"""Values of the largest file that is read."""
DEPTH_LIMIT = 20
"""Deepest nesting that is read."""

Key = tuple[str | int, ...]
"""Where in a file a value is: the keys and list positions that lead to it."""

_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LONGEST_NUMBER = 300


class Document(NamedTuple):
    """What a file says, and where.

    Attributes:
        data: texts, numbers, truth values, ``None``, lists, and mappings with texts as keys.
        source: the file's name in errors; empty for what comes from Python.
        lines: the lines (from 1) of keys and list items.
    """

    data: Any
    source: str = ""
    lines: Mapping[Key, int] = {}

    def where(self, key: Key) -> str:
        """Return ``file:line`` of a key, or of the innermost thing around it that has one; of Python's, nothing."""
        while key and key not in self.lines:
            key = key[:-1]
        return f"{self.source}:{self.lines[key]}" if key else self.source

    @property
    def folder(self) -> str:
        """The absolute path of the document's folder; empty for what comes from Python."""
        return str(Path(self.source).absolute().parent) if self.source else ""

    def path(self, text: str) -> str:
        """Return a path that the document names; see :func:`seen_from`."""
        return seen_from(self.folder, text, self.source)

    def error(self, key: Key, message: str) -> ConfigError:
        """Return an error at a key: ``file:line: matchers[1].weight: message``; list positions count from 0."""
        spelled = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in key).removeprefix(".")
        return ConfigError(": ".join(filter(None, (self.where(key), shorten(spelled, 100), message))))


_NO_PATH = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
"""Characters that no path has; some halves of surrogate pairs stand for bytes that are not UTF-8."""


def seen_from(folder: str, text: str, source: str = "") -> str:
    """Return a path as seen from a folder, ``~`` being the user's home; as it is where the folder is empty.

    Args:
        folder: the folder.
        text: the path.
        source: what errors begin with.

    Raises:
        ConfigError: for what cannot be a path.
    """
    if _NO_PATH.search(text):
        raise ConfigError(": ".join(filter(None, (source, f"{shorten(ascii(text))} cannot be a path"))))
    return str(Path(folder, os.path.expanduser(text))) if folder else text  # noqa: PTH111 (no home: as it is)


def is_path(text: str) -> bool:
    """Return whether a text that may be a name or a path is a path: by a slash, by dots alone, or by its suffix."""
    return "/" in text or os.sep in text or text in (".", "..") or text.endswith((".yaml", ".yml", ".json"))


def shorten(text: str, limit: int = 60) -> str:
    """Return a text in one line that is not too long for a message."""
    text = "".join(char if char.isprintable() else "�" for char in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def read_yaml(file: str | os.PathLike[str] | Traversable) -> Document:
    """Read a YAML file.

    Raises:
        ConfigError: if it cannot be read, is too large, or is not YAML in UTF-8; with its name and the line.
    """
    path = Path(file) if isinstance(file, str | os.PathLike) else file
    try:
        content = read_regular(path, SIZE_LIMIT) if isinstance(path, Path) else path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{shorten(str(path), 200)}: cannot be read: {error.strerror or error}") from error
    return parse_yaml(content, str(path))


def parse_yaml(content: bytes, source: str) -> Document:
    """Parse the content of a YAML file.

    Args:
        content: UTF-8, with or without a byte order mark.
        source: what to call the file in errors.

    Raises:
        ConfigError: if it is not YAML in UTF-8, or holds too much; with its name and the line.
    """
    import yaml

    lines: dict[Key, int] = {}
    try:
        text = content.decode("utf-8-sig")
        events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        begin = list(islice(events, 3))  # of the stream, of the document, of its value
        if len(begin) < 3:
            raise ConfigError(f"{source}: is empty")
        data = _value(events, begin[2], (), Document(None, source, lines))
        after: Any = list(islice(events, 2))[1]  # behind the end of the document
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{source}:{line}: is not UTF-8; save the file as UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        raise ConfigError(f"{source}{f':{mark.line + 1}' if mark else ''}: is not YAML: {shorten(what, 100)}") from None
    if not isinstance(after, yaml.StreamEndEvent):
        raise ConfigError(f"{source}:{after.start_mark.line + 1}: a second document begins; a file holds one")
    return Document(data, source, lines)


def _value(events: Iterator[Any], begin: Any, key: Key, document: Document) -> Any:
    """Return the value that an event of PyYAML begins; nothing is built before its bounds are checked.

    Args:
        events: what follows.
        begin: the event.
        key: of the value.
        document: takes the lines, and makes errors.
    """
    import yaml

    lines = cast("dict[Key, int]", document.lines)
    if len(lines) > VALUE_LIMIT or len(key) > DEPTH_LIMIT:
        limits = f"has more than {VALUE_LIMIT} values, or is nested more than {DEPTH_LIMIT} deep"
        raise document.error(key[:1], limits)
    if begin.anchor is not None or begin.tag is not None:
        raise document.error(key, "has an anchor, an alias or a tag, which are not allowed")
    if isinstance(begin, yaml.ScalarEvent):
        data = plain_value(begin.value) if begin.implicit[0] else begin.value
        if isinstance(data, float) and not math.isfinite(data):
            raise document.error(key, f"is {begin.value}; it must be a finite number")
        return data
    is_list = isinstance(begin, yaml.SequenceStartEvent)
    found: dict[Any, Any] = {}
    while not isinstance(event := next(events), yaml.CollectionEndEvent):
        name = len(found) if is_list else getattr(event, "value", None)
        inner, line = (*key, "?" if name is None else name), event.start_mark.line + 1
        before = lines.get(inner)
        lines[inner] = line
        if before is not None:
            raise document.error(inner, f"is given twice, on lines {before} and {line}")
        if name is None:
            raise document.error(inner, "is a key that is not a text")
        found[name] = _value(events, event if is_list else next(events), inner, document)
    return list(found.values()) if is_list else found


def plain_value(text: str) -> str | int | float | bool | None:
    """Return what a text without quotes means in YAML 1.2's core schema."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if len(text) <= _LONGEST_NUMBER:
        if _INTEGER.fullmatch(text):
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        if _FLOAT.fullmatch(text):
            return float(text.replace(".", "") if text[-1] in "fFnN" else text)
    return text


def dump_yaml(data: Mapping[str, Any]) -> str:
    """Return a mapping as YAML that :func:`parse_yaml` and YAML 1.1's parsers read back, with the same digits."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Quotes texts that either version of YAML would read as something else; writes no anchors."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def represent(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        # What counts as a line break differs between the versions, too.
        plain = value.isprintable() and isinstance(plain_value(value), str)
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if plain else '"')

    Dumper.add_representer(str, represent)
    text: str = yaml.dump(data, Dumper=Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=110)
    return text
