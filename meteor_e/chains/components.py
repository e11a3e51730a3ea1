"""Create the matchers, the lemmatizer and the segmenter of a chain, and load its lexical resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from meteor_e.api.context import MatcherContext
from meteor_e.base.errors import ConfigError, ResourceError, add_location, plugin_errors
from meteor_e.chains.chain import Chain, ChainComponents, make_segmenter
from meteor_e.packs.store import find_resources
from meteor_e.plugins.registry import plugin_registry

if TYPE_CHECKING:
    from meteor_e.api.lemmatizers import Lemmatizer
    from meteor_e.api.matchers import Matcher
    from meteor_e.chains.config import ChainEntry
    from meteor_e.packs.resources import LanguageResources


def make_components(
    chain: Chain, resources: LanguageResources | None = None, offline: bool | None = None
) -> ChainComponents:
    """Create the components of a chain.

    Args:
        chain: the resolved chain.
        resources: resources to use instead of the pack's.
        offline: whether a missing pack may not be downloaded; ``None`` for the user's setting.

    Raises:
        ConfigError: for a matcher that needs lemmas or tags, if the chain does not have a suitable lemmatizer.
        PluginError: for a component that is not installed.
        ResourceError: for missing resources. The message names all of them.
    """
    resources = resources or find_resources(chain.language, chain.pack, chain.function_words, offline)
    lemmatizer = None
    if chain.lemmatizer is not None:
        lemmatizer = _make_component("lemmatizer", chain.lemmatizer, chain, resources)
    matchers = _make_matchers(chain, resources, lemmatizer)
    segmenter = None
    if chain.language.segmenter is not None:
        segmenter = make_segmenter(chain.language, plugin_registry())
    return ChainComponents(resources, lemmatizer, tuple(matchers), segmenter)


def _make_matchers(chain: Chain, resources: LanguageResources, lemmatizer: Lemmatizer | None) -> list[Matcher]:
    """Create the matchers of a chain. If several matchers lack resources, the error message names all resources."""
    matchers: list[Matcher] = []
    errors: list[ResourceError] = []
    for entry in chain.matchers:
        try:
            matcher = _make_component("matcher", entry, chain, resources)
        except ResourceError as error:
            errors.append(error)
        else:
            with add_location(entry.location):
                _check_lemmatizer(entry.name, matcher, lemmatizer)
            matchers.append(matcher)
    if errors:
        distinct_messages = dict.fromkeys(map(str, errors))
        raise ResourceError("; and ".join(distinct_messages)) from errors[0]
    return matchers


def _make_component(kind: str, entry: ChainEntry, chain: Chain, resources: LanguageResources) -> Any:
    """Create a matcher or lemmatizer from its name and its options in a chain."""
    with add_location(entry.location), plugin_errors(f"making {kind} {entry.name!r}"):
        context = MatcherContext(chain.language, resources, not entry.optional)
        return plugin_registry().kinds[kind].get(entry.name).make(context, **entry.options)


def _check_lemmatizer(name: str, matcher: Matcher, lemmatizer: Lemmatizer | None) -> None:
    """Raise a ConfigError if a matcher needs lemmas or tags that the lemmatizer does not supply."""
    if matcher.needs_lemmas and lemmatizer is None:
        raise ConfigError(
            f"matcher {name!r} needs lemmas, and the chain has no lemmatizer; "
            "name one, as in --set lemmatizer.use=simplemma"
        )
    if matcher.needs_tags and (lemmatizer is None or not lemmatizer.tags):
        description = "no lemmatizer" if lemmatizer is None else f"the lemmatizer {lemmatizer.name!r}"
        raise ConfigError(
            f"matcher {name!r} needs tags, and the chain has {description}; name a lemmatizer that gives "
            "tags, such as treetagger, udpipe, hanta or a lookup file with tags"
        )
