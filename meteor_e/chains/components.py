"""The components of a chain: resources, lemmatizer, matchers and segmenter, made from its definition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from meteor_e.api.context import MatcherContext
from meteor_e.base.errors import ConfigError, ResourceError, guarded, located
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
    """Make the components of a chain.

    Args:
        chain: the chain, with all defaults filled in.
        resources: resources to use instead of the pack's.
        offline: never download a missing pack.

    Raises:
        ConfigError: for a matcher that needs a lemmatizer, if the chain has none that fits.
        PluginError: for a component that is not installed.
        ResourceError: naming all that is missing.
    """
    resources = resources or find_resources(chain.language, chain.pack, chain.function_words, offline)
    lemmatizer = None if chain.lemmatizer is None else _make("lemmatizer", chain.lemmatizer, chain, resources)
    matchers = tuple(_make_matchers(chain, resources, lemmatizer))
    is_spaced = chain.language.segmenter is None
    segmenter = None if is_spaced else make_segmenter(chain.language, plugin_registry())
    return ChainComponents(resources, lemmatizer, matchers, segmenter)


def _make(kind: str, entry: ChainEntry, chain: Chain, resources: LanguageResources) -> Any:
    """Make the matcher, or the lemmatizer, of an entry."""
    with located(entry.where), guarded(f"making {kind} {entry.name!r}"):
        context = MatcherContext(chain.language, resources, not entry.optional)
        return plugin_registry().components(kind).get(entry.name).make(context, **entry.options)


def _make_matchers(chain: Chain, resources: LanguageResources, lemmatizer: Lemmatizer | None) -> Iterator[Matcher]:
    """Make the matchers; a ResourceError names all that is missing."""
    missing: list[ResourceError] = []
    for entry in chain.matchers:
        try:
            matcher = _make("matcher", entry, chain, resources)
        except ResourceError as error:
            missing.append(error)
            continue
        with located(entry.where):
            if matcher.needs_lemmas and lemmatizer is None:
                raise ConfigError(
                    f"matcher {entry.name!r} needs lemmas, and the chain has no lemmatizer; "
                    "name one, as in --set lemmatizer.use=simplemma"
                )
            if matcher.needs_tags and (lemmatizer is None or not lemmatizer.tags):
                name = "no lemmatizer" if lemmatizer is None else f"the lemmatizer {lemmatizer.name!r}"
                raise ConfigError(
                    f"matcher {entry.name!r} needs tags, and the chain has {name}; name a lemmatizer that gives "
                    "tags, such as treetagger, udpipe, hanta or a lookup file with tags"
                )
        yield matcher
    if missing:
        raise ResourceError("; and ".join(dict.fromkeys(map(str, missing)))) from missing[0]
