"""Definitions of named things, where each of them comes from, and how it is listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from meteor_e._version import __version__
from meteor_e.base.errors import MeteorError, PluginError, describe_error

T = TypeVar("T")

PLUGIN_FAILURES = (Exception, SystemExit)
"""What a plugin's code may raise; a module that calls ``sys.exit`` must not end the program that lists it."""


class Origin(NamedTuple):
    """Where a name comes from.

    Attributes:
        plugin: the entry point's name.
        distribution: the distribution that has it; empty for a plugin registered by a program.
        version: the distribution's version.
    """

    plugin: str
    distribution: str = ""
    version: str = ""

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}".strip() or f"plugin {self.plugin!r}"


BUILTIN = Origin("builtin", "meteor_e", __version__)


@dataclass(frozen=True)
class Entry:
    """A line of the listing.

    Attributes:
        kind: ``matcher``, ``metric`` and so on, or ``plugin`` for what is wrong with a plugin as a whole.
        name: the name of the thing; of a broken plugin, its entry point.
        summary: what it is, in a line.
        distribution, version: where it comes from; empty for what a program registered itself.
        plugin: the entry point.
        aliases: its other names.
        requires: what must be installed in addition to the package.
        error: why it cannot be used; empty if it can.
    """

    kind: str
    name: str
    summary: str = ""
    distribution: str = ""
    version: str = ""
    plugin: str = ""
    aliases: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    error: str = ""


LoadFunction = Callable[[object], tuple[T, tuple[str, ...]]]
"""Turns what a hook returned into the thing and its names, the canonical name first; raises if it does not fit."""


@dataclass
class Definition(Generic[T]):
    """A named thing as a plugin, or meteor_e itself, defines it. It is loaded when it is first used.

    Attributes:
        kind: ``matcher``, ``metric`` and so on.
        name: the name that it was defined under.
        origin: the plugin.
        raw: what the plugin's hook returned: the thing itself, or where it is.
        load_raw: turns ``raw`` into the thing.
        problem: why it cannot be used, once that is known.
    """

    kind: str
    name: str
    origin: Origin
    raw: object
    load_raw: LoadFunction[T]
    problem: str = ""
    _value: T | None = None

    def load(self) -> T:
        """Return the class, the language, the chain's file or the command.

        Raises:
            PluginError: if it cannot be imported or does not fit.
        """
        if self._value is None and not self.problem:
            try:
                value, names = self.load_raw(self.raw)
                if self.name.rpartition(" ")[2] not in names:
                    raise PluginError(f"its own name is {names[0]!r}")
                self._value = value
            except PLUGIN_FAILURES as error:
                self.problem = failure_reason(error)
        if self.problem or self._value is None:
            raise PluginError(f"{self.kind} {self.name!r} of {self.origin} is broken: {self.problem}")
        return self._value


def failure_reason(error: BaseException) -> str:
    """Return why a plugin's code failed, in one line."""
    return str(error) if isinstance(error, MeteorError) else describe_error(error)


def describe_clash(definitions: list[Definition[T]]) -> str:
    """Return the error for a name that several plugins define. The first definition of meteor_e itself is used."""
    origins = [f"{definition.origin} ({definition.origin.plugin})" for definition in definitions]
    is_builtin = definitions[0].origin == BUILTIN
    advice = "meteor_e's own is used; rename the plugin's" if is_builtin else "uninstall all but one of them"
    return f"{definitions[0].kind} {definitions[0].name!r} is claimed by {' and by '.join(origins)}; {advice}"
