"""Chain and language files as a whole: what is wrong with one, and a chain written out in full."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from meteor_e.api.context import MatcherContext
from meteor_e.base.errors import MeteorError, ResourceError, located
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
    """Check a chain: keys and values, language, task, matchers and their options. Packs need not be installed.

    Raises:
        MeteorError: for the first thing that is wrong, with file and line.
    """
    chain = resolve(load_chain(source), registry)
    entries = [("matcher", matcher) for matcher in chain.matchers]
    if chain.lemmatizer is not None:
        entries.append(("lemmatizer", chain.lemmatizer))
    context = MatcherContext(chain.language, LanguageResources())
    for kind, entry in entries:
        with located(entry.where), suppress(ResourceError):
            registry.components(kind).get(entry.name).make(context, **entry.options)
    return chain


def check_language(file: str, registry: PluginRegistry) -> Language:
    """Check a language file, the names of its matchers included.

    Raises:
        ConfigError: for the first thing that is wrong, with file and line.
    """
    document = read_yaml(file)
    language = parse_language(document)
    names: list[tuple[Key, str]] = [(("matchers", index), name) for index, name in enumerate(language.matchers)]
    for task, values in document.data.get("tasks", {}).items():
        names += [(("tasks", task, "weights", name), name) for name in values["weights"]]
    for key, name in names:
        try:
            registry.matchers.get(name)
        except MeteorError as error:
            raise document.error(key, str(error)) from None
    return language


def spell_out(chain: Chain, registry: PluginRegistry) -> dict[str, Any]:
    """Return a chain as a mapping that a YAML file can hold: every default spelled out, matchers' options too.

    Loaded back, it makes the same metric, with the same signature.
    """
    spelled = chain.effective()
    for entry, matcher in zip(spelled["matchers"], chain.matchers, strict=True):
        found = registry.matchers.get(matcher.name)
        if not found.requires:
            # Nothing to go without.
            entry.pop("optional", None)
        _spell_defaults(entry, found)
    if chain.lemmatizer is not None:
        _spell_defaults(spelled["lemmatizer"], registry.lemmatizers.get(chain.lemmatizer.name))
    return spelled


def _spell_defaults(entry: dict[str, Any], component: type[Component]) -> None:
    """Add the options that an entry leaves out; what is ``None`` is left to language and files."""
    from meteor_e.api.options import option_defaults

    kind = component.options_class()
    if kind is not None:
        entry.update({name: value for name, value in option_defaults(kind).items() if name not in entry})
