"""Read untrusted YAML files with line numbers.

Values are interpreted as in the core schema of YAML 1.2, and therefore as in JSON: only ``true`` and ``false`` are
booleans, so the language code ``no`` does not need quotes, and ``1e-3`` is a number. The parser only creates texts,
numbers, booleans, lists and mappings. File size, nesting and the number of values are limited.
:mod:`meteor_e.base.checked` checks the types of the values.
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
"""The maximum size of a file in bytes."""
VALUE_LIMIT = 20_000
"""The maximum number of values in a file."""
DEPTH_LIMIT = 20
"""The maximum nesting of values."""

Key = tuple[str | int, ...]
"""The keys and list indexes that lead to a value in a document, such as ``("matchers", 1, "weight")``."""

_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_MAX_NUMBER_LENGTH = 300
"""The maximum length of a number in characters. Longer digit strings remain strings."""


class Document(NamedTuple):
    """The content of a YAML file or a Python mapping, with the line number of each value.

    Attributes:
        data: the content, which consists of strings, numbers, booleans, ``None``, lists, and mappings with strings as
            keys.
        source: the name of the file in errors; empty if the content comes from Python.
        lines: the line numbers, from 1, of keys and list items.
    """

    data: Any
    source: str = ""
    lines: Mapping[Key, int] = {}

    def location(self, key: Key) -> str:
        """Return the location of a key as ``file:line``. If the line is unknown, use the line of the enclosing value.

        If the document was created from a Python mapping, the location is an empty string.
        """
        while key and key not in self.lines:
            key = key[:-1]
        return f"{self.source}:{self.lines[key]}" if key else self.source

    @property
    def folder(self) -> str:
        """The absolute path of the folder that contains the file. It is empty for a Python mapping."""
        return str(Path(self.source).absolute().parent) if self.source else ""

    def path(self, text: str) -> str:
        """Convert a path in the document to an absolute path. Relative paths start at the folder of the document."""
        return resolve_path(self.folder, text, self.source)

    def error(self, key: Key, message: str) -> ConfigError:
        """Return an error whose message contains the location and the key, as in ``file:9: matchers[1]: message``."""
        key_text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in key).removeprefix(".")
        return ConfigError(_join_message(self.location(key), shorten(key_text, 100), message))


def _join_message(*parts: str) -> str:
    """Join the non-empty parts of an error message with colons."""
    return ": ".join(part for part in parts if part)


_INVALID_IN_PATH = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
"""Characters that paths cannot contain. Python represents undecodable bytes in paths by the other surrogates."""


def resolve_path(folder: str, path: str, source: str = "") -> str:
    """Resolve a path relative to a folder. A tilde at the start stands for the user's home folder.

    Args:
        folder: the folder. If it is empty, the path is returned unchanged.
        path: the path, which may be absolute.
        source: the start of error messages, such as the name of a file.

    Raises:
        ConfigError: if the string cannot be a path.
    """
    if _INVALID_IN_PATH.search(path):
        raise ConfigError(_join_message(source, f"{shorten(ascii(path))} cannot be a path"))
    if not folder:
        return path
    # Without a home folder, Path.expanduser() raises an error, but os.path.expanduser() returns the path unchanged.
    return str(Path(folder, os.path.expanduser(path)))  # noqa: PTH111


def is_path(text: str) -> bool:
    """Return whether a string looks like a path, such as ``chain.yaml`` or ``folder/chain``, and not like a name."""
    return "/" in text or os.sep in text or text in (".", "..") or text.endswith((".yaml", ".yml", ".json"))


def shorten(text: str, limit: int = 60) -> str:
    """Replace unprintable characters, and truncate the string with an ellipsis if it is longer than the limit."""
    text = "".join(char if char.isprintable() else "�" for char in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def read_yaml(file: str | os.PathLike[str] | Traversable) -> Document:
    """Read a YAML file.

    Raises:
        ConfigError: if the file cannot be read, is too large, or is not YAML in UTF-8; with the file and the line.
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
        content: the content in UTF-8, with or without a byte order mark.
        source: the name of the file in errors.

    Raises:
        ConfigError: if the content is not YAML in UTF-8, or exceeds a limit; with the file and the line.
    """
    import yaml  # This import is slow.

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{source}:{line}: is not UTF-8; save the file as UTF-8") from None
    document = Document(None, source, lines={})
    try:
        events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        # The first three events begin the stream, the document and the top-level value.
        first_events = list(islice(events, 3))
        if len(first_events) < 3:
            raise ConfigError(f"{source}: is empty")
        data = _build_value(events, first_events[2], (), document)
        next(events)  # This event ends the document.
        next_event: Any = next(events)
    except yaml.YAMLError as error:
        raise _convert_yaml_error(error, source) from None
    if not isinstance(next_event, yaml.StreamEndEvent):
        line = next_event.start_mark.line + 1
        raise ConfigError(f"{source}:{line}: a second document begins; a file can hold only one document")
    return document._replace(data=data)


def _convert_yaml_error(error: Any, source: str) -> ConfigError:
    """Convert an error of PyYAML to a ConfigError. The message contains the line number if PyYAML reports one."""
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    location = f"{source}:{mark.line + 1}" if mark else source
    return ConfigError(f"{location}: is not YAML: {shorten(problem, 100)}")


def _build_value(events: Iterator[Any], first_event: Any, key: Key, document: Document) -> Any:
    """Build a value from PyYAML events.

    Args:
        events: the events after the first event of the value.
        first_event: the first event of the value.
        key: the keys and list indexes that lead to the value.
        document: the document, which receives the line numbers and creates errors.

    Raises:
        ConfigError: if the document is too large or nested too deeply, or the value is not allowed.
    """
    import yaml  # This import is slow.

    if len(document.lines) > VALUE_LIMIT or len(key) > DEPTH_LIMIT:
        limits = f"has more than {VALUE_LIMIT} values, or is nested more than {DEPTH_LIMIT} deep"
        raise document.error(key[:1], limits)
    if first_event.anchor is not None or first_event.tag is not None:
        raise document.error(key, "has an anchor, an alias or a tag, which are not allowed")
    if isinstance(first_event, yaml.SequenceStartEvent):
        return _build_list(events, key, document)
    if isinstance(first_event, yaml.MappingStartEvent):
        return _build_mapping(events, key, document)
    is_quoted = not first_event.implicit[0]
    value = first_event.value if is_quoted else plain_value(first_event.value)
    if isinstance(value, float) and not math.isfinite(value):
        raise document.error(key, f"is {first_event.value}; it must be a finite number")
    return value


def _build_list(events: Iterator[Any], key: Key, document: Document) -> list[Any]:
    """Build a list from the PyYAML events of its items. For the arguments, see :func:`_build_value`."""
    import yaml  # This import is slow.

    lines = cast("dict[Key, int]", document.lines)
    items: list[Any] = []
    event = next(events)
    while not isinstance(event, yaml.CollectionEndEvent):
        item_key = (*key, len(items))
        lines[item_key] = event.start_mark.line + 1
        items.append(_build_value(events, event, item_key, document))
        event = next(events)
    return items


def _build_mapping(events: Iterator[Any], key: Key, document: Document) -> dict[str, Any]:
    """Build a mapping from the PyYAML events of its keys and values. For the arguments, see :func:`_build_value`.

    Raises:
        ConfigError: if a key is not a scalar, or the mapping contains a key twice.
    """
    import yaml  # This import is slow.

    lines = cast("dict[Key, int]", document.lines)
    mapping: dict[str, Any] = {}
    key_event = next(events)
    while not isinstance(key_event, yaml.CollectionEndEvent):
        line = key_event.start_mark.line + 1
        if not isinstance(key_event, yaml.ScalarEvent):
            invalid_key = (*key, "?")
            lines[invalid_key] = line
            raise document.error(invalid_key, "is a key that is not a text")
        value_key = (*key, key_event.value)
        previous_line = lines.get(value_key)
        lines[value_key] = line
        if previous_line is not None:
            raise document.error(value_key, f"is given twice, on lines {previous_line} and {line}")
        mapping[key_event.value] = _build_value(events, next(events), value_key, document)
        key_event = next(events)
    return mapping


def plain_value(text: str) -> str | int | float | bool | None:
    """Parse an unquoted scalar by the rules of YAML 1.2's core schema, and return its value."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if len(text) <= _MAX_NUMBER_LENGTH:
        if _INTEGER.fullmatch(text):
            base = {"0o": 8, "0x": 16}.get(text[:2], 10)
            return int(text, base)
        if _FLOAT.fullmatch(text):
            # YAML writes infinity and NaN with a dot, as in .inf and .nan, which float() does not accept.
            is_special = text[-1] in "fFnN"
            return float(text.replace(".", "") if is_special else text)
    return text


def dump_yaml(data: Mapping[str, Any]) -> str:
    """Format a mapping as YAML from which parsers of YAML 1.1 and of YAML 1.2 read the same values."""
    import yaml  # This import is slow.

    class Dumper(yaml.SafeDumper):
        """A dumper that writes repeated values in full, instead of as anchors and aliases."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    Dumper.add_representer(str, _represent_text)
    text: str = yaml.dump(data, Dumper=Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=110)
    return text


def _represent_text(dumper: Any, text: str) -> Any:
    """Return the YAML node of a string. A string that could be read as another type or as several lines is quoted."""
    is_plain = text.isprintable() and isinstance(plain_value(text), str)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain else '"')
