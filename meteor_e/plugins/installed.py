"""The installed plugins and the results of their hooks. A broken plugin does not affect other plugins."""

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
"""The environment variable that selects plugins: ``none``, or the names of distributions and entry points, separated by
commas. By default, all installed plugins are used."""


def installed_entry_points() -> list[EntryPoint]:
    """Return the entry points of installed plugins that ``METEOR_E_PLUGINS`` selects.

    Raises:
        ConfigError: if the variable names a plugin that is not installed.
    """
    from importlib.metadata import entry_points

    from meteor_e.api.hooks import PROJECT

    selected_names = {name.strip() for name in os.environ.get(VARIABLE, "").split(",")} - {""}
    plugins = [(_origin(entry_point), entry_point) for entry_point in entry_points(group=PROJECT)]
    installed_names = {name for origin, _ in plugins for name in origin[:2]}
    for name in selected_names - installed_names - {"none"}:
        raise ConfigError(
            f"{VARIABLE} names {name!r}, which is not installed{near_miss(name, installed_names)}; "
            f"there are {', '.join(sorted(installed_names)) or 'no plugins'}; 'none' switches all off"
        )
    if not selected_names:
        return [entry_point for _, entry_point in plugins]
    return [entry_point for origin, entry_point in plugins if selected_names.intersection(origin[:2])]


def _origin(entry_point: EntryPoint) -> Origin:
    distribution: Any = entry_point.dist
    metadata = distribution.metadata  # Each access to this property reads the file.
    return Origin(entry_point.name, metadata["Name"], metadata["Version"])


def check_core_version(distribution: Distribution | None) -> None:
    """Check that a distribution does not require a different version of meteor_e.

    pip checks requirements when it installs a plugin, but not when it installs another version of meteor_e later.

    Raises:
        PluginError: if it requires a different version; the message names the requirement.
    """
    for text in (distribution.requires if distribution is not None else None) or ():
        name = re.match(r"[A-Za-z0-9._-]*", text)
        if name is None or re.sub("[-_.]+", "-", name[0]).lower() != "meteor-e":
            continue
        if text in (name[0], f"{name[0]}=={__version__}"):
            continue  # This check avoids the import of packaging, which loads slowly.
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
    """The plugins of a process: installed plugins, which are imported when they are first needed, and plugins that the
    program registers.

    Args:
        entry_points: function that returns the entry points of the plugins.

    Attributes:
        lock: the lock that is held while plugins or their definitions change.
        problems: entries of plugins that are broken or return invalid items, by error message.
        pending_warnings: messages that :meth:`warn` has not shown yet.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]]) -> None:
        self._entry_points: Callable[[], Iterable[EntryPoint]] | None = entry_points
        self._origins: dict[str, Origin] = {}
        self._called_hooks: set[tuple[str, str]] = set()
        self.lock = threading.RLock()
        self.problems: dict[str, Entry] = {}
        self.pending_warnings: list[str] = []

    @cached_property
    def _manager(self) -> pluggy.PluginManager:
        # Built-in components do not need the plugin manager, so that scoring with them does not import pluggy.
        import pluggy

        from meteor_e.api import hooks

        manager = pluggy.PluginManager(hooks.PROJECT)
        manager.add_hookspecs(hooks)
        return manager

    def load(self) -> None:
        """Import the installed plugins if they have not been imported."""
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
            PluginError: if it does not have valid hooks, or requires a different version of the API.
        """
        from meteor_e.api.hooks import API_VERSION

        if plugin is None:
            raise PluginError("its entry point names None; name the module with the hooks")
        required_version = getattr(plugin, "meteor_e_api", API_VERSION)
        if required_version != API_VERSION or isinstance(required_version, bool):
            raise PluginError(
                f"it needs version {required_version!r} of meteor_e's API; "
                f"meteor_e {__version__} has version {API_VERSION}"
            )
        registered_name = self._manager.get_name(plugin)
        if registered_name is not None:
            origin = self._origins[registered_name]
            raise PluginError(f"the same plugin is registered by {origin} as {origin.plugin!r}")
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
        """Raise a PluginError if a plugin does not have hooks, or has a hook that does not exist."""
        from meteor_e.api import hooks

        callers = self._manager.get_hookcallers(plugin)
        if not callers:
            raise PluginError("it has no hooks; mark them with @hookimpl (from meteor_e import hookimpl)")
        hook_names = [name for name in vars(hooks) if name.startswith(hooks.PROJECT)]
        for caller in callers:
            if not caller.has_spec():
                suggestion = near_miss(caller.name, hook_names)
                raise PluginError(f"there is no hook {caller.name!r}{suggestion}; the hooks: {', '.join(hook_names)}")

    def hook_results(self, hook: str) -> Iterator[tuple[Origin, object]]:
        """Call a hook of each loaded plugin that has not been called, and yield its origin and its result."""
        if not self._origins:
            return
        for implementation in getattr(self._manager.hook, hook).get_hookimpls():
            if (hook, implementation.plugin_name) in self._called_hooks:
                continue
            self._called_hooks.add((hook, implementation.plugin_name))
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
        """Record a problem of a plugin, for the listing and for the next call of :meth:`warn`."""
        self.problems[f"{origin}: {problem}"] = Entry("plugin", origin.plugin, **origin._asdict(), error=problem)
        self.pending_warnings.append(f"{origin}: {problem} (what it would bring is not there)")

    def warn(self) -> None:
        """Show the pending warnings about broken plugins and about names with several definitions."""
        if not self.pending_warnings:
            return
        with self.lock:
            messages, self.pending_warnings = self.pending_warnings, []
        for message in messages:
            warn_user(message, PluginWarning)
