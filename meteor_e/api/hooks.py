"""The hooks by which plugins add matchers, metrics, features, languages, lemmatizers, chains, commands and more.

A plugin is a module or object that implements hooks. An implementation is a function with the name of the hook and the
decorator :data:`hookimpl`. A distribution registers its plugin with an entry point of the group ``meteor_e``::

    # pyproject.toml
    [project.entry-points.meteor_e]
    soundex = "my_package.plugin"

    # my_package/plugin.py
    from meteor_e import hookimpl

    @hookimpl
    def meteor_e_matchers():
        from my_package.soundex import Soundex

        return [Soundex]

A hook is called once: when a name that is not built in is looked up, or when all names are listed. Hooks are never
called while segments are scored. A hook only returns definitions. It must not create components, open files or
download anything. The components of meteor_e itself are listed in :mod:`meteor_e.plugins.builtin`.

Every hook returns either

- a list (or another iterable) of classes or definitions, or
- a mapping from names to classes or definitions. A class or command may be given as ``"module:Class"``. Its module is
  then imported only when the name is used, which saves time if the module depends on large libraries.

Names must be unique. If two plugins define the same name, looking up the name raises an error that mentions both
distributions. Plugins cannot redefine the names of meteor_e itself. If a plugin is broken, because its module cannot be
imported, a hook fails, or a class is not valid, looking up one of its names raises an error. Otherwise, a broken plugin
only causes a :class:`~meteor_e.base.errors.PluginWarning`.
"""

# The hook specifications below are functions without bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    import os
    from importlib.resources.abc import Traversable
    from typing import TypeAlias

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

    LanguageDefinition: TypeAlias = Language | Mapping[str, Any] | str | os.PathLike[str] | Traversable
    ChainDefinition: TypeAlias = str | os.PathLike[str] | Traversable

PROJECT = "meteor_e"
"""Name of the hooks' project, and of the group of entry points."""

API_VERSION = 1
"""Version of the interface between meteor_e and plugins. It increases when existing plugins have to be changed.

A plugin may declare the version for which it was written, in the module that its entry point names::

    meteor_e_api = 1

A plugin for another version is reported as an error. A plugin without this declaration is accepted.
"""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Decorator that marks a function as the implementation of a hook."""


@hookspec
def meteor_e_matchers() -> Iterable[type[Matcher]] | Mapping[str, type[Matcher] | str]:
    """Return the plugin's matchers.

    A matcher is a subclass of ``KeyMatcher``, ``SimilarityMatcher``, ``PhraseMatcher`` or ``Matcher``.

    A chain refers to a matcher by the ``name`` of its class. The class method ``Matcher.from_options`` creates the
    matcher from the options in the chain, the language, and the language's resources.
    """


@hookspec
def meteor_e_features() -> Iterable[type[Feature]] | Mapping[str, type[Feature] | str]:
    """Return the plugin's features. A feature is a subclass of :class:`meteor_e.api.features.Feature`.

    A feature describes a hypothesis and its references by numbers. Learned metrics use features as their input.
    """


@hookspec
def meteor_e_metrics() -> Iterable[type[Metric]] | Mapping[str, type[Metric] | str]:
    """Return the plugin's metrics.

    A metric is a subclass of :class:`meteor_e.api.metrics.Metric` or of :class:`meteor_e.api.metrics.SegmentMetric`.

    A metric scores hypotheses against references. The option ``-M`` of all commands and the function
    :func:`meteor_e.load_metric` select a metric by its ``name``.
    """


@hookspec
def meteor_e_estimators() -> Iterable[type[Estimator]] | Mapping[str, type[Estimator] | str]:
    """Return the plugin's estimators. An estimator is a subclass of :class:`meteor_e.api.estimators.Estimator`.

    An estimator learns a metric from features and human judgments. A recipe for ``meteor-e train`` names the estimator.
    """


@hookspec
def meteor_e_measures() -> Iterable[type[Measure[Any]]] | Mapping[str, type[Measure[Any]] | str]:
    """Return the plugin's measures. A measure is a subclass of :class:`meteor_e.api.measures.Measure`.

    A measure, such as a correlation coefficient, quantifies how well the scores of a metric agree with human judgments.
    The option ``-s`` of ``meteor-e evaluate`` selects measures.
    """


@hookspec
def meteor_e_perturbations() -> Iterable[type[Perturbation]] | Mapping[str, type[Perturbation] | str]:
    """Return the plugin's perturbations.

    A perturbation is a subclass of :class:`meteor_e.api.perturbations.Perturbation`.

    A perturbation adds an error to a text. The command ``meteor-e stress`` tests whether the error lowers the score.
    """


@hookspec
def meteor_e_java_modules() -> Iterable[type[JavaModule]] | Mapping[str, type[JavaModule] | str]:
    """Return the plugin's equivalents of METEOR-E's Java modules. An equivalent is a subclass of ``JavaModule``.

    The option ``-m`` of ``meteor-e compat`` selects modules. Each module is converted to a matcher of the chain.
    """


@hookspec
def meteor_e_table_formats() -> Iterable[type[TableFormat]] | Mapping[str, type[TableFormat] | str]:
    """Return the plugin's table formats. A format is a subclass of :class:`meteor_e.api.tables.TableFormat`.

    A table contains hypotheses and references in columns. ``meteor-e score`` reads such tables, and the option
    ``--format-in`` selects the format.
    """


@hookspec
def meteor_e_output_formats() -> Iterable[type[OutputFormat]] | Mapping[str, type[OutputFormat] | str]:
    """Return the plugin's output formats. A format is a subclass of :class:`meteor_e.api.formats.OutputFormat`.

    The option ``-f`` selects the format in which ``meteor-e score`` and other commands write their results.
    """


@hookspec
def meteor_e_runners() -> Iterable[type[ScoreRunner]] | Mapping[str, type[ScoreRunner] | str]:
    """Return the plugin's runners. A runner is a subclass of :class:`meteor_e.api.tables.ScoreRunner`.

    A runner changes how ``meteor-e score`` computes or stores scores. The option ``-o FILE.parquet`` selects the runner
    ``table``, and the option ``--dask`` selects the runner ``dask``.
    """


@hookspec
def meteor_e_language_files() -> Iterable[LanguageDefinition] | Mapping[str, LanguageDefinition]:
    """Return the plugin's languages as paths of YAML files, as mappings, or as ``Language`` objects.

    The files ``resources/languages/*.yaml`` are examples. The function :func:`meteor_e.languages.files.parse_language`
    documents the keys of files and mappings. Paths must be absolute, such as the paths that
    ``importlib.resources.files("my_package")`` returns. If the hook returns a mapping, its keys are codes or aliases of
    languages.
    """


@hookspec
def meteor_e_lemmatizers() -> Iterable[type[Lemmatizer]] | Mapping[str, type[Lemmatizer] | str]:
    """Return the plugin's lemmatizers. A lemmatizer is a subclass of :class:`meteor_e.api.lemmatizers.Lemmatizer`.

    A lemmatizer adds lemmas and part-of-speech tags to tokens. Matchers read them as ``token.lemma`` and ``token.tag``.
    """


@hookspec
def meteor_e_segmenters() -> Iterable[type[Segmenter]] | Mapping[str, type[Segmenter] | str]:
    """Return the plugin's segmenters. A segmenter is a subclass of :class:`meteor_e.api.segmenters.Segmenter`.

    A segmenter separates the words of a text that is written without spaces. The definition of a language names its
    segmenter.
    """


@hookspec
def meteor_e_chains() -> Iterable[ChainDefinition] | Mapping[str, ChainDefinition]:
    """Return the plugin's named chains as paths of YAML files.

    The paths must be absolute. A chain is named after its file, without the suffix ``.yaml``. If the hook returns a
    mapping, a chain is named after its key instead.
    """


@hookspec
def meteor_e_commands() -> Iterable[click.Command] | Mapping[str, click.Command | str]:
    """Return the plugin's commands for the command line as ``click.Command`` objects, including groups.

    A command is called as ``meteor-e NAME``. It is only loaded when it is run, and when ``meteor-e --help`` shows its
    help text. In a mapping, a key may contain the name of a group: the key ``"pack build"`` adds the command ``build``
    to the group ``meteor-e pack``.
    """
