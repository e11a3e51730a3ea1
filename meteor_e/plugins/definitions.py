"""From what a hook returns to named things: each with its source, checked, and loaded when it is used."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.base.errors import MeteorError, PluginError, describe_error
from meteor_e.plugins.loading import PLUGIN_FAILURES, Source

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from meteor_e.api.languages import Language

NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*\+*")
"""What a name looks like, of anything but a language."""
SUBCOMMAND = re.compile(rf"{NAME.pattern} {NAME.pattern}")
"""What the name of a command in a group of ours looks like."""


class Kind(NamedTuple):
    """A kind of thing that plugins bring.

    Attributes:
        name: what errors and ``meteor-e plugins`` call it.
        plural: the same, of several.
        hook: the hook that returns them.
        base: module and class that its classes are subclasses of; empty where it has no classes.
    """

    name: str
    plural: str
    hook: str
    base: str = ""


KINDS = {
    kind.name: kind
    for kind in (
        Kind("matcher", "matchers", "meteor_e_matchers", "meteor_e.api.matchers:Matcher"),
        Kind("feature", "features", "meteor_e_features", "meteor_e.api.features:Feature"),
        Kind("metric", "metrics", "meteor_e_metrics", "meteor_e.api.metrics:Metric"),
        Kind("estimator", "estimators", "meteor_e_estimators", "meteor_e.api.estimators:Estimator"),
        Kind("measure", "measures", "meteor_e_measures", "meteor_e.api.measures:Measure"),
        Kind("perturbation", "perturbations", "meteor_e_perturbations", "meteor_e.api.perturbations:Perturbation"),
        Kind("java module", "Java modules", "meteor_e_java_modules", "meteor_e.api.java_modules:JavaModule"),
        Kind("table format", "table formats", "meteor_e_table_formats", "meteor_e.api.tables:TableFormat"),
        Kind("output format", "output formats", "meteor_e_output_formats", "meteor_e.api.outputs:OutputFormat"),
        Kind("runner", "runners", "meteor_e_runners", "meteor_e.api.tables:ScoreRunner"),
        Kind("language", "languages", "meteor_e_language_files"),
        Kind("lemmatizer", "lemmatizers", "meteor_e_lemmatizers", "meteor_e.api.lemmatizers:Lemmatizer"),
        Kind("segmenter", "segmenters", "meteor_e_segmenters", "meteor_e.api.segmenters:Segmenter"),
        Kind("chain", "chains", "meteor_e_chains"),
        Kind("command", "commands", "meteor_e_commands"),
    )
}


class Definition:
    """A thing with a name, as a plugin defines it.

    Attributes:
        kind: what it is.
        name: what it is asked for by.
        source: the plugin.
        problem: what is wrong with it, if that is known already.
    """

    def __init__(self, kind: Kind, name: str, source: Source, raw: object, problem: str = "") -> None:
        self.kind = kind
        self.name = name
        self.source = source
        self.problem = problem
        self._raw = raw
        self._value: Any = None

    def load(self) -> Any:
        """Return the class, the language, the chain's file or the command.

        Raises:
            PluginError: if it cannot be imported or does not fit.
        """
        if self._value is None and not self.problem:
            try:
                self._value = self._load()
            except PluginError as error:
                self.problem = str(error)
        if self.problem:
            raise PluginError(f"{self.kind.name} {self.name!r} of {self.source} is broken: {self.problem}")
        return self._value

    def _load(self) -> Any:
        if self.kind.name == "language":
            language = load_language(self._raw)
            if self.name not in (language.code, *language.aliases):
                raise PluginError(f"its definition has the code {language.code!r}")
            return language
        if self.kind.name == "chain":
            return chain_file(self._raw)
        found = _import(self._raw) if isinstance(self._raw, str) else self._raw
        problem = _problem(self.kind, found)
        if problem:
            raise PluginError(problem)
        name = found.name  # type: ignore[attr-defined]
        if name != self.name.rpartition(" ")[2]:
            raise PluginError(f"its {'command' if self.kind.name == 'command' else 'class'} is called {name!r}")
        return found


def definitions(kind: Kind, source: Source, result: object) -> Iterator[Definition | str]:
    """Yield what a hook's result defines, and, as text, what of it is no definition."""
    if isinstance(result, Mapping):
        for name, raw in result.items():
            if not isinstance(name, str) or not name:
                yield f"{kind.hook}() returned a mapping with the key {name!r}; keys are names"
            else:
                yield Definition(kind, name, source, raw, "" if _is_name(kind, name) else _BAD_NAME)
    elif isinstance(result, Iterable) and not isinstance(result, str | bytes | os.PathLike):
        try:
            items = list(result)
        except PLUGIN_FAILURES as error:
            yield f"{kind.hook}() raised {describe_error(error)}"
            return
        for raw in items:
            yield from _unnamed(kind, source, raw)
    else:
        yield f"{kind.hook}() returned {_shorten(result)}; it must return a list or a mapping"


_BAD_NAME = "a name is made of lower-case letters and digits, joined by -, _ or .; + may be at its end"


def _is_name(kind: Kind, name: str) -> bool:
    if kind.name == "command" and SUBCOMMAND.fullmatch(name):
        return True
    return kind.name == "language" or NAME.fullmatch(name) is not None


def _unnamed(kind: Kind, source: Source, raw: object) -> Iterator[Definition | str]:
    """Yield what an item of a list defines; its name is its own."""
    if kind.name == "language":
        try:
            language = load_language(raw)
        except PluginError as error:
            yield f"{kind.hook}(): {error}"
            return
        for code in (language.code, *language.aliases):
            yield Definition(kind, code, source, language)
    elif kind.name == "chain":
        try:
            name = chain_file(raw).name.removesuffix(".yaml")
        except PluginError as error:
            yield f"{kind.hook}(): {error}"
            return
        yield Definition(kind, name, source, raw, "" if _is_name(kind, name) else _BAD_NAME)
    elif isinstance(raw, str):
        yield f"{kind.hook}() returned the text {raw!r} in a list; write {{name: {raw!r}}}"
    else:
        wrong = _problem(kind, raw)
        own = getattr(raw, "name", None) if inspect.isclass(raw) or kind.name == "command" else None
        if isinstance(own, str) and own:
            yield Definition(kind, own, source, raw, wrong)
        else:
            yield f"{kind.hook}(): {wrong}"


def _problem(kind: Kind, found: object) -> str:
    """Return what keeps an object from being what a hook has to return; empty: nothing."""
    return _command_problem(found) if kind.name == "command" else class_problem(kind, found)


def _command_problem(found: object) -> str:
    import click

    if not isinstance(found, click.Command):
        return f"{_shorten(found)} is not a click.Command; make it one with @click.command() or @click.group()"
    return "" if found.name and NAME.fullmatch(found.name) else f"it is called {found.name!r}; {_BAD_NAME}"


def class_problem(kind: Kind, found: object) -> str:
    """Return what keeps an object from being a matcher, feature or lemmatizer class; empty: nothing."""
    base = _import(kind.base)
    assert inspect.isclass(base)
    if not inspect.isclass(found):
        hint = "; return the class, not an instance of it" if isinstance(found, base) else ""
        return f"{_shorten(found)} is not a class{hint}"
    where = f"{found.__module__}.{found.__qualname__}"
    if not issubclass(found, base):
        return f"{where} is not a subclass of meteor_e's {base.__name__}"
    name = getattr(found, "name", None)
    if not isinstance(name, str) or not name:
        return f"{where} has no name; give it a class attribute name = '…'"
    if not NAME.fullmatch(name):
        return f"{where} is called {name!r}; {_BAD_NAME}"
    for name, own in vars(found).items():
        if inspect.isfunction(own) and isinstance(inspect.getattr_static(base, name, None), classmethod):
            return f"{where}.{name} must be a class method; write @classmethod above it"
    missing: frozenset[str] = getattr(found, "__abstractmethods__", frozenset())
    if missing:
        return f"{where} does not define {', '.join(sorted(missing))}"
    return ""


def _import(reference: str) -> object:
    module, separator, name = reference.partition(":")
    if not module or not separator or not name.isidentifier():
        raise PluginError(f"{reference!r} is not of the form 'module:Class'")
    try:
        return getattr(import_module(module), name)
    except PLUGIN_FAILURES as error:
        raise PluginError(f"{reference!r} cannot be imported: {describe_error(error)}") from error


def _shorten(value: object) -> str:
    try:
        text = repr(value)
    except PLUGIN_FAILURES:
        text = f"an object of {type(value).__name__}"
    return text if len(text) <= 80 else text[:79] + "…"


def _file(raw: object, what: str) -> Traversable:
    """Return a file that a plugin points at."""
    if isinstance(raw, str | os.PathLike):
        from pathlib import Path

        path = Path(raw)
        if not path.is_absolute():
            raise PluginError(
                f"{what} {str(path)!r} is a relative path; "
                "make it an absolute one with importlib.resources.files('your_package')"
            )
        return path
    if hasattr(raw, "read_text") and hasattr(raw, "name"):
        return raw  # type: ignore[return-value]
    raise PluginError(f"{_shorten(raw)} is not a path to {what}")


def load_language(raw: object) -> Language:
    """Return the language that a plugin gives as an object, a mapping or a YAML file.

    Raises:
        PluginError: if it is none of these, or not valid.
    """
    from meteor_e.api.languages import Language
    from meteor_e.languages.files import parse_language, read_language

    if isinstance(raw, Language):
        return raw
    try:
        if isinstance(raw, Mapping):
            return parse_language(raw, "language definition")
        return read_language(_file(raw, "language file"))
    except PluginError:
        raise
    except MeteorError as error:
        raise PluginError(str(error)) from error
    except PLUGIN_FAILURES as error:
        raise PluginError(f"{_shorten(raw)} cannot be read: {describe_error(error)}") from error


def chain_file(raw: object) -> Traversable:
    """Return the file of a chain that a plugin points at.

    Raises:
        PluginError: if there is none.
    """
    file = _file(raw, "chain file")
    if not file.is_file():
        raise PluginError(f"there is no file {str(file)!r}")
    return file
