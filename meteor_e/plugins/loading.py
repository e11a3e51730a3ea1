"""Finds plugins and calls their hooks, one plugin at a time, so that a broken one harms no other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import pluggy

from meteor_e._version import __version__
from meteor_e.api import hooks
from meteor_e.base.errors import ConfigError, PluginError, describe_error, near_miss
from meteor_e.plugins import builtin

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PLUGIN_FAILURES = (Exception, SystemExit)
"""What a plugin's code may raise; a module that calls ``sys.exit`` must not end the program that lists it."""


class Source(NamedTuple):
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


BUILTIN = Source("builtin", "meteor_e", __version__)


class Problem(NamedTuple):
    """What is wrong with a plugin.

    Attributes:
        source: the plugin.
        message: what is wrong, in one line, without the plugin's name.
    """

    source: Source
    message: str

    def __str__(self) -> str:
        return f"{self.source}: {self.message}"


VARIABLE = "METEOR_E_PLUGINS"
"""The environment variable that says which plugins there are: ``none``, or distributions and entry points, joined by
commas. Without it, all that are installed."""


def installed_entry_points() -> list[EntryPoint]:
    """Return the entry points of installed distributions for our group, those that ``METEOR_E_PLUGINS`` allows.

    Raises:
        ConfigError: if it names something that is not installed.
    """
    from importlib.metadata import entry_points

    wanted = os.environ.get(VARIABLE, "").strip()
    if wanted.lower() == "none":
        return []
    found = list(entry_points(group=hooks.PROJECT))
    return chosen(found, wanted) if wanted else found


def chosen(entry_points: list[EntryPoint], names: str) -> list[EntryPoint]:
    """Return the entry points that are named, by distribution or by name.

    Args:
        entry_points: all that there are.
        names: names, joined by commas; case, ``-``, ``_`` and ``.`` make no difference.

    Raises:
        ConfigError: if a name is that of none.
    """
    left = {_normal(name): name.strip() for name in names.split(",") if name.strip()}
    missing = dict(left)
    found, known = [], set()
    for entry_point in entry_points:
        own = {entry_point.name, entry_point.dist.metadata["Name"] or "" if entry_point.dist is not None else ""}
        known |= own - {""}
        matched = {_normal(name) for name in own} & set(left)
        if matched:
            found.append(entry_point)
            for name in matched:
                missing.pop(name, None)
    for name in missing.values():
        raise ConfigError(
            f"{VARIABLE} names {name!r}, which is not installed{near_miss(name, known)}; "
            f"there are {', '.join(sorted(known)) or 'no plugins'}; 'none' switches all off"
        )
    return found


def _normal(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(".", "-")


class PluginLoader:
    """The plugin manager: our own plugin from the start, the others once :meth:`scan` is called.

    Args:
        entry_points: returns the entry points of plugins; called once, by :meth:`scan`.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]] = installed_entry_points) -> None:
        self.sources: list[tuple[Source, object]] = [(BUILTIN, builtin)]
        """The plugins that could be loaded, the built-in first."""
        self._entry_points = entry_points
        self._scanned = False
        self._manager = pluggy.PluginManager(hooks.PROJECT)
        self._manager.add_hookspecs(hooks)
        self._manager.register(builtin, str(BUILTIN))
        self._manager.check_pending()

    def scan(self) -> list[Problem]:
        """Import the plugins of all entry points, by distribution and name; a second call does nothing.

        Returns:
            What is wrong with plugins that are left out.
        """
        problems: list[Problem] = []
        if self._scanned:
            return problems
        self._scanned = True
        found = []
        for entry_point in self._entry_points():
            distribution = entry_point.dist
            if distribution is None:
                source = Source(entry_point.name)
            else:
                source = Source(entry_point.name, distribution.metadata["Name"] or "", distribution.version)
            found.append((source, entry_point))
        for source, entry_point in sorted(found, key=lambda pair: (pair[0], pair[1].value)):
            try:
                plugin = entry_point.load()
            except PLUGIN_FAILURES as error:
                problems.append(Problem(source, f"{entry_point.value!r} cannot be imported: {describe_error(error)}"))
                continue
            try:
                self.register(plugin, source)
            except PluginError as error:
                problems.append(Problem(source, str(error)))
        return problems

    def register(self, plugin: object, source: Source) -> None:
        """Add a plugin.

        Raises:
            PluginError: if it has no hooks, wrong ones, needs another version of the API, or is there already.
        """
        if plugin is None:
            raise PluginError("its entry point names None; name the module with the hooks")
        _check_version(plugin)
        manager = self._manager
        for other, registered in self.sources:
            if registered is plugin:
                raise PluginError(f"the same plugin is registered by {other} as {other.plugin!r}")
        try:
            manager.register(plugin, f"{source}: {source.plugin}: {len(self.sources)}")
            manager.check_pending()
        except PLUGIN_FAILURES as error:
            # pluggy may have taken some of its hooks before it met the wrong one.
            message = _wrong_hook(manager, plugin) or describe_error(error)
            if manager.get_name(plugin) is not None:
                manager.unregister(plugin)
            raise PluginError(message) from error
        if not manager.get_hookcallers(plugin):
            manager.unregister(plugin)
            raise PluginError("it has no hooks; mark them with @hookimpl (from meteor_e import hookimpl)")
        self.sources.append((source, plugin))

    def call(self, hook: str, plugin: object) -> list[Any]:
        """Call one plugin's implementations of a hook and return their results.

        Raises:
            PluginError: if it raises.
        """
        others = [other for _, other in self.sources if other is not plugin]
        try:
            results = self._manager.subset_hook_caller(hook, others)()
        except PLUGIN_FAILURES as error:
            raise PluginError(f"{hook}() raised {describe_error(error)}") from error
        return list(results)


def _check_version(plugin: object) -> None:
    """Raise a PluginError if a plugin says that it needs another version of the API."""
    needed = getattr(plugin, "meteor_e_api", hooks.API_VERSION)
    if needed == hooks.API_VERSION and not isinstance(needed, bool):
        return
    if not isinstance(needed, int) or isinstance(needed, bool):
        raise PluginError(f"its meteor_e_api is {needed!r}; it must be a whole number, such as {hooks.API_VERSION}")
    advice = "a newer meteor_e" if needed > hooks.API_VERSION else "a newer version of the plugin, or an older meteor_e"
    raise PluginError(
        f"it needs version {needed} of meteor_e's API; meteor_e {__version__} has version {hooks.API_VERSION}: "
        f"install {advice}"
    )


def _wrong_hook(manager: pluggy.PluginManager, plugin: object) -> str | None:
    """Say which of a plugin's hooks does not exist, if that is what is wrong."""
    known = [name for name in vars(hooks) if name.startswith(f"{hooks.PROJECT}_")]
    for caller in manager.get_hookcallers(plugin) or ():
        if not caller.has_spec():
            hint = near_miss(caller.name, known)
            return f"there is no hook {caller.name!r}{hint}; the hooks: {', '.join(known)}"
    return None
