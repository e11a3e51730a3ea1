"""Hold the registries in which components, languages, chains and commands are looked up by name.

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

    import click

    from meteor_e.api.estimators import Estimator
    from meteor_e.api.features import Feature
    from meteor_e.api.formats import OutputFormat
    from meteor_e.api.java_modules import JavaModule
    from meteor_e.api.languages import Language
    from meteor_e.api.lemmatizers import Lemmatizer
    from meteor_e.api.matchers import Matcher
    from meteor_e.api.measures import Measure
    from meteor_e.api.metrics import Metric
    from meteor_e.api.perturbations import Perturbation
    from meteor_e.api.segmenters import Segmenter
    from meteor_e.api.tables import ScoreRunner, TableFormat


class PluginRegistry:
    """A registry for each kind of object, such as matchers or metrics. Programs use :func:`plugin_registry`.

    Args:
        entry_points: a function that returns the entry points of plugins; by default those of all installed plugins.

    Attributes:
        kinds: the registries by kind, in the order in which ``meteor-e plugins`` lists them.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]] = find_entry_points) -> None:
        self._plugins = plugins = InstalledPlugins(entry_points)
        self.matchers: Registry[type[Matcher]] = ClassRegistry(
            "matcher", "meteor_e_matchers", plugins, "meteor_e.api.matchers:Matcher", builtin.MATCHERS
        )
        self.features: Registry[type[Feature]] = ClassRegistry(
            "feature", "meteor_e_features", plugins, "meteor_e.api.features:Feature"
        )
        self.metrics: Registry[type[Metric]] = ClassRegistry(
            "metric", "meteor_e_metrics", plugins, "meteor_e.api.metrics:Metric", builtin.METRICS
        )
        self.estimators: Registry[type[Estimator]] = ClassRegistry(
            "estimator", "meteor_e_estimators", plugins, "meteor_e.api.estimators:Estimator"
        )
        self.measures: Registry[type[Measure[Any]]] = ClassRegistry(
            "measure", "meteor_e_measures", plugins, "meteor_e.api.measures:Measure"
        )
        self.perturbations: Registry[type[Perturbation]] = ClassRegistry(
            "perturbation", "meteor_e_perturbations", plugins, "meteor_e.api.perturbations:Perturbation"
        )
        self.java_modules: Registry[type[JavaModule]] = ClassRegistry(
            "java module", "meteor_e_java_modules", plugins, "meteor_e.api.java_modules:JavaModule"
        )
        self.table_formats: Registry[type[TableFormat]] = ClassRegistry(
            "table format", "meteor_e_table_formats", plugins, "meteor_e.api.tables:TableFormat", builtin.TABLE_FORMATS
        )
        self.output_formats: Registry[type[OutputFormat]] = ClassRegistry(
            "output format",
            "meteor_e_output_formats",
            plugins,
            "meteor_e.api.formats:OutputFormat",
            builtin.OUTPUT_FORMATS,
        )
        self.runners: Registry[type[ScoreRunner]] = ClassRegistry(
            "runner", "meteor_e_runners", plugins, "meteor_e.api.tables:ScoreRunner"
        )
        self.languages: Registry[Language] = LanguageRegistry("language", "meteor_e_language_files", plugins)
        self.lemmatizers: Registry[type[Lemmatizer]] = ClassRegistry(
            "lemmatizer", "meteor_e_lemmatizers", plugins, "meteor_e.api.lemmatizers:Lemmatizer", builtin.LEMMATIZERS
        )
        self.segmenters: Registry[type[Segmenter]] = ClassRegistry(
            "segmenter", "meteor_e_segmenters", plugins, "meteor_e.api.segmenters:Segmenter", builtin.SEGMENTERS
        )
        self.chains: Registry[Traversable] = ChainRegistry("chain", "meteor_e_chains", plugins)
        self.commands: Registry[click.Command] = CommandRegistry("command", "meteor_e_commands", plugins)
        registries = [value for value in vars(self).values() if isinstance(value, Registry)]
        self.kinds: dict[str, Registry[Any]] = {registry.kind: registry for registry in registries}

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
        with self._plugins.lock:
            self._plugins.load()
            entries: list[Entry] = []
            for registry in self.kinds.values():
                if kind in (None, registry.kind):
                    summarize: Callable[[Any], str] = registry.summarize
                    if registry is self.chains and describe_chain is not None:
                        summarize = describe_chain
                    entries += registry.entries(name, summarize)
            if name is None:
                entries += self._plugins.problems.values()
            self._plugins.pending_warnings.clear()
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
