"""For plugin authors: does a component, a command or a plugin keep to what meteor_e expects of it?

In a plugin's tests::

    from meteor_e.testing import check_matcher, check_plugin

    def test_soundex():
        check_matcher(Soundex, tokens=["robert", "rupert"])

    def test_plugin():
        check_plugin(my_package.plugin)

The checks know nothing of what a matcher is for. That the right words match is for the author's own tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from meteor_e.api.component import Component
from meteor_e.api.estimators import Estimator
from meteor_e.api.features import Feature
from meteor_e.api.lemmatizers import Lemmatizer
from meteor_e.api.matchers import Matcher
from meteor_e.api.measures import Measure
from meteor_e.api.metrics import Metric
from meteor_e.api.outputs import OutputFormat
from meteor_e.api.segmenters import Segmenter
from meteor_e.api.tables import TableFormat
from meteor_e.base.errors import MeteorError, PluginError
from meteor_e.chains.config import describe_chain
from meteor_e.plugins.registry import Registry
from meteor_e.testing.features import check_feature
from meteor_e.testing.learning import check_estimator, check_measure, check_metric
from meteor_e.testing.lemmatizers import check_lemmatizer
from meteor_e.testing.matchers import check_matcher
from meteor_e.testing.programs import check_command, check_output_format, check_table_format
from meteor_e.testing.report import ConformanceError, listing
from meteor_e.testing.segmenters import check_segmenter

if TYPE_CHECKING:
    import click

__all__ = [
    "ConformanceError",
    "check_component",
    "check_feature",
    "check_lemmatizer",
    "check_matcher",
    "check_plugin",
    "check_segmenter",
]


_CHECKS: dict[type[Component], Callable[..., None]] = {
    Matcher: check_matcher,
    Lemmatizer: check_lemmatizer,
    Segmenter: check_segmenter,
    Feature: check_feature,
    Metric: check_metric,
    Estimator: check_estimator,
    Measure: check_measure,
    TableFormat: check_table_format,
    OutputFormat: check_output_format,
}
_CHECKED_WITH_THE_PLUGIN = ("metric", "estimator", "measure", "table format", "output format", "command")


def check_component(component: type[Component] | Component | click.Command, **given: Any) -> None:
    """Check a component by the check of its family: matcher, metric, estimator, format, command and so on.

    Args:
        component: the class, or a component that is made already; of commands, the command.
        given: what the check of the family takes, and the component's options.

    Raises:
        ConformanceError: saying what is wrong.
        MeteorError: if the component cannot be made with these options.
        TypeError: for what is of none of these families.
    """
    import click

    if isinstance(component, click.Command):
        check_command(component)
        return
    cls = component if isinstance(component, type) else type(component)
    for family, check in _CHECKS.items():
        if issubclass(cls, family):
            check(component, **given)
            return
    families = ", ".join(family.__name__ for family in _CHECKS)
    raise TypeError(f"{cls.__name__} is of no family that can be checked: {families}")


def check_plugin(plugin: object) -> None:
    """Check that a plugin's hooks exist, and that all that they return can be loaded and is free to be named so.

    Metrics, estimators, measures, formats and commands go through :func:`check_component`, unless they cannot be made
    without options or resources.

    Args:
        plugin: the module (or object) that its entry point names.

    Raises:
        ConformanceError: saying what is wrong.
    """
    name = getattr(plugin, "__name__", type(plugin).__name__)
    private = Registry(entry_points=list)
    errors = []
    try:
        private.register(plugin, name)
    except PluginError as error:
        errors.append(str(error))
    else:
        errors += [
            f"{entry.kind} {entry.name!r}: {entry.error}"
            for entry in private.entries(describe_chain=describe_chain)
            if entry.error
        ]
        for entry in private.entries():
            if entry.kind in _CHECKED_WITH_THE_PLUGIN and entry.plugin == name and not entry.error:
                errors += _findings(private.get(entry.kind, entry.name))
    if errors:
        raise ConformanceError(listing(f"plugin {name}", errors))


def _findings(found: Any) -> list[str]:
    try:
        check_component(found)
    except ConformanceError as error:
        return [str(error)]
    except MeteorError:
        pass  # it cannot be made without options, or lacks a resource
    return []
