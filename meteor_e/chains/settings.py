"""Change the options of the matchers and the lemmatizer in a chain, and replace file paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e.base.errors import ConfigError, MeteorError, near_miss
from meteor_e.base.yamlfile import resolve_path
from meteor_e.chains.chain import make_option_paths_absolute, resolve
from meteor_e.chains.config import ENTRY_KEYS, ChainConfig, ChainEntry, load_chain
from meteor_e.chains.keys import KEYS
from meteor_e.plugins.registry import PluginRegistry, plugin_registry

if TYPE_CHECKING:
    from meteor_e.chains.config import ChainSource

Settings = Mapping[str, Mapping[str, Any]]
"""Options by the name of a matcher. The key ``lemmatizer`` has the lemmatizer's options."""


def apply_settings(chain: ChainSource | None, overrides: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the configuration of a chain's matchers and lemmatizer, with changed options.

    Args:
        chain: the file, name or content of the chain; ``None`` for the language's default chain.
        overrides: the keys that replace those of the chain.
        settings: the options to replace.

    Raises:
        ConfigError: if the chain is invalid, or does not have a matcher that the settings name.
    """
    original_config = ChainConfig() if chain is None else load_chain(chain)
    config = original_config.override(overrides)
    matchers = _list_matchers(config)
    for name, options in settings.items():
        if name != "lemmatizer":
            matchers = _update_matcher(matchers, name, options)
    if "lemmatizer" not in settings:
        return {"matchers": matchers}
    return {"matchers": matchers, "lemmatizer": _update_lemmatizer(config, settings["lemmatizer"])}


def _update_matcher(matchers: list[dict[str, Any]], name: str, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the configurations of a chain's matchers, with changed options for one matcher.

    Raises:
        ConfigError: if the chain does not contain this matcher.
    """
    names = [matcher["use"] for matcher in matchers]
    if name not in names:
        option = next(iter(options), "OPTION")
        raise ConfigError(_describe_missing_matcher(name, option, names))
    new_options = _resolve_paths("matcher", name, options)
    return [{**matcher, **new_options} if matcher["use"] == name else matcher for matcher in matchers]


def _describe_missing_matcher(name: str, option: str, matchers: Sequence[str]) -> str:
    """Return the error message if the user sets an option of a matcher and the chain lacks this matcher."""
    suggestion = near_miss(name, [*matchers, "lemmatizer"])
    matcher_list = ", ".join(dict.fromkeys(matchers))
    return f"cannot set {name}.{option}: the chain has no matcher {name!r}{suggestion}; it has {matcher_list}"


def _list_matchers(config: ChainConfig) -> list[dict[str, Any]]:
    """Return the configuration of each matcher of a chain as a dictionary with absolute paths."""
    if config.matchers is None:
        # Resolve the chain without its lemmatizer, which may be invalid until the user's options are applied.
        chain = resolve(replace(config, lemmatizer=None), plugin_registry())
        matchers: list[dict[str, Any]] = chain.effective()["matchers"]
        return matchers
    return [replace(entry, options=_read_options("matcher", entry)).to_mapping() for entry in config.matchers]


def _update_lemmatizer(config: ChainConfig, options: Mapping[str, Any]) -> dict[str, Any]:
    """Change options of a chain's lemmatizer, and return its configuration as a dictionary."""
    lemmatizer = config.lemmatizer
    if "use" in options and (lemmatizer is None or options["use"] != lemmatizer.name):
        # The options of the previous lemmatizer do not apply to the new one.
        return _resolve_paths("lemmatizer", options["use"], options)
    if lemmatizer is None:
        raise ConfigError("the chain has no lemmatizer; also name a lemmatizer: lemmatizer.use=NAME")
    return {
        "use": lemmatizer.name,
        **_read_options("lemmatizer", lemmatizer),
        **_resolve_paths("lemmatizer", lemmatizer.name, options),
    }


def _read_options(kind: str, entry: ChainEntry) -> dict[str, Any]:
    """Return the options of a matcher or lemmatizer with absolute paths, without checking the options."""
    if not entry.options:
        return {}
    return make_option_paths_absolute(plugin_registry().kinds[kind].get(entry.name), entry)


def _resolve_paths(kind: str, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Make the paths in the options of a component absolute, relative to the working folder.

    The options of an unknown component are not changed.
    """
    try:
        component = plugin_registry().kinds[kind].get(name)
    except MeteorError:
        return dict(options)
    result: dict[str, Any] = component.with_paths(options, lambda path: resolve_path(str(Path.cwd()), path))
    return result


def replace_chain_paths(
    chain: Mapping[str, Any], replace_path: Callable[[str], str], registry: PluginRegistry
) -> dict[str, Any]:
    """Replace all file paths in the configuration of a chain, without checking the configuration.

    Args:
        chain: the content of a chain file.
        replace_path: a function that returns the new path for a path.
        registry: the registry of components.

    Raises:
        PluginError: for a matcher or lemmatizer that is not installed.
    """
    return {name: _replace_value_paths(name, value, replace_path, registry) for name, value in chain.items()}


def _replace_value_paths(name: str, value: Any, replace_path: Callable[[str], str], registry: PluginRegistry) -> Any:
    """Replace all file paths in the value of one chain key. Leave invalid values unchanged."""
    if name == "matchers" and isinstance(value, list | tuple):
        return [_replace_entry_paths("matcher", entry, replace_path, registry) for entry in value]
    if name == "lemmatizer":
        return _replace_entry_paths("lemmatizer", value, replace_path, registry)
    is_path = KEYS[name].is_path if name in KEYS else None
    if is_path is not None and isinstance(value, str) and is_path(value):
        return replace_path(value)
    return value


def _replace_entry_paths(kind: str, entry: Any, replace_path: Callable[[str], str], registry: PluginRegistry) -> Any:
    """Replace each file path in the options of a matcher or lemmatizer with the result of ``replace_path``.

    Args:
        kind: the kind of the component, ``matcher`` or ``lemmatizer``.
        entry: the name of a component, or a mapping with its name and its options.
        replace_path: a function that returns the new path for a path.
        registry: the registry of components.

    Raises:
        PluginError: for a matcher or lemmatizer that is not installed.
    """
    if not isinstance(entry, Mapping) or not isinstance(entry.get("use"), str):
        # A component that is given only by its name does not have options. Invalid components are reported later.
        return entry
    component = registry.kinds[kind].get(entry["use"])
    options = {name: value for name, value in entry.items() if name not in ENTRY_KEYS}
    return {**entry, **component.with_paths(options, replace_path)}
