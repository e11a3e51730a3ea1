"""The checks that every kind of plugin class goes through, and the report that collects what is wrong."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from meteor_e.api.component import Component
from meteor_e.api.context import MatcherContext
from meteor_e.base.errors import PluginError, describe_error
from meteor_e.chains.config import ENTRY_KEYS
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import PluginRegistry, plugin_registry

T = TypeVar("T")


class ConformanceError(PluginError, AssertionError):
    """A plugin does not keep to what meteor_e expects; the message lists what is wrong and what to do."""


class Complaints:
    """Collects what is wrong."""

    def __init__(self, kind: str, cls: type) -> None:
        self.title = f"{kind} {getattr(cls, 'name', '')!r} ({cls.__module__}.{cls.__qualname__})"
        self.kind = kind
        self.found: list[str] = []

    def expect(self, condition: bool, complaint: str) -> bool:
        """Note a complaint unless a condition holds; return whether it holds."""
        if not condition and complaint not in self.found:
            self.found.append(complaint)
        return condition

    def run(self, what: str, function: Callable[[], T]) -> T | None:
        """Call a plugin's code; what it raises is a finding, and the result is then ``None``."""
        try:
            return function()
        except Exception as error:
            self.expect(False, f"{what} raised {describe_error(error)}")
            return None

    def stop(self) -> None:
        """Raise if something is wrong so far.

        Raises:
            ConformanceError: listing it.
        """
        if self.found:
            raise ConformanceError(listing(self.title, self.found))


def listing(title: str, found: Sequence[str]) -> str:
    """Return the message of an error that lists what was found."""
    shown = [*found[:10], *([f"and {len(found) - 10} more"] if len(found) > 10 else [])]
    return f"{title} does not conform:\n" + "\n".join(f"- {line}" for line in shown)


def short(value: object) -> str:
    """Return a value for an error: its beginning and end, in ASCII."""
    text = ascii(value)
    return text if len(text) <= 70 else f"{text[:40]}…{text[-25:]}"


def default_context() -> MatcherContext:
    """Return English without a resource pack."""
    return MatcherContext(plugin_registry().languages.get("en"), LanguageResources())


def check_class(report: Complaints, cls: type[Component]) -> None:
    """Check name, docstring and what else every class has; stop if it cannot be registered."""
    registry = PluginRegistry(entry_points=list).kinds[report.kind]
    try:
        registry.load_raw(cls)
    except PluginError as error:
        report.expect(False, str(error))
        report.stop()
    summary = (cls.__dict__.get("__doc__") or "").strip().partition("\n")[0]
    report.expect(bool(summary), "it has no docstring; its first line is what 'meteor-e plugins' shows")
    report.expect(len(summary) <= 120, f"the first line of its docstring has {len(summary)} characters; 120 are enough")
    requires = getattr(cls, "requires", ())
    fits = isinstance(requires, tuple) and all(isinstance(item, str) for item in requires)
    report.expect(fits, f"requires is {requires!r}; it must be a tuple of texts")
    name = cls.name
    if name in registry.builtin_names():
        builtin_class = registry.get(name)
        report.expect(builtin_class is cls, f"meteor_e has a {report.kind} {name!r} of its own; choose another name")
    _check_options_class(report, cls)


def _check_options_class(report: Complaints, cls: type[Component]) -> None:
    """Check that options have a class, help texts, sound defaults, and names that chains do not use themselves."""
    import msgspec

    from meteor_e.api.options import ComponentOptions, option_defaults, option_infos

    kind = report.run("Options", cls.options_class)
    if kind is None:
        return
    if not report.expect(
        isinstance(kind, type) and issubclass(kind, ComponentOptions),
        f"Options is {short(kind)}; it must be a subclass of ComponentOptions",
    ):
        return
    infos = report.run("reading the types of its options", lambda: option_infos(kind))
    if infos is None:
        return
    for info in infos:
        report.expect(info.name not in ENTRY_KEYS, f"it has an option {info.name!r}, a word that chains use themselves")
        report.expect(bool(info.help), f"option {info.name!r} has no help; write Annotated[…, Meta(description='…')]")
    defaults = option_defaults(kind)
    for field in msgspec.structs.fields(kind):
        try:
            msgspec.convert(defaults.get(field.name), field.type if field.name in defaults else Any)
        except msgspec.ValidationError as error:
            report.expect(False, f"the default of option {field.name!r} is not what its type says: {error}")


def begin(kind: str, given: Any, context: Any, options: dict[str, Any]) -> tuple[Complaints, Any]:
    """Check a class, make what is checked, unless it is made already, and check what it says of its options.

    Args:
        kind: the family.
        given: the class, or what is made already.
        context: to make it with.
        options: to make it with.

    Returns:
        The report, and what was made.
    """
    cls: Any = given if isinstance(given, type) else type(given)
    report = Complaints(kind, cls)
    check_class(report, cls)
    made = given
    if isinstance(given, type):
        made = cls.make(context, **options)
        report.expect(isinstance(made, cls), f"from_options returned {short(made)}, which is no {cls.__name__}")
        report.stop()
    description = report.run("describe()", made.describe)
    # A matcher is a part of METEOR's signature, whose parts are joined by |; a feature is not.
    forbidden = r"[\x00-\x1f]" if kind == "feature" else r"[\x00-\x1f|]"
    fits = isinstance(description, str) and not re.search(forbidden, description)
    report.expect(fits, f"describe() returned {short(description)}; it must be one line of text without '|'")
    report.stop()
    return report, made


def copy_of(report: Complaints, thing: T) -> T | None:
    """Return a pickled copy; ``None`` if pickling fails, which is a finding."""
    what = "pickling it (chains go to other processes: no lambdas, open files or local classes)"
    return report.run(what, lambda: pickle.loads(pickle.dumps(thing)))


def check_repeats(report: Complaints, made: T, ask: Callable[[T, Any], Any], items: Sequence[Any]) -> None:
    """Check that a component and a pickled copy of it answer the same again, in the opposite order.

    Args:
        report: takes what is wrong.
        made: the component.
        ask: gives its answer to an item.
        items: what it is asked for.
    """
    first = [report.run(f"asked for {short(item)}, it", lambda item=item: ask(made, item)) for item in items]  # type: ignore[misc]
    report.stop()
    for name, other in (("again", made), ("from a pickled copy", copy_of(report, made))):
        if other is not None:
            again = report.run(f"asking {name}", lambda other=other: [ask(other, item) for item in items[::-1]])  # type: ignore[misc]
            report.expect(again in (None, first[::-1]), f"answers differ when asked for {name}, in another order")
    report.stop()
