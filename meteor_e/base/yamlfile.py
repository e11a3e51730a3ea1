"""Read YAML files from untrusted authors, and record the line number of each value for error messages.

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
        """The absolute path of the YAML file's folder. If the data comes from a Python mapping, the path is empty."""
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
    events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    try:
        return _DocumentBuilder(events, source).build_document()
    except yaml.YAMLError as error:
        raise _convert_yaml_error(error, source) from None


def _convert_yaml_error(error: Any, source: str) -> ConfigError:
    """Convert an error of PyYAML to a ConfigError. The message contains the line number if PyYAML reports one."""
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    location = f"{source}:{mark.line + 1}" if mark else source
    return ConfigError(f"{location}: is not YAML: {shorten(problem, 100)}")


@dataclass(frozen=True)
class _DocumentBuilder:
    """Build a document from the events of PyYAML's parser.

    Attributes:
        events: the events that have not been read yet.
        source: the name of the file in errors.
        lines: the line numbers of the keys and list items that have been read.
    """

    events: Iterator[Any]
    source: str
    lines: dict[Key, int] = field(default_factory=dict)

    def build_document(self) -> Document:
        """Build the only document of the file.

        Raises:
            ConfigError: if the file is empty or has several documents, or for the reasons of :meth:`_build_value`.
        """
        import yaml  # This import is slow.

        _stream_start, document_start = next(self.events), next(self.events)
        if isinstance(document_start, yaml.StreamEndEvent):
            raise ConfigError(f"{self.source}: is empty")
        data = self._build_value(next(self.events), ())
        _document_end, stream_end = next(self.events), next(self.events)
        if not isinstance(stream_end, yaml.StreamEndEvent):
            line = stream_end.start_mark.line + 1
            raise ConfigError(f"{self.source}:{line}: a second document begins; a file can hold only one document")
        return Document(data, self.source, self.lines)

    def _error(self, key_path: Key, message: str) -> ConfigError:
        """Return an error for a key that the parser has already read. The message contains the line of the key."""
        return Document(None, self.source, self.lines).error(key_path, message)

    def _key_error(self, key_path: Key, line: int, message: str) -> ConfigError:
        """Return an error for a key that cannot be read. The message contains the line of the key."""
        return Document(None, self.source, {key_path: line}).error(key_path, message)

    def _build_value(self, first_event: Any, key_path: Key) -> Any:
        """Build a scalar, a list or a mapping from its parser events.

        Args:
            first_event: the first parser event of the value.
            key_path: the keys and list indexes that lead to the value.

        Raises:
            ConfigError: if the document is too large or nested too deeply, or the value is not allowed.
        """
        import yaml  # This import is slow.

        if len(self.lines) > VALUE_LIMIT or len(key_path) > DEPTH_LIMIT:
            limits = f"has more than {VALUE_LIMIT} values, or is nested more than {DEPTH_LIMIT} deep"
            raise self._error(key_path[:1], limits)
        if first_event.anchor is not None or first_event.tag is not None:
            raise self._error(key_path, "has an anchor, an alias or a tag, which are not allowed")
        if isinstance(first_event, yaml.SequenceStartEvent):
            return self._build_list(key_path)
        if isinstance(first_event, yaml.MappingStartEvent):
            return self._build_mapping(key_path)
        return self._build_scalar(first_event, key_path)

    def _build_scalar(self, event: Any, key_path: Key) -> str | int | float | bool | None:
        """Return the value of a scalar. Quoted scalars are strings."""
        is_plain = event.implicit[0]
        value = plain_value(event.value) if is_plain else event.value
        if isinstance(value, float) and not math.isfinite(value):
            raise self._error(key_path, f"is {event.value}; it must be a finite number")
        return value

    def _read_collection(self) -> Iterator[Any]:
        """Yield the first parser event of each item of a list, or of each key of a mapping.

        The caller must read all parser events of an item before it requests the next item.
        """
        import yaml  # This import is slow.

        while not isinstance(event := next(self.events), yaml.CollectionEndEvent):
            yield event

    def _build_list(self, key_path: Key) -> list[Any]:
        """Build a list from the parser events of its items."""
        items: list[Any] = []
        for event in self._read_collection():
            item_path = (*key_path, len(items))
            self.lines[item_path] = event.start_mark.line + 1
            items.append(self._build_value(event, item_path))
        return items

    def _build_mapping(self, key_path: Key) -> dict[str, Any]:
        """Build a mapping by reading the parser events of its keys and values.

        Raises:
            ConfigError: if a key is not a scalar, or the mapping contains a key twice.
        """
        import yaml  # This import is slow.

        mapping: dict[str, Any] = {}
        for key_event in self._read_collection():
            line = key_event.start_mark.line + 1
            if not isinstance(key_event, yaml.ScalarEvent):
                raise self._key_error((*key_path, "?"), line, "is a key that is not a text")
            key = key_event.value
            value_path = (*key_path, key)
            if key in mapping:
                message = f"is given twice, on lines {self.lines[value_path]} and {line}"
                raise self._key_error(value_path, line, message)
            self.lines[value_path] = line
            value_event = next(self.events)
            mapping[key] = self._build_value(value_event, value_path)
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
