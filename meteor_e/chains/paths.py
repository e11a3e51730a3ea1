"""Paths within a chain: which of its values are some, by the types of its components' options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from meteor_e.chains.config import ENTRY_KEYS
from meteor_e.chains.keys import KEYS
from meteor_e.plugins.registry import Registry


def chain_with_paths(chain: Mapping[str, Any], change: Callable[[str], str], registry: Registry) -> dict[str, Any]:
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


def entry_with_paths(kind: str, entry: Any, change: Callable[[str], str], registry: Registry) -> Any:
    """Return an entry, a name or a mapping with ``use``, with its paths changed; errors as above."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("use"), str):
        return entry
    options = {name: value for name, value in entry.items() if name not in ENTRY_KEYS}
    return {**entry, **registry.get(kind, entry["use"]).with_paths(options, change)}
