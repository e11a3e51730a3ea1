"""Functions that check a plugin and its components. Authors of plugins can call them in their tests.

For example, the tests of a plugin can contain::

    from meteor_e.testing import check_matcher, check_plugin

    def test_soundex():
        check_matcher(Soundex, tokens=["robert", "rupert"])

    def test_plugin():
        check_plugin(my_package.plugin)

The checks cover requirements that all components have in common. Whether a matcher matches the right words must be
tested separately.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    check_class,
    format_errors,
)

__all__ = ["ConformanceError", "check_component", "check_matcher", "check_plugin"]


def check_component(component: type[Component] | Component, *, context: Any = None, **options: Any) -> None:
    """Check the name, docstring and options of a component, and apply it to sample texts.

    For a matcher, this function calls :func:`check_matcher`. For a feature, lemmatizer, metric or segmenter, this
    function computes results for sample texts, and checks that the results have the right type and are reproducible.
    For any other kind of component, this function checks only the class.

    Args:
        component: the class or an instance.
        context: the context for :meth:`Component.from_options`; by default English, without a resource pack.
        options: the options for creating an instance. For matchers, they can include arguments of
            :func:`check_matcher`.

    Raises:
        ConformanceError: if the component violates a requirement. The message lists the errors.
        MeteorError: if an instance cannot be created with these options.
    """
    cls = component if isinstance(component, type) else type(component)
    check_instance = next(check for base_class, check in _CHECKS.items() if issubclass(cls, base_class))
    check_instance(component, context=context, **options)


def _check_class_only(component: Any, *, context: Any, **options: Any) -> None:
    """Check only the class of a component. The context and the options of an instance are ignored."""
    cls: Any = component if isinstance(component, type) else type(component)
    report = ErrorReport(cls.kind, cls)
    check_class(report, cls)
    report.raise_errors()


_CHECKS: Mapping[type[Component], Callable[..., None]] = {
    Matcher: check_matcher,
    **{base_class: family.check for base_class, family in FAMILIES.items()},
    Component: _check_class_only,
}
"""The functions that check a component, by its base class. The first base class that a component has is used."""


def check_plugin(plugin: object) -> None:
    """Check that the hooks of a plugin are valid, and that all components of the plugin can be loaded.

    Metrics are also checked by :func:`check_component` if they can be created without options and resources.

    Args:
        plugin: the module or object to which the plugin's entry point refers.

    Raises:
        ConformanceError: if the plugin violates a requirement. The message lists the errors.
    """
    name = getattr(plugin, "__name__", type(plugin).__name__)
    errors = _list_plugin_errors(plugin, name)
    if errors:
        raise ConformanceError(format_errors(f"plugin {name}", errors))


def _list_plugin_errors(plugin: object, name: str) -> list[str]:
    """Register a plugin, and return error messages for invalid hooks and invalid components."""
    registry = PluginRegistry(entry_points=list)
    try:
        registry.register(plugin, name)
    except PluginError as error:
        return [str(error)]
    entries = registry.entries(describe_chain=describe_chain)
    errors = [f"{entry.kind} {entry.name!r}: {entry.error}" for entry in entries if entry.error]
    for entry in entries:
        if entry.kind == "metric" and entry.plugin == name and not entry.error:
            errors += _check_metric(registry.metrics.get(entry.name))
    return errors


def _check_metric(metric: Any) -> list[str]:
    """Check a metric, and return a list that contains the error message, if there is one."""
    try:
        check_component(metric)
    except ConformanceError as error:
        return [str(error)]
    except MeteorError:
        # The metric needs options or a resource that is not installed, so it cannot be checked.
        return []
    return []
