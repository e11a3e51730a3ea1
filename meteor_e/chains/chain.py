"""A chain: everything that decides a score, with all defaults filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from meteor_e.api.languages import GREEK, Normalization
from meteor_e.base.errors import ConfigError, located, near_miss
from meteor_e.base.files import refuse_special
from meteor_e.base.yamlfile import is_folder, is_path, seen_from
from meteor_e.chains.config import MatcherConfig
from meteor_e.chains.keys import PLAIN, PlainKeys, check_bounds
from meteor_e.chains.lookup import find_language
from meteor_e.languages.files import is_ours, own_tasks
from meteor_e.scoring.parameters import Parameters

if TYPE_CHECKING:
    from meteor_e.api.component import Component
    from meteor_e.api.languages import Language, Task
    from meteor_e.chains.config import ChainConfig
    from meteor_e.plugins.registry import Registry

NO_PACK = "none"
"""Stands, in a chain, for no pack, whatever the language needs."""

OWN_FUNCTION_WORDS = "own"
"""Stands, in a chain or a language, for the function words of its own pack."""


@dataclass(frozen=True)
class ChainMatcher:
    """A matcher's place in a chain.

    Attributes:
        name: the matcher's name.
        weight: its weight in the score.
        options: what it is made with.
        explicit: whether it must be complete; ``False``: it may go without its resource, because it is there by
            the language's default or because the chain says that it is optional.
        where: ``file:line`` of its entry in the chain's file, if it has one.
    """

    name: str
    weight: float
    options: Mapping[str, Any] = field(default_factory=dict)
    explicit: bool = True
    where: str = ""


@dataclass(frozen=True, kw_only=True)
class Chain(PlainKeys):
    """A resolved chain, with the keys of :class:`~meteor_e.chains.keys.PlainKeys` and these.

    Attributes:
        language: the language's definition.
        task: name of the task that the defaults come from.
        parameters: of the formula, with one weight per matcher.
        normalization: how text becomes tokens.
        matchers: the matchers, in order.
        pack: name or folder of the resource pack, ``None`` if none is needed.
        function_words: name or folder of the pack whose function words count, ``None`` for the chain's own pack.
        lemmatizer: name and options of the lemmatizer, ``None`` for none.
    """

    language: Language
    task: str
    parameters: Parameters
    normalization: Normalization
    matchers: tuple[ChainMatcher, ...]
    pack: str | None = None
    function_words: str | None = None
    lemmatizer: tuple[str, Mapping[str, Any]] | None = None

    def effective(self) -> dict[str, Any]:
        """Return the chain as a mapping that a YAML file can hold, every default spelled out."""
        chain: dict[str, Any] = {
            "language": self.language.path or self.language.code,
            "task": self.task,
            "normalization": self.normalization.value,
            "parameters": {name: getattr(self.parameters, name) for name in GREEK},
            "matchers": [
                {
                    "use": matcher.name,
                    "weight": matcher.weight,
                    **({} if matcher.explicit else {"optional": True}),
                    **matcher.options,
                }
                for matcher in self.matchers
            ],
            **{name: getattr(self, name) for name in PLAIN if getattr(self, name) is not None},
        }
        if self.pack is not None or self.language.pack is not None:
            chain["pack"] = self.pack or NO_PACK
        if self.pack is not None or self.function_words is not None:
            chain["function_words"] = self.function_words or OWN_FUNCTION_WORDS
        if self.lemmatizer is not None:
            name, options = self.lemmatizer
            chain["lemmatizer"] = {"use": name, **options}
        return chain


def resolve(config: ChainConfig, registry: Registry) -> Chain:
    """Fill in what a configuration leaves open: from its task, its language, its matchers.

    Raises:
        ConfigError: for a language, task, normalization or parameter that does not exist or fit.
        PluginError: for a matcher that does not exist.
    """
    with located(config.where("language")):
        language = choose_language(config, registry)
    if config.plain.get("segmenter"):
        # What it returns are words, whatever the normalization.
        language = replace(language, segmenter=config.plain["segmenter"], normalizations=tuple(Normalization))
    with located(config.where("task")):
        task_name, task = language.task(config.task)
    if config.matchers is None:
        weights = _default_weights(language, task_name, task, registry)
        matchers = tuple(ChainMatcher(name, weight, explicit=False) for name, weight in weights.items())
    else:
        matchers = tuple(_chain_matcher(entry, task.weights, registry) for entry in config.matchers)
    if not matchers:
        raise ConfigError("the chain has no matchers; name at least one, such as 'exact'")
    greek = {name: float(config.parameters.get(name, getattr(task, name))) for name in GREEK}
    for name in config.parameters:
        if name not in GREEK:
            raise ConfigError(f"unknown parameter {name!r}{near_miss(name, GREEK)}; there are {', '.join(GREEK)}")
    for name, value in config.plain.items():
        with located(config.where(name)):
            check_bounds(name, value)
    with located(config.where("normalization")):
        normalization = choose_normalization(config.normalization, language)
    if "" in (config.pack, config.function_words):
        raise ConfigError("the name of a pack is empty; leave it out for the pack of the language")
    lemmatizer = config.lemmatizer
    if lemmatizer is None and language.lemmatizer and any(matcher.name == "lemma" for matcher in matchers):
        lemmatizer = MatcherConfig(language.lemmatizer)
    return Chain(
        language=language,
        task=task_name,
        parameters=Parameters(**greek, weights=tuple(matcher.weight for matcher in matchers)),
        normalization=normalization,
        matchers=matchers,
        **config.plain,
        pack=None if config.pack == NO_PACK else config.pack or language.pack,
        function_words=_function_words(config, language),
        lemmatizer=None if lemmatizer is None else (lemmatizer.use, sound_options("lemmatizer", lemmatizer, registry)),
    )


def _default_weights(language: Language, name: str, task: Task, registry: Registry) -> Mapping[str, float]:
    """Return matchers and weights of a task where the chain names none.

    The task ``universal`` has weights of two matchers only. A language file of your own that has it as its default
    task gets all the matchers that it lists. In meteor_e's files, what the default task leaves out is off on purpose.
    """
    if name != language.default_task or name in own_tasks(language) or is_ours(language):
        return task.weights
    return {
        matcher: task.weights.get(matcher, registry.get("matcher", matcher).default_weight)
        for matcher in language.matchers
    }


def choose_language(config: ChainConfig, registry: Registry) -> Language:
    """Return the language of a configuration: a defined one, or that of the pack it names.

    A pack made of bitext brings a language file, so that ``xx`` is known where the pack is ``xx-bitext``.

    Raises:
        ConfigError: if there is no such language, or its file has mistakes.
    """
    name = "en" if config.language is None else config.language
    try:
        return find_language(name, registry, generic=config.pack in (None, NO_PACK))
    except ConfigError as error:
        if config.pack in (None, NO_PACK) or is_path(name):
            raise
        file = _language_file(config.pack)
        if file is None:
            raise ConfigError(f"{error}. {_no_language_file(config.pack, name)}") from None
        found = find_language(str(file.absolute()), registry)
        if name not in (found.code, *found.aliases):
            raise
        return found


def _language_file(pack: str) -> Path | None:
    """Return the language file of a pack, ``None`` if it has none."""
    from meteor_e.packs.pack import LANGUAGE_FILE
    from meteor_e.packs.store import PackStore

    file = (Path(pack) if is_folder(pack) else PackStore().root / pack) / LANGUAGE_FILE
    return file if file.is_file() else None


def _no_language_file(pack: str, language: str) -> str:
    """Say why a pack does not define a language, and what to do."""
    from meteor_e.packs.store import PackStore

    if is_folder(pack) or PackStore().find(pack) is not None:
        return f"The pack {pack!r} does not define it: it has no language.yaml"
    return (
        f"The pack {pack!r}, which could define it, is not installed; build it first: "
        f"meteor-e pack build --language {language} --bitext TEXT TRANSLATION"
    )


def _function_words(config: ChainConfig, language: Language) -> str | None:
    """Return the pack whose function words count; ``None`` for the chain's own pack.

    A pack that the user names brings its own, unless the user says something else.
    """
    own_pack = config.pack is not None and config.pack != language.pack
    words = config.function_words or (OWN_FUNCTION_WORDS if own_pack else language.function_words)
    return None if words in (None, OWN_FUNCTION_WORDS, config.pack or language.pack) else words


def _chain_matcher(entry: MatcherConfig, weights: Mapping[str, float], registry: Registry) -> ChainMatcher:
    weight = entry.weight
    if weight is None:
        weight = weights.get(entry.use)
    if weight is None:
        with located(entry.where):
            weight = registry.get("matcher", entry.use).default_weight
    options = sound_options("matcher", entry, registry)
    return ChainMatcher(entry.use, float(weight), options, not entry.optional, entry.where)


def sound_options(kind: Literal["matcher", "lemmatizer"], entry: MatcherConfig, registry: Registry) -> dict[str, Any]:
    """Return the options of an entry, with absolute paths.

    Raises:
        ConfigError: for an option that is not there, or of another type, with file and line.
        PluginError: if there is no such matcher or lemmatizer.
    """
    with located(entry.where):
        found = registry.get(kind, entry.use)
        if not entry.options and not isinstance(found.Options, type):
            # Without a look at types, which take time to import.
            return {}
        options = absolute(found, entry)
        found.check_options(options)
    return options


def absolute(component: type[Component], entry: MatcherConfig) -> dict[str, Any]:
    """Return the options of an entry, with absolute paths, right or wrong."""

    def change(path: str) -> str:
        found = seen_from(entry.folder, path)
        refuse_special(found)
        return found

    return component.with_paths(entry.options, change)


def choose_normalization(wanted: Normalization | None, language: Language) -> Normalization:
    """Return how a language's text is normalized; :class:`ConfigError` for a way that it does not have."""
    if wanted is None:
        return language.normalization
    if wanted not in language.normalizations:
        raise ConfigError(
            f"language {language.code!r} has no normalization {wanted.value!r}; "
            f"it has {', '.join(mode.value for mode in language.normalizations)}"
        )
    return wanted
