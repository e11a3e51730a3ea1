"""Documents and options as types: msgspec checks, errors name file, line, key and near miss.

Only imported when a file or a mapping is checked: msgspec takes time to import.
"""

from __future__ import annotations

import math
import os
import re
from bisect import bisect_left
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import msgspec
import msgspec.inspect as types

from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.base.yamlfile import Document, Key, shorten

_MEANT = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def convert(document: Document, kind: Any, noun: str = "key") -> Any:
    """Return what a document says as a type of msgspec.

    Args:
        document: what to check; what comes from Python may hold paths, tuples and numbers of NumPy, too.
        kind: the type, a struct.
        noun: what errors call a key.

    Raises:
        ConfigError: for the first mistake, with file, line, key and near miss.
    """
    data = document.data if document.source else _plain(document.data)
    if not isinstance(data, dict):
        raise document.error((), f"must be a mapping of keys to values, not {_spell(data)}")
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `")
        key = _key(path, data, kind, str(error))
        at, value = types.type_info(kind), data
        for part in key:
            at, value = _inner(at, part), value[part]
        raise _error(document, key, at, value, message, noun) from None


def _plain(value: Any) -> Any:
    """Return a value as a YAML file has it."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        if not math.isfinite(value):
            raise ConfigError(f"{value} is given; it must be a finite number")
        return float(value)
    return value


def _key(path: str, data: Any, kind: Any, message: str) -> Key:
    """Return where a mistake is; msgspec writes ``[...]`` for a key of a dictionary."""
    key: list[str | int] = []
    at = data
    for name, index in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", path):
        part: str | int = name or index
        if index == "...":
            items = list(at.items())

            def is_wrong(end: int, at: dict[str, Any] = at, items: list[Any] = items) -> bool:
                """Return whether the first entries have the mistake."""
                at.clear()
                at.update(items[:end])
                try:
                    msgspec.convert(data, kind)
                except msgspec.ValidationError as error:
                    return str(error) == message
                return False

            part = items[bisect_left(range(len(items)), True, key=lambda end: is_wrong(end + 1))][0]
            at.clear()
            at.update(items)
        elif index:
            part = int(index)
        key.append(part)
        at = at[part]
    return tuple(key)


def _inner(kind: types.Type, part: str | int) -> types.Type:
    """Return the type of a part of a value."""
    if isinstance(kind, types.Metadata):
        return _inner(kind.type, part)
    if isinstance(kind, types.UnionType):
        wanted = (types.StructType, types.DictType) if isinstance(part, str) else (types.ListType, types.VarTupleType)
        return _inner(next(option for option in map(_bare, kind.types) if isinstance(option, wanted)), part)
    if isinstance(kind, types.StructType):
        return next(field.type for field in kind.fields if field.encode_name == part)
    inner: types.Type = kind.value_type if isinstance(kind, types.DictType) else kind.item_type  # type: ignore[attr-defined]
    return inner


def _bare(kind: types.Type) -> types.Type:
    return kind.type if isinstance(kind, types.Metadata) else kind


def _error(document: Document, key: Key, kind: types.Type, value: Any, message: str, noun: str) -> ConfigError:
    fields: list[str] = []
    options = [_bare(option) for option in (kind.types if isinstance(kind, types.UnionType) else [_bare(kind)])]
    for option in options:
        fields += [field.encode_name for field in option.fields] if isinstance(option, types.StructType) else []
    if found := re.match("Object contains unknown field `(.*)`", message, re.DOTALL):
        near = near_miss(found[1], fields)
        there = f"; there are {', '.join(fields)}" if fields else "; there are none"
        return document.error((*key, found[1]), f"unknown {noun}{near or there}")
    if found := re.match("Object missing required field `(.*)`", message):
        return document.error(key, f"the {noun} {found[1]!r} is missing")
    if not message.startswith(("Expected", "Invalid enum value", "Number out of range")):
        return document.error(key, message)  # of a struct that looks at its values itself
    if value is None:
        return document.error(key, f"has no value; give {describe_type(kind)}, or leave it out")
    if "`key` in" in message or (
        isinstance(value, dict) and any(not isinstance(name, str) or not name for name in value)
    ):
        return document.error(key, "has a key that is not a text")
    hint = ""
    for option in options:
        if isinstance(option, types.EnumType | types.LiteralType):
            hint = near_miss(str(value), _choices(option))
        elif isinstance(option, types.BoolType) and str(value).lower() in _MEANT:
            hint = f" (did you mean {_MEANT[str(value).lower()]}?)"
        elif isinstance(option, types.StrType) and isinstance(value, bool | int | float):
            hint = " (put it in quotes?)"
    return document.error(key, f"must be {describe_type(kind)}, not {_spell(value)}{hint}")


def _choices(kind: types.EnumType | types.LiteralType) -> list[str]:
    values = [member.value for member in kind.cls] if isinstance(kind, types.EnumType) else kind.values
    return [str(value) for value in values]


def describe_type(kind: types.Type) -> str:
    """Return what a value of a type may be, with its bounds, in words."""
    if isinstance(kind, types.Metadata):
        path = (kind.extra or {}).get("path")
        return f"the path of a {path}" if path else describe_type(kind.type)
    if isinstance(kind, types.UnionType):
        return " or ".join(describe_type(option) for option in kind.types if not isinstance(option, types.NoneType))
    if isinstance(kind, types.EnumType | types.LiteralType):
        return f"one of {', '.join(_choices(kind))}"
    if isinstance(kind, types.IntType | types.FloatType):
        number = "a whole number" if isinstance(kind, types.IntType) else "a number"
        if kind.ge is not None and kind.le is not None:
            return f"{number} from {kind.ge} to {kind.le}"
        bounds = ((kind.ge, "at least"), (kind.gt, "above"), (kind.le, "at most"), (kind.lt, "below"))
        spelled = " and ".join(f"{word} {bound}" for bound, word in bounds if bound is not None)
        return number + (spelled and f", {spelled}")
    if isinstance(kind, types.StructType):
        return f"a mapping with {', '.join(field.encode_name for field in kind.fields)}"
    if isinstance(kind, types.StrType) and kind.pattern is not None:
        return "letters and digits, joined by - or _"
    for of, words in (
        (types.AnyType, "anything"),
        (types.BoolType, "true or false"),
        (types.ListType | types.VarTupleType, "a list"),
        (types.DictType, "a mapping"),
    ):
        if isinstance(kind, of):
            return words + (" with something in it" if getattr(kind, "min_length", None) else "")
    return "a text"


def _spell(value: Any) -> str:
    """Return a value as a file would have it, not too long."""
    if isinstance(value, dict | list):
        return ("a" if value else "an empty") + (" mapping" if isinstance(value, dict) else " list")
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= 10**50:
        return "a huge number"  # Python refuses to spell integers of thousands of digits
    return shorten(repr(value))
