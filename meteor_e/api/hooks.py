"""The hooks: how a plugin adds matchers, metrics, features, languages, lemmatizers, chains, commands and more.

A plugin is a module (or any object) with functions that carry the marker :data:`hookimpl` and the name of a
hook; a distribution announces it by an entry point of the group ``meteor_e``::

    # pyproject.toml
    [project.entry-points.meteor_e]
    soundex = "my_package.plugin"

    # my_package/plugin.py
    from meteor_e import hookimpl

    @hookimpl
    def meteor_e_matchers():
        from my_package.soundex import Soundex

        return [Soundex]

Hooks are called once, when a name is looked up that is not built in or when everything is listed; never while
segments are scored. They say what there is; nothing is made, opened or downloaded yet. meteor_e's own
things need no hooks: :mod:`meteor_e.plugins.builtin` says where they are.

Every hook returns either

- a list (any iterable) of classes or definitions, or
- a mapping of names to classes or definitions, in which a class (or a command) may be written ``"module:Class"``.
  Its module is then imported only when the name is used: right for a plugin whose libraries take long to import.

A name belongs to one plugin. If two claim it, asking for it is an error that names both distributions; names
of meteor_e's own can't be taken. A plugin that can't be imported, a hook that raises and a class that does
not fit are errors when what they would provide is asked for, and a
:class:`~meteor_e.base.errors.PluginWarning` otherwise; whatever else there is keeps working.
"""

# Hooks have no bodies.
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
"""Version of the contract between meteor_e and plugins; it rises when plugins have to change.

A plugin may say which version it was written for, in the module that its entry point names::

    meteor_e_api = 1

One that was written for another version is an error that says so. A plugin that says nothing is taken as it is.
"""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function as the implementation of a hook."""


@hookspec
def meteor_e_matchers() -> Iterable[type[Matcher]] | Mapping[str, type[Matcher] | str]:
    """Return matchers: subclasses of ``KeyMatcher``, ``SimilarityMatcher``, ``PhraseMatcher`` or ``Matcher``.

    A class's ``name`` is what chains call it. ``Matcher.from_options`` makes the matcher for a chain, with the
    language, its resources and the chain's options.
    """


@hookspec
def meteor_e_features() -> Iterable[type[Feature]] | Mapping[str, type[Feature] | str]:
    """Return features: subclasses of :class:`meteor_e.api.features.Feature`.

    A feature turns hypotheses and references into rows of numbers, for the learned metrics.
    """


@hookspec
def meteor_e_metrics() -> Iterable[type[Metric]] | Mapping[str, type[Metric] | str]:
    """Return metrics: subclasses of :class:`meteor_e.api.metrics.Metric` or of its ``SegmentMetric``.

    A metric scores hypotheses given references. Every command that takes ``-M`` takes it by its ``name``, and
    :func:`meteor_e.load_metric` does.
    """


@hookspec
def meteor_e_estimators() -> Iterable[type[Estimator]] | Mapping[str, type[Estimator] | str]:
    """Return estimators: subclasses of :class:`meteor_e.api.estimators.Estimator`.

    An estimator learns a metric from features and judgments; recipes of ``meteor-e train`` name it.
    """


@hookspec
def meteor_e_measures() -> Iterable[type[Measure[Any]]] | Mapping[str, type[Measure[Any]] | str]:
    """Return measures: subclasses of :class:`meteor_e.api.measures.Measure`.

    A measure says how well a metric's scores agree with people's judgments; ``meteor-e evaluate -s`` names it.
    """


@hookspec
def meteor_e_perturbations() -> Iterable[type[Perturbation]] | Mapping[str, type[Perturbation] | str]:
    """Return perturbations: subclasses of :class:`meteor_e.api.perturbations.Perturbation`.

    A perturbation makes one error in a text; ``meteor-e stress`` tests whether metrics notice.
    """


@hookspec
def meteor_e_java_modules() -> Iterable[type[JavaModule]] | Mapping[str, type[JavaModule] | str]:
    """Return modules that METEOR-E added to the Java program: subclasses of ``JavaModule``.

    ``meteor-e compat -m`` names a module; it becomes an entry of the chain.
    """


@hookspec
def meteor_e_table_formats() -> Iterable[type[TableFormat]] | Mapping[str, type[TableFormat] | str]:
    """Return formats of tables: subclasses of :class:`meteor_e.api.tables.TableFormat`.

    A table holds hypotheses and references in columns. ``meteor-e score`` reads it; ``--format-in`` names the format.
    """


@hookspec
def meteor_e_output_formats() -> Iterable[type[OutputFormat]] | Mapping[str, type[OutputFormat] | str]:
    """Return formats of results: subclasses of :class:`meteor_e.api.formats.OutputFormat`.

    ``meteor-e score -f`` names one, and so does every other command that writes results.
    """


@hookspec
def meteor_e_runners() -> Iterable[type[ScoreRunner]] | Mapping[str, type[ScoreRunner] | str]:
    """Return ways to score systems: subclasses of :class:`meteor_e.api.tables.ScoreRunner`.

    ``meteor-e score -o FILE.parquet`` calls the one named ``table``, ``meteor-e score --dask`` the one named ``dask``.
    """


@hookspec
def meteor_e_language_files() -> Iterable[LanguageDefinition] | Mapping[str, LanguageDefinition]:
    """Return languages: paths of YAML files, mappings with the same keys, or ``Language`` objects.

    ``resources/languages/*.yaml`` are examples, :func:`meteor_e.languages.files.parse_language` is the definition.
    A relative path is a mistake; build it from ``importlib.resources.files("my_package")``. In a mapping of
    codes to definitions, the key is the language's code or one of its aliases.
    """


@hookspec
def meteor_e_lemmatizers() -> Iterable[type[Lemmatizer]] | Mapping[str, type[Lemmatizer] | str]:
    """Return lemmatizers: subclasses of :class:`meteor_e.api.lemmatizers.Lemmatizer`.

    A lemmatizer gives tokens their lemmas and tags, which matchers find in ``token.lemma`` and ``token.tag``.
    """


@hookspec
def meteor_e_segmenters() -> Iterable[type[Segmenter]] | Mapping[str, type[Segmenter] | str]:
    """Return segmenters: subclasses of :class:`meteor_e.api.segmenters.Segmenter`.

    A segmenter finds the words of text without spaces; a language names it.
    """


@hookspec
def meteor_e_chains() -> Iterable[ChainDefinition] | Mapping[str, ChainDefinition]:
    """Return named chains: paths of YAML files.

    A chain's name is the file's, without ``.yaml``, or its key in a mapping. A relative path is a mistake, as
    for languages.
    """


@hookspec
def meteor_e_commands() -> Iterable[click.Command] | Mapping[str, click.Command | str]:
    """Return commands of the command line: ``click.Command`` objects, groups of commands among them.

    A command's ``name`` is what is typed behind ``meteor-e``. ``meteor-e --help`` loads it for its help text, and
    it is loaded to run it; the built-in commands never wait for it. In a mapping, the key ``"pack build"`` adds the
    command ``build`` to the group ``meteor-e pack``.
    """
