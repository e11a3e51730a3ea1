"""Load the installed plugins and call their hooks. A broken plugin does not affect other plugins."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
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


def find_entry_points() -> list[EntryPoint]:
    """Return the entry points of the installed plugins that the variable ``METEOR_E_PLUGINS`` selects.

    Raises:
        ConfigError: if the variable names a plugin that is not installed.
    """
    from importlib.metadata import entry_points

    from meteor_e.api.hooks import PROJECT

    installed_entry_points = entry_points(group=PROJECT)
    selected_names = {name.strip() for name in os.environ.get(VARIABLE, "").split(",")} - {""}
    if not selected_names:
        return list(installed_entry_points)
    selected_names.discard("none")  # This word turns all plugins off, unless plugins are also named.
    installed_names = {name for entry_point in installed_entry_points for name in _plugin_names(entry_point)}
    missing_names = selected_names - installed_names
    if missing_names:
        raise _missing_plugin_error(min(missing_names), installed_names)
    return [entry_point for entry_point in installed_entry_points if _plugin_names(entry_point) & selected_names]


def _plugin_names(entry_point: EntryPoint) -> set[str]:
    """Return the names by which users can select a plugin: the names of its entry point and its distribution."""
    origin = _origin(entry_point)
    return {origin.plugin, origin.distribution}


def _missing_plugin_error(name: str, installed_names: Collection[str]) -> ConfigError:
    """Return the error for a plugin that the user selected, but that is not installed."""
    suggestion = near_miss(name, installed_names)
    listing = ", ".join(sorted(installed_names)) or "no plugins"
    return ConfigError(
        f"{VARIABLE} names {name!r}, which is not installed{suggestion}; there are {listing}; "
        "'none' turns all plugins off"
    )


def _origin(entry_point: EntryPoint) -> Origin:
    """Return the distribution and version of the plugin that an entry point refers to."""
    distribution: Any = entry_point.dist
    metadata = distribution.metadata  # Each access to this property reads the file.
    return Origin(entry_point.name, metadata["Name"], metadata["Version"])


def check_core_version(distribution: Distribution | None) -> None:
    """Check that a distribution does not require a different version of meteor_e.

    pip checks requirements when it installs a plugin, but not when it installs another version of meteor_e later.

    Raises:
        PluginError: if the distribution requires a different version. The message contains the requirement.
    """
    if distribution is None:
        return
    for requirement in distribution.requires or ():
        if _restricts_core_version(requirement) and not _accepts_core_version(requirement):
            raise PluginError(
                f"it requires {requirement}, and this is meteor_e {__version__}; install versions that fit: "
                "pip install --upgrade meteor_e and the plugin"
            )


_CORE_REQUIREMENT = re.compile(r"meteor[-_.]+e(?![A-Za-z0-9._-])(?:\[[^\]]*\])?(.*)", re.IGNORECASE | re.DOTALL)
"""The pattern of requirements of meteor_e. The group contains the version specifier."""


def _restricts_core_version(requirement: str) -> bool:
    """Return whether a plugin's requirement may exclude the installed version of meteor_e.

    The result is False if the requirement does not limit the version, or names exactly the installed version. In these
    cases, the caller does not have to import the library ``packaging``, which loads slowly.
    """
    core_requirement = _CORE_REQUIREMENT.fullmatch(requirement)
    return core_requirement is not None and core_requirement[1] not in ("", f"=={__version__}")


def _accepts_core_version(text: str) -> bool:
    """Return whether a requirement such as ``meteor-e>=1.0`` allows the installed version of meteor_e."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return True
    is_needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    return not is_needed or requirement.specifier.contains(__version__, prereleases=True)


def _check_api_version(plugin: object) -> None:
    """Raise a PluginError if a plugin requires a different version of the API."""
    from meteor_e.api.hooks import API_VERSION

    required_version = getattr(plugin, "meteor_e_api", API_VERSION)
    if required_version != API_VERSION or isinstance(required_version, bool):
        raise PluginError(
            f"it needs version {required_version!r} of meteor_e's API; meteor_e {__version__} has version {API_VERSION}"
        )


class InstalledPlugins:
    """The plugins of a process. Installed plugins are imported on first use, and programs can register further plugins.

    Args:
        entry_points: a function that returns the entry points of the plugins.

    Attributes:
        lock: the lock that is held while plugins or their definitions change.
        problems: entries of plugins that are broken or return invalid items, by error message.
        pending_warnings: messages that :meth:`warn` has not shown yet.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]]) -> None:
        self._find_entry_points = entry_points
        self._is_loaded = False
        self._origins: dict[str, Origin] = {}
        self._called_hooks: set[tuple[str, str]] = set()
        self.lock = threading.RLock()
        self.problems: dict[str, Entry] = {}
        self.pending_warnings: list[str] = []

    @cached_property
    def _manager(self) -> pluggy.PluginManager:
        """The plugin manager with the hook specifications."""
        # The import is local, because programs that use only built-in components do not need the library pluggy.
        import pluggy

        from meteor_e.api import hooks

        manager = pluggy.PluginManager(hooks.PROJECT)
        manager.add_hookspecs(hooks)
        return manager

    def load(self) -> None:
        """Import the installed plugins if they have not been imported."""
        if self._is_loaded:
            return
        plugins = [(_origin(entry_point), entry_point) for entry_point in self._find_entry_points()]
        self._is_loaded = True
        # The order of plugins must not depend on the order in which they were installed.
        plugins.sort(key=lambda plugin: (plugin[0], plugin[1].value))
        for origin, entry_point in plugins:
            try:
                check_core_version(entry_point.dist)
                self.add(entry_point.load(), origin)
            except PLUGIN_FAILURES as error:
                self.add_problem(origin, failure_reason(error))

    def add(self, plugin: object, origin: Origin) -> None:
        """Add a plugin.

        Raises:
            PluginError: if the plugin does not have valid hooks, or requires a different version of the API.
        """
        if plugin is None:
            raise PluginError("its entry point refers to None; it must refer to the module with the hooks")
        _check_api_version(plugin)
        registered_name = self._manager.get_name(plugin)
        if registered_name is not None:
            registered_origin = self._origins[registered_name]
            raise PluginError(f"the same plugin is registered by {registered_origin} as {registered_origin.plugin!r}")
        name = str(len(self._origins))
        self._origins[name] = origin
        with self._unregister_on_error(plugin):
            self._manager.register(plugin, name)
            self._check_hooks(plugin)

    @contextlib.contextmanager
    def _unregister_on_error(self, plugin: object) -> Iterator[None]:
        """Unregister a plugin if the ``with`` block fails, and convert the exception to a PluginError."""
        try:
            yield
        except PLUGIN_FAILURES as error:
            if self._manager.is_registered(plugin):
                self._manager.unregister(plugin)
            raise PluginError(failure_reason(error)) from error

    def _check_hooks(self, plugin: object) -> None:
        """Raise a PluginError if a plugin does not implement any hook, or implements an unknown hook."""
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
        """Call a hook of each loaded plugin, but only once for each plugin, and yield the results."""
        if not self._origins:
            return
        for implementation in getattr(self._manager.hook, hook).get_hookimpls():
            call = (hook, implementation.plugin_name)
            if call in self._called_hooks:
                continue
            self._called_hooks.add(call)
            origin = self._origins[implementation.plugin_name]
            try:
                result = _call_hook(implementation)
            except PLUGIN_FAILURES as error:
                self.add_problem(origin, f"{hook}(): it raised {describe_error(error)}")
            else:
                yield origin, result

    def add_problem(self, origin: Origin, problem: str) -> None:
        """Record a problem of a plugin. The problem will be shown as a warning and by ``meteor-e plugins``."""
        self.problems[f"{origin}: {problem}"] = Entry("plugin", origin.plugin, **origin._asdict(), error=problem)
        self.pending_warnings.append(f"{origin}: {problem} (its components are not available)")

    def warn(self) -> None:
        """Show the warnings about broken plugins and conflicting names that have not been shown yet."""
        if not self.pending_warnings:
            return
        with self.lock:
            messages, self.pending_warnings = self.pending_warnings, []
        for message in messages:
            warn_user(message, PluginWarning)


def _call_hook(implementation: pluggy.HookImpl) -> object:
    """Call the hook of a plugin and return its result.

    A hook may be a generator. The function runs the generator to its end and returns a list, so errors in the generator
    are raised here.
    """
    result = implementation.function()
    return list(result) if isinstance(result, Iterator) else result
