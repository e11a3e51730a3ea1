"""Names: which matcher, feature, language, lemmatizer, chain or command is meant, and where it comes from.

What meteor_e itself brings is found without a look at what else is installed. Any other name, and every
listing, imports the plugins first. A broken plugin harms no other.
"""

from __future__ import annotations

import inspect
import os
import re
import reprlib
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pluggy

from meteor_e._version import __version__
from meteor_e.api import hooks
from meteor_e.base.errors import (
    ConfigError,
    MeteorError,
    PluginError,
    PluginWarning,
    describe_error,
    located,
    near_miss,
)
from meteor_e.plugins import builtin
from meteor_e.plugins.distributions import missing

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from importlib.resources.abc import Traversable

    from meteor_e.api.languages import Language

DescribeChain = Callable[["Traversable"], str]

PLUGIN_FAILURES = (Exception, SystemExit)
"""What a plugin's code may raise; a module that calls ``sys.exit`` must not end the program that lists it."""

VARIABLE = "METEOR_E_PLUGINS"
"""The environment variable that says which plugins there are: ``none``, or distributions and entry points, joined by
commas. Without it, all that are installed."""

NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*\+*")
"""What the name of a class or a command looks like."""


class Kind(NamedTuple):
    """A kind of thing that plugins bring.

    Attributes:
        name: what errors and ``meteor-e plugins`` call it.
        hook: the hook that returns them.
        base: module and class that its classes are subclasses of; empty where it has no classes.
    """

    name: str
    hook: str
    base: str = ""


KINDS = {
    kind.name: kind
    for kind in (
        Kind("matcher", "meteor_e_matchers", "meteor_e.api.matchers:Matcher"),
        Kind("feature", "meteor_e_features", "meteor_e.api.features:Feature"),
        Kind("metric", "meteor_e_metrics", "meteor_e.api.metrics:Metric"),
        Kind("estimator", "meteor_e_estimators", "meteor_e.api.estimators:Estimator"),
        Kind("measure", "meteor_e_measures", "meteor_e.api.measures:Measure"),
        Kind("perturbation", "meteor_e_perturbations", "meteor_e.api.perturbations:Perturbation"),
        Kind("java module", "meteor_e_java_modules", "meteor_e.api.java_modules:JavaModule"),
        Kind("table format", "meteor_e_table_formats", "meteor_e.api.tables:TableFormat"),
        Kind("output format", "meteor_e_output_formats", "meteor_e.api.formats:OutputFormat"),
        Kind("runner", "meteor_e_runners", "meteor_e.api.tables:ScoreRunner"),
        Kind("language", "meteor_e_language_files"),
        Kind("lemmatizer", "meteor_e_lemmatizers", "meteor_e.api.lemmatizers:Lemmatizer"),
        Kind("segmenter", "meteor_e_segmenters", "meteor_e.api.segmenters:Segmenter"),
        Kind("chain", "meteor_e_chains"),
        Kind("command", "meteor_e_commands"),
    )
}


class Source(NamedTuple):
    """Where a name comes from.

    Attributes:
        plugin: the entry point's name.
        distribution: the distribution that has it; empty for a plugin registered by a program.
        version: the distribution's version.
    """

    plugin: str
    distribution: str = ""
    version: str = ""

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}".strip() or f"plugin {self.plugin!r}"


BUILTIN = Source("builtin", "meteor_e", __version__)


@dataclass(frozen=True)
class Entry:
    """A line of the listing.

    Attributes:
        kind: one of :data:`KINDS`, or ``plugin`` for what is wrong with a plugin as a whole.
        name: what it is asked for by; a broken plugin's entry point.
        summary: what it is, in a line.
        distribution, version: where it comes from; empty for what a program registered itself.
        plugin: the entry point.
        aliases: other names of it.
        requires: what must be there beside the package.
        error: why it cannot be used; empty if it can.
    """

    kind: str
    name: str
    summary: str = ""
    distribution: str = ""
    version: str = ""
    plugin: str = ""
    aliases: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    error: str = ""


@dataclass
class Definition:
    """A thing with a name, as a plugin defines it; checked, and loaded when it is used.

    Attributes:
        kind: what it is.
        name: what it is asked for by.
        source: the plugin.
        raw: what its hook returned.
        problem: what is wrong with it, if that is known already.
    """

    kind: Kind
    name: str
    source: Source
    raw: object
    problem: str = ""
    _value: Any = None

    def load(self) -> Any:
        """Return the class, the language, the chain's file or the command.

        Raises:
            PluginError: if it cannot be imported or does not fit.
        """
        if self._value is None and not self.problem:
            try:
                self._value = self._load()
            except PLUGIN_FAILURES as error:
                self.problem = _reason(error)
        if self.problem:
            raise PluginError(f"{self.kind.name} {self.name!r} of {self.source} is broken: {self.problem}")
        return self._value

    def _load(self) -> Any:
        if self.kind.name == "language":
            language = _language(self.raw)
            if self.name not in (language.code, *language.aliases):
                raise PluginError(f"its definition has the code {language.code!r}")
            return language
        if self.kind.name == "chain":
            return _file(self.raw)
        found: Any = _import(self.raw) if isinstance(self.raw, str) else self.raw
        problem = class_problem(self.kind, found)
        if problem:
            raise PluginError(problem)
        if found.name != self.name.rpartition(" ")[2]:
            raise PluginError(f"its {'command' if self.kind.name == 'command' else 'class'} is called {found.name!r}")
        return found


def _definitions(kind: Kind, source: Source, result: object) -> Iterator[Definition | str]:
    """Yield what a hook's result defines, and, as text, what of it is no definition."""
    if isinstance(result, Mapping):
        for name, raw in result.items():
            if isinstance(name, str) and name:
                yield Definition(kind, name, source, raw)
            else:
                yield f"{kind.hook}() returned a mapping with the key {name!r}; keys are names"
    elif isinstance(result, Iterable) and not isinstance(result, str | bytes | os.PathLike):
        for raw in result:
            try:
                raw, names = _with_names(kind, raw)
            except MeteorError as error:
                yield f"{kind.hook}(): {error}"
                continue
            yield from (Definition(kind, name, source, raw, class_problem(kind, raw)) for name in names)
    else:
        yield f"{kind.hook}() returned {reprlib.repr(result)}; it must return a list or a mapping"


def _with_names(kind: Kind, raw: Any) -> tuple[Any, tuple[str, ...]]:
    """Return an item of a hook's list, and the names that it has by itself; PluginError if it has none."""
    if kind.name == "language":
        raw = _language(raw)
        return raw, (raw.code, *raw.aliases)
    if kind.name == "chain":
        raw = _file(raw)
        return raw, (raw.name.removesuffix(".yaml"),)
    own = getattr(raw, "name", None) if inspect.isclass(raw) or kind.name == "command" else None
    if not isinstance(own, str) or not own:
        raise PluginError(class_problem(kind, raw))
    return raw, (own,)


def class_problem(kind: Kind, found: Any) -> str:
    """Return what keeps an object from being a class of a kind, or a command; empty: nothing."""
    if kind.name in ("language", "chain"):
        return ""
    if kind.name == "command":
        import click

        if not isinstance(found, click.Command):
            return f"{reprlib.repr(found)} is not a click.Command; make it one with @click.command() or @click.group()"
        where = "the command"
    else:
        base: Any = _import(kind.base)
        if not inspect.isclass(found):
            hint = "; return the class, not an instance of it" if isinstance(found, base) else ""
            return f"{reprlib.repr(found)} is not a class{hint}"
        where = f"{found.__module__}.{found.__qualname__}"
        if not issubclass(found, base):
            return f"{where} is not a subclass of meteor_e's {base.__name__}"
        for method, own in vars(found).items():
            if inspect.isfunction(own) and isinstance(inspect.getattr_static(base, method, None), classmethod):
                return f"{where}.{method} must be a class method; write @classmethod above it"
        abstract: frozenset[str] = getattr(found, "__abstractmethods__", frozenset())
        if abstract:
            return f"{where} does not define {', '.join(sorted(abstract))}"
    name = getattr(found, "name", None)
    if not isinstance(name, str) or not name:
        return f"{where} has no name; give it a class attribute name = '…'"
    if not NAME.fullmatch(name):
        return f"{where} is called {name!r}; a name is made of lower-case letters and digits, joined by -, _ or ."
    return ""


def _import(reference: str) -> Any:
    module, _, name = reference.partition(":")
    if not module or not name.isidentifier():
        raise PluginError(f"{reference!r} is not of the form 'module:Class'")
    return getattr(import_module(module), name)


def _reason(error: BaseException) -> str:
    return str(error) if isinstance(error, MeteorError) else describe_error(error)


def _file(raw: Any) -> Traversable:
    """Return the file of a language or a chain that a plugin points at."""
    file: Any = Path(raw) if isinstance(raw, str | os.PathLike) else raw
    if isinstance(file, Path) and not file.is_absolute():
        raise PluginError(
            f"{str(file)!r} is a relative path; make it an absolute one with importlib.resources.files('your_package')"
        )
    if not hasattr(file, "read_text") or not file.is_file():
        raise PluginError(f"there is no file {str(file)!r}")
    return file  # type: ignore[no-any-return]


def _language(raw: object) -> Language:
    """Return the language that a plugin gives as an object, a mapping or a YAML file."""
    from meteor_e.api.languages import Language
    from meteor_e.languages.files import parse_language, read_language

    if isinstance(raw, Mapping):
        return parse_language(raw, "language definition")
    return raw if isinstance(raw, Language) else read_language(_file(raw))


def installed_entry_points() -> list[EntryPoint]:
    """Return the entry points of installed distributions for our group, those that ``METEOR_E_PLUGINS`` allows.

    Raises:
        ConfigError: if it names something that is not installed.
    """
    from importlib.metadata import entry_points

    wanted = {name.strip() for name in os.environ.get(VARIABLE, "").split(",")} - {""}
    found = [(_source(entry_point), entry_point) for entry_point in entry_points(group=hooks.PROJECT)]
    known = {name for source, _ in found for name in source[:2]}
    for name in wanted - known - {"none"}:
        raise ConfigError(
            f"{VARIABLE} names {name!r}, which is not installed{near_miss(name, known)}; "
            f"there are {', '.join(sorted(known)) or 'no plugins'}; 'none' switches all off"
        )
    return [entry_point for source, entry_point in found if not wanted or wanted.intersection(source[:2])]


def _source(entry_point: EntryPoint) -> Source:
    distribution: Any = entry_point.dist
    return Source(entry_point.name, distribution.name, distribution.version)


def _hooks_of(plugin: object) -> Any:
    """Return what calls the hooks of one plugin; PluginError if it has none, or wrong ones."""
    if plugin is None:
        raise PluginError("its entry point names None; name the module with the hooks")
    needed = getattr(plugin, "meteor_e_api", hooks.API_VERSION)
    if needed != hooks.API_VERSION or isinstance(needed, bool):
        raise PluginError(
            f"it needs version {needed!r} of meteor_e's API; meteor_e {__version__} has version {hooks.API_VERSION}"
        )
    manager = pluggy.PluginManager(hooks.PROJECT)
    manager.add_hookspecs(hooks)
    try:
        manager.register(plugin)
    except PLUGIN_FAILURES as error:
        raise PluginError(describe_error(error)) from error
    callers = manager.get_hookcallers(plugin)
    if not callers:
        raise PluginError("it has no hooks; mark them with @hookimpl (from meteor_e import hookimpl)")
    known = [kind.hook for kind in KINDS.values()]
    for name in [caller.name for caller in callers if not caller.has_spec()]:
        raise PluginError(f"there is no hook {name!r}{near_miss(name, known)}; the hooks: {', '.join(known)}")
    return manager.hook


class Registry:
    """Finds what has a name. Use :func:`plugin_registry`; a registry of your own serves tests.

    Safe to use from several threads.

    Args:
        entry_points: returns the plugins' entry points; by default those of all installed distributions.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]] = installed_entry_points) -> None:
        self._entry_points: Callable[[], Iterable[EntryPoint]] | None = entry_points
        self._lock = threading.RLock()
        self._hooks = _hooks_of(builtin)
        self._own: dict[str, dict[str, Definition]] = {}
        self._plugins: list[tuple[Source, object, Any]] = []
        self._all: dict[str, dict[str, list[Definition]]] = {}
        self._problems: dict[str, Entry] = {}
        self._warnings: list[str] = []

    def get(self, kind: str, name: str, *, explicit: bool = False) -> Any:
        """Return what has a name: a class, a :class:`Language`, the YAML file of a chain, or a command.

        Args:
            kind: ``matcher``, ``metric``, ``table format`` and so on, as ``meteor-e plugins`` lists them.
            name: its name; of languages the code or an alias.
            explicit: look at the plugins even if the name is one of meteor_e's own, so that a plugin that
                claims it, too, is an error. If not, meteor_e's own is returned at once.

        Raises:
            PluginError: if there is none, several plugins claim the name, or the plugin is broken.
            ConfigError: if there is no such language, chain or command.
        """
        value = self._find(kind, name, explicit).load()
        if self._warnings:
            self.tell()
        return value

    def source(self, kind: str, name: str) -> Source:
        """Return where the bearer of a name comes from; errors as for :meth:`get`."""
        return self._find(kind, name).source

    def names(self, kind: str) -> list[str]:
        """Return all names of a kind, aliases of languages included, sorted; plugins are imported."""
        return sorted(self._collect(KINDS[kind]))

    def failures(self) -> list[str]:
        """Return what is wrong with plugins that could not be asked for what they bring; plugins are imported."""
        self._collect(KINDS["command"])
        return list(self._problems)

    def register(self, plugin: object, name: str) -> None:
        """Add a plugin that no distribution announces: a module or an object with hooks.

        For a program or a notebook that brings its own matcher.

        Raises:
            PluginError: if it has no hooks, or is there already.
        """
        with located(f"plugin {name!r}"), self._lock:
            self._add(plugin, Source(name))

    def entries(
        self, kind: str | None = None, describe_chain: DescribeChain | None = None, name: str | None = None
    ) -> list[Entry]:
        """List everything of a kind, or of all kinds: plugins are imported, classes and files loaded.

        Broken things are listed with their error; nothing is raised and no warning is given.

        Args:
            kind: what to list; ``None`` for everything.
            describe_chain: checks a chain's file and says what the chain is for; by default only the name is listed.
            name: list what has this name only; ``None`` for everything, and what is wrong with plugins.
        """
        with self._lock:
            listed = [
                entry
                for wanted in KINDS.values()
                if kind in (None, wanted.name)
                for each, claims in sorted(self._collect(wanted).items())
                if name in (None, each)
                for entry in _entries(claims, describe_chain)
            ]
            if name is None:
                listed += self._problems.values()
            self._warnings.clear()
        return listed

    def tell(self) -> None:
        """Warn once of everything that is broken, or hidden by something of ours, as far as plugins were asked."""
        with self._lock:
            texts, self._warnings = self._warnings, []
        for text in texts:
            warnings.warn(text, PluginWarning, stacklevel=4)

    def _find(self, kind_name: str, name: str, explicit: bool = False) -> Definition:
        kind = KINDS[kind_name]
        if not isinstance(name, str):
            raise ConfigError(f"the name of a {kind.name} must be a text, not {name!r}; put it in quotes")
        with self._lock:
            own = self._built_in(kind).get(name)
            if own is not None and not explicit:
                return own
            claims = self._collect(kind).get(name)
            if not claims:
                self._warnings.clear()
                raise self._unknown(kind, name)
        if len(claims) > 1:
            raise PluginError(_clash(claims))
        return claims[0]

    def _built_in(self, kind: Kind) -> dict[str, Definition]:
        if kind.name not in self._own:
            brought = [named for result in getattr(self._hooks, kind.hook)() for named in result.items()]
            self._own[kind.name] = {name: Definition(kind, name, BUILTIN, raw) for name, raw in brought}
        return self._own[kind.name]

    def _collect(self, kind: Kind) -> dict[str, list[Definition]]:
        """Return who claims which name of a kind; plugins are imported and asked, unless that has been done."""
        with self._lock:
            if self._entry_points is not None:
                found, self._entry_points = [(_source(each), each) for each in self._entry_points()], None
                for source, entry_point in sorted(found, key=lambda pair: (pair[0], pair[1].value)):
                    try:
                        self._add(entry_point.load(), source)
                    except PLUGIN_FAILURES as error:
                        self._note(source, _reason(error))
            if kind.name not in self._all:
                self._all[kind.name] = {name: [own] for name, own in self._built_in(kind).items()}
                for source, _, calls in self._plugins:
                    self._ask(kind, source, calls)
            return self._all[kind.name]

    def _add(self, plugin: object, source: Source) -> None:
        for other, known, _ in self._plugins:
            if known is plugin:
                raise PluginError(f"the same plugin is registered by {other} as {other.plugin!r}")
        calls = _hooks_of(plugin)
        self._plugins.append((source, plugin, calls))
        for kind in self._all:
            self._ask(KINDS[kind], source, calls)

    def _ask(self, kind: Kind, source: Source, calls: Any) -> None:
        """Call a plugin's hook for a kind, and sort in what it brings."""
        try:
            found = [item for result in getattr(calls, kind.hook)() for item in _definitions(kind, source, result)]
        except PLUGIN_FAILURES as error:
            found = [f"{kind.hook}() raised {describe_error(error)}"]
        for item in found:
            if isinstance(item, str):
                self._note(source, item)
                continue
            claims = self._all[kind.name].setdefault(item.name, [])
            claims.append(item)
            if item.problem:
                self._warnings.append(f"{kind.name} {item.name!r} of {source} is broken: {item.problem}")
            if len(claims) > 1:
                self._warnings.append(_clash(claims))

    def _note(self, source: Source, problem: str) -> None:
        self._problems[f"{source}: {problem}"] = Entry("plugin", source.plugin, **source._asdict(), error=problem)
        self._warnings.append(f"{source}: {problem} (what it would bring is not there)")

    def _unknown(self, kind: Kind, name: str) -> MeteorError:
        advice = missing((kind.name,), name, f"the {kind.name} {name!r}")
        if advice:
            return PluginError("; ".join([advice, *self._problems]))
        known = self._all[kind.name]
        text = f"there is no {kind.name} {name!r}{near_miss(name, known)}; the {kind.name}s: {', '.join(sorted(known))}"
        if kind.name == "language":
            text += "; use 'other' for a language that has no definition"
        if self._problems:
            text += f"; plugins that failed: {'; '.join(self._problems)}"
        elif kind.base:
            text += "; others come with plugins, and 'meteor-e plugins' lists what is installed"
        return PluginError(text) if kind.base else ConfigError(text)


def _clash(claims: list[Definition]) -> str:
    sources = [f"{claim.source} ({claim.source.plugin})" for claim in claims]
    ours = claims[0].source == BUILTIN
    advice = "meteor_e's own is used; rename the plugin's" if ours else "uninstall all but one of them"
    return f"{claims[0].kind.name} {claims[0].name!r} is claimed by {' and by '.join(sources)}; {advice}"


def _entries(claims: list[Definition], describe_chain: DescribeChain | None) -> Iterator[Entry]:
    """Yield the lines of a name in the listing; the line of a language also has its other names."""
    clash = _clash(claims) if len(claims) > 1 else ""
    for claim in claims:
        # Our own is used, whoever else takes its name.
        error, summary = "" if claim.source == BUILTIN else clash, ""
        value: Any = None
        try:
            value = claim.load()
            summary = _summary(claim.kind, value, describe_chain)
        except MeteorError as broken:
            error = error or str(broken)
        if error or claim.kind.name != "language" or value.code == claim.name:
            aliases, requires = (tuple(getattr(value, names, ())) for names in ("aliases", "requires"))
            plugin, distribution, version = claim.source
            yield Entry(claim.kind.name, claim.name, summary, distribution, version, plugin, aliases, requires, error)


def _summary(kind: Kind, value: Any, describe_chain: DescribeChain | None) -> str:
    """Return what something is, in a line: of a class, the first line of its own docstring."""
    if kind.name == "language":
        return str(value.name)
    if kind.name == "chain":
        return describe_chain(value) if describe_chain is not None else ""
    if kind.name == "command":
        return str(value.get_short_help_str(limit=120))
    return inspect.cleandoc(value.__doc__ or "").partition("\n")[0]


_registry = Registry()


def plugin_registry() -> Registry:
    """Return the registry of this process."""
    return _registry
