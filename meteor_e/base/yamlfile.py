"""YAML files with line numbers, from anyone.

The rules are those of YAML 1.2's core schema, which are JSON's, too: ``true`` and ``false`` are the only
truth values, so that Norwegian's code needs no quotes, and ``1e-3`` is a number. Nothing is constructed but
texts, numbers, truth values, lists and mappings. Size, nesting and the expansion of anchors are bounded.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from meteor_e.base.errors import ConfigError
from meteor_e.base.files import open_regular

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from yaml import Event, Mark
    from yaml.nodes import Node

SIZE_LIMIT = 1 << 20
"""Bytes of the largest file that is read."""
VALUE_LIMIT = 20_000
"""Values (anchors expanded) of the largest file that is read."""
DEPTH_LIMIT = 20
"""Deepest nesting that is read."""

Key = tuple[str | int, ...]
"""Where in a file a value is: the keys and list positions that lead to it."""


class Problem(NamedTuple):
    """Something that is wrong in a file.

    Attributes:
        source: the file; empty for what comes from Python.
        line: the line, counted from 1; 0 if there is none.
        key: the key; empty for the whole file.
        message: what is wrong, and the near miss.
        is_note: whether this is only worth knowing.
    """

    source: str
    line: int
    key: Key
    message: str
    is_note: bool = False

    def __str__(self) -> str:
        where = f"{self.source}:{self.line}" if self.source and self.line else self.source
        return ": ".join(filter(None, (where, "note" if self.is_note else "", spell_key(self.key), self.message)))


@dataclass
class Document:
    """What a file says, and where.

    Attributes:
        data: texts, numbers, truth values, ``None``, lists, and mappings with texts as keys.
        source: the file's name in errors; empty for what comes from Python.
        lines: the lines (from 1) of keys and list items.
        problems: keys that occur twice, and numbers that are not numbers.
    """

    data: Any
    source: str = ""
    lines: Mapping[Key, int] = field(default_factory=dict)
    problems: Sequence[Problem] = ()

    def line(self, key: Key) -> int:
        """Return the line of a key, or of the innermost thing around it that has one; 0 if nothing has."""
        while key and key not in self.lines:
            key = key[:-1]
        return self.lines.get(key, 0)

    def where(self, key: Key) -> str:
        """Return ``file:line`` of a key; empty for what comes from Python."""
        line = self.line(key)
        return f"{self.source}:{line}" if self.source and line else self.source

    def path(self, text: str) -> str:
        """Return a path that the document names: seen from its folder, ``~`` being the user's home.

        Paths in what comes from Python stay as they are.

        Raises:
            ConfigError: for what cannot be a path.
        """
        return seen_from(self.folder, text, self.source)

    @property
    def folder(self) -> str:
        """The absolute path of the document's folder; empty for what comes from Python."""
        return str(Path(self.source).absolute().parent) if self.source else ""

    def problem(self, key: Key, message: str, *, is_note: bool = False) -> Problem:
        """Return a problem at a key."""
        return Problem(self.source, self.line(key), key, message, is_note)


def seen_from(folder: str, text: str, source: str = "") -> str:
    """Return a path as seen from a folder, ``~`` being the user's home; as it is where the folder is empty.

    Args:
        folder: the folder.
        text: the path.
        source: what errors begin with.

    Raises:
        ConfigError: for what cannot be a path.
    """
    try:
        encoded = os.fsencode(text)
    except UnicodeEncodeError:  # half a surrogate pair
        encoded = b"\0"
    if b"\0" in encoded:
        raise ConfigError(f"{source + ': ' if source else ''}{shorten(ascii(text))} cannot be a path")
    if not folder:
        return text
    try:
        path = Path(text).expanduser()
    except RuntimeError:
        # There is no home to expand to.
        path = Path(text)
    return str(Path(folder) / path)


def is_path(text: str) -> bool:
    """Return whether a text that may be a name or a path is a path: by a slash, or a suffix of YAML or JSON."""
    return "/" in text or os.sep in text or text.endswith((".yaml", ".yml", ".json"))


def is_folder(pack: str) -> bool:
    """Return whether a pack is given by its folder rather than by its name."""
    return "/" in pack or os.sep in pack or pack in (".", "..")


def spell_key(key: Key) -> str:
    """Return a key as ``matchers[1].weight``; list positions count from 0."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return shorten(text, 100)


def _has_tab(text: str, mark: Mark) -> bool:
    """Return whether a tab stands in the indentation of the line of an error."""
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    return "\t" in line[: len(line) - len(line.lstrip())]


def shorten(text: str, limit: int = 60) -> str:
    """Return a text in one line that is not too long for a message."""
    text = "".join(char if char.isprintable() else "�" for char in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def raise_problems(problems: Sequence[Problem], lister: str = "meteor-e config check") -> None:
    """Raise the first of the problems that are errors, saying how many more there are.

    Args:
        problems: of a file.
        lister: the command that lists all of them; empty if none does.

    Raises:
        ConfigError: unless there are only notes.
    """
    errors = [problem for problem in problems if not problem.is_note]
    if errors:
        more = ""
        if len(errors) > 1:
            more = f" (and {len(errors) - 1} more problem{'s' if len(errors) > 2 else ''})"
            if errors[0].source and lister:
                more = f"{more[:-1]}; {lister} lists them)"
        raise ConfigError(f"{errors[0]}{more}")


def read_yaml(file: str | os.PathLike[str] | Traversable) -> Document:
    """Read a YAML file.

    Raises:
        ConfigError: if it cannot be read, is too large, or is not YAML in UTF-8; with its name and the line.
    """
    path = Path(file) if isinstance(file, str | os.PathLike) else file
    try:
        with open_regular(path) if isinstance(path, Path) else path.open("rb") as stream:
            content = stream.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{shorten(str(path), 200)}: cannot be read: {reason}") from error
    return parse_yaml(content, str(path))


def parse_yaml(content: bytes, source: str) -> Document:
    """Parse the content of a YAML file.

    Args:
        content: UTF-8, with or without a byte order mark.
        source: what to call the file in errors.

    Raises:
        ConfigError: if it is too large, or not YAML in UTF-8; with its name and the line.
    """
    return _Reader(source).document(_decode(content, source))


def _decode(content: bytes, source: str) -> str:
    if len(content) > SIZE_LIMIT:
        raise ConfigError(f"{source}: is larger than {SIZE_LIMIT >> 20} MiB; this cannot be the right file")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError(f"{source}: is in UTF-16; save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{source}:{line}: is not UTF-8; save the file as UTF-8") from None
    found = _FORBIDDEN.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise ConfigError(f"{source}:{line}: holds the control character U+{ord(found[0]):04X}; is this a YAML file?")
    return text


# What is not text, and what hides: a byte order mark inside. YAML's own list is longer, but takes 2 ms to compile.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]|\ufeff")
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LONGEST_NUMBER = 300


@cache
def _loader() -> type[Any]:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Composes nodes; a scalar without quotes and tag has the tag ``plain``."""

        yaml_implicit_resolvers: ClassVar = {None: [("plain", re.compile(""))]}

    return Loader


class _Reader:
    """Makes a document of PyYAML's nodes."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: dict[Key, int] = {}
        self.problems: list[Problem] = []
        self.values = 0

    def document(self, text: str) -> Document:
        import yaml

        try:
            depth = 0
            for event in yaml.parse(text, Loader=_loader()):
                depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
                if depth > DEPTH_LIMIT + 1:  # before the composer, which is recursive, in C
                    raise self._error(event, f"is nested more than {DEPTH_LIMIT} deep")
            node = _loader()(text).get_single_node()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = f"{self.source}:{mark.line + 1}" if mark is not None else self.source
            what = "; ".join(filter(None, (error.context, error.problem)))
            if mark is not None and _has_tab(text, mark):
                what = "YAML cannot be indented with tabs; use spaces"
            raise ConfigError(f"{where}: is not YAML: {what}") from None
        except yaml.YAMLError as error:
            raise ConfigError(f"{self.source}: is not YAML: {shorten(str(error))}") from None
        if node is None:
            raise ConfigError(f"{self.source}: is empty")
        return Document(self._value(node, ()), self.source, self.lines, self.problems)

    def _error(self, node: Node | Event, message: str) -> ConfigError:
        return ConfigError(f"{self.source}:{_line(node)}: {message}")

    def _value(self, node: Node, key: Key) -> Any:
        """Return what a node says; one that an alias repeats counts again."""
        from yaml.nodes import MappingNode, ScalarNode

        self.values += 1
        if self.values > VALUE_LIMIT:
            raise self._error(node, f"has more than {VALUE_LIMIT} values, with anchors expanded")
        if len(key) > DEPTH_LIMIT:
            raise self._error(node, f"is nested more than {DEPTH_LIMIT} deep")
        if node.tag == "plain":
            return self._plain(node, key)
        if node.tag.rpartition(":")[2] not in ("str", "seq", "map"):
            raise self._error(node, f"has the tag {shorten(node.tag)}; tags are not allowed")
        if isinstance(node, ScalarNode):
            return node.value
        if isinstance(node, MappingNode):
            return self._mapping(node, key)
        for index, item in enumerate(node.value):
            self.lines[(*key, index)] = _line(item)
        return [self._value(item, (*key, index)) for index, item in enumerate(node.value)]

    def _mapping(self, node: Node, key: Key) -> dict[str, Any]:
        from yaml.nodes import ScalarNode

        mapping: dict[str, Any] = {}
        for name_node, item in node.value:
            if not isinstance(name_node, ScalarNode):
                raise self._error(name_node, "has a key that is not a text")
            self.values += 1
            name, line = str(name_node.value), _line(name_node)
            item_key = (*key, name)
            if name in mapping:
                message = f"is given twice, on lines {self.lines[item_key]} and {line}"
                self.problems.append(Problem(self.source, line, item_key, message))
            else:
                self.lines[item_key] = line
                mapping[name] = self._value(item, item_key)
        return mapping

    def _plain(self, node: Node, key: Key) -> Any:
        data = plain_value(node.value)
        if isinstance(data, float) and not math.isfinite(data):
            message = f"is {node.value}; it must be a finite number"
            self.problems.append(Problem(self.source, _line(node), key, message))
        return data


def _line(node: Node | Event) -> int:
    return int(node.start_mark.line) + 1 if node.start_mark is not None else 1


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
        """Quotes texts that either version of YAML would read as something else."""

    def represent(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        style = None
        if not value.isprintable():
            # What counts as a line break differs between the versions, too.
            style = '"'
        elif not isinstance(plain_value(value), str):
            style = "'"
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, represent)
    text: str = yaml.dump(data, Dumper=Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=110)
    return text
