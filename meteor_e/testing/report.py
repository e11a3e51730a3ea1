"""Check components, such as matchers or metrics, for common mistakes, and collect error messages."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from meteor_e.api.component import Component
from meteor_e.api.context import MatcherContext
from meteor_e.base.errors import PluginError, describe_error
from meteor_e.chains.config import ENTRY_KEYS
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import PluginRegistry, plugin_registry

if TYPE_CHECKING:
    from meteor_e.api.options import ComponentOptions, OptionInfo

T = TypeVar("T")


class ConformanceError(PluginError, AssertionError):
    """Raised if a plugin does not satisfy the requirements. The message lists the errors and their remedies."""


class ErrorReport:
    """Collect the errors that conformance checks find in a component.

    Args:
        kind: the kind of the component, such as ``matcher``.
        cls: the class of the component.
    """

    def __init__(self, kind: str, cls: type) -> None:
        self.title = f"{kind} {getattr(cls, 'name', '')!r} ({cls.__module__}.{cls.__qualname__})"
        self.kind = kind
        self.errors: list[str] = []

    def add_error(self, message: str) -> None:
        """Record an error message, unless the same message has already been recorded."""
        if message not in self.errors:
            self.errors.append(message)

    def expect(self, condition: bool, message: str) -> bool:
        """Record an error message if a condition is false, and return the condition."""
        if not condition:
            self.add_error(message)
        return condition

    def run(self, title: str, function: Callable[..., T], /, *arguments: Any, **options: Any) -> T | None:
        """Call a function of a plugin and return its result. If the call fails, record an error and return ``None``.

        Args:
            title: the description of the call for the error message.
            function: the function to call.
            arguments: the positional arguments of the function.
            options: the keyword arguments of the function.
        """
        try:
            return function(*arguments, **options)
        except Exception as error:
            self.add_error(f"{title} raised {describe_error(error)}")
            return None

    def raise_errors(self) -> None:
        """Raise ConformanceError if any errors have been recorded. The message lists all errors.

        Conformance checks call this method at the end, and before any step that relies on the results of earlier steps.
        """
        if self.errors:
            raise ConformanceError(format_errors(self.title, self.errors))


def format_errors(title: str, errors: Sequence[str]) -> str:
    """Return the message of a :class:`ConformanceError`, which lists up to ten errors."""
    lines = [*errors[:10]]
    if len(errors) > 10:
        lines.append(f"and {len(errors) - 10} more")
    return f"{title} does not conform:\n" + "\n".join(f"- {line}" for line in lines)


def shorten(value: object) -> str:
    """Return the ASCII representation of a value, shortened for error messages."""
    text = ascii(value)
    return text if len(text) <= 70 else f"{text[:40]}…{text[-25:]}"


def default_context() -> MatcherContext:
    """Return the default context of components: English, without a resource pack."""
    return MatcherContext(plugin_registry().languages.get("en"), LanguageResources())


def check_class(report: ErrorReport, cls: type[Component]) -> None:
    """Check the name, docstring, requirements and options of a component class.

    Raises:
        ConformanceError: if the class cannot be registered.
    """
    # This registry has an empty list of entry points, so it does not load any installed plugins.
    registry = PluginRegistry(entry_points=list).kinds[report.kind]
    try:
        registry.load_object(cls)
    except PluginError as error:
        raise ConformanceError(format_errors(report.title, [str(error)])) from error
    has_builtin_name = cls.name in registry.builtins and registry.get(cls.name) is not cls
    message = f"meteor_e has a {report.kind} {cls.name!r} of its own; choose another name"
    report.expect(not has_builtin_name, message)
    requires = getattr(cls, "requires", ())
    is_tuple_of_texts = isinstance(requires, tuple) and all(isinstance(item, str) for item in requires)
    report.expect(is_tuple_of_texts, f"requires is {requires!r}; it must be a tuple of texts")
    _check_docstring(report, cls)
    _check_options_class(report, cls)


def _check_docstring(report: ErrorReport, cls: type[Component]) -> None:
    """Check that a component class has a docstring whose first line is not too long."""
    # A docstring that is inherited from a base class does not count.
    docstring = vars(cls).get("__doc__") or ""
    summary, _, _ = docstring.strip().partition("\n")
    length = len(summary)
    report.expect(length > 0, "it has no docstring, whose first line 'meteor-e plugins' would show")
    report.expect(length <= 120, f"the first line of its docstring has {length} characters; shorten it to 120")


def _check_options_class(report: ErrorReport, cls: type[Component]) -> None:
    """Check the options class of a component, and the names, help texts and defaults of the options."""
    from meteor_e.api.options import ComponentOptions, option_infos

    options_class = report.run("Options", cls.options_class)
    if options_class is None:
        return
    if not isinstance(options_class, type) or not issubclass(options_class, ComponentOptions):
        report.add_error(f"Options is {shorten(options_class)}; it must be a subclass of ComponentOptions")
        return
    infos = report.run("reading the types of its options", option_infos, options_class)
    if infos is not None:
        _check_option_infos(report, infos)
        _check_option_defaults(report, options_class)


def _check_option_infos(report: ErrorReport, infos: Iterable[OptionInfo]) -> None:
    """Check the names and the help texts of options."""
    for info in infos:
        report.expect(info.name not in ENTRY_KEYS, f"it has an option {info.name!r}, a word that chains use themselves")
        report.expect(bool(info.help), f"option {info.name!r} has no help; write Annotated[…, Meta(description='…')]")


def _check_option_defaults(report: ErrorReport, options_class: type[ComponentOptions]) -> None:
    """Check that the default value of each option has the declared type."""
    # Importing msgspec is slow, so it is only imported here.
    import msgspec

    from meteor_e.api.options import option_defaults

    defaults = option_defaults(options_class)
    for field in msgspec.structs.fields(options_class):
        if field.name not in defaults:
            continue
        try:
            msgspec.convert(defaults[field.name], field.type)
        except msgspec.ValidationError as error:
            report.add_error(f"the default of option {field.name!r} is not what its type says: {error}")


def begin_check(kind: str, component: Any, context: Any, options: dict[str, Any]) -> tuple[ErrorReport, Any]:
    """Check the class of a component, create an instance, and check the description of the instance.

    Args:
        kind: the kind of the component, such as ``matcher``.
        component: the class, or an instance that is checked instead of a new instance.
        context: the context for creating an instance.
        options: the options for creating an instance.

    Returns:
        The report of errors, and the instance.
    """
    is_class = isinstance(component, type)
    cls: Any = component if is_class else type(component)
    report = ErrorReport(kind, cls)
    check_class(report, cls)
    instance = _make_instance(report, cls, context, options) if is_class else component
    _check_description(report, instance)
    return report, instance


def _make_instance(report: ErrorReport, cls: Any, context: Any, options: dict[str, Any]) -> Any:
    """Create an instance of a component class, and check the class of the instance."""
    instance = cls.make(context, **options)
    has_right_class = isinstance(instance, cls)
    report.expect(has_right_class, f"from_options returned {shorten(instance)}; it must return a {cls.__name__}")
    report.raise_errors()
    return instance


def _check_description(report: ErrorReport, instance: Component) -> None:
    """Check that the description of a component is a string without line breaks and separators."""
    description = report.run("describe()", instance.describe)
    # Most descriptions become part of METEOR's signature, in which parts are separated by "|".
    forbidden = r"[\x00-\x1f]" if report.kind == "feature" else r"[\x00-\x1f|]"
    is_valid = isinstance(description, str) and not re.search(forbidden, description)
    report.expect(is_valid, f"describe() returned {shorten(description)}; it must be one line of text without '|'")
    report.raise_errors()


def pickle_copy(report: ErrorReport, component: T) -> T | None:
    """Copy a component by pickling it. If pickling fails, record an error and return ``None``."""
    title = "pickling it (chains are sent to other processes, so avoid lambdas, open files and local classes)"
    return report.run(title, lambda: pickle.loads(pickle.dumps(component)))


def check_repeats(report: ErrorReport, component: T, compute: Callable[[T, Any], Any], items: Sequence[Any]) -> None:
    """Check that the results do not depend on the order of the items, and that a pickled copy returns the same results.

    The results are first computed in the given order. Then the component and the pickled copy each compute the results
    again in reverse order.

    Args:
        report: the report of errors.
        component: the component.
        compute: the function that returns the result of a component for an item.
        items: the items for which results are computed.
    """
    results = [report.run(f"asked for {shorten(item)}, it", compute, component, item) for item in items]
    report.raise_errors()
    repetitions = {"again": component, "with a pickled copy": pickle_copy(report, component)}
    for manner, repeated_component in repetitions.items():
        if repeated_component is not None:
            title = f"computing the results {manner}"
            repeated_results = report.run(title, _compute_in_reverse, repeated_component, compute, items)
            is_equal = repeated_results is None or repeated_results == results
            report.expect(is_equal, f"the results differ when they are computed {manner}, in another order")
    report.raise_errors()


def _compute_in_reverse(component: T, compute: Callable[[T, Any], Any], items: Sequence[Any]) -> list[Any]:
    """Compute the results of the items in reverse order, and return the results in the order of the items."""
    reversed_results = [compute(component, item) for item in reversed(items)]
    return reversed_results[::-1]
