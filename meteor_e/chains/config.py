"""Chains as people write them: YAML files and mappings, checked.

>>> load_chain("chain.yaml")           # a file
>>> load_chain("adq")                  # the name of a chain that meteor_e or a plugin brings
>>> load_chain({"language": "de"})     # the content of a file

``docs/chains.md`` describes the format. What a chain's names stand for (languages, matchers) is found when it
is resolved, by :mod:`meteor_e.chains.chain`.
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
    """A matcher (or lemmatizer) in a chain.

    Attributes:
        name: its name.
        weight: its weight in the score; of a chain as written ``None`` for the task's or the matcher's own.
        options: what it is made with; of a chain as written, paths are as written, too.
        where: ``file:line`` of the entry; empty for what comes from Python.
        optional: go without its resource where that is not installed; so are those that the language brings.
        folder: the folder that paths are seen from; empty for what comes from Python.
    """

    name: str
    weight: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""
    optional: bool = False
    folder: str = field(default="", compare=False)

    def spelled(self) -> dict[str, Any]:
        """Return the entry as a mapping that a YAML file can hold."""
        own = {"use": self.name, "weight": self.weight, "optional": self.optional or None}
        return {**{key: value for key, value in own.items() if value is not None}, **self.options}


@dataclass(frozen=True)
class ChainConfig:
    """A chain as its author wrote it; ``None`` is what is left to language and task.

    Attributes:
        language: its code, or the path of a language file.
        task: what the parameters were tuned for.
        parameters: values of ``alpha``, ``beta``, ``gamma``, ``delta`` that replace the task's.
        normalization: how text becomes tokens.
        matchers: the matchers, in order.
        plain: values of the keys of :class:`~meteor_e.chains.keys.PlainKeys`, as far as they are given.
        pack: name or folder of the resource pack.
        function_words: pack whose function words count; ``own`` for those of the chain's pack.
        lemmatizer: the lemmatizer; ``None`` for none.
        name: what to call the chain; the file's name unless the file says something else.
        description: what the chain is for.
        where: ``file:line: key`` of each of its keys; empty for what comes from Python.
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

    def overridden(self, given: Mapping[str, Any]) -> ChainConfig:
        """Return this chain with some keys replaced; arguments and errors as for :func:`chain_of`."""
        other, replaced = chain_of(given), {key for key, value in given.items() if value is not None}
        changes: dict[str, Any] = {key: getattr(other, key) for key in replaced.difference(PLAIN)}
        plain = {**self.plain, **{key: value for key, value in other.plain.items() if key in replaced}}
        where = {key: place for key, place in self.where.items() if key not in replaced}
        return replace(self, **changes, plain=plain, where=where)


ENTRY_KEYS = ("use", "weight", "optional")
"""Keys of a matcher's entry that are not options of the matcher."""


def load_chain(source: ChainSource) -> ChainConfig:
    """Read and check a chain.

    Args:
        source: a file's path; the name of a chain that meteor_e or a plugin brings; or a mapping with a file's
            content. A text with a slash, or that ends in ``.yaml``, ``.yml`` or ``.json``, is a path; another
            one is a name, or, if there is no such chain but a file, a path.

    Raises:
        ConfigError: for the first thing that is wrong, with file, line and key.
    """
    from meteor_e.base.checked import convert
    from meteor_e.chains.schemas import ChainFile

    document = open_chain(source)
    convert(document, ChainFile)
    return make_chain(document)


def chain_of(given: Mapping[str, Any]) -> ChainConfig:
    """Return a chain from keys that a program gives, checked as a file would be.

    Args:
        given: the keys; those that are ``None`` are not given, and paths are seen from here.

    Raises:
        ConfigError: for the first thing that is wrong.
    """
    keys = {
        name: str(Path(value).resolve()) if isinstance(value, os.PathLike) else value
        for name, value in given.items()
        if value is not None
    }
    for name in keys:
        if name in GREEK:
            raise ConfigError(f"{name}: unknown key; give parameters={{{name!r}: {keys[name]!r}}}")
    if all(name in KEYS and _is_simple(name, value) for name, value in keys.items()):
        # What resolving checks anyhow; the checker of files would take a while to import.
        return make_chain(Document(keys))
    return load_chain(keys)


def _is_simple(name: str, value: Any) -> bool:
    """Return whether a value is so plain that the checker of files cannot find anything wrong with it."""
    if name == "normalization":
        return type(value) is str and value in Normalization._value2member_map_
    if name == "parameters":
        return _has_shares(value, GREEK)
    if name == "matchers":
        return type(value) is list and bool(value) and all(map(_is_simple_entry, value))
    return type(value) is KEYS[name].type and not KEYS[name].schema


def _is_simple_entry(entry: Any) -> bool:
    rest = {**entry} if type(entry) is dict else {"use": entry}
    use = rest.pop("use", None)
    return type(use) is str and bool(use) and _has_shares(rest, ("weight",))


def _has_shares(given: Any, names: Collection[str]) -> bool:
    """Return whether a mapping holds nothing but numbers from 0 to 1, under some names."""
    return type(given) is dict and all(
        name in names and type(value) is float and 0.0 <= value <= 1.0 for name, value in given.items()
    )


def describe_chain(file: Traversable) -> str:
    """Return what a chain is for; errors as for :func:`load_chain`."""
    return load_chain(file).description


def open_chain(source: ChainSource) -> Document:
    """Read what :func:`load_chain` reads, without a look at what it says."""
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
        here = next((name for name in (f"{source}.yaml", f"{source}.yml") if Path(name).is_file()), None)
        if here is None:
            raise
        raise ConfigError(f"{error} (did you mean the file {here}?)") from None
    if Path(source).is_file():
        message = f"{source!r} is a chain and a file; the chain is used. For the file, write ./{source}"
        warn_user(message)
    return read_yaml(file)


def make_chain(document: Document) -> ChainConfig:
    """Turn a document that has no problems into a chain."""
    data = document.data
    matchers = data.get("matchers")
    mode = data.get("normalization")
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
        normalization=Normalization(mode) if mode is not None else None,
        matchers=None
        if matchers is None
        else tuple(read_entry(entry, document, ("matchers", index)) for index, entry in enumerate(matchers)),
        plain={name: KEYS[name].type(paths.get(name, data[name])) for name in PLAIN if name in data},
        lemmatizer=None if lemmatizer is not None and lemmatizer.name == "none" else lemmatizer,
        name=data.get("name", Path(document.source).stem),
        description=data.get("description", ""),
        where={
            str(key): f"{document.source}:{line}: {key}" for (key, *rest), line in document.lines.items() if not rest
        },
    )


def read_entry(entry: str | Mapping[str, Any], document: Document, key: Key) -> ChainEntry:
    """Read an entry of ``matchers``, or ``lemmatizer``."""
    where = document.where(key)
    if isinstance(entry, str):
        return ChainEntry(entry, where=where, folder=document.folder)
    reserved = ENTRY_KEYS if key[0] == "matchers" else ENTRY_KEYS[:1]
    own = {name: entry[name] for name in reserved if name in entry}
    return ChainEntry(
        name=own["use"],
        weight=float(own["weight"]) if "weight" in own else None,
        options={name: value for name, value in entry.items() if name not in reserved},
        where=where,
        optional=own.get("optional", False),
        folder=document.folder,
    )
