"""Languages: what METEOR knows of each, as data.

A language is one YAML file; ``docs/languages.md`` describes the format. Those of METEOR are in
``resources/languages/``; third parties add theirs through the hook ``meteor_e_language_files``, and a chain can
name a file of its own. What every language has in common (the tasks ``li``, ``tune`` and ``universal``) is in
``resources/languages/any.yaml``.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e.api.languages import GREEK, ISO_CODES, Evidence, Language, Normalization, Task
from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import Document, is_path, read_yaml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def read_language(file: str | os.PathLike[str] | Traversable) -> Language:
    """Read a language file.

    Raises:
        ConfigError: naming file, line and key.
    """
    return parse_language(read_yaml(file))


def parse_language(data: object, source: str = "", common: Mapping[str, Any] | None = None) -> Language:
    """Turn the content of a language file into a :class:`Language`.

    Args:
        data: what the file says, or the :class:`~meteor_e.base.yamlfile.Document`, whose errors have lines.
        source: what to call the file in errors, unless it is a document.
        common: tasks of every language, as in ``any.yaml``; by default those.

    Raises:
        ConfigError: naming file, line and key of the first mistake.
    """
    document = data if isinstance(data, Document) else Document(data, source)
    common = common_tasks() if common is None else common
    if Path(document.source).parent != LANGUAGE_FOLDER:
        # METEOR's own files are checked by a test, which saves every run the time to import the checker.
        _check(document, common)
    values: Any = document.data
    pack, words = values.get("pack"), values.get("function_words")
    tasks = generic_tasks(values["matchers"], {**common, **values.get("tasks", {})})
    return Language(
        code=values["code"],
        name=values["name"],
        matchers=tuple(values["matchers"]),
        tasks=tasks,
        default_task=values["default_task"],
        aliases=tuple(values.get("aliases", ())),
        meteor_code=values.get("meteor_code", values["code"]),
        normalization=Normalization(values.get("normalization", "lower")),
        apostrophes=values.get("apostrophes", "apart"),
        stemmer=values.get("stemmer"),
        pack=document.path(pack) if pack is not None and is_path(pack) else pack,
        function_words=document.path(words) if words is not None and is_path(words) else words,
        segmenter=values.get("segmenter"),
        lemmatizer=values.get("lemmatizer"),
        resources=tuple(values.get("resources", ())),
        evidence={name: Evidence(**numbers) for name, numbers in values.get("evidence", {}).items()},
        source=document.source,
    )


def _check(document: Document, common: Mapping[str, Any]) -> None:
    from meteor_e.base.checked import convert
    from meteor_e.languages.schema import LanguageFile
    from meteor_e.text.stemming import known_stemmers

    convert(document, LanguageFile)
    data = document.data
    known = (("default_task", "task", [*common, *data.get("tasks", {})]), ("stemmer", "stemmer", known_stemmers()))
    for key, what, names in known:
        name = data.get(key)
        if name is not None and name not in names:
            there = f"{near_miss(name, names)}; there are {', '.join(names) or 'none'}"
            raise document.error((key,), f"there is no {what} {name!r}{there}")


def generic_tasks(matchers: Sequence[str], tasks: Mapping[str, Any]) -> dict[str, Task]:
    """Return tasks as a language with some matchers has them.

    Weights given as a list go to the language's own matchers, by position.
    """
    found = {}
    for name, values in tasks.items():
        weights = values["weights"]
        if not isinstance(weights, Mapping):
            weights = dict(zip(matchers, weights, strict=False))
        alpha, beta, gamma, delta = (float(values[letter]) for letter in GREEK)
        found[name] = Task(alpha, beta, gamma, delta, {use: float(weight) for use, weight in weights.items()})
    return found


try:
    RESOURCES = Path(import_module("meteor_e.resources").__path__[0])
except ModuleNotFoundError:
    RESOURCES = Path(__file__).parents[2] / "resources"
"""The folder ``resources``: inside the installed package, beside it in a checkout."""

LANGUAGE_FOLDER = RESOURCES / "languages"
"""The folder of METEOR's languages."""


def own_tasks(language: Language) -> dict[str, Task]:
    """Return the tasks that a language has beyond those of every language, or in their place."""
    common = generic_tasks(language.matchers, common_tasks())
    return {name: task for name, task in language.tasks.items() if task != common.get(name)}


@functools.cache
def common_tasks() -> Mapping[str, Any]:
    """Return the tasks that every language has, as ``any.yaml`` says them."""
    tasks = read_yaml(LANGUAGE_FOLDER / "any.yaml").data
    assert isinstance(tasks, dict)
    return tasks


@functools.cache
def builtin_language(code: str) -> Language:
    """Return one of METEOR's languages, by its own code."""
    return read_language(LANGUAGE_FOLDER / f"{code}.yaml")


BUILTIN_CODES = (
    *("en", "cs", "fr", "es", "de", "ru", "da", "fi", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr", "other"),
)
"""Codes of METEOR's languages; each has a file, read only when the language is asked for."""


def language_files() -> dict[str, Path]:
    """Return the file of each language of ours, METEOR's and others, by its code; no file is read."""
    # any.yaml has the tasks of every language.
    return {file.stem: file for file in sorted(LANGUAGE_FOLDER.glob("*.yaml")) if file.stem != "any"}


def language_file(code: str) -> Path | None:
    """Return the file of a language of ours by its code, ISO's or the Java program's; ``None`` if there is none."""
    if not re.fullmatch("[a-z]{2,8}", code) or code == "any":
        return None
    file = LANGUAGE_FOLDER / f"{ISO_CODES.get(code, code)}.yaml"
    return file if file.is_file() else None


def named_languages(file: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the code of the language that the name of a file begins with, as `french.synsets` does; else nothing."""
    first = re.split(r"[^a-z]", Path(file).name.lower(), maxsplit=1)[0]
    return tuple(code for code in language_files() if builtin_language(code).name.lower() == first)
