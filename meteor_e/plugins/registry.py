"""Registries for looking up components, languages, chains and commands by name.

>>> plugin_registry().matchers.get("stem")
<class 'meteor_e.matchers.modules.StemMatcher'>
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from meteor_e.base.errors import add_location
from meteor_e.plugins import builtin
from meteor_e.plugins.definitions import Entry, Origin
from meteor_e.plugins.installed import InstalledPlugins, find_entry_points
from meteor_e.plugins.registries import (
    ChainRegistry,
    ClassRegistry,
    CommandRegistry,
    LanguageRegistry,
    Registry,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from importlib.resources.abc import Traversable

    from meteor_e.api.estimators import Estimator
    from meteor_e.api.features import Feature
    from meteor_e.api.formats import OutputFormat
    from meteor_e.api.java_modules import JavaModule
    from meteor_e.api.lemmatizers import Lemmatizer
    from meteor_e.api.matchers import Matcher
    from meteor_e.api.measures import Measure
    from meteor_e.api.metrics import Metric
    from meteor_e.api.perturbations import Perturbation
    from meteor_e.api.segmenters import Segmenter
    from meteor_e.api.tables import ScoreRunner, TableFormat


class PluginRegistry:
    """A set of registries, one for each kind of object that plugins can provide, such as matchers or metrics.

    Programs get the instance of their process from :func:`plugin_registry`.

    Args:
        entry_points: a function that returns the entry points of plugins; by default those of all installed plugins.

    Attributes:
        kinds: the registries by kind, in the order in which ``meteor-e plugins`` lists them.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]] = find_entry_points) -> None:
        self._plugins = plugins = InstalledPlugins(entry_points)
        self.matchers: Registry[type[Matcher]] = ClassRegistry(
            "matcher", plugins, "meteor_e.api.matchers:Matcher", builtin.MATCHERS
        )
        self.features: Registry[type[Feature]] = ClassRegistry("feature", plugins, "meteor_e.api.features:Feature")
        self.metrics: Registry[type[Metric]] = ClassRegistry(
            "metric", plugins, "meteor_e.api.metrics:Metric", builtin.METRICS
        )
        self.estimators: Registry[type[Estimator]] = ClassRegistry(
            "estimator", plugins, "meteor_e.api.estimators:Estimator"
        )
        self.measures: Registry[type[Measure[Any]]] = ClassRegistry("measure", plugins, "meteor_e.api.measures:Measure")
        self.perturbations: Registry[type[Perturbation]] = ClassRegistry(
            "perturbation", plugins, "meteor_e.api.perturbations:Perturbation"
        )
        self.java_modules: Registry[type[JavaModule]] = ClassRegistry(
            "java module", plugins, "meteor_e.api.java_modules:JavaModule"
        )
        self.table_formats: Registry[type[TableFormat]] = ClassRegistry(
            "table format", plugins, "meteor_e.api.tables:TableFormat", builtin.TABLE_FORMATS
        )
        self.output_formats: Registry[type[OutputFormat]] = ClassRegistry(
            "output format", plugins, "meteor_e.api.formats:OutputFormat", builtin.OUTPUT_FORMATS
        )
        self.runners: Registry[type[ScoreRunner]] = ClassRegistry("runner", plugins, "meteor_e.api.tables:ScoreRunner")
        self.languages = LanguageRegistry("language", plugins, "meteor_e_language_files")
        self.lemmatizers: Registry[type[Lemmatizer]] = ClassRegistry(
            "lemmatizer", plugins, "meteor_e.api.lemmatizers:Lemmatizer", builtin.LEMMATIZERS
        )
        self.segmenters: Registry[type[Segmenter]] = ClassRegistry(
            "segmenter", plugins, "meteor_e.api.segmenters:Segmenter", builtin.SEGMENTERS
        )
        self.chains = ChainRegistry("chain", plugins)
        self.commands = CommandRegistry("command", plugins)
        registries: tuple[Registry[Any], ...] = (
            self.matchers,
            self.features,
            self.metrics,
            self.estimators,
            self.measures,
            self.perturbations,
            self.java_modules,
            self.table_formats,
            self.output_formats,
            self.runners,
            self.languages,
            self.lemmatizers,
            self.segmenters,
            self.chains,
            self.commands,
        )
        self.kinds = {registry.kind: registry for registry in registries}

    def register(self, plugin: object, name: str) -> None:
        """Register a plugin that is not installed, for example one that a notebook defines.

        Args:
            plugin: a module or another object with hooks.
            name: the name of the plugin in listings and error messages.

        Raises:
            PluginError: if the plugin does not have valid hooks, or is already registered.
        """
        with add_location(f"plugin {name!r}"), self._plugins.lock:
            self._plugins.add(plugin, Origin(name))

    def entries(
        self,
        kind: str | None = None,
        describe_chain: Callable[[Traversable], str] | None = None,
        name: str | None = None,
    ) -> list[Entry]:
        """Import all plugins, load all objects, and return an entry for each object.

        If an object cannot be loaded, its entry contains an error message. This method neither raises errors nor shows
        warnings.

        Args:
            kind: the kind to list; ``None`` for all kinds.
            describe_chain: a function that checks the file of a chain and returns its description. By default, chains
                do not have descriptions.
            name: the name to list; ``None`` for all names and all problems of plugins.
        """
        entries: list[Entry] = []
        with self._plugins.lock:
            for registry in self.kinds.values():
                if kind in (None, registry.kind):
                    all_names = registry.names()  # This also imports the plugins.
                    describe = describe_chain if describe_chain and registry is self.chains else registry.summarize
                    entries += registry.entries(all_names if name is None else [name], describe)
            if name is None:
                entries += self._plugins.problems.values()
            self._plugins.pending_warnings.clear()  # The entries contain the same messages.
        return entries

    def failures(self) -> list[str]:
        """Import the plugins, and return the error messages for plugins that could not be loaded."""
        self.commands.names()
        return list(self._plugins.problems)

    def warn(self) -> None:
        """Show the warnings about broken plugins and conflicting names that have not been shown yet."""
        self._plugins.warn()


_registry = PluginRegistry()


def plugin_registry() -> PluginRegistry:
    """Return the global registries of this process."""
    return _registry
