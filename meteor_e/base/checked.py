"""Validate documents and options with msgspec. Error messages contain the file, the line and the key.

This module is imported only when a file or a mapping is checked, because msgspec loads slowly.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from itertools import repeat
from numbers import Integral, Real
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import msgspec
import msgspec.inspect as types

from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.base.yamlfile import Document, Key, shorten


def convert(document: Document, kind: Any, noun: str = "key") -> Any:
    """Check the types of the values in a document, and return the content as an instance of a msgspec struct.

    Args:
        document: the content of a YAML file or a Python mapping. A Python mapping may also contain paths, tuples and
            NumPy numbers.
        kind: the struct, which is a class with typed fields.
        noun: the word for a key in error messages.

    Raises:
        ConfigError: for the first mistake, with file, line, key and a similar key.
    """
    data = document.data if document.source else _simplify_value(document.data)
    if not isinstance(data, dict):
        raise document.error((), f"must be a mapping of keys to values, not {_describe_value(data)}")
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        key, description = _find_mistake(data, kind, str(error), noun)
        raise document.error(key, description) from None


def _simplify_value(value: Any) -> Any:
    """Convert tuples, paths and NumPy numbers in a value to types that a YAML file can contain."""
    if isinstance(value, Mapping):
        return {name: _simplify_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_simplify_value(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Real) and not isinstance(value, int | float):
        value = int(value) if isinstance(value, Integral) else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{value} is not a finite number")
    return value


def _find_mistake(value: Any, kind: Any, message: str, noun: str) -> tuple[Key, str]:
    """Find the first invalid entry in a value. Return the key of the entry and a description of the mistake.

    msgspec does not say which key of a mapping is invalid. Each item of the value is therefore checked separately.

    Args:
        value: the invalid value.
        kind: the type that the value should have.
        message: the error message of msgspec for the value.
        noun: the word for a key in error messages.
    """
    # If an item of the value is invalid, the message of msgspec ends with the path of the item.
    items = _iterate_items(value, kind) if " - at `" in message else ()
    for key, item, item_kind in items:
        try:
            msgspec.convert(item, item_kind)
        except msgspec.ValidationError as error:
            inner_key, description = _find_mistake(item, item_kind, str(error), noun)
            return (key, *inner_key), description
    unknown_field = re.match("Object contains unknown field `(.*)`", message, re.DOTALL)
    if unknown_field is not None:
        field_name = unknown_field[1]
        return (field_name,), _describe_unknown_field(field_name, kind, noun)
    return (), _describe_mistake(value, kind, message, noun)


def _describe_mistake(value: Any, kind: Any, message: str, noun: str) -> str:
    """Describe a mistake in a value as a whole, such as a wrong type. For the arguments, see :func:`_find_mistake`."""
    missing_field = re.match("Object missing required field `(.*)`", message)
    if missing_field:
        return f"the {noun} {missing_field[1]!r} is missing"
    if not message.startswith(("Expected", "Invalid enum value", "Number out of range")):
        return message  # A struct that validates its own fields has raised this error.
    if isinstance(value, dict) and not all(isinstance(name, str) and name for name in value):
        return "has a key that is not a text"
    choices: list[str] = []
    for member in _union_members(kind):
        choices += _list_choices(types.type_info(member))
    suggestion = near_miss(str(value), choices)
    return f"must be {describe_type(types.type_info(kind))}, not {_describe_value(value)}{suggestion}"


def _describe_unknown_field(name: str, kind: Any, noun: str) -> str:
    """Return the error message for an unknown field. The message suggests a similar name or lists all field names."""
    names = [field for member in _union_members(kind) for field in _field_types(member)]
    suggestion = near_miss(name, names)
    return f"unknown {noun}{suggestion}" if suggestion else f"unknown {noun}; there are {', '.join(names) or 'none'}"


class _Item(NamedTuple):
    """An item of a mapping or list, with its key or index and its expected type."""

    key: str | int
    value: Any
    kind: Any


def _iterate_items(value: Any, kind: Any) -> Iterator[_Item]:
    """Yield the items of a mapping or list together with their expected types."""
    for member in _union_members(kind):
        if isinstance(value, dict):
            yield from _iterate_mapping(value, member)
        elif isinstance(value, list) and get_origin(member) in (list, tuple):
            yield from _iterate_list(value, member)


def _iterate_mapping(mapping: dict[str, Any], kind: Any) -> Iterator[_Item]:
    """Yield the items of a mapping with their expected types. Keys that the expected struct lacks are skipped."""
    is_dictionary = get_origin(kind) is dict
    value_kinds = dict.fromkeys(mapping, get_args(kind)[1]) if is_dictionary else _field_types(kind)
    for key, value in mapping.items():
        if key in value_kinds:
            yield _Item(key, value, value_kinds[key])


def _iterate_list(items: list[Any], kind: Any) -> Iterator[_Item]:
    """Yield the items of a list with their expected types. Items beyond the length of an expected tuple are skipped."""
    arguments = get_args(kind)
    is_homogeneous = get_origin(kind) is list or arguments[-1] is ...
    item_kinds = repeat(arguments[0]) if is_homogeneous else arguments
    for index, (item, item_kind) in enumerate(zip(items, item_kinds, strict=False)):
        yield _Item(index, item, item_kind)


def _union_members(kind: Any) -> list[Any]:
    """Return the members of a union type, stripped of annotations. Return any other type in a list with one item."""
    if get_origin(kind) is Annotated:
        return _union_members(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [member for argument in get_args(kind) for member in _union_members(argument)]
    return [kind]


def _field_types(kind: Any) -> dict[str, Any]:
    """Return the field types of a struct by field name. Return an empty dictionary if the type is not a struct."""
    if not isinstance(kind, type) or not issubclass(kind, msgspec.Struct):
        return {}
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


def _list_choices(kind: types.Type) -> list[str]:
    """Return the allowed values of an enumeration or literal type as strings. Return an empty list for other types."""
    if isinstance(kind, types.EnumType):
        return [str(member.value) for member in kind.cls]
    if isinstance(kind, types.LiteralType):
        return [str(value) for value in kind.values]
    return []


_DESCRIPTIONS = {
    types.AnyType: "anything",
    types.BoolType: "true or false",
    types.IntType: "a whole number",
    types.FloatType: "a number",
    types.ListType: "a list",
    types.VarTupleType: "a list",
    types.DictType: "a mapping",
}
"""Descriptions of types for error messages."""


def describe_type(kind: types.Type) -> str:
    """Describe the values that a msgspec type allows, such as ``a number from 0 to 1``, for an error message."""
    if isinstance(kind, types.Metadata):
        path_kind = (kind.extra or {}).get("path")
        return f"the path of a {path_kind}" if path_kind else describe_type(kind.type)
    if isinstance(kind, types.UnionType):
        return " or ".join(describe_type(member) for member in kind.types if not isinstance(member, types.NoneType))
    if isinstance(kind, types.StructType):
        return f"a mapping with {', '.join(field.encode_name for field in kind.fields)}"
    if isinstance(kind, types.TupleType):
        return f"a list of {len(kind.item_types)}"
    choices = _list_choices(kind)
    if choices:
        return f"one of {', '.join(choices)}"
    if isinstance(kind, types.StrType) and kind.pattern is not None:
        return "letters and digits, joined by - or _"
    description = _DESCRIPTIONS.get(type(kind), "a text")
    if isinstance(kind, types.IntType | types.FloatType):
        return description + _describe_bounds(kind)
    if isinstance(kind, types.CollectionType | types.DictType) and kind.min_length:
        return f"{description} that is not empty"
    return description


def _describe_bounds(kind: types.IntType | types.FloatType) -> str:
    """Describe the bounds of a number, as in ``a number from 0 to 1``. Return an empty string if there are none."""
    if kind.ge is not None and kind.le is not None:
        return f" from {kind.ge} to {kind.le}"
    bounds = {"at least": kind.ge, "above": kind.gt, "at most": kind.le, "below": kind.lt}
    texts = [f"{comparison} {bound}" for comparison, bound in bounds.items() if bound is not None]
    return f", {' and '.join(texts)}" if texts else ""


def _describe_value(value: Any) -> str:
    """Return a short description of a value for an error message."""
    if isinstance(value, dict | list):
        article = "a" if value else "an empty"
        return f"{article} mapping" if isinstance(value, dict) else f"{article} list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    return shorten(repr(value))
