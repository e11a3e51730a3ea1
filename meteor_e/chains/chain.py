"""Fill in the defaults of a chain of matchers, and describe the chain in a signature."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e._version import __version__
from meteor_e.api.context import MatcherContext
from meteor_e.api.languages import GREEK, MAX_WEIGHT, Normalization, Parameters
from meteor_e.base.errors import ConfigError, PluginError, add_location, near_miss, plugin_errors, warn_user
from meteor_e.base.files import check_regular_file
from meteor_e.base.yamlfile import is_path, resolve_path
from meteor_e.chains.config import ChainEntry
from meteor_e.chains.keys import KEYS, PLAIN_DEFAULTS, PlainKeys
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
"""The value of ``pack`` in a chain that does not use a pack, even if the language has one."""

OWN_FUNCTION_WORDS = "own"
"""The value of ``function_words`` in a chain whose own pack supplies the function words."""


@dataclass(frozen=True, kw_only=True)
class Chain(PlainKeys):
    """A chain of matchers in which every setting has a value.

    Attributes:
        language: the definition of the language.
        task: the name of the task that supplies the defaults.
        parameters: the parameters of the formula, and one weight per matcher.
        normalization: the normalization of the text before segmentation.
        matchers: the matchers, in order, with weights and absolute paths.
        pack: the name or folder of the resource pack; ``None`` if the chain does not need a pack.
        function_words: the name or folder of the pack that supplies the function words; ``None`` for ``pack``.
        lemmatizer: the lemmatizer; ``None`` if the chain does not have a lemmatizer.
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
        """Return the settings of this chain as a dictionary that can be saved as a YAML file."""
        # If the dictionary does not contain a pack, resolve() uses the pack of the language.
        omits_language_pack = self.pack is None and self.language.pack is not None
        has_own_function_words = self.pack is not None and self.function_words is None
        settings = {
            "language": self.language.path or self.language.code,
            "task": self.task,
            "normalization": self.normalization.value,
            "parameters": {name: getattr(self.parameters, name) for name in GREEK},
            "matchers": [matcher.to_mapping() for matcher in self.matchers],
            **self.plain_settings(),
            "pack": NO_PACK if omits_language_pack else self.pack,
            "function_words": OWN_FUNCTION_WORDS if has_own_function_words else self.function_words,
            "lemmatizer": None if self.lemmatizer is None else self.lemmatizer.to_mapping(),
        }
        return {name: value for name, value in settings.items() if value is not None}

    def entries(self) -> list[tuple[str, ChainEntry]]:
        """Return the matchers and the lemmatizer, each with its kind, ``matcher`` or ``lemmatizer``."""
        lemmatizers = [] if self.lemmatizer is None else [self.lemmatizer]
        return [("matcher", entry) for entry in self.matchers] + [("lemmatizer", entry) for entry in lemmatizers]


def resolve(config: ChainConfig, registry: PluginRegistry) -> Chain:
    """Fill in the settings that a chain omits with the defaults of its task, language and matchers.

    Raises:
        ConfigError: for an unknown language, task or parameter, or a value that is out of range.
        PluginError: for an unknown matcher, lemmatizer or segmenter.
    """
    language = _resolve_language(config, registry)
    with add_location(config.locations.get("task", "")):
        task_name, task = language.task(config.task)
    matchers = _resolve_matchers(config, language, task_name, task, registry)
    _check_values(config)
    return Chain(
        language=language,
        task=task_name,
        parameters=_resolve_parameters(config, task, matchers),
        normalization=config.normalization or language.normalization,
        matchers=matchers,
        pack=_resolve_pack(config, language),
        function_words=_resolve_function_words(config, language),
        lemmatizer=_resolve_lemmatizer(config, language, matchers, registry),
        **config.plain_settings(),
    )


def _resolve_language(config: ChainConfig, registry: PluginRegistry) -> Language:
    """Return the language of a chain. A segmenter that the chain names replaces the language's own segmenter."""
    with add_location(config.locations.get("language", "")):
        pack = None if config.pack == NO_PACK else config.pack
        language = find_language("en" if config.language is None else config.language, registry, pack=pack)
    return replace(language, segmenter=config.segmenter) if config.segmenter else language


def _resolve_matchers(
    config: ChainConfig, language: Language, task_name: str, task: Task, registry: PluginRegistry
) -> tuple[ChainEntry, ...]:
    """Return the matchers of a chain, and check their weights and options.

    If the chain does not list any matchers, the matchers of its task are used.
    """
    if config.matchers is None:
        weights = _default_weights(language, task_name, task, registry)
        matchers = [ChainEntry(name, weight, optional=True) for name, weight in weights.items()]
    else:
        matchers = [_resolve_matcher(entry, task.weights, registry) for entry in config.matchers]
    if not matchers:
        raise ConfigError("the chain has no matchers; name at least one, such as 'exact'")
    for matcher in matchers:
        with add_location(matcher.location):
            _check_weight(matcher)
    return tuple(matchers)


def _check_weight(matcher: ChainEntry) -> None:
    """Raise a ConfigError if the weight of a matcher is out of range."""
    weight = matcher.weight
    if weight is not None and not 0 <= weight <= MAX_WEIGHT:
        raise ConfigError(f"the weight of matcher {matcher.name!r} is {weight}; it must be from 0 to {MAX_WEIGHT}")


def _check_values(config: ChainConfig) -> None:
    """Raise a ConfigError if the parameters, the beam width or the names of resource packs are invalid."""
    for name in config.parameters:
        if name not in GREEK:
            raise ConfigError(f"unknown parameter {name!r}{near_miss(name, GREEK)}; there are {', '.join(GREEK)}")
    if not 1 <= config.beam <= MAX_BEAM:
        with add_location(config.locations.get("beam", "")):
            raise ConfigError(f"beam is {config.beam}; it must be from 1 to {MAX_BEAM}")
    if "" in (config.pack, config.function_words):
        raise ConfigError("the name of a pack is empty; leave it out for the pack of the language")


def _default_weights(language: Language, task_name: str, task: Task, registry: PluginRegistry) -> Mapping[str, float]:
    """Return a mapping from the names of the default matchers to their weights.

    By default, these are the matchers of the task. The task ``universal``, however, omits most matchers. If a user's
    language file does not define its own default task, all matchers that the file lists are therefore used. The tasks
    of built-in languages omit matchers on purpose.
    """
    is_builtin = language.script or Path(language.source).parent == LANGUAGE_FOLDER
    if is_builtin or task_name != language.default_task or task_name in own_tasks(language):
        return task.weights
    default_weights = {name: registry.matchers.get(name).default_weight for name in language.matchers}
    return {name: task.weights.get(name, weight) for name, weight in default_weights.items()}


def _resolve_parameters(config: ChainConfig, task: Task, matchers: Sequence[ChainEntry]) -> Parameters:
    """Return the formula's parameters and the matcher weights. The task supplies parameters that the chain omits."""
    parameters = {name: float(config.parameters.get(name, getattr(task, name))) for name in GREEK}
    weights = tuple(matcher.weight or 0.0 for matcher in matchers)
    return Parameters(**parameters, weights=weights)


def _resolve_pack(config: ChainConfig, language: Language) -> str | None:
    """Return the name or folder of the resource pack that a chain uses, or ``None`` if the chain does not use a pack.

    The default is the resource pack of the chain's language.
    """
    pack = config.pack or language.pack
    return None if config.pack == NO_PACK else pack


def _resolve_function_words(config: ChainConfig, language: Language) -> str | None:
    """Return the pack that supplies the function words, or ``None`` if the chain does not need an additional pack.

    If a chain replaces the default resource pack of its language, the new pack also supplies the function words by
    default.
    """
    chain_pack = config.pack or language.pack
    is_custom_pack = config.pack is not None and config.pack != language.pack
    default_pack = OWN_FUNCTION_WORDS if is_custom_pack else language.function_words
    pack = config.function_words or default_pack
    return None if pack in (OWN_FUNCTION_WORDS, chain_pack) else pack


def _resolve_lemmatizer(
    config: ChainConfig, language: Language, matchers: Sequence[ChainEntry], registry: PluginRegistry
) -> ChainEntry | None:
    """Return the lemmatizer of a chain. By default, only chains with the matcher ``lemma`` have a lemmatizer."""
    if config.lemmatizer is not None:
        return _resolve_options("lemmatizer", config.lemmatizer, registry)
    needs_lemmas = any(matcher.name == "lemma" for matcher in matchers)
    if not needs_lemmas or language.lemmatizer is None or language.lemmatizer == "none":
        return None
    return _resolve_options("lemmatizer", ChainEntry(language.lemmatizer), registry)


def _resolve_matcher(entry: ChainEntry, weights: Mapping[str, float], registry: PluginRegistry) -> ChainEntry:
    """Set the weight of a matcher. By default, the task or the matcher class determines the weight."""
    weight = weights.get(entry.name) if entry.weight is None else entry.weight
    if weight is None:
        with add_location(entry.location):
            weight = registry.matchers.get(entry.name).default_weight
    return replace(_resolve_options("matcher", entry, registry), weight=float(weight))


def _resolve_options(kind: str, entry: ChainEntry, registry: PluginRegistry) -> ChainEntry:
    """Check the options of a matcher or lemmatizer, and make paths in them absolute.

    Raises:
        ConfigError: for an unknown option or a value of the wrong type, with file and line.
        PluginError: if the matcher or lemmatizer does not exist.
    """
    with add_location(entry.location):
        component = registry.kinds[kind].get(entry.name)
        has_lazy_options_class = isinstance(component.Options, str)
        if has_lazy_options_class and not entry.options:
            # Importing the options class is slow, so the default values are checked only when the component is created.
            return entry
        options = make_option_paths_absolute(component, entry)
        component.check_options(options)
    return replace(entry, options=options)


def make_option_paths_absolute(component: type[Component], entry: ChainEntry) -> dict[str, Any]:
    """Return the options of a matcher or lemmatizer with absolute paths, without checking the options."""

    def make_absolute(path: str) -> str:
        absolute_path = resolve_path(entry.folder, path)
        check_regular_file(absolute_path)
        return absolute_path

    return component.with_paths(entry.options, make_absolute)


def find_language(name: str, registry: PluginRegistry | None = None, *, pack: str | None = None) -> Language:
    """Find a language by its code or English name, or read its definition from a file.

    A language without a definition gets the generic definition of its script, with a warning. If the chain names a
    pack, however, the pack must define the language: a pack that was built from bitext contains a language file, so
    the code ``xx`` works together with the pack ``xx-bitext``.

    Args:
        name: a code (ISO 639, BCP 47), an alias, an English name, or the path of a language file (with a slash, or
            ending in ``.yaml``).
        registry: the registry of languages; by default that of meteor_e and of all installed plugins.
        pack: the name or folder of the pack.

    Raises:
        ConfigError: if the language does not exist, or its file has mistakes.
    """
    if is_path(name):
        return replace(read_language(name), path=os.path.abspath(name))  # noqa: PTH100 (the path is only displayed)
    registry = registry or plugin_registry()
    if name in registry.languages:
        return registry.languages.get(name)
    if pack is None:
        return _find_language_of_code(name, registry, allow_generic=True)
    try:
        return _find_language_of_code(name, registry, allow_generic=False)
    except ConfigError as error:
        return _read_language_of_pack(name, pack, problem=str(error))


def _find_language_of_code(name: str, registry: PluginRegistry, *, allow_generic: bool) -> Language:
    """Find a language by its code or English name.

    Args:
        name: the code or English name.
        registry: the registry of languages.
        allow_generic: whether a language without a definition gets the generic definition of its script.

    Raises:
        ConfigError: if the language does not exist or does not have a definition.
    """
    from meteor_e.languages.codes import generic_language, parse_tag

    defined_codes = registry.languages.names()
    tag = parse_tag(name, defined_codes)
    for code in tag.candidates():
        if code in defined_codes:
            return registry.languages.get(code)
    language = generic_language(tag)
    problem = f"language {language.code!r} ({language.name}) has no definition"
    if not allow_generic:
        raise ConfigError(problem)
    warn_user(f"{problem}; the generic definition of the script {language.script} is used")
    return language


def _read_language_of_pack(code: str, pack: str, problem: str) -> Language:
    """Read the language file of a resource pack.

    Args:
        code: the code of the language.
        pack: the name or folder of the pack.
        problem: the reason why the pack must define the language. Error messages begin with this sentence.

    Raises:
        ConfigError: if the pack is not installed, or does not define the language.
    """
    from meteor_e.packs.pack import LANGUAGE_FILE
    from meteor_e.packs.store import PackStore

    folder = Path(pack) if is_path(pack) else PackStore().root / pack
    file = folder / LANGUAGE_FILE
    if not folder.is_dir():
        raise ConfigError(
            f"{problem}. The pack {pack!r}, which could define it, is not installed; "
            f"build it first: meteor-e pack build --language {code} --bitext TEXT TRANSLATION"
        )
    if not file.is_file():
        raise ConfigError(f"{problem}. The pack {pack!r}, which could define it, has no {LANGUAGE_FILE}")
    language = find_language(str(file.absolute()))
    if code not in (language.code, *language.aliases):
        raise ConfigError(f"{problem}. The pack {pack!r} defines another language, {language.code!r}")
    return language


def make_segmenter(language: Language, registry: PluginRegistry) -> Segmenter:
    """Create the word segmenter of a language.

    Raises:
        PluginError: if the segmenter does not exist or cannot be created.
    """
    try:
        segmenter_class = registry.segmenters.get(str(language.segmenter))
    except PluginError as error:
        raise PluginError(f"language {language.code!r}: {error}; --set segmenter=characters needs no plugin") from error
    segmenter: Segmenter = segmenter_class.make(MatcherContext(language, LanguageResources()))
    return segmenter


def list_plugins(chain: Chain, registry: PluginRegistry) -> list[str]:
    """List the plugins that a chain of matchers uses, such as ``my-matchers@1.0``."""
    components = [(kind, entry.name) for kind, entry in chain.entries()]
    if not chain.language.path and not chain.language.script:
        components.append(("language", chain.language.code))
    if chain.language.segmenter is not None:
        components.append(("segmenter", chain.language.segmenter))
    origins = {registry.kinds[kind].definition(name).origin for kind, name in components}
    return sorted({f"{origin.distribution or origin.plugin}@{origin.version}" for origin in origins - {BUILTIN}})


@dataclass(frozen=True)
class ChainComponents:
    """The components and resources of a chain.

    Attributes:
        resources: function words, prefixes, synonyms and paraphrases.
        lemmatizer: the lemmatizer; ``None`` if the chain does not have a lemmatizer.
        matchers: the matchers, in chain order.
        segmenter: the segmenter; ``None`` if the language separates words by spaces.
    """

    resources: LanguageResources
    lemmatizer: Lemmatizer | None
    matchers: tuple[Matcher, ...]
    segmenter: Segmenter | None


def signature(chain: Chain, components: ChainComponents) -> str:
    """Return the signature of a chain of matchers: a string that lists everything that can change the scores.

    Args:
        chain: the chain. Its task and parameters may differ from those for which the components were created.
        components: the matchers, lemmatizer, segmenter and resources.

    Returns:
        ``key:value`` pairs joined by ``|``, as in ``meteor_e:0.1.0|lang:en|task:rank|…``.
    """
    weighted_matchers = zip(components.matchers, chain.parameters.weights, strict=True)
    matchers = [_describe_component(matcher, f"={weight!r}") for matcher, weight in weighted_matchers]
    # The parameters are abbreviated by their first letters.
    parameters = {name[0]: repr(getattr(chain.parameters, name)) for name in GREEK}
    parts = {
        "meteor_e": __version__,
        "lang": _describe_language(chain.language),
        "task": chain.task,
        "norm": chain.normalization.value,
        **parameters,
        "match": "+".join(matchers),
        **_describe_plain_settings(chain),
        "pack": components.resources.description,
    }
    optional_parts = {
        "lemmas": _describe_component(components.lemmatizer),
        "segmenter": _describe_component(components.segmenter),
        "plugins": "+".join(list_plugins(chain, plugin_registry())),
    }
    parts |= {key: value for key, value in optional_parts.items() if value}
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def _describe_plain_settings(chain: Chain) -> dict[str, str]:
    """Return the parts of the signature that describe the fields of :class:`PlainKeys`, except ``segmenter``."""
    parts = {}
    for name, default in PLAIN_DEFAULTS.items():
        key = KEYS[name]
        value = getattr(chain, name)
        if name != "segmenter" and (key.signature or value != default):
            parts[key.signature or name] = key.spell(value)
    return parts


def _describe_language(language: Language) -> str:
    """Return the part of the signature that describes the language, such as ``en``."""
    if language.script:
        return f"{language.code}(generic {language.script})"
    if language.path:
        return f"{language.code}({language.apostrophes} apostrophes)"
    return language.code


def _describe_component(component: Component | None, weight: str = "") -> str:
    """Return the part of the signature that describes a component, such as a matcher with its weight."""
    if component is None:
        return ""
    with plugin_errors(f"{component.kind} {component.name!r}"):
        description = component.describe()
    suffix = f"({description})" if description else ""
    return f"{component.name}{weight}{suffix}"
