"""Validate documents and options with msgspec. Error messages contain the file, the line and the key.

This module is imported only when a file or a mapping is checked, because msgspec loads slowly.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
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
        mistake = _find_mistake(error, data, kind, noun)
        raise document.error(mistake.key, mistake.description) from None


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


class _Mistake(NamedTuple):
    """An invalid entry of a document, with its key and a description of the mistake."""

    key: Key
    description: str


def _find_mistake(error: msgspec.ValidationError, value: Any, expected_type: Any, noun: str) -> _Mistake:
    """Find the first invalid entry in an invalid value.

    msgspec does not say which key of a mapping is invalid. Each item of the value is therefore checked separately.

    Args:
        error: the error of msgspec for the value.
        value: the invalid value.
        expected_type: the type that the value should have.
        noun: the word for a key in error messages.
    """
    for item in _iterate_items(value, expected_type):
        item_error = _validate(item.value, item.expected_type)
        if item_error is not None:
            mistake = _find_mistake(item_error, item.value, item.expected_type, noun)
            return _Mistake((item.key, *mistake.key), mistake.description)
    return _explain_error(error, value, expected_type, noun)


def _explain_error(error: msgspec.ValidationError, value: Any, expected_type: Any, noun: str) -> _Mistake:
    """Describe why a value is invalid although all its items are valid. See _find_mistake() for the arguments."""
    # If the field checks of a struct raised the error, msgspec stores the original exception as the cause.
    is_raised_by_struct = error.__cause__ is not None
    if is_raised_by_struct:
        return _Mistake((), str(error))
    key_mistake = _find_key_mistake(value, expected_type, noun) if isinstance(value, dict) else None
    return key_mistake or _Mistake((), _describe_wrong_type(value, expected_type))


def _validate(value: Any, kind: Any) -> msgspec.ValidationError | None:
    """Return the error that msgspec raises if a value does not have the given type, or ``None`` for a valid value."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        return error
    return None


def _find_key_mistake(mapping: dict[Any, Any], kind: Any, noun: str) -> _Mistake | None:
    """Find an invalid key, an unknown key, or a missing key in a mapping. Return ``None`` if all keys are valid."""
    fields = _find_fields(kind)
    for name in mapping:
        if not isinstance(name, str) or not (name or fields):
            return _Mistake((), "has a key that is not a text")
        if fields and name not in fields:
            suggestion = near_miss(name, fields) or f"; there are {', '.join(fields)}"
            return _Mistake((name,), f"unknown {noun}{suggestion}")
    for name, field in fields.items():
        if field.required and name not in mapping:
            return _Mistake((), f"the {noun} {name!r} is missing")
    return None


def _describe_wrong_type(value: Any, kind: Any) -> str:
    """Return the error message for a value of the wrong type. The message may suggest a similar valid value."""
    choices = [choice for member in _union_members(kind) for choice in _list_choices(types.type_info(member))]
    suggestion = near_miss(str(value), choices)
    return f"must be {describe_type(types.type_info(kind))}, not {_describe_value(value)}{suggestion}"


class _Item(NamedTuple):
    """An item of a mapping or list, with its key or index and its expected type."""

    key: str | int
    value: Any
    expected_type: Any


def _iterate_items(value: Any, kind: Any) -> Iterator[_Item]:
    """Yield the items of a mapping or list together with their expected types."""
    for member in _union_members(kind):
        if isinstance(value, dict):
            yield from _iterate_mapping(value, member)
        elif isinstance(value, list) and get_origin(member) in (list, tuple):
            yield from _iterate_list(value, member)


def _iterate_mapping(mapping: dict[str, Any], kind: Any) -> Iterator[_Item]:
    """Yield each item of a mapping with its expected type. If the type is a struct, stop at the first unknown key."""
    fields = _find_fields(kind)
    is_dictionary = get_origin(kind) is dict
    for key, value in mapping.items():
        if not is_dictionary and key not in fields:
            return
        value_type = get_args(kind)[1] if is_dictionary else fields[key].type
        yield _Item(key, value, value_type)


def _iterate_list(items: list[Any], kind: Any) -> Iterator[_Item]:
    """Yield each item of a list with its expected type. If the length of the list is wrong, yield nothing."""
    arguments = get_args(kind)
    is_homogeneous = get_origin(kind) is list or arguments[-1] is ...
    item_types = arguments[:1] * len(items) if is_homogeneous else arguments
    if len(items) == len(item_types):
        yield from map(_Item, range(len(items)), items, item_types)


def _union_members(kind: Any) -> list[Any]:
    """Return the members of a union type, stripped of annotations. Return any other type in a list with one item."""
    if get_origin(kind) is Annotated:
        return _union_members(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [member for argument in get_args(kind) for member in _union_members(argument)]
    return [kind]


def _find_fields(kind: Any) -> dict[str, msgspec.structs.FieldInfo]:
    """Return the fields of a struct by name. The struct may be a member of a union. Other types do not have fields."""
    structs = [
        member for member in _union_members(kind) if isinstance(member, type) and issubclass(member, msgspec.Struct)
    ]
    return {field.encode_name: field for struct in structs for field in msgspec.structs.fields(struct)}


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
    types.SetType: "a list",
    types.FrozenSetType: "a list",
    types.DictType: "a mapping",
}
"""Descriptions of types for error messages."""


def describe_type(expected: types.Type) -> str:
    """Describe the values that a msgspec type allows, such as ``a number from 0 to 1``, for an error message."""
    match expected:
        case types.Metadata(extra={"path": file_kind}):
            return f"the path of a {file_kind}"
        case types.Metadata(extra={"form": form}):
            return str(form)
        case types.Metadata():
            return describe_type(expected.type)
        case types.UnionType():
            members = [member for member in expected.types if not isinstance(member, types.NoneType)]
            return " or ".join(map(describe_type, members))
        case types.StructType():
            return f"a mapping with {', '.join(field.encode_name for field in expected.fields)}"
        case types.TupleType():
            return f"a list of {len(expected.item_types)}"
        case types.EnumType() | types.LiteralType():
            return f"one of {', '.join(_list_choices(expected))}"
        case types.IntType() | types.FloatType():
            return _DESCRIPTIONS[type(expected)] + _describe_bounds(expected)
        case types.CollectionType(min_length=int()) | types.DictType(min_length=int()):
            return f"{_DESCRIPTIONS[type(expected)]} that is not empty"
    return _DESCRIPTIONS.get(type(expected), "a text")


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
