"""``--set KEY=VALUE``: keys of a chain, and options of its matchers and lemmatizer, from the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click

from meteor_e.api.languages import GREEK
from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.base.yamlfile import plain_value
from meteor_e.chains.keys import KEYS

_ELSEWHERE = {"language": "-l", "task": "-t", "matchers": "-m", "name": "", "description": ""}
"""Keys that ``--set`` does not take, and the options that give them."""


class Settings(NamedTuple):
    """What ``--set`` gives.

    Attributes:
        keys: values of a chain's keys.
        options: options by matcher; those under ``lemmatizer`` are the lemmatizer's.
    """

    keys: dict[str, Any]
    options: dict[str, dict[str, Any]]


def parse_settings(texts: Sequence[str]) -> Settings:
    """Read entries such as ``beam=40``, ``alpha=0.8``, ``parameters.alpha=0.8`` and ``vector.threshold=0.75``.

    Raises:
        ConfigError: for an entry of another form, one given twice, or a key that no chain has.
    """
    found = Settings({}, {})
    for text in texts:
        name, _, value = text.partition("=")
        owner, dot, option = name.rpartition(".")
        if not value or not option or (dot and not owner):
            raise ConfigError(f"--set {text!r} is not of the form KEY=VALUE or MATCHER.OPTION=VALUE")
        if owner == "parameters" or (not owner and option in GREEK):
            place = found.keys.setdefault("parameters", {})
        else:
            place = found.options.setdefault(owner, {}) if owner else found.keys
        if option in place:
            raise ConfigError(f"--set {name} is given twice")
        place[option] = plain_value(value)
    for key in found.keys:
        if key not in KEYS or key in _ELSEWHERE:
            raise ConfigError(_unknown(key))
    return found


def _unknown(key: str) -> str:
    if _ELSEWHERE.get(key):
        return f"--set takes no {key}; give {_ELSEWHERE[key]}"
    known = [*(name for name in KEYS if name not in _ELSEWHERE and name != "parameters"), *GREEK]
    return (
        f"--set: there is no key {key!r}{near_miss(key, known)}; the keys: {', '.join(known)}; "
        "an option of a matcher is MATCHER.OPTION"
    )


def set_option(*kinds: type[Any]) -> Callable[[Any], Any]:
    """Return the option ``--set``, by which fields of dataclasses with defaults are given; see :func:`parse_fields`."""
    usage = f"Set one of {', '.join(_fields(*kinds))}; may be repeated."
    return click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help=usage)


def parse_fields(texts: Sequence[str], *kinds: type[Any]) -> list[Any]:
    """Read entries such as ``least_count=3``; return an instance of each dataclass, with defaults for the rest.

    Raises:
        ConfigError: for an entry of another form, one given twice, an unknown field, or a value of another type.
    """
    import msgspec

    given: dict[str, Any] = {}
    known = _fields(*kinds)
    for text in texts:
        name, _, value = text.partition("=")
        if not value or name in given:
            raise ConfigError(f"--set {text!r} is not of the form KEY=VALUE, or is given twice")
        if name not in known:
            raise ConfigError(f"--set: there is no key {name!r}{near_miss(name, known)}; the keys: {', '.join(known)}")
        given[name] = plain_value(value)
    try:
        return [msgspec.convert({name: given[name] for name in _fields(kind) if name in given}, kind) for kind in kinds]
    except msgspec.ValidationError as error:
        raise ConfigError(f"--set: {error}") from error


def _fields(*kinds: type[Any]) -> list[str]:
    """Return the names of fields that hold a text or a number."""
    return [
        field.name
        for kind in kinds
        for field in dataclasses.fields(kind)
        if isinstance(field.default, str | int | float) and field.name != "encoding"
    ]
