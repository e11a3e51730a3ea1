"""Look up classes, commands, languages and chains by name in registries.

Looking up a built-in name does not import plugins. The installed plugins are imported when another name is looked up,
or when all names are listed.
"""

from __future__ import annotations

import inspect
import os
import re
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from meteor_e.base.errors import ConfigError, MeteorError, PluginError, near_miss
from meteor_e.plugins import builtin
from meteor_e.plugins.definitions import (
    BUILTIN,
    PLUGIN_FAILURES,
    Definition,
    Entry,
    Origin,
    describe_clash,
    failure_reason,
)
from meteor_e.plugins.distributions import advise_installation

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import click

    from meteor_e.api.languages import Language
    from meteor_e.plugins.installed import InstalledPlugins

T = TypeVar("T")

NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*\+*")
"""The pattern of the names of classes."""


class Registry(ABC, Generic[T]):
    """Look up objects of one kind, such as metrics, by name. Several threads can use the same registry.

    Args:
        kind: the name of the kind in error messages and in ``meteor-e plugins``.
        plugins: the plugins.
        hook: the hook that returns objects of this kind. By default, it is named after the kind: the hook
            ``meteor_e_table_formats`` returns objects of the kind ``table format``.
    """

    unknown_error: type[MeteorError] = ConfigError
    """The class of the exception for a name that does not exist."""
    advice = ""
    """Additional advice in the error message for a name that does not exist."""

    def __init__(self, kind: str, plugins: InstalledPlugins, hook: str | None = None) -> None:
        self.kind = kind
        self.hook = hook or f"meteor_e_{kind.replace(' ', '_')}s"
        self._plugins = plugins
        self._plugin_definitions: dict[str, list[Definition[T]]] = {}

    @abstractmethod
    def load_object(self, item: object) -> tuple[T, tuple[str, ...]]:
        """Load an object that a plugin provides. Return the object and its names, with the canonical name first.

        Raises:
            PluginError: if the item is invalid. The code of the plugin may raise other exceptions.
        """

    @property
    @abstractmethod
    def builtins(self) -> Mapping[str, object]:
        """A mapping from the names and aliases of built-in objects to their import paths or files."""

    @abstractmethod
    def summarize(self, value: T) -> str:
        """Return a one-line description of an object."""

    def get(self, name: str) -> T:
        """Look up an object by name. Built-in objects take precedence over objects of plugins.

        Raises:
            PluginError: if the name does not exist, several plugins define it, or its plugin is broken.
            ConfigError: if the name is not a string, or such a language, chain or command does not exist.
        """
        value = self.definition(name).load()
        self._plugins.warn()
        return value

    def definition(self, name: str) -> Definition[T]:
        """Return the definition of a name without importing the object itself.

        Raises:
            PluginError: if the name does not exist, or several plugins define it.
            ConfigError: if the name is not a string, or such a language, chain or command does not exist.
        """
        if not isinstance(name, str):
            raise ConfigError(f"the name of a {self.kind} must be a text, not {name!r}; put it in quotes")
        with self._plugins.lock:
            definitions = self._find_definitions(name)
            if not definitions:
                # The error message already lists the plugin problems, so the pending warnings are discarded.
                self._plugins.pending_warnings.clear()
                raise self._unknown_name_error(name)
        if len(definitions) > 1:
            raise PluginError(describe_clash(definitions))
        return definitions[0]

    def __contains__(self, name: str) -> bool:
        """Return whether a name exists. The plugins are imported if the name is not built in."""
        with self._plugins.lock:
            return bool(self._find_definitions(name))

    def _find_definitions(self, name: str) -> list[Definition[T]]:
        """Return the built-in definition of a name. If there is none, return the definitions from plugins."""
        if name in self.builtins:
            return [self._builtin_definitions[name]]
        self._call_hooks()
        if name not in self._plugin_definitions:
            # The name may belong to an installed plugin. Importing the installed plugins is slow.
            self._plugins.load()
            self._call_hooks()
        return self._plugin_definitions.get(name, [])

    def names(self) -> list[str]:
        """Import the plugins and return all names, including the aliases of languages, sorted."""
        with self._plugins.lock:
            self._plugins.load()
            self._call_hooks()
            return sorted({*self.builtins, *self._plugin_definitions})

    def entries(self, names: Iterable[str], summarize: Callable[[T], str]) -> Iterator[Entry]:
        """Load the objects with the given names, and yield a description of each object for listings.

        Args:
            names: the names. Aliases are skipped, unless the object is broken.
            summarize: a function that returns a one-line description of an object, such as :meth:`summarize`. It may
                raise a MeteorError if the object has a mistake, and the entry then contains the error.
        """
        for name in names:
            for entry in self._list_entries(name, summarize):
                is_alias = name in entry.aliases
                if entry.error or not is_alias:
                    yield entry

    def _list_entries(self, name: str, summarize: Callable[[T], str]) -> Iterator[Entry]:
        """Yield an entry for each definition of a name. If plugins clash, their entries contain an error message."""
        definitions = self._list_definitions(name)
        clash = describe_clash(definitions) if len(definitions) > 1 else ""
        for definition in definitions:
            # A built-in object takes precedence, so it is usable even if a plugin uses the same name.
            definition_error = "" if definition.origin == BUILTIN else clash
            yield self._make_entry(definition, definition_error, summarize)

    @cached_property
    def _builtin_definitions(self) -> dict[str, Definition[T]]:
        """A mapping from the names of the built-in objects to their definitions."""
        return {
            name: Definition(self.kind, name, BUILTIN, item, self.load_object) for name, item in self.builtins.items()
        }

    def _call_hooks(self) -> None:
        """Call the hooks of newly loaded plugins, and add the definitions that the hooks return."""
        for origin, result in self._plugins.hook_results(self.hook):
            if isinstance(result, Mapping):
                self._add_mapping(origin, result)
            elif isinstance(result, Iterable) and not isinstance(result, str | bytes | os.PathLike):
                self._add_list(origin, result)
            else:
                self._report(origin, f"it returned {reprlib.repr(result)}; it must return a list or a mapping")

    def _add_mapping(self, origin: Origin, items: Mapping[object, object]) -> None:
        """Register the named objects from a mapping that a hook returned. Each object is loaded on first use."""
        for name, item in items.items():
            if isinstance(name, str) and name:
                self._add_definition(Definition(self.kind, name, origin, item, self.load_object))
            else:
                self._report(origin, f"it returned a mapping with the key {name!r}; keys must be names")

    def _add_list(self, origin: Origin, items: Iterable[object]) -> None:
        """Load each object in the result of a hook, and register the object under each of its names."""
        for item in items:
            try:
                value, names = self.load_object(item)
            except PLUGIN_FAILURES as error:
                self._report(origin, failure_reason(error))
                continue
            for name in names:
                self._add_definition(Definition(self.kind, name, origin, item, self.load_object, _value=value))

    def _add_definition(self, definition: Definition[T]) -> None:
        """Add a definition of a plugin. Add a warning if the same name is already defined."""
        self._plugin_definitions.setdefault(definition.name, []).append(definition)
        definitions = self._list_definitions(definition.name)
        if len(definitions) > 1:
            self._plugins.pending_warnings.append(describe_clash(definitions))

    def _report(self, origin: Origin, problem: str) -> None:
        """Record an error in the value that a hook of a plugin has returned."""
        self._plugins.add_problem(origin, f"{self.hook}(): {problem}")

    def _list_definitions(self, name: str) -> list[Definition[T]]:
        """Return all definitions of a name. A built-in definition comes before the definitions of plugins."""
        builtin_definitions = [self._builtin_definitions[name]] if name in self.builtins else []
        return builtin_definitions + self._plugin_definitions.get(name, [])

    def _make_entry(self, definition: Definition[T], definition_error: str, summarize: Callable[[T], str]) -> Entry:
        """Load an object and describe it for listings. If loading fails, the description contains the error message.

        Args:
            definition: the definition of the object.
            definition_error: the error message if the definition cannot be used; otherwise empty.
            summarize: a function that returns a one-line description of the object.
        """
        value: Any = None
        summary = load_error = ""
        try:
            value = definition.load()
            summary = summarize(value)
        except MeteorError as error:
            load_error = str(error)
        return Entry(
            kind=self.kind,
            name=definition.name,
            summary=summary,
            **definition.origin._asdict(),
            aliases=tuple(getattr(value, "aliases", ())),
            requires=tuple(getattr(value, "requires", ())),
            error=definition_error or load_error,
        )

    def _unknown_name_error(self, name: str) -> MeteorError:
        """Create the exception for a name that does not exist."""
        problems = self._plugins.problems
        installation_advice = advise_installation((self.kind,), name, f"the {self.kind} {name!r}")
        if installation_advice:
            return PluginError("; ".join([installation_advice, *problems]))
        names = sorted({*self.builtins, *self._plugin_definitions})
        message = f"there is no {self.kind} {name!r}{near_miss(name, names)}; the {self.kind}s: {', '.join(names)}"
        if self.advice:
            message += f"; {self.advice}"
        if problems:
            message += f"; plugins that failed: {'; '.join(problems)}"
        return self.unknown_error(message)


class ClassRegistry(Registry[type[T]]):
    """A registry of classes with a common base class. Plugins provide the classes or their import paths.

    Args:
        kind, plugins: as for :class:`Registry`.
        base: the import path of the base class, such as ``meteor_e.api.metrics:Metric``.
        builtins: the import paths of meteor_e's classes, by name.
    """

    unknown_error = PluginError
    advice = "plugins add others, and `meteor-e plugins` lists the installed ones"
    builtins: Mapping[str, object] = {}

    def __init__(
        self, kind: str, plugins: InstalledPlugins, base: str, builtins: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(kind, plugins)
        self.base = base
        if builtins is not None:
            self.builtins = builtins

    def load_object(self, item: object) -> tuple[type[T], tuple[str, ...]]:
        """Import a class, and check that it is a complete subclass with a valid name."""
        cls: Any = resolve_name(item) if isinstance(item, str) else item
        _check_subclass(cls, resolve_name(self.base))
        if not isinstance(cls.name, str) or not NAME.fullmatch(cls.name):
            form = "lowercase letters and digits, separated by -, _ or ."
            raise PluginError(f"{_qualified_name(cls)} has the name {cls.name!r}; give it a name = '…' of {form}")
        return cast("type[T]", cls), (cls.name,)  # A class does not have aliases.

    def summarize(self, value: type[T]) -> str:
        """Return the first line of the docstring of a class."""
        return inspect.cleandoc(value.__doc__ or "").partition("\n")[0]


def _check_subclass(cls: Any, base: type) -> None:
    """Raise PluginError if an object is not a class, or is not a complete subclass of a base class."""
    if not inspect.isclass(cls):
        hint = "; return the class, not an instance of it" if isinstance(cls, base) else ""
        raise PluginError(f"{reprlib.repr(cls)} is not a class{hint}")
    if not issubclass(cls, base):
        raise PluginError(f"{_qualified_name(cls)} is not a subclass of meteor_e's {base.__name__}")
    abstract_methods = sorted(getattr(cls, "__abstractmethods__", ()))
    if abstract_methods:
        raise PluginError(f"{_qualified_name(cls)} does not define {', '.join(abstract_methods)}")


def _qualified_name(cls: type) -> str:
    """Return the name of a class, with its module."""
    return f"{cls.__module__}.{cls.__qualname__}"


class CommandRegistry(Registry["click.Command"]):
    """A registry of commands. Each built-in command is in the module of :mod:`meteor_e.cli` with the same name."""

    builtins: Mapping[str, object] = {name: f"meteor_e.cli.{name}:{name}" for name in builtin.COMMANDS}

    def load_object(self, item: object) -> tuple[click.Command, tuple[str, ...]]:
        """Import a command."""
        import click

        command = resolve_name(item) if isinstance(item, str) else item
        if not isinstance(command, click.Command):
            advice = "make it one with @click.command() or @click.group()"
            raise PluginError(f"{reprlib.repr(command)} is not a click.Command; {advice}")
        return command, (str(command.name),)

    def summarize(self, value: click.Command) -> str:
        """Return the short help text of a command."""
        return str(value.get_short_help_str(limit=120))


class LanguageRegistry(Registry["Language"]):
    """A registry of languages. Plugins provide languages as objects, mappings or YAML files."""

    advice = "use 'other' for a language that has no definition"

    @cached_property
    def builtins(self) -> Mapping[str, object]:
        """A mapping from language codes to the built-in language files. Both ISO codes and METEOR's codes are keys."""
        from meteor_e.api.languages import ISO_CODES
        from meteor_e.languages.files import language_files

        files = language_files()
        return {**files, **{meteor_code: files[iso_code] for meteor_code, iso_code in ISO_CODES.items()}}

    def load_object(self, item: object) -> tuple[Language, tuple[str, ...]]:
        """Read the definition of a language."""
        from meteor_e.api.languages import Language
        from meteor_e.base.yamlfile import read_yaml
        from meteor_e.languages.files import parse_language

        if isinstance(item, Language):
            language = item
        elif isinstance(item, Mapping):
            language = parse_language(item, "language definition")
        else:
            language = parse_language(read_yaml(_resolve_file(item)))
        return language, (language.code, *language.aliases)

    def summarize(self, value: Language) -> str:
        """Return the English name of a language."""
        return value.name


class ChainRegistry(Registry["Traversable"]):
    """A registry of the YAML files of chains."""

    @cached_property
    def builtins(self) -> Mapping[str, object]:
        """The chain files of meteor_e by name."""
        from meteor_e.languages.files import RESOURCES

        return {file.stem: file for file in (RESOURCES / "chains").glob("*.yaml")}

    def load_object(self, item: object) -> tuple[Traversable, tuple[str, ...]]:
        """Check that the file of a chain exists."""
        file = _resolve_file(item)
        return file, (file.name.removesuffix(".yaml"),)

    def summarize(self, value: Traversable) -> str:
        """Return an empty string, because looking up each chain's description in its YAML file would be slow."""
        return ""


def _resolve_file(item: object) -> Traversable:
    """Return the YAML file of a language or chain.

    Args:
        item: the path of the file, or a file in a package from :mod:`importlib.resources`.

    Raises:
        PluginError: if the path is relative, or the file does not exist.
    """
    file: Any = Path(item) if isinstance(item, str | os.PathLike) else item
    if isinstance(file, Path) and not file.is_absolute():
        raise PluginError(
            f"{str(file)!r} is a relative path; make it an absolute one with importlib.resources.files('your_package')"
        )
    if not hasattr(file, "read_text") or not file.is_file():
        raise PluginError(f"there is no file {str(file)!r}")
    return cast("Traversable", file)
