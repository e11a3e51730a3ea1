"""Documents and options as types: msgspec checks, errors name file, line, key and near miss.

Only imported when a file or a mapping is checked: msgspec takes time to import.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import msgspec
import msgspec.inspect as types

from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.base.yamlfile import Document, Key, shorten


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
        raise document.error(*_worded(key, at, value, message, noun)) from None


def _plain(value: Any) -> Any:
    """Return a value as a YAML file has it."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Real) and not isinstance(value, int | float):
        value = int(value) if isinstance(value, Integral) else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{value} is given; it must be a finite number")
    return value


def _key(path: str, data: Any, kind: Any, message: str) -> Key:
    """Return where a mistake is; msgspec writes ``[...]`` for a key of a dictionary."""
    key: list[str | int] = []
    at = data
    for name, index in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", path):
        part: str | int = name or index
        if index == "...":
            items = dict(at)
            for part in items:
                at.clear()
                at[part] = items[part]
                if _mistake(data, kind) == message:
                    break
            at.update(items)
        elif index:
            part = int(index)
        key.append(part)
        at = at[part]
    return tuple(key)


def _mistake(data: Any, kind: Any) -> str:
    """Return the first mistake, as msgspec says it."""
    try:
        msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


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


def _worded(key: Key, kind: types.Type, value: Any, message: str, noun: str) -> tuple[Key, str]:
    """Return where a mistake is and what it is, from what msgspec says of it and the type that was expected."""
    options = [_bare(option) for option in (kind.types if isinstance(kind, types.UnionType) else [kind])]
    fields = [
        field.encode_name for option in options if isinstance(option, types.StructType) for field in option.fields
    ]
    if found := re.match("Object contains unknown field `(.*)`", message, re.DOTALL):
        there = f"; there are {', '.join(fields)}" if fields else "; there are none"
        return (*key, found[1]), f"unknown {noun}{near_miss(found[1], fields) or there}"
    if found := re.match("Object missing required field `(.*)`", message):
        return key, f"the {noun} {found[1]!r} is missing"
    if not message.startswith(("Expected", "Invalid enum value", "Number out of range")):
        return key, message  # of a struct that looks at its values itself
    if isinstance(value, dict) and not all(isinstance(name, str) and name for name in value):
        return key, "has a key that is not a text"
    choices = [choice for option in options for choice in _choices(option)]
    return key, f"must be {describe_type(kind)}, not {_spell(value)}{near_miss(str(value), choices)}"


def _choices(kind: types.Type) -> list[str]:
    """Return the values of an enumeration, as text."""
    if isinstance(kind, types.EnumType):
        return [str(member.value) for member in kind.cls]
    return [str(value) for value in kind.values] if isinstance(kind, types.LiteralType) else []


def describe_type(kind: types.Type) -> str:
    """Return what a value of a type may be, with its bounds, in words."""
    if isinstance(kind, types.Metadata):
        path = (kind.extra or {}).get("path")
        return f"the path of a {path}" if path else describe_type(kind.type)
    if isinstance(kind, types.UnionType):
        return " or ".join(describe_type(option) for option in kind.types if not isinstance(option, types.NoneType))
    if choices := _choices(kind):
        return f"one of {', '.join(choices)}"
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
        return "nothing" if value is None else str(value).lower()
    return shorten(repr(value))
