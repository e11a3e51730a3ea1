"""Names: which matcher, feature, language, lemmatizer, chain or command is meant, and where it comes from.

What meteor_e itself brings is found without a look at what else is installed. Any other name, and every
listing, imports the plugins first.
"""

from __future__ import annotations

import inspect
import threading
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from meteor_e.base.errors import ConfigError, MeteorError, PluginError, PluginWarning, near_miss
from meteor_e.plugins import builtin as builtins
from meteor_e.plugins.definitions import KINDS, Definition, Kind, definitions
from meteor_e.plugins.distributions import missing
from meteor_e.plugins.loading import BUILTIN, PluginLoader, Problem, Source, installed_entry_points

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from importlib.resources.abc import Traversable


DescribeChain = Callable[["Traversable"], str]


@dataclass(frozen=True)
class Entry:
    """A line of the listing.

    Attributes:
        kind: ``matcher``, ``feature``, ``language``, ``lemmatizer``, ``segmenter``, ``chain``, ``command``, or
            ``plugin`` for what is wrong with a plugin as a whole.
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


class Registry:
    """Finds what has a name. Use :func:`registry`; a registry of your own serves tests.

    Safe to use from several threads.

    Args:
        entry_points: returns the plugins' entry points; by default those of all installed distributions.
    """

    def __init__(self, entry_points: Callable[[], Iterable[EntryPoint]] = installed_entry_points) -> None:
        self._loader = PluginLoader(entry_points)
        self._lock = threading.RLock()
        self._builtin: dict[str, dict[str, Definition]] = {}
        self._foreign: dict[str, dict[str, list[Definition]]] = {}
        self._problems: list[Problem] = []
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
        self.tell()
        return value

    def failures(self) -> list[str]:
        """Return what is wrong with plugins that could not be asked for what they bring; plugins are imported."""
        with self._lock:
            self._collect(KINDS["command"])
            return list(map(str, self._problems))

    def names(self, kind: str) -> list[str]:
        """Return all names of a kind, aliases of languages included, sorted; plugins are imported."""
        with self._lock:
            self._collect(KINDS[kind])
            return sorted({*self._builtin[kind], *self._foreign[kind]})

    def register(self, plugin: object, name: str) -> None:
        """Add a plugin that no distribution announces: a module or an object with hooks.

        For a program or a notebook that brings its own matcher.

        Raises:
            PluginError: if it has no hooks, or is there already.
        """
        with self._lock:
            source = Source(name)
            try:
                self._loader.register(plugin, source)
            except PluginError as error:
                raise PluginError(f"plugin {name!r}: {error}") from error
            for kind in self._foreign:
                self._collect_from(KINDS[kind], source, plugin)

    def source(self, kind: str, name: str) -> Source:
        """Return where the bearer of a name comes from; errors as for :meth:`get`."""
        return self._find(kind, name).source

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
        listed: list[Entry] = []
        with self._lock:
            for wanted in KINDS.values():
                if kind in (None, wanted.name):
                    self._collect(wanted)
                    names = sorted({*self._builtin[wanted.name], *self._foreign[wanted.name]})
                    asked = names if name is None else [name] if name in names else []
                    listed += [entry for each in asked for entry in self._entries(wanted, each, describe_chain)]
            problems = list(self._problems) if name is None else []
            self._warnings.clear()
        return listed + [
            Entry("plugin", source.plugin, "", source.distribution, source.version, source.plugin, error=message)
            for source, message in problems
        ]

    def _find(self, kind_name: str, name: str, explicit: bool = False) -> Definition:
        kind = KINDS[kind_name]
        if not isinstance(name, str):
            raise ConfigError(f"the name of a {kind.name} must be a text, not {name!r}; put it in quotes")
        with self._lock:
            self._collect_builtin(kind)
            builtin = self._builtin[kind.name].get(name)
            if builtin is not None and not explicit:
                if kind.name == "language" and builtins.is_taken_later(name):
                    # A plugin may have had the name first. Then it says so, and meteor_e's own is used.
                    self._collect(kind)
                return builtin
            self._collect(kind)
            claims = self._claims(kind, name)
            if not claims:
                self._warnings.clear()
                raise self._unknown(kind, name)
            if len(claims) > 1:
                raise PluginError(_clash(kind, name, claims))
        return claims[0]

    def _claims(self, kind: Kind, name: str) -> list[Definition]:
        builtin = self._builtin[kind.name].get(name)
        return ([builtin] if builtin else []) + self._foreign[kind.name].get(name, [])

    def _collect_builtin(self, kind: Kind) -> None:
        if kind.name not in self._builtin:
            source, plugin = self._loader.sources[0]
            found = [
                item for given in self._loader.call(kind.hook, plugin) for item in definitions(kind, source, given)
            ]
            self._builtin[kind.name] = {item.name: item for item in found if isinstance(item, Definition)}

    def _collect(self, kind: Kind) -> None:
        """Import all plugins and ask them for a kind, unless that has been done."""
        self._collect_builtin(kind)
        if kind.name not in self._foreign:
            for problem in self._loader.scan():
                self._add_problem(problem)
            self._foreign[kind.name] = {}
            for source, plugin in self._loader.sources[1:]:
                self._collect_from(kind, source, plugin)

    def _collect_from(self, kind: Kind, source: Source, plugin: object) -> None:
        table = self._foreign[kind.name]
        try:
            results = self._loader.call(kind.hook, plugin)
        except PluginError as error:
            self._add_problem(Problem(source, str(error)))
            results = []
        for result in results:
            for item in definitions(kind, source, result):
                if isinstance(item, Definition):
                    table.setdefault(item.name, []).append(item)
                    if item.problem:
                        self._warnings.append(f"{kind.name} {item.name!r} of {source} is broken: {item.problem}")
                    if len(claims := self._claims(kind, item.name)) > 1:
                        self._warnings.append(_clash(kind, item.name, claims))
                else:
                    self._add_problem(Problem(source, item))

    def _add_problem(self, problem: Problem) -> None:
        self._problems.append(problem)
        self._warnings.append(f"{problem} (what it would bring is not there)")

    def _unknown(self, kind: Kind, name: str) -> MeteorError:
        known = sorted({*self._builtin[kind.name], *self._foreign[kind.name]})
        advice = missing((kind.name,), name, f"the {kind.name} {name!r}")
        if advice:
            return PluginError(advice + "".join(f"; {problem}" for problem in self._problems))
        text = f"there is no {kind.name} {name!r}{near_miss(name, known)}; the {kind.plural}: {', '.join(known)}"
        if kind.name == "language":
            text += "; use 'other' for a language that has no definition"
        if self._problems:
            text += f"; plugins that failed: {'; '.join(map(str, self._problems))}"
        elif kind.base:
            text += "; others come with plugins, and 'meteor-e plugins' lists what is installed"
        return PluginError(text) if kind.base else ConfigError(text)

    def tell(self) -> None:
        """Warn once of everything that is broken, or hidden by something of ours, as far as plugins were asked."""
        while True:
            with self._lock:
                if not self._warnings:
                    return
                text = self._warnings.pop(0)
            warnings.warn(text, PluginWarning, stacklevel=4)

    def _entries(self, kind: Kind, name: str, describe_chain: DescribeChain | None) -> list[Entry]:
        claims = self._claims(kind, name)
        clash = _clash(kind, name, claims) if len(claims) > 1 else ""
        entries = []
        for claim in claims:
            error, summary, value = "", "", None
            try:
                value = claim.load()
                summary = _summary(kind, value, describe_chain)
            except MeteorError as broken:
                error = str(broken)
            alias = kind.name == "language" and value is not None and name != value.code
            if alias and (not clash or claim.source == BUILTIN):
                continue  # its language's own line shows it
            entries.append(
                Entry(
                    kind=kind.name,
                    name=name,
                    summary=summary,
                    distribution=claim.source.distribution,
                    version=claim.source.version,
                    plugin=claim.source.plugin,
                    aliases=tuple(getattr(value, "aliases", ())),
                    requires=tuple(getattr(value, "requires", ())),
                    # Our own is used, whoever else takes its name.
                    error=error if clash and claim.source == BUILTIN else clash or error,
                )
            )
        return entries


def _clash(kind: Kind, name: str, claims: list[Definition]) -> str:
    sources = [f"{claim.source} ({claim.source.plugin})" for claim in claims]
    ours = claims[0].source == BUILTIN
    advice = "meteor_e's own is used; rename the plugin's" if ours else "uninstall all but one of them"
    return f"{kind.name} {name!r} is claimed by {' and by '.join(sources)}; {advice}"


def _summary(kind: Kind, value: Any, describe_chain: DescribeChain | None) -> str:
    """Return what something is, in a line: of a class, the first line of its own docstring."""
    if kind.name == "language":
        return str(value.name)
    if kind.name == "chain":
        return describe_chain(value) if describe_chain is not None else ""
    if kind.name == "command":
        return str(value.get_short_help_str(limit=120))
    return inspect.cleandoc(value.__doc__ or "").partition("\n")[0]


_registry: Registry | None = None
_registry_lock = threading.Lock()


def plugin_registry() -> Registry:
    """Return the registry of this process."""
    global _registry
    with _registry_lock:
        if _registry is None:
            _registry = Registry()
        return _registry
