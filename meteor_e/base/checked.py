"""Documents and options as types: msgspec checks, errors name file, line, key and near miss.

Only imported when a file or a mapping is checked: msgspec takes time to import.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from itertools import count, repeat
from numbers import Integral, Real
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

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
        raise document.error(*_mistake(data, kind, str(error), noun)) from None


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


def _mistake(value: Any, kind: Any, message: str, noun: str) -> tuple[Key, str]:
    """Return where the first mistake in a value is, and what it is.

    msgspec does not say which key of a dictionary is wrong, so each part is checked alone.

    Args:
        value: what is wrong, or has a part that is.
        kind: the type that it should have.
        message: what msgspec says of it.
        noun: what errors call a key.
    """
    for part, inner, inner_kind in _parts(value, kind) if " - at `" in message else ():
        try:
            msgspec.convert(inner, inner_kind)
        except msgspec.ValidationError as error:
            key, what = _mistake(inner, inner_kind, str(error), noun)
            return (part, *key), what
    options = _options(kind)
    if found := re.match("Object contains unknown field `(.*)`", message, re.DOTALL):
        fields = [name for option in options for name in _fields(option)]
        there = f"; there are {', '.join(fields) or 'none'}"
        return (found[1],), f"unknown {noun}{near_miss(found[1], fields) or there}"
    if found := re.match("Object missing required field `(.*)`", message):
        return (), f"the {noun} {found[1]!r} is missing"
    if not message.startswith(("Expected", "Invalid enum value", "Number out of range")):
        return (), message  # of a struct that looks at its values itself
    if isinstance(value, dict) and not all(isinstance(name, str) and name for name in value):
        return (), "has a key that is not a text"
    choices = [choice for option in options for choice in _choices(types.type_info(option))]
    return (), f"must be {describe_type(types.type_info(kind))}, not {_spell(value)}{near_miss(str(value), choices)}"


def _parts(value: Any, kind: Any) -> Iterator[tuple[str | int, Any, Any]]:
    """Yield the parts of a value, each with its key or position, and its type; keys without a type are left out."""
    for option in _options(kind):
        origin, inner = get_origin(option), get_args(option)
        if isinstance(value, dict):
            fields = dict.fromkeys(value, inner[1]) if origin is dict else _fields(option)
            yield from ((name, value[name], fields[name]) for name in value if name in fields)
        elif isinstance(value, list) and origin in (list, tuple):
            kinds = repeat(inner[0]) if origin is list or inner[-1] is ... else inner
            yield from zip(count(), value, kinds, strict=False)


def _options(kind: Any) -> list[Any]:
    """Return the types that a type stands for."""
    if get_origin(kind) is Annotated:
        return _options(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [option for each in get_args(kind) for option in _options(each)]
    return [kind]


def _fields(kind: Any) -> dict[str, Any]:
    """Return the types of a struct's fields; of another type, none."""
    is_struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)} if is_struct else {}


def _choices(kind: types.Type) -> list[str]:
    """Return the values of an enumeration, as text."""
    if isinstance(kind, types.EnumType):
        return [str(member.value) for member in kind.cls]
    return [str(value) for value in kind.values] if isinstance(kind, types.LiteralType) else []


_WORDS = {
    types.AnyType: "anything",
    types.BoolType: "true or false",
    types.IntType: "a whole number",
    types.FloatType: "a number",
    types.ListType: "a list",
    types.VarTupleType: "a list",
    types.DictType: "a mapping",
}
"""What types are called."""


def describe_type(kind: types.Type) -> str:
    """Return what a value of a type may be, with its bounds, in words."""
    if isinstance(kind, types.Metadata):
        path = (kind.extra or {}).get("path")
        return f"the path of a {path}" if path else describe_type(kind.type)
    if isinstance(kind, types.UnionType):
        return " or ".join(describe_type(option) for option in kind.types if not isinstance(option, types.NoneType))
    if isinstance(kind, types.StructType):
        return f"a mapping with {', '.join(field.encode_name for field in kind.fields)}"
    if isinstance(kind, types.TupleType):
        return f"a list of {len(kind.item_types)}"
    if choices := _choices(kind):
        return f"one of {', '.join(choices)}"
    if isinstance(kind, types.StrType):
        return "a text" if kind.pattern is None else "letters and digits, joined by - or _"
    words = _WORDS.get(type(kind), "a text")
    if isinstance(kind, types.IntType | types.FloatType):
        if kind.ge is not None and kind.le is not None:
            return f"{words} from {kind.ge} to {kind.le}"
        bounds = {"at least": kind.ge, "above": kind.gt, "at most": kind.le, "below": kind.lt}
        spelled = " and ".join(f"{word} {bound}" for word, bound in bounds.items() if bound is not None)
        return words + (spelled and f", {spelled}")
    return words + (" with something in it" if getattr(kind, "min_length", None) else "")


def _spell(value: Any) -> str:
    """Return a value as a file would have it, not too long."""
    if isinstance(value, dict | list):
        return ("a" if value else "an empty") + (" mapping" if isinstance(value, dict) else " list")
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else str(value).lower()
    return shorten(repr(value))
