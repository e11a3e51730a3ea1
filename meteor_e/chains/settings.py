"""Chains changed from outside, whatever the chain: options of matchers and lemmatizer, and paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e.base.errors import ConfigError, MeteorError, near_miss
from meteor_e.base.yamlfile import seen_from
from meteor_e.chains.chain import absolute, resolve
from meteor_e.chains.config import ENTRY_KEYS, ChainConfig, ChainEntry, load_chain
from meteor_e.chains.keys import KEYS
from meteor_e.plugins.registry import PluginRegistry, plugin_registry

if TYPE_CHECKING:
    from meteor_e.chains.config import ChainSource

Settings = Mapping[str, Mapping[str, Any]]
"""Options by matcher; those under ``lemmatizer`` are the lemmatizer's."""


def apply_settings(chain: ChainSource | None, given: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the keys ``matchers`` and ``lemmatizer`` of a chain with options replaced.

    Args:
        chain: file, name or content of the chain; ``None`` for the language's.
        given: keys that replace the chain's.
        settings: the options.

    Raises:
        ConfigError: if the chain has no such matcher, or the chain is wrong.
    """
    config = load_chain(given if chain is None else chain)
    if chain is not None and given:
        config = config.overridden(given)
    entries = _entries(config)
    for name, options in settings.items():
        if name == "lemmatizer":
            continue
        wanted = [entry for entry in entries if entry["use"] == name]
        if not wanted:
            known = [*dict.fromkeys(entry["use"] for entry in entries), "lemmatizer"]
            option = next(iter(options), "OPTION")
            raise ConfigError(
                f"cannot set {name}.{option}: the chain has no matcher {name!r}{near_miss(name, known)}; "
                f"it has {', '.join(known[:-1])}"
            )
        for entry in wanted:
            entry.update(_seen_from_here("matcher", name, options))
    changed: dict[str, Any] = {"matchers": entries}
    if "lemmatizer" in settings:
        changed["lemmatizer"] = _lemmatizer(config, settings["lemmatizer"])
    return changed


def _entries(config: ChainConfig) -> list[dict[str, Any]]:
    if config.matchers is None:
        # The lemmatizer may lack what the settings bring.
        chain = resolve(replace(config, lemmatizer=None), plugin_registry())
        matchers: list[dict[str, Any]] = chain.effective()["matchers"]
        return matchers
    return [replace(entry, options=_own_options("matcher", entry)).spelled() for entry in config.matchers]


def _lemmatizer(config: ChainConfig, options: Mapping[str, Any]) -> dict[str, Any]:
    before = config.lemmatizer
    if "use" in options and (before is None or options["use"] != before.name):
        # Another lemmatizer's options are not its own.
        return _seen_from_here("lemmatizer", options["use"], options)
    if before is None:
        raise ConfigError("the chain has no lemmatizer; name one, too: lemmatizer.use=NAME")
    return {
        "use": before.name,
        **_own_options("lemmatizer", before),
        **_seen_from_here("lemmatizer", before.name, options),
    }


def _own_options(kind: str, entry: ChainEntry) -> dict[str, Any]:
    """Return the options of an entry, right or wrong, with absolute paths."""
    return absolute(plugin_registry().components(kind).get(entry.name), entry) if entry.options else {}


def _seen_from_here(kind: str, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with paths seen from the working folder; for what is not there, as they are."""
    try:
        found = plugin_registry().components(kind).get(name)
    except MeteorError:
        return dict(options)
    result: dict[str, Any] = found.with_paths(options, lambda path: seen_from(str(Path.cwd()), path))
    return result


def chain_with_paths(
    chain: Mapping[str, Any], change: Callable[[str], str], registry: PluginRegistry
) -> dict[str, Any]:
    """Return a chain with its paths changed; what is wrong with it stays.

    Args:
        chain: what a chain file holds.
        change: called with each path.
        registry: knows the components.

    Raises:
        PluginError: for a matcher or lemmatizer that is not installed.
    """
    changed = dict(chain)
    for name, key in KEYS.items():
        if key.is_path is not None and isinstance(chain.get(name), str) and key.is_path(chain[name]):
            changed[name] = change(chain[name])
    if isinstance(chain.get("matchers"), list | tuple):
        changed["matchers"] = [entry_with_paths("matcher", entry, change, registry) for entry in chain["matchers"]]
    if "lemmatizer" in chain:
        changed["lemmatizer"] = entry_with_paths("lemmatizer", chain["lemmatizer"], change, registry)
    return changed


def entry_with_paths(kind: str, entry: Any, change: Callable[[str], str], registry: PluginRegistry) -> Any:
    """Return an entry, a name or a mapping with ``use``, with its paths changed; errors as above."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("use"), str):
        return entry
    options = {name: value for name, value in entry.items() if name not in ENTRY_KEYS}
    return {**entry, **registry.components(kind).get(entry["use"]).with_paths(options, change)}
