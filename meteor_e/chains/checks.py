"""Chain files as a whole: all that is wrong with one, and a chain written out in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from meteor_e.api.context import MatcherContext
from meteor_e.api.languages import Language
from meteor_e.base.errors import ConfigError, MeteorError, ResourceError, near_miss
from meteor_e.base.yamlfile import Document, Key, Problem
from meteor_e.chains.chain import NO_PACK, Chain, absolute, choose_language, choose_normalization, resolve
from meteor_e.chains.config import ENTRY_KEYS, MatcherConfig, make_chain, read_entry
from meteor_e.languages.files import language_problems
from meteor_e.packs.resources import LanguageResources

if TYPE_CHECKING:
    from meteor_e.api.component import Component
    from meteor_e.plugins.registry import Registry


def check_chain(document: Document, registry: Registry) -> tuple[Chain | None, list[Problem]]:
    """Find all that is wrong with a chain: its keys and values, languages, matchers and their options.

    Packs need not be installed: what is missing is a note.

    Returns:
        The resolved chain, ``None`` if it has mistakes; and the mistakes, then the notes, by line.
    """
    from meteor_e.base.validation import find_problems
    from meteor_e.chains.schemas import ChainFile

    problems = find_problems(document, ChainFile)
    if isinstance(document.data, Mapping):
        problems += _NameCheck(document, problems, registry).run()
    problems.sort(key=lambda problem: (problem.is_note, problem.line))
    if any(not problem.is_note for problem in problems):
        return None, problems
    return resolve(make_chain(document), registry), problems


def check_language(document: Document, registry: Registry) -> list[Problem]:
    """Find all that is wrong with a language file, the names of its matchers included."""
    problems = language_problems(document)
    if problems:
        return problems
    data = document.data
    names: dict[Key, str] = {("matchers", index): name for index, name in enumerate(data["matchers"])}
    for task, values in data.get("tasks", {}).items():
        names.update({("tasks", task, "weights", name): name for name in values["weights"]})
    for key, name in names.items():
        try:
            registry.get("matcher", name)
        except MeteorError as error:
            problems.append(document.problem(key, str(error)))
    return sorted(problems, key=lambda problem: problem.line)


def spell_out(chain: Chain, registry: Registry) -> dict[str, Any]:
    """Return a chain as a mapping that a YAML file can hold: every default spelled out, matchers' options too.

    Loaded back, it makes the same metric, with the same signature.
    """
    spelled = chain.effective()
    for entry, matcher in zip(spelled["matchers"], chain.matchers, strict=True):
        found = registry.get("matcher", matcher.name)
        if not found.requires:
            # Nothing to go without.
            entry.pop("optional", None)
        _spell_defaults(entry, found)
    if chain.lemmatizer is not None:
        _spell_defaults(spelled["lemmatizer"], registry.get("lemmatizer", chain.lemmatizer[0]))
    return spelled


def _spell_defaults(entry: dict[str, Any], component: type[Component]) -> None:
    """Add the options that an entry leaves out; what is ``None`` is left to language and files."""
    from meteor_e.api.options import option_defaults

    kind = component.options_class()
    if kind is not None:
        entry.update({name: value for name, value in option_defaults(kind).items() if name not in entry})


class _NameCheck:
    """Finds what is wrong with the names and options in a chain, leaving alone what is wrong already.

    Args:
        document: the chain.
        known: what is wrong with its keys and values.
        registry: knows the names.
    """

    def __init__(self, document: Document, known: list[Problem], registry: Registry) -> None:
        self.document = document
        self.registry = registry
        self.found: list[Problem] = []
        # A mistake spoils all that it is in: the weight, its entry, the list of matchers.
        self._spoilt = {problem.key[:end] for problem in known for end in range(1, len(problem.key) + 1)}
        sound = {key: value for key, value in document.data.items() if (key,) not in self._spoilt}
        self._config = make_chain(Document(sound, document.source, document.lines))
        self._language: Language | None = None
        self._resources = LanguageResources()
        self._tell_resources = True

    def run(self) -> list[Problem]:
        """Return the problems found."""
        if ("language",) not in self._spoilt:
            with self._telling(("language",)):
                self._language = choose_language(self._config, self.registry)
        if self._language is not None:
            self._check_language_settings(self._language)
        for key, entry in self._matchers():
            with self._telling(self._name_key(key)):
                # Explicit: a check has the time to notice a plugin that claims one of meteor_e's own names.
                self._check_options(key, entry, self.registry.get("matcher", entry.use, explicit=True))
        lemmatizer = self._config.lemmatizer
        if lemmatizer is not None:
            with self._telling(self._name_key(("lemmatizer",))):
                self._check_options(
                    ("lemmatizer",), lemmatizer, self.registry.get("lemmatizer", lemmatizer.use, explicit=True)
                )
        return self.found

    def _check_language_settings(self, language: Language) -> None:
        with self._telling(("task",)):
            language.task(self._config.task)
        with self._telling(("normalization",)):
            choose_normalization(self._config.normalization, language)
        pack = self._config.pack or language.pack
        if pack not in (None, NO_PACK):
            from meteor_e.packs.store import named_pack

            # What a missing pack would bring is missing, too; that goes without saying.
            self._tell_resources = False
            key = "pack" if "pack" in self.document.data else "language"
            with self._telling((key,)):
                self._resources = LanguageResources(named_pack(pack))
                self._tell_resources = True

    def _matchers(self) -> Iterator[tuple[Key, MatcherConfig]]:
        """Yield the entries that are not spoilt; where the chain has none, those of its task."""
        if "matchers" in self.document.data:
            entries = self.document.data["matchers"]
            for index in range(len(entries) if isinstance(entries, list | tuple) else 0):
                key: Key = ("matchers", index)
                if key not in self._spoilt:
                    yield key, read_entry(entries[index], self.document, key)
        elif self._language is not None and (self._config.task or self._language.default_task) in self._language.tasks:
            for name in self._language.task(self._config.task)[1].weights:
                yield ("matchers",), MatcherConfig(name, optional=True)

    def _name_key(self, key: Key) -> Key:
        """Return the key of a matcher's or lemmatizer's name."""
        entry = self.document.data.get(key[0])
        if len(key) > 1:
            entry = entry[key[1]]
        return (*key, "use") if isinstance(entry, Mapping) else key

    def _check_options(self, key: Key, entry: MatcherConfig, found: type[Component]) -> None:
        """Find all that is wrong with options; where nothing is, make the matcher or lemmatizer."""
        if self._language is None:
            return
        from meteor_e.api.options import option_problems

        options = absolute(found, entry)
        problems = option_problems(f"{found.kind} {entry.use!r}", found.options_class(), options)
        for problem in problems:
            near = near_miss(str(problem.key[0]), ENTRY_KEYS) if problem.is_unknown else ""
            self._tell((*key, *problem.key), problem.message + ("" if "did you mean" in problem.message else near))
        if problems:
            return
        context = MatcherContext(self._language, self._resources, not entry.optional)
        try:
            found.make(context, **options)
        except ConfigError as error:
            self._tell(key, str(error))
        except ResourceError as error:
            if self._tell_resources:
                self._tell(key, str(error), is_note=True)

    def _tell(self, key: Key, message: str, *, is_note: bool = False) -> None:
        self.found.append(self.document.problem(key, message, is_note=is_note))

    @contextmanager
    def _telling(self, key: Key) -> Iterator[None]:
        """Turn an error into a problem at a key, or, of resources, into a note."""
        try:
            yield
        except MeteorError as error:
            self._tell(key, str(error), is_note=isinstance(error, ResourceError))
        except Exception as error:
            # A plugin's own; check names it and goes on.
            self._tell(key, f"fails with {type(error).__name__}: {error}")
