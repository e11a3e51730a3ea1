"""A chain: everything that decides a score, with all defaults filled in; and the signature that names it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e._version import __version__
from meteor_e.api.context import MatcherContext
from meteor_e.api.languages import GREEK, MAX_WEIGHT, Normalization, Parameters
from meteor_e.base.errors import ConfigError, PluginError, guarded, located, near_miss, warn_user
from meteor_e.base.files import refuse_special
from meteor_e.base.yamlfile import is_path, seen_from
from meteor_e.chains.config import ChainEntry
from meteor_e.chains.keys import KEYS, PLAIN, PlainKeys
from meteor_e.engine.search import MAX_BEAM
from meteor_e.languages.files import LANGUAGE_FOLDER, own_tasks, read_language
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.definitions import BUILTIN
from meteor_e.plugins.registry import PluginRegistry, plugin_registry

if TYPE_CHECKING:
    from meteor_e.api.component import Component
    from meteor_e.api.languages import Language, Task
    from meteor_e.api.lemmatizers import Lemmatizer
    from meteor_e.api.matchers import Matcher
    from meteor_e.api.segmenters import Segmenter
    from meteor_e.chains.config import ChainConfig

NO_PACK = "none"
"""Stands, in a chain, for no pack, whatever the language needs."""

OWN_FUNCTION_WORDS = "own"
"""Stands, in a chain or a language, for the function words of its own pack."""


@dataclass(frozen=True, kw_only=True)
class Chain(PlainKeys):
    """A resolved chain, with the keys of :class:`~meteor_e.chains.keys.PlainKeys` and these.

    Attributes:
        language: the language's definition.
        task: name of the task that the defaults come from.
        parameters: of the formula, with one weight per matcher.
        normalization: how text becomes tokens.
        matchers: the matchers, in order, with weights and absolute paths.
        pack: name or folder of the resource pack, ``None`` if none is needed.
        function_words: name or folder of the pack whose function words count, ``None`` for the chain's own pack.
        lemmatizer: the lemmatizer, ``None`` for none.
    """

    language: Language
    task: str
    parameters: Parameters
    normalization: Normalization
    matchers: tuple[ChainEntry, ...]
    pack: str | None = None
    function_words: str | None = None
    lemmatizer: ChainEntry | None = None

    def effective(self) -> dict[str, Any]:
        """Return the chain as a mapping that a YAML file can hold, every default spelled out."""
        chain: dict[str, Any] = {
            "language": self.language.path or self.language.code,
            "task": self.task,
            "normalization": self.normalization.value,
            "parameters": {name: getattr(self.parameters, name) for name in GREEK},
            "matchers": [matcher.spelled() for matcher in self.matchers],
            **{name: getattr(self, name) for name in PLAIN if getattr(self, name) is not None},
        }
        if self.pack is not None or self.language.pack is not None:
            chain["pack"] = self.pack or NO_PACK
        if self.pack is not None or self.function_words is not None:
            chain["function_words"] = self.function_words or OWN_FUNCTION_WORDS
        if self.lemmatizer is not None:
            chain["lemmatizer"] = self.lemmatizer.spelled()
        return chain


def resolve(config: ChainConfig, registry: PluginRegistry) -> Chain:
    """Fill in what a configuration leaves open: from its task, its language, its matchers.

    Raises:
        ConfigError: for a language, task, normalization or parameter that does not exist or fit.
        PluginError: for a matcher that does not exist.
    """
    with located(config.where.get("language", "")):
        pack = None if config.pack == NO_PACK else config.pack
        language = find_language("en" if config.language is None else config.language, registry, pack=pack)
    if config.plain.get("segmenter"):
        language = replace(language, segmenter=config.plain["segmenter"])
    with located(config.where.get("task", "")):
        task_name, task = language.task(config.task)
    if config.matchers is None:
        weights = _default_weights(language, task_name, task, registry)
        matchers = tuple(ChainEntry(name, weight, optional=True) for name, weight in weights.items())
    else:
        matchers = tuple(_resolved(entry, task.weights, registry) for entry in config.matchers)
    if not matchers:
        raise ConfigError("the chain has no matchers; name at least one, such as 'exact'")
    for matcher in matchers:
        if not 0 <= (matcher.weight or 0.0) <= MAX_WEIGHT:
            with located(matcher.where):
                raise ConfigError(
                    f"the weight of matcher {matcher.name!r} is {matcher.weight}; it must be from 0 to {MAX_WEIGHT}"
                )
    greek = {name: float(config.parameters.get(name, getattr(task, name))) for name in GREEK}
    for name in config.parameters:
        if name not in GREEK:
            raise ConfigError(f"unknown parameter {name!r}{near_miss(name, GREEK)}; there are {', '.join(GREEK)}")
    if not 1 <= config.plain.get("beam", 1) <= MAX_BEAM:
        with located(config.where.get("beam", "")):
            raise ConfigError(f"beam is {config.plain['beam']}; it must be from 1 to {MAX_BEAM}")
    if "" in (config.pack, config.function_words):
        raise ConfigError("the name of a pack is empty; leave it out for the pack of the language")
    lemmatizer = config.lemmatizer
    if (
        lemmatizer is None
        and language.lemmatizer not in (None, "none")
        and any(matcher.name == "lemma" for matcher in matchers)
    ):
        lemmatizer = ChainEntry(language.lemmatizer)
    return Chain(
        language=language,
        task=task_name,
        parameters=Parameters(**greek, weights=tuple(matcher.weight or 0.0 for matcher in matchers)),
        normalization=config.normalization or language.normalization,
        matchers=matchers,
        **config.plain,
        pack=None if config.pack == NO_PACK else config.pack or language.pack,
        function_words=_function_words(config, language),
        lemmatizer=None if lemmatizer is None else _sound("lemmatizer", lemmatizer, registry),
    )


def _default_weights(language: Language, name: str, task: Task, registry: PluginRegistry) -> Mapping[str, float]:
    """Return matchers and weights of a task where the chain names none.

    The task ``universal`` has weights of two matchers only. A language file of your own that has it as its default
    task gets all the matchers that it lists. In meteor_e's files, what the default task leaves out is off on purpose.
    """
    is_ours = language.script or Path(language.source).parent == LANGUAGE_FOLDER
    if is_ours or name != language.default_task or name in own_tasks(language):
        return task.weights
    return {
        matcher: task.weights.get(matcher, registry.matchers.get(matcher).default_weight)
        for matcher in language.matchers
    }


def _function_words(config: ChainConfig, language: Language) -> str | None:
    """Return the pack whose function words count; ``None`` for the chain's own pack.

    A pack that the user names brings its own, unless the user says something else.
    """
    own_pack = config.pack is not None and config.pack != language.pack
    words = config.function_words or (OWN_FUNCTION_WORDS if own_pack else language.function_words)
    return None if words in (None, OWN_FUNCTION_WORDS, config.pack or language.pack) else words


def _resolved(entry: ChainEntry, weights: Mapping[str, float], registry: PluginRegistry) -> ChainEntry:
    """Return a matcher with its weight: its own, the task's, or that of its class."""
    weight = weights.get(entry.name) if entry.weight is None else entry.weight
    if weight is None:
        with located(entry.where):
            weight = registry.matchers.get(entry.name).default_weight
    return replace(_sound("matcher", entry, registry), weight=float(weight))


def _sound(kind: str, entry: ChainEntry, registry: PluginRegistry) -> ChainEntry:
    """Return an entry with checked options and absolute paths.

    Raises:
        ConfigError: for an option that is not there, or of another type, with file and line.
        PluginError: if there is no such matcher or lemmatizer.
    """
    with located(entry.where):
        found = registry.components(kind).get(entry.name)
        if not entry.options and not isinstance(found.Options, type):
            # Without a look at types, which take time to import.
            return entry
        options = absolute(found, entry)
        found.check_options(options)
    return replace(entry, options=options)


def absolute(component: type[Component], entry: ChainEntry) -> dict[str, Any]:
    """Return the options of an entry, with absolute paths, right or wrong."""

    def change(path: str) -> str:
        found = seen_from(entry.folder, path)
        refuse_special(found)
        return found

    return component.with_paths(entry.options, change)


def find_language(name: str, registry: PluginRegistry | None = None, *, pack: str | None = None) -> Language:
    """Return a language by its code or English name, or from a file of your own.

    A language that has no definition gets the generic one of its script, with a warning. Where a pack is named, the
    pack has to define it: one made of bitext brings a language file, so that ``xx`` is known where it is ``xx-bitext``.

    Args:
        name: a code (ISO 639, BCP 47), an alias, an English name, or the path of a language file (with a slash, or
            ending in ``.yaml``).
        registry: knows the codes; by default those of meteor_e and of all installed plugins.
        pack: name or folder of the pack.

    Raises:
        ConfigError: if there is no such language, or its file has mistakes.
    """
    if is_path(name):
        return replace(read_language(name), path=os.path.abspath(name))  # noqa: PTH100 (it is only written down)
    registry = registry or plugin_registry()
    found: Language
    try:
        found = registry.languages.get(name)
        return found
    except ConfigError:
        if not isinstance(name, str):
            raise
    from meteor_e.languages.codes import find_tag, generic_language

    known = registry.languages.names()
    try:
        tag = find_tag(name, known)
    except ConfigError as error:
        if pack is None:
            raise
        return _language_of_pack(name, pack, str(error))
    for code in tag.candidates():
        if code in known:
            found = registry.languages.get(code)
            return found
    language = generic_language(tag)
    text = f"language {tag.code!r} ({language.name}) has no definition"
    if pack is not None:
        return _language_of_pack(name, pack, text)
    warn_user(f"{text}; it gets the generic one of the script {tag.script}")
    return language


def _language_of_pack(name: str, pack: str, unknown: str) -> Language:
    """Return the language that a pack defines.

    Args:
        name: of the language.
        pack: name or folder of the pack.
        unknown: what to say where the pack does not define it.
    """
    from meteor_e.packs.pack import LANGUAGE_FILE
    from meteor_e.packs.store import PackStore

    folder = Path(pack) if is_path(pack) else PackStore().root / pack
    file = folder / LANGUAGE_FILE
    if not file.is_file():
        advice = f"meteor-e pack build --language {name} --bitext TEXT TRANSLATION"
        why = "has no language.yaml" if folder.is_dir() else f"is not installed; build it first: {advice}"
        raise ConfigError(f"{unknown}. The pack {pack!r}, which could define it, {why}")
    found = find_language(str(file.absolute()))
    if name not in (found.code, *found.aliases):
        raise ConfigError(unknown)
    return found


def make_segmenter(language: Language, registry: PluginRegistry) -> Segmenter:
    """Return the segmenter that a language names.

    Raises:
        PluginError: if there is no such segmenter, or it cannot be made.
    """
    try:
        found = registry.segmenters.get(str(language.segmenter))
    except PluginError as error:
        raise PluginError(f"language {language.code!r}: {error}; --set segmenter=characters needs no plugin") from error
    result: Segmenter = found.make(MatcherContext(language, LanguageResources()))
    return result


def plugins_of(chain: Chain, registry: PluginRegistry) -> list[str]:
    """Return ``distribution@version`` of each third party that a chain draws on, sorted."""
    wanted = [("matcher", matcher.name) for matcher in chain.matchers]
    if not chain.language.path and not chain.language.script:
        wanted.append(("language", chain.language.code))
    if chain.lemmatizer is not None:
        wanted.append(("lemmatizer", chain.lemmatizer.name))
    if chain.language.segmenter is not None:
        wanted.append(("segmenter", chain.language.segmenter))
    origins = {registry.kinds[kind].definition(name).origin for kind, name in wanted}
    return sorted({f"{origin.distribution or origin.plugin}@{origin.version}" for origin in origins - {BUILTIN}})


@dataclass(frozen=True)
class ChainComponents:
    """What a chain's names stand for.

    Attributes:
        resources: function words, prefixes, synonyms and paraphrases.
        lemmatizer: ``None`` if the chain has none.
        matchers: in chain order.
        segmenter: ``None`` if the language separates words by spaces.
    """

    resources: LanguageResources
    lemmatizer: Lemmatizer | None
    matchers: tuple[Matcher, ...]
    segmenter: Segmenter | None


def signature(chain: Chain, components: ChainComponents) -> str:
    """Return the signature of a chain, which keys of caches are made from, too.

    Args:
        chain: the chain; task and parameters may be others than those of the chain that the components were made for.
        components: matchers, lemmatizer, segmenter and resources.

    Returns:
        ``key:value`` pairs joined by ``|``, as in ``meteor_e:0.1.0|lang:en|task:rank|…``.
    """
    language, parameters = chain.language, chain.parameters
    # What nothing else tells of a language from a file of your own, or without a file.
    origin = f"{language.apostrophes} apostrophes" if language.path else ""
    if language.script:
        origin = f"generic {language.script}"
    names = [
        _named(matcher, f"={weight!r}") for matcher, weight in zip(components.matchers, parameters.weights, strict=True)
    ]
    # The segmenter has a part of its own, wherever it is from.
    plain = [(name, KEYS[name]) for name in PLAIN if name != "segmenter"]
    parts = [
        ("meteor_e", __version__),
        ("lang", f"{language.code}({origin})" if origin else language.code),
        ("task", chain.task),
        ("norm", chain.normalization.value),
        *((name[0], repr(getattr(parameters, name))) for name in GREEK),
        ("match", "+".join(names)),
        *(
            (key.signature or name, key.spell(getattr(chain, name)))
            for name, key in plain
            if key.signature or getattr(chain, name) != PLAIN[name]
        ),
        ("pack", components.resources.description),
    ]
    if components.lemmatizer is not None:
        parts.append(("lemmas", _named(components.lemmatizer)))
    if components.segmenter is not None:
        parts.append(("segmenter", _named(components.segmenter)))
    if plugins := plugins_of(chain, plugin_registry()):
        parts.append(("plugins", "+".join(plugins)))
    return "|".join(f"{key}:{value}" for key, value in parts)


def _named(component: Component, weight: str = "") -> str:
    """Return the name of a component, its weight, and what it says of itself."""
    with guarded(f"{component.kind} {component.name!r}"):
        details = component.describe()
    return f"{component.name}{weight}" + (f"({details})" if details else "")
