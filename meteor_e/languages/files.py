"""Read language files.

A language is defined by one YAML file; ``docs/languages.md`` describes the format. The files of meteor_e are in
``resources/languages/``. Plugins add files through the hook ``meteor_e_language_files``, and a chain can name a file by
its path. ``resources/languages/any.yaml`` contains the tasks that all languages have: ``li``, ``tune`` and
``universal``.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e.api.languages import GREEK, Evidence, Language, Normalization, Task
from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import Document, is_path, read_yaml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def read_language(file: str | os.PathLike[str] | Traversable) -> Language:
    """Read a language file.

    Raises:
        ConfigError: for the first mistake, with file, line and key.
    """
    return parse_language(read_yaml(file))


def parse_language(data: object, source: str = "") -> Language:
    """Create a :class:`Language` from the content of a language file.

    Args:
        data: the content of the file, or a :class:`~meteor_e.base.yamlfile.Document`, which also has line numbers.
        source: the name of the file in errors, if ``data`` is not a document.

    Raises:
        ConfigError: for the first mistake, with file, line and key.
    """
    document = data if isinstance(data, Document) else Document(data, source)
    if Path(document.source).parent != LANGUAGE_FOLDER:
        # Importing the checker is slow, so built-in language files are not checked here, but by a test.
        _check_content(document)
    content: Any = document.data
    tasks = {**common_tasks(), **content.get("tasks", {})}
    settings = {
        "meteor_code": content["code"],  # The language file may contain a different code.
        **{key: _convert_value(key, value, document) for key, value in content.items()},
        "tasks": make_tasks(content["matchers"], tasks),
        "source": document.source,
    }
    return Language(**settings)


_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "matchers": tuple,
    "aliases": tuple,
    "resources": tuple,
    "normalization": Normalization,
    "evidence": lambda effects: {resource: Evidence(**effect) for resource, effect in effects.items()},
}
"""Functions that convert values of a language file to the types of :class:`Language`, by key."""


def _convert_value(key: str, value: Any, document: Document) -> Any:
    """Convert a value of a language file to the type of its field in :class:`Language`, and make paths absolute."""
    if key in ("pack", "function_words"):
        return document.path(value) if is_path(value) else value
    return _CONVERTERS[key](value) if key in _CONVERTERS else value


def _check_content(document: Document) -> None:
    """Raise a ConfigError for the first mistake in a language file."""
    from meteor_e.base.checked import convert
    from meteor_e.languages.schema import LanguageFile
    from meteor_e.text.stemming import known_stemmers

    convert(document, LanguageFile)
    data = document.data
    _check_name(document, "default_task", "task", [*common_tasks(), *data.get("tasks", {})])
    _check_name(document, "stemmer", "stemmer", known_stemmers())


def _check_name(document: Document, key: str, kind: str, valid_names: Collection[str]) -> None:
    """Raise a ConfigError if a language file sets a key, such as ``stemmer``, to a name that is not valid."""
    name = document.data.get(key)
    if name is not None and name not in valid_names:
        suggestion = near_miss(name, valid_names)
        raise document.error((key,), f"there is no {kind} {name!r}{suggestion}; there are {', '.join(valid_names)}")


def make_tasks(matchers: Sequence[str], task_settings: Mapping[str, Any]) -> dict[str, Task]:
    """Create the tasks of a language from their settings in a language file.

    Args:
        matchers: the matchers of the language.
        task_settings: the settings of each task. If the weights of a task are a list, the weight at each index belongs
            to the language's matcher at that index.
    """
    tasks = {}
    for task_name, settings in task_settings.items():
        weights = settings["weights"]
        if not isinstance(weights, Mapping):
            weights = dict(zip(matchers, weights, strict=False))
        parameters = {name: float(settings[name]) for name in GREEK}
        matcher_weights = {matcher: float(weight) for matcher, weight in weights.items()}
        tasks[task_name] = Task(**parameters, weights=matcher_weights)
    return tasks


try:
    RESOURCES = Path(import_module("meteor_e.resources").__path__[0])
except ModuleNotFoundError:
    RESOURCES = Path(__file__).parents[2] / "resources"
"""The folder ``resources``, which is part of an installed package, and next to the package in a checkout."""

LANGUAGE_FOLDER = RESOURCES / "languages"
"""The folder of meteor_e's language files."""


def own_tasks(language: Language) -> dict[str, Task]:
    """Return the tasks of a language, without the tasks that all languages have in common."""
    common = make_tasks(language.matchers, common_tasks())
    return {name: task for name, task in language.tasks.items() if task != common.get(name)}


@functools.cache
def common_tasks() -> Mapping[str, Any]:
    """Return the tasks that all languages share. The file ``any.yaml`` defines these tasks."""
    tasks = read_yaml(LANGUAGE_FOLDER / "any.yaml").data
    assert isinstance(tasks, dict)
    return tasks


@functools.cache
def builtin_language(code: str) -> Language:
    """Return a language of METEOR by its code."""
    return read_language(LANGUAGE_FOLDER / f"{code}.yaml")


def language_files() -> dict[str, Path]:
    """Return a mapping from language codes to the paths of the built-in language files."""
    # The file any.yaml does not define a language, but the tasks that all languages have in common.
    return {file.stem: file for file in sorted(LANGUAGE_FOLDER.glob("*.yaml")) if file.stem != "any"}


def named_languages(file: str | os.PathLike[str]) -> tuple[str, ...]:
    """Find the language whose English name begins a file name, as in ``french.synsets``, and return its code.

    If the file name does not begin with the name of a language, the result is an empty tuple.
    """
    first_word = re.split(r"[^a-z]", Path(file).name.lower(), maxsplit=1)[0]
    return tuple(code for code in language_files() if builtin_language(code).name.lower() == first_word)
