"""Check chain files and language files, and list all settings of a chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from meteor_e.api.context import MatcherContext
from meteor_e.base.errors import MeteorError, ResourceError, add_location
from meteor_e.base.yamlfile import Key, read_yaml
from meteor_e.chains.chain import resolve
from meteor_e.chains.config import load_chain
from meteor_e.languages.files import parse_language
from meteor_e.packs.resources import LanguageResources

if TYPE_CHECKING:
    from meteor_e.api.component import Component
    from meteor_e.api.languages import Language
    from meteor_e.chains.chain import Chain
    from meteor_e.chains.config import ChainSource
    from meteor_e.plugins.registry import PluginRegistry


def check_chain(source: ChainSource, registry: PluginRegistry) -> Chain:
    """Check the whole configuration of a chain. The resource packs need not be installed.

    Returns:
        The resolved chain.

    Raises:
        MeteorError: for the first mistake, with file and line.
    """
    chain = resolve(load_chain(source), registry)
    # The components are created only to check their options, so they do not need their resources.
    context = MatcherContext(chain.language, LanguageResources())
    for kind, entry in chain.entries():
        component_class = registry.kinds[kind].get(entry.name)
        with add_location(entry.location), suppress(ResourceError):
            component_class.make(context, **entry.options)
    return chain


def check_language(file: str, registry: PluginRegistry) -> Language:
    """Check a language file, including the names of its matchers.

    Returns:
        The language.

    Raises:
        ConfigError: for the first mistake, with file and line.
    """
    document = read_yaml(file)
    language = parse_language(document)
    for key, name in _iterate_matcher_names(document.data):
        try:
            registry.matchers.get(name)
        except MeteorError as error:
            raise document.error(key, str(error)) from None
    return language


def _iterate_matcher_names(content: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    """Yield every matcher name in the content of a language file, together with the key of the name."""
    for index, name in enumerate(content["matchers"]):
        yield ("matchers", index), name
    for task, values in content.get("tasks", {}).items():
        for name in values["weights"]:
            yield ("tasks", task, "weights", name), name


def spell_out(chain: Chain, registry: PluginRegistry) -> dict[str, Any]:
    """Return the settings of a chain as a dictionary in which even default values are explicit.

    If the content is saved as a YAML file and loaded again, the scores and the signature do not change.
    """
    content = chain.effective()
    for entry in content["matchers"]:
        matcher_class = registry.matchers.get(entry["use"])
        if not matcher_class.requires:
            # The key "optional" only matters for matchers that require a resource.
            entry.pop("optional", None)
        _add_default_options(entry, matcher_class)
    if chain.lemmatizer is not None:
        lemmatizer_class = registry.lemmatizers.get(chain.lemmatizer.name)
        _add_default_options(content["lemmatizer"], lemmatizer_class)
    return content


def _add_default_options(entry: dict[str, Any], component: type[Component]) -> None:
    """Add the default values of options that the configuration of a component omits."""
    from meteor_e.api.options import option_defaults

    options_class = component.options_class()
    if options_class is not None:
        for name, default in option_defaults(options_class).items():
            entry.setdefault(name, default)
