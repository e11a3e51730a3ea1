"""Define classes that link the name of a component, command or language to the plugin that provides it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from meteor_e._version import __version__
from meteor_e.base.errors import MeteorError, PluginError, describe_error

T = TypeVar("T")

PLUGIN_FAILURES = (Exception, SystemExit)
"""The exceptions of a plugin's code that are caught. A plugin that calls ``sys.exit`` must not end the program."""


class Origin(NamedTuple):
    """A plugin and the distribution that contains it, such as ``my-matchers 1.0``.

    Attributes:
        plugin: the name of the entry point.
        distribution: the distribution that contains the plugin; empty for a plugin that a program registered.
        version: the version of the distribution.
    """

    plugin: str
    distribution: str = ""
    version: str = ""

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}".strip() or f"plugin {self.plugin!r}"


BUILTIN = Origin("builtin", "meteor_e", __version__)


@dataclass(frozen=True)
class Entry:
    """An entry in the list that ``meteor-e plugins`` prints. The entry describes a component or a broken plugin.

    Attributes:
        kind: ``matcher``, ``metric`` and so on, or ``plugin`` for a plugin that cannot be used at all.
        name: the name of the component, or the entry point of a broken plugin.
        summary: a description in one line.
        distribution, version: the distribution and its version; empty for a plugin that a program registered.
        plugin: the entry point.
        aliases: other names of the component.
        requires: the resources and libraries that must be installed in addition to the distribution.
        error: the reason why the component cannot be used; empty if it can be used.
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
"""A function that loads an item of a hook's result, and returns the object and its names, the canonical name first."""


@dataclass
class Definition(Generic[T]):
    """A named object of meteor_e or of a plugin, such as a matcher class. The object is imported on first use.

    Attributes:
        kind: ``matcher``, ``metric`` and so on.
        name: the name.
        origin: the plugin.
        item: the item that the hook of the plugin returned: the object, or its import path.
        load_object: a function that loads ``item``.

    """

    kind: str
    name: str
    origin: Origin
    item: object
    load_object: LoadFunction[T]

    _value: T | None = None

    def load(self) -> T:
        """Load and return the named object: a class, a language, the path of a chain file, or a command.

        Raises:
            PluginError: if the object cannot be imported, or has the wrong type.
        """
        if self._value is None:
            try:
                self._value = self._load_value()
            except PLUGIN_FAILURES as error:
                raise PluginError(
                    f"{self.kind} {self.name!r} of {self.origin} is broken: {failure_reason(error)}"
                ) from error
        return self._value

    def _load_value(self) -> T:
        """Load the named object, and check that it has the name of this definition."""
        value, names = self.load_object(self.item)
        # The name of a command may contain the name of its group, as in "pack build".
        short_name = self.name.rpartition(" ")[2]
        if short_name not in names:
            raise PluginError(f"the name of the loaded object is {names[0]!r}")
        return value


def failure_reason(error: BaseException) -> str:
    """Return a one-line description of an exception that a plugin raised."""
    return str(error) if isinstance(error, MeteorError) else describe_error(error)


def describe_clash(definitions: list[Definition[T]]) -> str:
    """Return the error message for a name that is defined by several plugins, or by meteor_e and a plugin."""
    origins = [f"{definition.origin} ({definition.origin.plugin})" for definition in definitions]
    is_builtin = definitions[0].origin == BUILTIN
    advice = "the one of meteor_e is used; rename the plugin's" if is_builtin else "uninstall all but one of them"
    return f"{definitions[0].kind} {definitions[0].name!r} is claimed by {' and by '.join(origins)}; {advice}"
