"""Read and check chains: YAML files and mappings.

>>> load_chain("chain.yaml")           # a file
>>> load_chain("adq")                  # the name of a chain that meteor_e or a plugin brings
>>> load_chain({"language": "de"})     # the content of a file

``docs/chains.md`` describes the format. A chain contains the names of languages and matchers;
:mod:`meteor_e.chains.chain` looks them up when it resolves the chain.
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
from meteor_e.chains.keys import KEYS, PLAIN

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
        where: ``file:line`` of the entry; empty if the entry comes from Python.
        optional: whether the matcher works without its resource if the resource is not installed. The default matchers
            of a language are optional.
        folder: the folder that paths are relative to; empty if the entry comes from Python.
    """

    name: str
    weight: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""
    optional: bool = False
    folder: str = field(default="", compare=False)

    def spelled(self) -> dict[str, Any]:
        """Return the entry as a mapping that a YAML file can hold."""
        keys = {"use": self.name, "weight": self.weight, "optional": self.optional or None}
        return {**{key: value for key, value in keys.items() if value is not None}, **self.options}


@dataclass(frozen=True)
class ChainConfig:
    """A chain as its author wrote it. The language and the task supply the values that are ``None``.

    Attributes:
        language: the code of the language, or the path of a language file.
        task: the task that the parameters were tuned for.
        parameters: values of ``alpha``, ``beta``, ``gamma``, ``delta`` that replace the task's.
        normalization: the normalization of the text before segmentation.
        matchers: the matchers, in order.
        plain: values of the keys of :class:`~meteor_e.chains.keys.PlainKeys` that the author set.
        pack: the name or folder of the resource pack.
        function_words: the pack that supplies the function words; ``own`` for the chain's pack.
        lemmatizer: the lemmatizer; ``None`` for the default lemmatizer or none.
        name: the name of the chain, by default that of its file.
        description: the purpose of the chain.
        where: ``file:line: key`` of each top-level key; empty if the chain comes from Python.
    """

    language: str | None = None
    task: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    normalization: Normalization | None = None
    matchers: tuple[ChainEntry, ...] | None = None
    plain: Mapping[str, Any] = field(default_factory=dict)
    pack: str | None = None
    function_words: str | None = None
    lemmatizer: ChainEntry | None = None
    name: str = ""
    description: str = ""
    where: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def override(self, keys: Mapping[str, Any]) -> ChainConfig:
        """Return a copy of this chain with some keys replaced.

        Args:
            keys: the keys and their new values, as for :func:`make_chain_from_keys`.

        Raises:
            ConfigError: for the first invalid key or value.
        """
        overrides = make_chain_from_keys(keys)
        names = {name for name, value in keys.items() if value is not None}
        changes: dict[str, Any] = {name: getattr(overrides, name) for name in names.difference(PLAIN)}
        plain = {**self.plain, **{name: value for name, value in overrides.plain.items() if name in names}}
        where = {name: location for name, location in self.where.items() if name not in names}
        return replace(self, **changes, plain=plain, where=where)


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
    convert(document, ChainFile)
    return make_chain(document)


def make_chain_from_keys(keys: Mapping[str, Any]) -> ChainConfig:
    """Return a chain from keys that a program passes, with the same checks as for a file.

    Args:
        keys: the keys and their values. ``None`` means the default. Paths are relative to the working folder.

    Raises:
        ConfigError: for the first invalid key or value.
    """
    content = {
        name: str(Path(value).resolve()) if isinstance(value, os.PathLike) else value
        for name, value in keys.items()
        if value is not None
    }
    for name in content:
        if name in GREEK:
            raise ConfigError(f"{name}: unknown key; give parameters={{{name!r}: {content[name]!r}}}")
    if all(name in KEYS and _is_simple(name, value) for name, value in content.items()):
        # Resolving the chain checks these values, and importing the checker of files would take time.
        return make_chain(Document(content))
    return load_chain(content)


def _is_simple(name: str, value: Any) -> bool:
    """Return whether a value is certain to pass the checks of chain files."""
    if name == "normalization":
        return type(value) is str and value in Normalization._value2member_map_
    if name == "parameters":
        return _has_shares(value, GREEK)
    if name == "matchers":
        return type(value) is list and bool(value) and all(map(_is_simple_entry, value))
    return type(value) is KEYS[name].type and not KEYS[name].schema


def _is_simple_entry(entry: Any) -> bool:
    """Return whether an entry is a name, or a name with a weight from 0 to 1."""
    keys = {**entry} if type(entry) is dict else {"use": entry}
    name = keys.pop("use", None)
    return type(name) is str and bool(name) and _has_shares(keys, ("weight",))


def _has_shares(mapping: Any, names: Collection[str]) -> bool:
    """Return whether a value is a mapping from some of the names to numbers from 0 to 1."""
    return type(mapping) is dict and all(
        name in names and type(value) is float and 0.0 <= value <= 1.0 for name, value in mapping.items()
    )


def describe_chain(file: Traversable) -> str:
    """Return the description of a chain.

    Raises:
        ConfigError: for the first mistake in the chain, with file, line and key.
    """
    return load_chain(file).description


def open_chain(source: ChainSource) -> Document:
    """Read a chain without checking its keys and values.

    Args:
        source: as for :func:`load_chain`.

    Raises:
        ConfigError: if the chain does not exist, or its file cannot be read or is not valid YAML.
    """
    if isinstance(source, Mapping):
        return Document(source)
    if not isinstance(source, str):
        if not isinstance(source, os.PathLike) and not hasattr(source, "read_bytes"):
            raise ConfigError(f"a chain is a path, a name or a mapping, not {source!r}")
        return read_yaml(source)
    if is_path(source):
        return read_yaml(Path(source))
    from meteor_e.plugins.registry import plugin_registry

    try:
        file = plugin_registry().chains.get(source)
    except ConfigError as error:
        if Path(source).is_file():
            return read_yaml(Path(source))
        suggestion = next((name for name in (f"{source}.yaml", f"{source}.yml") if Path(name).is_file()), None)
        if suggestion is None:
            raise
        raise ConfigError(f"{error} (did you mean the file {suggestion}?)") from None
    if Path(source).is_file():
        warn_user(f"{source!r} is a chain and a file; the chain is used. For the file, write ./{source}")
    return read_yaml(file)


def make_chain(document: Document) -> ChainConfig:
    """Return the chain of a document that has been checked."""
    data = document.data
    normalization = data.get("normalization")
    matchers = None
    if data.get("matchers") is not None:
        matchers = tuple(
            read_entry(entry, document, ("matchers", index)) for index, entry in enumerate(data["matchers"])
        )
    lemmatizer = read_entry(data["lemmatizer"], document, ("lemmatizer",)) if "lemmatizer" in data else None
    paths = {
        name: document.path(data[name]) if key.is_path(data[name]) else data[name]
        for name, key in KEYS.items()
        if key.is_path is not None and name in data
    }
    return ChainConfig(
        **{name: value for name, value in paths.items() if name not in PLAIN},
        task=data.get("task"),
        parameters={name: float(value) for name, value in data.get("parameters", {}).items()},
        normalization=Normalization(normalization) if normalization is not None else None,
        matchers=matchers,
        plain={name: KEYS[name].type(paths.get(name, data[name])) for name in PLAIN if name in data},
        lemmatizer=None if lemmatizer is not None and lemmatizer.name == "none" else lemmatizer,
        name=data.get("name", Path(document.source).stem),
        description=data.get("description", ""),
        where={
            str(key[0]): f"{document.source}:{line}: {key[0]}" for key, line in document.lines.items() if len(key) == 1
        },
    )


def read_entry(entry: str | Mapping[str, Any], document: Document, key: Key) -> ChainEntry:
    """Return an entry of the list ``matchers``, or the entry ``lemmatizer``."""
    where = document.where(key)
    if isinstance(entry, str):
        return ChainEntry(entry, where=where, folder=document.folder)
    reserved = ENTRY_KEYS if key[0] == "matchers" else ENTRY_KEYS[:1]
    keys = {name: entry[name] for name in reserved if name in entry}
    return ChainEntry(
        name=keys["use"],
        weight=float(keys["weight"]) if "weight" in keys else None,
        options={name: value for name, value in entry.items() if name not in reserved},
        where=where,
        optional=keys.get("optional", False),
        folder=document.folder,
    )
