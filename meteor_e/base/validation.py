"""Checks what a document says against a type, and finds all that is wrong, not only the first."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import msgspec.inspect as types

from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import Document, Key, Problem, shorten

Found = Iterator[tuple[Key, str]]

LISTS = (types.ListType, types.VarTupleType)
"""Types of lists: files and programs give lists for tuples, too."""


def find_problems(document: Document, kind: Any) -> list[Problem]:
    """Return all that keeps a document from being of a type, by line.

    Args:
        document: what to check.
        kind: a type of :mod:`meteor_e.chains.schemas`.
    """
    if not isinstance(document.data, Mapping):
        return [document.problem((), f"must be a mapping of keys to values, not {_spell(document.data)}")]
    problems = list(document.problems)
    told = {(problem.line, problem.key) for problem in problems}
    for key, message in value_problems(types.type_info(kind), document.data, ()):
        problem = document.problem(key, message)
        if (problem.line, problem.key) not in told:
            problems.append(problem)
    return sorted(problems, key=lambda problem: problem.line)


def value_problems(kind: types.Type, value: Any, key: Key) -> Found:
    """Yield what is wrong with a value, and where.

    Args:
        kind: the type, as :mod:`msgspec.inspect` describes it.
        value: the value, as a YAML file has it.
        key: where it is.
    """
    if isinstance(kind, types.Metadata):
        if (kind.extra or {}).get("path") and not _has_shape(kind.type, value):
            yield key, _must_be(kind, value)
        else:
            yield from value_problems(kind.type, value, key)
    elif isinstance(kind, types.UnionType):
        fitting = next((option for option in kind.types if _has_shape(option, value)), None)
        if fitting is None:
            yield key, _must_be(kind, value)
        else:
            yield from value_problems(fitting, value, key)
    elif not _has_shape(kind, value) or not _is_allowed(kind, value):
        yield key, _must_be(kind, value)
    elif isinstance(kind, types.StructType):
        yield from _check_record(kind, value, key)
    elif isinstance(kind, types.DictType):
        for name, item in value.items():
            if isinstance(name, str) and _is_allowed(kind.key_type, name):
                yield from value_problems(kind.value_type, item, (*key, name))
            else:
                yield key, f"the key {_spell(name)} must be {describe_type(kind.key_type)}"
    elif isinstance(kind, LISTS):
        for index, item in enumerate(value):
            yield from value_problems(kind.item_type, item, (*key, index))


def _check_record(kind: types.StructType, value: Mapping[Any, Any], key: Key) -> Found:
    fields = {field.encode_name: field for field in kind.fields}
    for name, field in fields.items():
        if field.required and name not in value:
            yield key, f"the key {name!r} is missing{_entry_hint(value) if name == 'use' else ''}"
    for name, item in value.items():
        if not isinstance(name, str):
            yield key, f"the key {_spell(name)} must be a text"
        elif name in fields:
            yield from value_problems(fields[name].type, item, (*key, name))
        elif kind.forbid_unknown_fields:
            near = near_miss(name, [field for field in fields if field not in value])
            yield (*key, name), f"unknown key{near or '; there are ' + ', '.join(fields)}"


def _has_shape(kind: types.Type, value: Any) -> bool:
    """Return whether a value is a text, number, list … as the type wants it, whatever is in it."""
    if isinstance(kind, types.Metadata):
        return _has_shape(kind.type, value)
    if isinstance(kind, types.UnionType):
        return any(_has_shape(option, value) for option in kind.types)
    if isinstance(kind, types.LiteralType):
        return type(value) in {type(choice) for choice in kind.values}
    if isinstance(kind, types.AnyType):
        # What an option of a plugin may be is for the plugin to say.
        return True
    if isinstance(kind, types.NoneType):
        return value is None
    if isinstance(kind, types.StructType | types.DictType):
        return isinstance(value, Mapping)
    if isinstance(kind, LISTS):
        return isinstance(value, Sequence) and not isinstance(value, str | bytes)
    if isinstance(kind, types.BoolType):
        return isinstance(value, bool)
    if isinstance(kind, types.IntType):
        return isinstance(value, Integral) and not isinstance(value, bool)
    if isinstance(kind, types.FloatType):
        return isinstance(value, Real) and not isinstance(value, bool)
    return isinstance(value, str)


def _is_allowed(kind: types.Type, value: Any) -> bool:
    """Return whether a value that has the type's shape is within its bounds."""
    if isinstance(kind, types.IntType | types.FloatType):
        low = -math.inf if kind.ge is None else kind.ge
        high = math.inf if kind.le is None else kind.le
        within = (kind.gt is None or value > kind.gt) and (kind.lt is None or value < kind.lt)
        return bool(_is_finite(value) and low <= value <= high and within)
    if isinstance(kind, types.EnumType | types.LiteralType):
        return value in (kind.values if isinstance(kind, types.LiteralType) else _choices(kind))
    if isinstance(kind, types.StrType):
        long_enough = len(value) >= (kind.min_length or 0)
        return long_enough and (kind.pattern is None or re.search(kind.pattern, value) is not None)
    if isinstance(kind, (*LISTS, types.DictType)):
        return len(value) >= (kind.min_length or 0)
    return True


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _choices(kind: types.EnumType | types.LiteralType) -> list[str]:
    values = [member.value for member in kind.cls] if isinstance(kind, types.EnumType) else kind.values
    return [str(value) for value in values]


def _must_be(kind: types.Type, value: Any) -> str:
    if value is None:
        return f"has no value; give {describe_type(kind)}, or leave it out"
    return f"must be {describe_type(kind)}, not {_spell(value)}{_hint(kind, value)}"


def describe_type(kind: types.Type) -> str:
    """Return what a value of a type may be, with its bounds, in words."""
    if isinstance(kind, types.Metadata):
        path = (kind.extra or {}).get("path")
        return f"the path of a {path}" if path else describe_type(kind.type)
    if isinstance(kind, types.UnionType):
        return " or ".join(describe_type(option) for option in kind.types if not isinstance(option, types.NoneType))
    if isinstance(kind, types.AnyType):
        return "anything"
    if isinstance(kind, types.EnumType | types.LiteralType):
        return f"one of {', '.join(_choices(kind))}"
    if isinstance(kind, types.IntType | types.FloatType):
        number = "a whole number" if isinstance(kind, types.IntType) else "a number"
        if kind.le is not None and kind.ge is not None:
            return f"{number} from {kind.ge} to {kind.le}"
        if kind.lt is not None and kind.ge is not None:
            return f"{number} from {kind.ge}, less than {kind.lt}"
        if kind.le is not None and kind.gt is None:
            return f"{number}, at most {kind.le}"
        if kind.gt is not None:
            return f"{number} above {kind.gt}" + ("" if kind.le is None else f", up to {kind.le}")
        return number if kind.ge is None else f"{number}, {kind.ge} or more"
    if isinstance(kind, types.BoolType):
        return "true or false"
    if isinstance(kind, LISTS):
        return "a list" if not kind.min_length else "a list with something in it"
    if isinstance(kind, types.StructType):
        keys = [field.encode_name for field in kind.fields]
        return f"a mapping with the key{'s' if len(keys) > 1 else ''} {', '.join(keys)}"
    if isinstance(kind, types.DictType):
        return "a mapping" if not kind.min_length else "a mapping with something in it"
    if isinstance(kind, types.StrType) and kind.pattern is not None:
        return "letters and digits, joined by - or _"
    return "a text"


def _hint(kind: types.Type, value: Any) -> str:
    """Return what was probably meant."""
    if isinstance(kind, types.Metadata):
        return _hint(kind.type, value)
    if isinstance(kind, types.EnumType | types.LiteralType) and isinstance(value, str):
        return near_miss(value, _choices(kind))
    if isinstance(kind, types.BoolType) and isinstance(value, str) and value.lower() in _TRUTH:
        return f" (did you mean {_TRUTH[value.lower()]}?)"
    if isinstance(kind, types.IntType | types.FloatType) and isinstance(value, str):
        return " (leave the quotes out?)" if _is_number(value) else ""
    if isinstance(kind, types.StrType) and isinstance(value, bool | int | float):
        return " (put it in quotes?)"
    if isinstance(kind, types.ListType) and isinstance(value, str) and value:
        return f"; write [{shorten(value)}]"
    if isinstance(kind, types.ListType) and isinstance(value, Mapping) and len(value) <= _FEW:
        entries = [_entry({name: entry}) for name, entry in value.items()]
        if value and all(entries):
            return f"; write [{', '.join(entries)}]"
    return ""


_FEW = 8
"""Entries that fit in a message."""


def _entry_hint(value: Mapping[Any, Any]) -> str:
    """Return how to write an entry whose only key is what ``use`` should name, with the weight as its value."""
    meant = _entry(value)
    return f"; write {meant}" if meant else ""


def _entry(value: Mapping[Any, Any]) -> str:
    """Return ``{use: stem, weight: 0.9}`` for ``{stem: 0.9}``; empty for what was meant otherwise."""
    if len(value) != 1:
        return ""
    ((name, weight),) = value.items()
    if not isinstance(name, str) or not name.isprintable():
        return ""
    if weight is None:
        return f"{{use: {shorten(name)}}}"
    if isinstance(weight, int | float) and not isinstance(weight, bool):
        return f"{{use: {shorten(name)}, weight: {_spell(weight)}}}"
    if isinstance(weight, Mapping):
        return f"{{use: {shorten(name)}, …}}, with its options beside 'use'"
    return ""


_TRUTH = {"yes": "true", "on": "true", "no": "false", "off": "false", "true": "true", "false": "false"}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _spell(value: Any) -> str:
    """Return a value as a file would have it, not too long."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if isinstance(value, int) and abs(value) >= 10**50:
        # Python refuses to spell integers of thousands of digits.
        return "a huge number"
    return shorten(repr(value))
