"""Options of metrics: the keyword arguments of a class's ``__init__``, checked before it is called."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from meteor_e.base.errors import ConfigError, PluginError, near_miss
from meteor_e.base.guard import guarded

T = TypeVar("T")


def construct(what: str, cls: type[T], options: Mapping[str, Any]) -> T:
    """Make an object of a class with options from a chain.

    Args:
        what: what to call it in errors, such as ``matcher 'soundex'``.
        cls: the class.
        options: keyword arguments of its ``__init__``.

    Raises:
        ConfigError: for an option that it does not take, one that is missing, or a value that it refuses with
            a ``TypeError`` or ``ValueError``.
        PluginError: if its ``__init__`` fails otherwise.
    """
    for message in unknown_options(what, cls, options).values():
        raise ConfigError(message)
    for option in _parameters(cls)[1]:
        if option not in options:
            raise ConfigError(f"{what} needs the option {option!r}")
    try:
        with guarded(f"making {what}"):
            return cls(**options)
    except PluginError as error:
        if isinstance(error.__cause__, (TypeError, ValueError)):
            raise ConfigError(f"{what} refuses its options ({_spell(options)}): {error.__cause__}") from error
        raise


def unknown_options(what: str, cls: type, options: Iterable[str]) -> dict[str, str]:
    """Return the options that a class's ``__init__`` does not take, each with a message that says so."""
    known, _, takes_any = _parameters(cls)
    there = f"its options: {', '.join(known)}" if known else "it has no options"
    return {
        option: f"{what} has no option {option!r}{near_miss(option, known)}; {there}"
        for option in options
        if option not in known and not takes_any
    }


def _parameters(cls: type) -> tuple[list[str], list[str], bool]:
    """Return names of the options, names of those without a default, and whether any other is taken, too."""
    parameters = list(inspect.signature(cls).parameters.values())
    named = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    return (
        [parameter.name for parameter in named],
        [parameter.name for parameter in named if parameter.default is parameter.empty],
        any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters),
    )


def _spell(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {value!r}" for name, value in options.items()) or "none"
