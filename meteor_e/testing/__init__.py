"""Conformance checks of components and plugins, for the tests of plugins.

In a plugin's tests::

    from meteor_e.testing import check_matcher, check_plugin

    def test_soundex():
        check_matcher(Soundex, tokens=["robert", "rupert"])

    def test_plugin():
        check_plugin(my_package.plugin)

The checks apply to all matchers. The author's tests must check that the matcher matches the right words.
"""

from __future__ import annotations

from typing import Any

from meteor_e.api.component import Component
from meteor_e.api.matchers import Matcher
from meteor_e.base.errors import MeteorError, PluginError
from meteor_e.chains.config import describe_chain
from meteor_e.plugins.registry import PluginRegistry
from meteor_e.testing.families import FAMILIES
from meteor_e.testing.matchers import check_matcher
from meteor_e.testing.report import (
    ConformanceError,
    ErrorReport,
    begin_check,
    check_class,
    check_repeats,
    format_errors,
)

__all__ = ["ConformanceError", "check_component", "check_matcher", "check_plugin"]


def check_component(component: type[Component] | Component, *, context: Any = None, **options: Any) -> None:
    """Check the name, docstring and options of a component, and for most families also its results.

    Matchers are checked by :func:`check_matcher`. Features, lemmatizers, metrics and segmenters are applied to
    sentences in several languages and to unusual words. Their results must have the right type, and must not change if
    they are computed again.

    Args:
        component: the class or an instance.
        context: the context for :meth:`Component.from_options`; by default English, without a resource pack.
        options: the options for creating an instance; for a matcher also the arguments of :func:`check_matcher`.

    Raises:
        ConformanceError: with a list of the errors.
        MeteorError: if an instance cannot be created with these options.
    """
    cls = component if isinstance(component, type) else type(component)
    if issubclass(cls, Matcher):
        check_matcher(component, context=context, **options)  # type: ignore[arg-type]
        return
    family = next((family for kind, family in FAMILIES.items() if issubclass(cls, kind)), None)
    if family is None:
        report = ErrorReport(cls.kind, cls)
        check_class(report, cls)
        report.stop()
    else:
        report, instance = begin_check(cls.kind, component, context or family.context(), options)
        check_repeats(report, instance, family.compute, family.items)


def check_plugin(plugin: object) -> None:
    """Check that a plugin has valid hooks, and that the items that they return can be loaded under their names.

    Metrics are checked by :func:`check_component` if they can be created without options and resources.

    Args:
        plugin: the module or object that the entry point names.

    Raises:
        ConformanceError: with a list of the errors.
    """
    name = getattr(plugin, "__name__", type(plugin).__name__)
    registry = PluginRegistry(entry_points=list)
    errors = []
    try:
        registry.register(plugin, name)
    except PluginError as error:
        errors.append(str(error))
    else:
        errors += [
            f"{entry.kind} {entry.name!r}: {entry.error}"
            for entry in registry.entries(describe_chain=describe_chain)
            if entry.error
        ]
        for entry in registry.entries():
            if entry.kind == "metric" and entry.plugin == name and not entry.error:
                errors += _check_metric(registry.metrics.get(entry.name))
    if errors:
        raise ConformanceError(format_errors(f"plugin {name}", errors))


def _check_metric(metric: Any) -> list[str]:
    """Return the error message of a metric's check as a list; empty if the metric conforms or cannot be created."""
    try:
        check_component(metric)
    except ConformanceError as error:
        return [str(error)]
    except MeteorError:
        # The metric needs options or a resource that is not installed.
        return []
    return []
