"""The installed plugins: which there are, and what their hooks return. A broken plugin harms no other."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from meteor_e._version import __version__
from meteor_e.base.errors import ConfigError, PluginError, PluginWarning, describe_error, near_miss, warn_user
from meteor_e.plugins.definitions import PLUGIN_FAILURES, Entry, Origin, failure_reason

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

    import pluggy

VARIABLE = "METEOR_E_PLUGINS"
"""The environment variable that says which plugins there are: ``none``, or distributions and entry points, joined by
commas. Without it, all that are installed."""


def installed_entry_points() -> list[EntryPoint]:
    """Return the entry points of installed distributions for our group, those that ``METEOR_E_PLUGINS`` allows.

    Raises:
        ConfigError: if it names something that is not installed.
    """
    from importlib.metadata import entry_points

    from meteor_e.api.hooks import PROJECT

    wanted = {name.strip() for name in os.environ.get(VARIABLE, "").split(",")} - {""}
    installed = [(_origin(entry_point), entry_point) for entry_point in entry_points(group=PROJECT)]
    known = {name for origin, _ in installed for name in origin[:2]}
    for name in wanted - known - {"none"}:
        raise ConfigError(
            f"{VARIABLE} names {name!r}, which is not installed{near_miss(name, known)}; "
            f"there are {', '.join(sorted(known)) or 'no plugins'}; 'none' switches all off"
        )
    return [entry_point for origin, entry_point in installed if not wanted or wanted.intersection(origin[:2])]


def _origin(entry_point: EntryPoint) -> Origin:
    distribution: Any = entry_point.dist
    metadata = distribution.metadata  # Read from its file at each access.
    return Origin(entry_point.name, metadata["Name"], metadata["Version"])


def check_core_version(distribution: Distribution | None) -> None:
    """Refuse a distribution that requires another version of meteor_e.

    pip checks requirements when it installs a plugin, but not when it installs another version of meteor_e later.

    Raises:
        PluginError: naming the requirement.
    """
    for text in (distribution.requires if distribution is not None else None) or ():
        name = re.match(r"[A-Za-z0-9._-]*", text)
        if name is None or re.sub("[-_.]+", "-", name[0]).lower() != "meteor-e":
            continue
        if text in (name[0], f"{name[0]}=={__version__}"):
            continue  # Without packaging, whose import takes time.
        from packaging.requirements import InvalidRequirement, Requirement

        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        if not requirement.specifier.contains(__version__, prereleases=True):
            raise PluginError(
                f"it requires {text}, and this is meteor_e {__version__}; install versions that fit: "
                "pip install --upgrade meteor_e and the plugin"
            )


class InstalledPlugins:
    """The plugins of a process: those that are installed, imported when they are first asked for, and those that a
    program registers.

    Args:
        entry_points: returns the plugins' entry points.

    Attributes:
        lock: held by whoever changes what is known of plugins.
        problems: plugins that are broken as a whole, or return something that does not fit, by the error's text.
        pending_warnings: texts that :meth:`warn` has not shown yet.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]]) -> None:
        self._entry_points: Callable[[], Iterable[EntryPoint]] | None = entry_points
        self._origins: dict[str, Origin] = {}
        self._asked: set[tuple[str, str]] = set()
        self.lock = threading.RLock()
        self.problems: dict[str, Entry] = {}
        self.pending_warnings: list[str] = []

    @cached_property
    def _manager(self) -> pluggy.PluginManager:
        # Built-in things need no plugin manager, so that plain scoring starts without pluggy.
        import pluggy

        from meteor_e.api import hooks

        manager = pluggy.PluginManager(hooks.PROJECT)
        manager.add_hookspecs(hooks)
        return manager

    def load(self) -> None:
        """Import the installed plugins, unless that has been done."""
        if self._entry_points is None:
            return
        entry_points = [(_origin(entry_point), entry_point) for entry_point in self._entry_points()]
        self._entry_points = None
        for origin, entry_point in sorted(entry_points, key=lambda pair: (pair[0], pair[1].value)):
            try:
                check_core_version(entry_point.dist)
                self.add(entry_point.load(), origin)
            except PLUGIN_FAILURES as error:
                self.note_problem(origin, failure_reason(error))

    def add(self, plugin: object, origin: Origin) -> None:
        """Add a plugin.

        Raises:
            PluginError: if it has no hooks, or wrong ones, or was written for another version of the API.
        """
        from meteor_e.api.hooks import API_VERSION

        if plugin is None:
            raise PluginError("its entry point names None; name the module with the hooks")
        needed = getattr(plugin, "meteor_e_api", API_VERSION)
        if needed != API_VERSION or isinstance(needed, bool):
            raise PluginError(
                f"it needs version {needed!r} of meteor_e's API; meteor_e {__version__} has version {API_VERSION}"
            )
        registered_name = self._manager.get_name(plugin)
        if registered_name is not None:
            other = self._origins[registered_name]
            raise PluginError(f"the same plugin is registered by {other} as {other.plugin!r}")
        name = str(len(self._origins))
        self._origins[name] = origin
        try:
            self._manager.register(plugin, name)
            self._check_hooks(plugin)
        except PLUGIN_FAILURES as error:
            if self._manager.is_registered(plugin):
                self._manager.unregister(plugin)
            raise PluginError(failure_reason(error)) from error

    def _check_hooks(self, plugin: object) -> None:
        from meteor_e.api import hooks

        callers = self._manager.get_hookcallers(plugin)
        if not callers:
            raise PluginError("it has no hooks; mark them with @hookimpl (from meteor_e import hookimpl)")
        known = [name for name in vars(hooks) if name.startswith(hooks.PROJECT)]
        for caller in callers:
            if not caller.has_spec():
                near = near_miss(caller.name, known)
                raise PluginError(f"there is no hook {caller.name!r}{near}; the hooks: {', '.join(known)}")

    def hook_results(self, hook: str) -> Iterator[tuple[Origin, object]]:
        """Yield what the hook of each plugin returns, of the plugins that are loaded; each is asked once."""
        if not self._origins:
            return
        for implementation in getattr(self._manager.hook, hook).get_hookimpls():
            if (hook, implementation.plugin_name) in self._asked:
                continue
            self._asked.add((hook, implementation.plugin_name))
            origin = self._origins[implementation.plugin_name]
            try:
                result = implementation.function()
                if isinstance(result, Iterator):
                    result = list(result)
            except PLUGIN_FAILURES as error:
                self.note_problem(origin, f"{hook}(): it raised {describe_error(error)}")
                continue
            yield origin, result

    def note_problem(self, origin: Origin, problem: str) -> None:
        """Remember what is wrong with a plugin; :meth:`warn` says it, once."""
        self.problems[f"{origin}: {problem}"] = Entry("plugin", origin.plugin, **origin._asdict(), error=problem)
        self.pending_warnings.append(f"{origin}: {problem} (what it would bring is not there)")

    def warn(self) -> None:
        """Warn once of each plugin that is broken, or whose names clash with others, of those asked so far."""
        if not self.pending_warnings:
            return
        with self.lock:
            texts, self.pending_warnings = self.pending_warnings, []
        for text in texts:
            warn_user(text, PluginWarning)
