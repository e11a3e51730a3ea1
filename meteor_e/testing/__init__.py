"""For plugin authors: does a component or a plugin keep to what meteor_e expects of it?

In a plugin's tests::

    from meteor_e.testing import check_matcher, check_plugin

    def test_soundex():
        check_matcher(Soundex, tokens=["robert", "rupert"])

    def test_plugin():
        check_plugin(my_package.plugin)

The checks know nothing of what a matcher is for. That the right words match is for the author's own tests.
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
from meteor_e.testing.report import Complaints, ConformanceError, begin, check_class, check_repeats, listing

__all__ = ["ConformanceError", "check_component", "check_matcher", "check_plugin"]


def check_component(component: type[Component] | Component, *, context: Any = None, **options: Any) -> None:
    """Check a component: name, docstring, options; of most families also what it does.

    Matchers go through :func:`check_matcher`. Features, lemmatizers, metrics and segmenters are asked for sentences in
    several languages and for odd words; their answers must be of the right form, and the same each time.

    Args:
        component: the class, or a component that is made already.
        context: what :meth:`Component.from_options` gets; by default English, without a resource pack.
        options: the options to make it with; of a matcher also what :func:`check_matcher` takes.

    Raises:
        ConformanceError: saying what is wrong.
        MeteorError: if the component cannot be made with these options.
    """
    cls = component if isinstance(component, type) else type(component)
    if issubclass(cls, Matcher):
        check_matcher(component, context=context, **options)  # type: ignore[arg-type]
        return
    family = next((family for kind, family in FAMILIES.items() if issubclass(cls, kind)), None)
    if family is None:
        report = Complaints(cls.kind, cls)
        check_class(report, cls)
        report.stop()
    else:
        report, made = begin(cls.kind, component, context or family.context(), options)
        check_repeats(report, made, family.ask, family.items)


def check_plugin(plugin: object) -> None:
    """Check that a plugin's hooks exist, and that all that they return can be loaded and is free to be named so.

    Metrics go through :func:`check_component`, unless they cannot be made without options or resources.

    Args:
        plugin: the module (or object) that its entry point names.

    Raises:
        ConformanceError: saying what is wrong.
    """
    name = getattr(plugin, "__name__", type(plugin).__name__)
    private = PluginRegistry(entry_points=list)
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
            if entry.kind == "metric" and entry.plugin == name and not entry.error:
                errors += _findings(private.metrics.get(entry.name))
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
