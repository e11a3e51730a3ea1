"""Read the configuration of a chain of matchers from a YAML file or a mapping, and check it.

>>> load_chain("chain.yaml")           # a file
>>> load_chain("adq")                  # the name of a chain of meteor_e or a plugin
>>> load_chain({"language": "de"})     # the content of a file

``docs/chains.md`` describes the format. A configuration contains only the names of languages and matchers. The module
:mod:`meteor_e.chains.chain` later looks up these names.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e.api.languages import GREEK, Normalization
from meteor_e.base.errors import ConfigError, warn_user
from meteor_e.base.yamlfile import Document, Key, is_path, read_yaml
from meteor_e.chains.keys import KEYS, PlainKeys

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    ChainSource = str | os.PathLike[str] | Traversable | Mapping[str, Any]


@dataclass(frozen=True)
class ChainEntry:
    """A matcher or lemmatizer of a chain.

    Attributes:
        name: the name of the component.
        weight: the weight of the matcher in the score. In a chain that is not resolved, ``None`` means the weight of
            the task or of the matcher's class.
        options: the options of the component. In a chain that is not resolved, their paths may be relative.
        location: ``file:line`` of the entry; empty if the entry comes from Python.
        optional: whether the matcher works without its resource if the resource is not installed. The default matchers
            of a language are optional.
        folder: the folder that paths are relative to; empty if the entry comes from Python.
    """

    name: str
    weight: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    location: str = ""
    optional: bool = False
    folder: str = field(default="", compare=False)

    def to_mapping(self) -> dict[str, Any]:
        """Return the name, weight and options of this component as a dictionary, as in a YAML file."""
        mapping: dict[str, Any] = {"use": self.name}
        if self.weight is not None:
            mapping["weight"] = self.weight
        if self.optional:
            mapping["optional"] = True
        return {**mapping, **self.options}


@dataclass(frozen=True)
class ChainConfig(PlainKeys):
    """The settings of a chain as the user wrote them. Settings that are ``None`` get their default values later.

    Attributes:
        language: the code of the language, or the path of a language file.
        task: the task that the parameters were tuned for.
        parameters: values of ``alpha``, ``beta``, ``gamma``, ``delta`` that replace the task's.
        normalization: the normalization of the text before segmentation.
        matchers: the matchers, in order.
        pack: the name or folder of the resource pack.
        function_words: the pack that supplies the function words; ``own`` for the chain's pack.
        lemmatizer: the lemmatizer; ``None`` for the default lemmatizer or none.
        name: the name of the chain, by default that of its file.
        description: the purpose of the chain.
        locations: ``file:line: key`` of each top-level key; empty if the chain comes from Python.
    """

    language: str | None = None
    task: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    normalization: Normalization | None = None
    matchers: tuple[ChainEntry, ...] | None = None
    pack: str | None = None
    function_words: str | None = None
    lemmatizer: ChainEntry | None = None
    name: str = ""
    description: str = ""
    locations: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def override(self, keys: Mapping[str, Any]) -> ChainConfig:
        """Return a copy of this chain in which some settings are replaced.

        Args:
            keys: the keys and their new values, as for :func:`make_chain_from_keys`.

        Raises:
            ConfigError: for the first invalid key or value.
        """
        new_config = make_chain_from_keys(keys)
        new_settings = {name: getattr(new_config, name) for name, value in keys.items() if value is not None}
        # A new setting does not come from the file, so it does not have a location.
        locations = {name: location for name, location in self.locations.items() if name not in new_settings}
        return replace(self, **new_settings, locations=locations)


ENTRY_KEYS = ("use", "weight", "optional")
"""Keys of a matcher's entry that are not options of the matcher."""


def load_chain(source: ChainSource) -> ChainConfig:
    """Read and check a chain.

    Args:
        source: the path of a file, the name of a chain of meteor_e or a plugin, or a mapping with the content of a
            file. A string with a slash, or one that ends in ``.yaml``, ``.yml`` or ``.json``, is a path. Any other
            string is a name. If a chain of that name does not exist, but a file does, the file is read.

    Raises:
        ConfigError: for the first mistake, with file, line and key.
    """
    from meteor_e.base.checked import convert
    from meteor_e.chains.schemas import ChainFile

    document = open_chain(source)
    convert(document, ChainFile)  # This call only raises an error for an invalid key or value.
    return _make_chain(document)


def make_chain_from_keys(keys: Mapping[str, Any]) -> ChainConfig:
    """Create a chain from keyword arguments. They are checked in the same way as the keys of a YAML file.

    Args:
        keys: the keys and their values. ``None`` means the default. Paths are relative to the working folder.

    Raises:
        ConfigError: for the first invalid key or value.
    """
    content = {name: _resolve_path_object(value) for name, value in keys.items() if value is not None}
    parameters = {name: content[name] for name in GREEK if name in content}
    if parameters:
        raise ConfigError(f"{', '.join(parameters)}: unknown key; use parameters={parameters}")
    if all(_is_simple(name, value) for name, value in content.items()):
        # Simple values need not be checked, so the slow import of the checker is avoided.
        return _make_chain(Document(content))
    return load_chain(content)


def _resolve_path_object(value: Any) -> Any:
    """Convert a path object to an absolute path as a string. Return any other value unchanged."""
    return str(Path(value).resolve()) if isinstance(value, os.PathLike) else value


def _is_simple(name: str, value: Any) -> bool:
    """Return whether a setting is valid, apart from mistakes that :func:`~meteor_e.chains.chain.resolve` reports."""
    if name not in KEYS:
        return False
    if name == "normalization":
        return type(value) is str and value in Normalization._value2member_map_
    if name == "parameters":
        return _has_shares(value, GREEK)
    if name == "matchers":
        return type(value) is list and bool(value) and all(map(_is_simple_entry, value))
    return type(value) is KEYS[name].type and not KEYS[name].schema


def _is_simple_entry(entry: Any) -> bool:
    """Return whether a matcher is given only by its name, or by its name and a valid weight."""
    if type(entry) is str:
        return entry != ""
    if type(entry) is not dict:
        return False
    name = entry.get("use")
    weights = {key: value for key, value in entry.items() if key != "use"}
    return type(name) is str and name != "" and _has_shares(weights, ("weight",))


def _has_shares(mapping: Any, names: Collection[str]) -> bool:
    """Return whether a value is a dictionary with valid names as keys and numbers from 0 to 1 as values."""
    if type(mapping) is not dict:
        return False
    return all(name in names and type(value) is float and 0.0 <= value <= 1.0 for name, value in mapping.items())


def describe_chain(file: Traversable) -> str:
    """Return the description of a chain.

    Raises:
        ConfigError: for the first mistake in the chain, with file, line and key.
    """
    return load_chain(file).description


def open_chain(source: ChainSource) -> Document:
    """Read the YAML file of a chain without checking its keys and values.

    Args:
        source: as for :func:`load_chain`.

    Raises:
        ConfigError: if the chain does not exist, or its file cannot be read or is not valid YAML.
    """
    if isinstance(source, Mapping):
        return Document(source)
    if not isinstance(source, str | os.PathLike) and not hasattr(source, "read_bytes"):
        raise ConfigError(f"a chain must be a path, a name or a mapping, not {source!r}")
    if isinstance(source, str) and not is_path(source):
        return read_yaml(_find_chain_file(source))
    return read_yaml(source)


def _find_chain_file(name: str) -> Path | Traversable:
    """Find the YAML file of a named chain. If no chain has this name, interpret the name as a path.

    Raises:
        ConfigError: if neither the chain nor the file exists.
    """
    from meteor_e.plugins.registry import plugin_registry

    chains = plugin_registry().chains
    if Path(name).is_file():
        if name not in chains:
            return Path(name)
        warn_user(f"{name!r} is the name of a chain and of a file; the chain is used. For the file, write ./{name}")
    try:
        return chains.get(name)
    except ConfigError as error:
        raise ConfigError(f"{error}{_suggest_chain_file(name)}") from None


def _suggest_chain_file(name: str) -> str:
    """Return a hint for the error message about an unknown chain. The hint names a YAML file with the chain's name.

    If neither ``NAME.yaml`` nor ``NAME.yml`` exists, return an empty string.
    """
    for path in (f"{name}.yaml", f"{name}.yml"):
        if Path(path).is_file():
            return f" (did you mean the file {path}?)"
    return ""


def _make_chain(document: Document) -> ChainConfig:
    """Create a chain from the checked content of a YAML file, and make all paths absolute."""
    # Keys that the document omits keep the default values of ChainConfig.
    settings = {name: _read_value(name, document) for name in document.data}
    settings.setdefault("name", Path(document.source).stem)
    return ChainConfig(**settings, locations=_locate_keys(document))


def _read_value(name: str, document: Document) -> Any:
    """Convert the value of a key to the type that :class:`ChainConfig` needs."""
    value = document.data[name]
    match name:
        case "parameters":
            return {parameter: float(number) for parameter, number in value.items()}
        case "normalization":
            return Normalization(value)
        case "matchers":
            return _read_matchers(document)
        case "lemmatizer":
            return _read_lemmatizer(document)
        case _:
            key = KEYS[name]
            is_path = key.is_path is not None and key.is_path(value)
            return document.path(value) if is_path else key.type(value)


def _locate_keys(document: Document) -> dict[str, str]:
    """Return the location of each top-level key of a document, as ``file:line: key``."""
    top_level_keys = [key for key in document.lines if len(key) == 1]
    return {str(key[0]): f"{document.location(key)}: {key[0]}" for key in top_level_keys}


def _read_matchers(document: Document) -> tuple[ChainEntry, ...]:
    """Read the matchers in the YAML file of a chain, with their weights and options."""
    matchers = []
    for index, entry in enumerate(document.data["matchers"]):
        component = _read_component(entry, document, ("matchers", index))
        options = dict(component.options)
        weight = options.pop("weight", None)
        optional = options.pop("optional", False)
        matcher_weight = None if weight is None else float(weight)
        matchers.append(replace(component, weight=matcher_weight, options=options, optional=optional))
    return tuple(matchers)


def _read_lemmatizer(document: Document) -> ChainEntry | None:
    """Read the lemmatizer from a chain's YAML file. Return ``None`` if the file contains ``lemmatizer: none``."""
    lemmatizer = _read_component(document.data["lemmatizer"], document, ("lemmatizer",))
    return None if lemmatizer.name == "none" else lemmatizer


def _read_component(entry: str | Mapping[str, Any], document: Document, key: Key) -> ChainEntry:
    """Read the name and the options of a matcher or lemmatizer. The weight of a matcher is one of the options.

    Args:
        entry: the name of a component, or a mapping with its name and its options.
        document: the document that contains the entry.
        key: the key of the entry in the document.
    """
    options = {"use": entry} if isinstance(entry, str) else dict(entry)
    name = options.pop("use")
    return ChainEntry(name, options=options, location=document.location(key), folder=document.folder)
