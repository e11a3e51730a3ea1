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
from pathlib import Path
from pkgutil import resolve_name
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
from meteor_e.base.yamlfile import read_yaml
from meteor_e.plugins import builtin
from meteor_e.plugins.distributions import missing

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint
    from importlib.resources.abc import Traversable


DescribeChain = Callable[["Traversable"], str]

PLUGIN_FAILURES = (Exception, SystemExit)
"""What a plugin's code may raise; a module that calls ``sys.exit`` must not end the program that lists it."""

VARIABLE = "METEOR_E_PLUGINS"
"""The environment variable that says which plugins there are: ``none``, or distributions and entry points, joined by
commas. Without it, all that are installed."""

NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*\+*")
"""What the name of a class or a command looks like."""


class Kind(NamedTuple):
    """A kind of thing that plugins bring: classes with a common base. Other kinds of things have subclasses.

    Attributes:
        name: what errors and ``meteor-e plugins`` call it.
        hook: the hook that returns them.
        base: module and class that its classes are subclasses of; empty where it has no classes.
    """

    name: str
    hook: str
    base: str = ""

    def load(self, raw: Any) -> tuple[Any, tuple[str, ...]]:
        """Return what a hook gave, or named as ``module:Class``, and the names that it has by itself, its own first.

        An exception says why it does not fit.
        """
        found: Any = resolve_name(raw) if isinstance(raw, str) else raw
        base = resolve_name(self.base)
        if not inspect.isclass(found):
            hint = "; return the class, not an instance of it" if isinstance(found, base) else ""
            raise PluginError(f"{reprlib.repr(found)} is not a class{hint}")
        where = f"{found.__module__}.{found.__qualname__}"
        if not issubclass(found, base):
            raise PluginError(f"{where} is not a subclass of meteor_e's {base.__name__}")
        if missing := sorted(getattr(found, "__abstractmethods__", ())):
            raise PluginError(f"{where} does not define {', '.join(missing)}")
        name: object = getattr(found, "name", None)
        if not isinstance(name, str) or not NAME.fullmatch(name):
            form = "lower-case letters and digits, joined by -, _ or ."
            raise PluginError(f"{where} has the name {name!r}; give it a name = '…' of {form}")
        return found, (name,)

    def summary(self, found: Any) -> str:
        """Return what a thing is, in a line: of a class, the first line of its own docstring."""
        return inspect.cleandoc(found.__doc__ or "").partition("\n")[0]


class _Commands(Kind):
    """Click's commands."""

    def load(self, raw: Any) -> tuple[Any, tuple[str, ...]]:
        import click

        found = resolve_name(raw) if isinstance(raw, str) else raw
        if not isinstance(found, click.Command):
            text = f"{reprlib.repr(found)} is not a click.Command; make it one with @click.command() or @click.group()"
            raise PluginError(text)
        return found, (str(found.name),)

    def summary(self, found: Any) -> str:
        return str(found.get_short_help_str(limit=120))


class _Languages(Kind):
    """Languages: objects, mappings or YAML files."""

    def load(self, raw: Any) -> tuple[Any, tuple[str, ...]]:
        from meteor_e.api.languages import Language
        from meteor_e.languages.files import parse_language

        if not isinstance(raw, Language):
            raw = parse_language(raw if isinstance(raw, Mapping) else read_yaml(_file(raw)), "language definition")
        return raw, (raw.code, *raw.aliases)

    def summary(self, found: Any) -> str:
        return str(found.name)


class _Chains(Kind):
    """YAML files of chains."""

    def load(self, raw: Any) -> tuple[Any, tuple[str, ...]]:
        file = _file(raw)
        return file, (file.name.removesuffix(".yaml"),)

    def summary(self, found: Any) -> str:
        return ""


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
        _Languages("language", "meteor_e_language_files"),
        Kind("lemmatizer", "meteor_e_lemmatizers", "meteor_e.api.lemmatizers:Lemmatizer"),
        Kind("segmenter", "meteor_e_segmenters", "meteor_e.api.segmenters:Segmenter"),
        _Chains("chain", "meteor_e_chains"),
        _Commands("command", "meteor_e_commands"),
    )
}


class Origin(NamedTuple):
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


BUILTIN = Origin("builtin", "meteor_e", __version__)


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
        origin: the plugin.
        raw: what its hook returned.
        problem: what is wrong with it, if that is known already.
    """

    kind: Kind
    name: str
    origin: Origin
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
                value, names = self.kind.load(self.raw)
                if self.name.rpartition(" ")[2] not in names:
                    raise PluginError(f"its own name is {names[0]!r}")
                self._value = value
            except PLUGIN_FAILURES as error:
                self.problem = _reason(error)
        if self.problem:
            raise PluginError(f"{self.kind.name} {self.name!r} of {self.origin} is broken: {self.problem}")
        return self._value


def _definitions(kind: Kind, origin: Origin, result: object) -> Iterator[Definition | str]:
    """Yield what a hook's result defines, and, as text, what of it is no definition."""
    if isinstance(result, Mapping):
        for name, raw in result.items():
            fits = isinstance(name, str) and name
            yield Definition(kind, name, origin, raw) if fits else f"a mapping with the key {name!r}; keys are names"
    elif isinstance(result, Iterable) and not isinstance(result, str | bytes | os.PathLike):
        for raw in result:
            try:
                value, names = kind.load(raw)
                yield from [Definition(kind, name, origin, value) for name in names]
            except PLUGIN_FAILURES as error:
                yield _reason(error)
    else:
        yield f"it returned {reprlib.repr(result)}; it must return a list or a mapping"


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


def installed_entry_points() -> list[EntryPoint]:
    """Return the entry points of installed distributions for our group, those that ``METEOR_E_PLUGINS`` allows.

    Raises:
        ConfigError: if it names something that is not installed.
    """
    from importlib.metadata import entry_points

    wanted = {name.strip() for name in os.environ.get(VARIABLE, "").split(",")} - {""}
    found = [(_origin(entry_point), entry_point) for entry_point in entry_points(group=hooks.PROJECT)]
    known = {name for origin, _ in found for name in origin[:2]}
    for name in wanted - known - {"none"}:
        raise ConfigError(
            f"{VARIABLE} names {name!r}, which is not installed{near_miss(name, known)}; "
            f"there are {', '.join(sorted(known)) or 'no plugins'}; 'none' switches all off"
        )
    return [entry_point for origin, entry_point in found if not wanted or wanted.intersection(origin[:2])]


def check_core_version(distribution: Distribution | None) -> None:
    """Refuse a distribution that requires another version of meteor_e.

    pip checks requirements when it installs a plugin, but not when it installs another version of meteor_e later.

    Raises:
        PluginError: naming the requirement.
    """
    for text in (distribution.requires if distribution is not None else None) or ():
        name = re.match(r"[A-Za-z0-9._-]*", text)
        if name is None or re.sub("[-_.]+", "-", name[0]).lower() != "meteor-e":
            continue
        if text in (name[0], f"{name[0]}=={__version__}"):
            continue  # Without packaging, whose import takes time.
        from packaging.requirements import InvalidRequirement, Requirement

        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        if not requirement.specifier.contains(__version__, prereleases=True):
            raise PluginError(
                f"it requires {text}, and this is meteor_e {__version__}; install versions that fit: "
                "pip install --upgrade meteor_e and the plugin"
            )


def _origin(entry_point: EntryPoint) -> Origin:
    distribution: Any = entry_point.dist
    told = distribution.metadata  # Read from its file at each access.
    return Origin(entry_point.name, told["Name"], told["Version"])


class Registry:
    """Finds what has a name. Use :func:`plugin_registry`; a registry of your own serves tests.

    Safe to use from several threads.

    Args:
        entry_points: returns the plugins' entry points; by default those of all installed distributions.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]] = installed_entry_points) -> None:
        self._entry_points: Callable[[], Iterable[EntryPoint]] | None = entry_points
        self._lock = threading.RLock()
        self._manager = pluggy.PluginManager(hooks.PROJECT)
        self._manager.add_hookspecs(hooks)
        self._origins: dict[str, Origin] = {}
        self._all: dict[str, dict[str, list[Definition]]] = {kind: {} for kind in KINDS}
        self._asked: set[tuple[str, str]] = set()
        self._problems: dict[str, Entry] = {}
        self._warnings: list[str] = []
        self._add(builtin, BUILTIN)

    def get(self, kind: str, name: str) -> Any:
        """Return what has a name: a class, a :class:`Language`, the YAML file of a chain, or a command.

        What is meteor_e's own is returned without a look at plugins, whoever else claims its name.

        Args:
            kind: ``matcher``, ``metric``, ``table format`` and so on, as ``meteor-e plugins`` lists them.
            name: its name; of languages the code or an alias.

        Raises:
            PluginError: if there is none, several plugins claim the name, or the plugin is broken.
            ConfigError: if there is no such language, chain or command.
        """
        value = self.definition(kind, name).load()
        if self._warnings:
            self.tell()
        return value

    def names(self, kind: str) -> list[str]:
        """Return all names of a kind, aliases of languages included, sorted; plugins are imported."""
        with self._lock:
            self._load_plugins()
            return sorted(self._claims(KINDS[kind]))

    def failures(self) -> list[str]:
        """Return what is wrong with plugins that could not be asked for what they bring; plugins are imported."""
        self.names("command")
        return list(self._problems)

    def register(self, plugin: object, name: str) -> None:
        """Add a plugin that no distribution announces: a module or an object with hooks.

        For a program or a notebook that brings its own matcher.

        Raises:
            PluginError: if it has no hooks, or is there already.
        """
        with located(f"plugin {name!r}"), self._lock:
            self._add(plugin, Origin(name))

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
            self._load_plugins()
            listed = [
                entry
                for wanted in KINDS.values()
                if kind in (None, wanted.name)
                for each, claims in sorted(self._claims(wanted).items())
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

    def definition(self, kind: str, name: str) -> Definition:
        """Return who has a name, not loaded yet; arguments and errors as for :meth:`get`."""
        if not isinstance(name, str):
            raise ConfigError(f"the name of a {kind} must be a text, not {name!r}; put it in quotes")
        with self._lock:
            if name not in self._claims(KINDS[kind]):
                self._load_plugins()
            claims = self._claims(KINDS[kind]).get(name)
            if not claims:
                self._warnings.clear()
                raise self._unknown(KINDS[kind], name)
        if len(claims) > 1 and claims[0].origin != BUILTIN:
            raise PluginError(_clash(claims))
        return claims[0]

    def _load_plugins(self) -> None:
        """Import the plugins, unless that has been done."""
        if self._entry_points is None:
            return
        found, self._entry_points = [(_origin(each), each) for each in self._entry_points()], None
        for origin, entry_point in sorted(found, key=lambda pair: (pair[0], pair[1].value)):
            try:
                check_core_version(getattr(entry_point, "dist", None))
                self._add(entry_point.load(), origin)
            except PLUGIN_FAILURES as error:
                self._note(origin, _reason(error))

    def _add(self, plugin: object, origin: Origin) -> None:
        """Take in a plugin; PluginError if it has no hooks, or wrong ones."""
        if plugin is None:
            raise PluginError("its entry point names None; name the module with the hooks")
        needed = getattr(plugin, "meteor_e_api", hooks.API_VERSION)
        if needed != hooks.API_VERSION or isinstance(needed, bool):
            raise PluginError(
                f"it needs version {needed!r} of meteor_e's API; meteor_e {__version__} has version {hooks.API_VERSION}"
            )
        known = self._manager.get_name(plugin)
        if known is not None:
            other = self._origins[known]
            raise PluginError(f"the same plugin is registered by {other} as {other.plugin!r}")
        number = str(len(self._origins))
        self._origins[number] = origin
        try:
            self._manager.register(plugin, number)
            callers = self._manager.get_hookcallers(plugin)
            if not callers:
                raise PluginError("it has no hooks; mark them with @hookimpl (from meteor_e import hookimpl)")
            hooks_there = [kind.hook for kind in KINDS.values()]
            for name in [caller.name for caller in callers if not caller.has_spec()]:
                near = near_miss(name, hooks_there)
                raise PluginError(f"there is no hook {name!r}{near}; the hooks: {', '.join(hooks_there)}")
        except PLUGIN_FAILURES as error:
            if self._manager.is_registered(plugin):
                self._manager.unregister(plugin)
            raise PluginError(_reason(error)) from error

    def _claims(self, kind: Kind) -> dict[str, list[Definition]]:
        """Return who claims which name of a kind, of the plugins that are loaded; each is asked once."""
        claims = self._all[kind.name]
        for hook in getattr(self._manager.hook, kind.hook).get_hookimpls():
            if (kind.name, hook.plugin_name) in self._asked:
                continue
            self._asked.add((kind.name, hook.plugin_name))
            origin = self._origins[hook.plugin_name]
            try:
                found = list(_definitions(kind, origin, hook.function()))
            except PLUGIN_FAILURES as error:
                found = [f"it raised {describe_error(error)}"]
            for item in found:
                if isinstance(item, str):
                    self._note(origin, f"{kind.hook}(): {item}")
                    continue
                several = claims.setdefault(item.name, [])
                several.append(item)
                if len(several) > 1:
                    self._warnings.append(_clash(several))
        return claims

    def _note(self, origin: Origin, problem: str) -> None:
        self._problems[f"{origin}: {problem}"] = Entry("plugin", origin.plugin, **origin._asdict(), error=problem)
        self._warnings.append(f"{origin}: {problem} (what it would bring is not there)")

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
    origins = [f"{claim.origin} ({claim.origin.plugin})" for claim in claims]
    ours = claims[0].origin == BUILTIN
    advice = "meteor_e's own is used; rename the plugin's" if ours else "uninstall all but one of them"
    return f"{claims[0].kind.name} {claims[0].name!r} is claimed by {' and by '.join(origins)}; {advice}"


def _entries(claims: list[Definition], describe_chain: DescribeChain | None) -> Iterator[Entry]:
    """Yield the lines of a name in the listing; the line of a language also has its other names."""
    clash = _clash(claims) if len(claims) > 1 else ""
    for claim in claims:
        # Our own is used, whoever else takes its name.
        error, summary = "" if claim.origin == BUILTIN else clash, ""
        value: Any = None
        try:
            value = claim.load()
            summary = claim.kind.summary(value)
            if claim.kind.name == "chain" and describe_chain is not None:
                summary = describe_chain(value)
        except MeteorError as broken:
            error = error or str(broken)
        aliases, requires = (tuple(getattr(value, names, ())) for names in ("aliases", "requires"))
        if error or claim.name not in aliases:
            plugin, distribution, version = claim.origin
            yield Entry(claim.kind.name, claim.name, summary, distribution, version, plugin, aliases, requires, error)


_registry = Registry()


def plugin_registry() -> Registry:
    """Return the registry of this process."""
    return _registry
