"""Languages: what METEOR knows of each, as data.

A language is one YAML file; ``docs/languages.md`` describes the format. Those of METEOR are in
``resources/languages/``; third parties add theirs through the hook ``meteor_e_languages``, and a chain can
name a file of its own. What every language has in common (the tasks ``li``, ``tune`` and ``universal``) is in
``resources/languages/any.yaml``.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meteor_e.configuration.yamlfile import Document, Problem, is_folder, is_path, raise_problems, read_yaml
from meteor_e.errors import ConfigError, near_miss
from meteor_e.scoring.parameters import Parameters
from meteor_e.text.normalization import Normalization

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from meteor_e.plugin_system.registry import Registry

__all__ = [
    "Language",
    "Task",
    "builtin_language",
    "builtin_languages",
    "find_language",
    "language_problems",
    "own_tasks",
    "parse_language",
    "read_language",
]


@dataclass(frozen=True)
class Task:
    """A named set of parameters, tuned for a purpose.

    Attributes:
        alpha, beta, gamma, delta: see :class:`~meteor_e.scoring.parameters.Parameters`.
        weights: matchers and their weights, in chain order.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[str, float]

    @property
    def parameters(self) -> Parameters:
        """The parameters with the weights of the task's own chain."""
        return Parameters(self.alpha, self.beta, self.gamma, self.delta, tuple(self.weights.values()))


@dataclass(frozen=True)
class Language:
    """What is known of a language.

    Attributes:
        code: ISO 639-1 code.
        name: English name.
        aliases: other codes it answers to.
        meteor_code: the Java program's code.
        normalization: how text is normalised where nothing else is asked for.
        normalizations: the ways of normalising that the language has.
        apostrophes: one of ``APOSTROPHE_STYLES``.
        stemmer: name of its Snowball stemmer, or ``None``.
        pack: name of the resource pack that it needs, or ``None``.
        function_words: name of the pack whose function words count, ``None`` for its own pack's. METEOR 1.5 counts
            English function words in every language.
        segmenter: name of the segmenter that finds its words, ``None`` where spaces separate them.
        matchers: its modules, in chain order.
        default_task: the task used where none is named.
        tasks: its tasks by name.
        source: what errors call its definition.
        path: its file, if a chain names it by that rather than by its code.
    """

    code: str
    name: str
    matchers: tuple[str, ...]
    tasks: Mapping[str, Task]
    default_task: str
    aliases: tuple[str, ...] = ()
    meteor_code: str = ""
    normalization: Normalization = Normalization.LOWER
    normalizations: tuple[Normalization, ...] = (Normalization.NONE, Normalization.LOWER)
    apostrophes: str = "apart"
    stemmer: str | None = None
    pack: str | None = None
    function_words: str | None = None
    segmenter: str | None = None
    source: str = field(default="", compare=False)
    path: str = ""

    def task(self, name: str | None) -> tuple[str, Task]:
        """Return name and parameters of a task; ``None`` is the default task.

        Raises:
            ConfigError: if the language has no such task.
        """
        name = self.default_task if name is None else name
        if name not in self.tasks:
            raise ConfigError(
                f"language {self.code!r} has no task {name!r}{near_miss(name, self.tasks)}; "
                f"its tasks: {', '.join(self.tasks)}"
            )
        return name, self.tasks[name]


GREEK = ("alpha", "beta", "gamma", "delta")


def find_language(name: str, registry: Registry) -> Language:
    """Return a language by its code, or from a file of one's own.

    Args:
        name: a code, an alias, or the path of a language file (with a slash, or ending in ``.yaml``).
        registry: knows the codes.

    Raises:
        ConfigError: if there is no such language, or its file has mistakes.
    """
    if not is_path(name):
        return registry.language(name)
    return replace(read_language(name), path=os.path.abspath(name))  # noqa: PTH100 (it is only written down)


def read_language(file: str | os.PathLike[str] | Traversable) -> Language:
    """Read a language file.

    Raises:
        ConfigError: naming file, line and key.
    """
    document = read_yaml(file)
    if Path(str(file)).parent == _folder():
        # METEOR's own files are checked by a test, which saves every run the time to import the checker.
        return _build(document, common_tasks())
    return parse_language(document)


def parse_language(data: object, source: str = "", common: Mapping[str, Any] | None = None) -> Language:
    """Turn the content of a language file into a :class:`Language`.

    Args:
        data: what the file says, or the :class:`~meteor_e.configuration.yamlfile.Document`, whose errors have lines.
        source: what to call the file in errors, unless it is a document.
        common: tasks of every language, as in ``any.yaml``; by default those.

    Raises:
        ConfigError: naming file, line and key of the first mistake, and how many more there are.
    """
    document = data if isinstance(data, Document) else Document(data, source)
    common = common_tasks() if common is None else common
    raise_problems(language_problems(document, common))
    return _build(document, common)


def language_problems(document: Document, common: Mapping[str, Any] | None = None) -> list[Problem]:
    """Return all that is wrong with a language file, by line; arguments as for :func:`parse_language`."""
    from meteor_e.configuration.schemas import LanguageFile
    from meteor_e.configuration.validation import find_problems
    from meteor_e.text.further_stemming import known_stemmers

    problems = find_problems(document, LanguageFile)
    data = document.data
    if not isinstance(data, Mapping):
        return problems
    tasks, task, stemmer = data.get("tasks", {}), data.get("default_task"), data.get("stemmer")
    names = [*(common_tasks() if common is None else common), *(tasks if isinstance(tasks, Mapping) else ())]
    if isinstance(task, str) and task and task not in names:
        message = f"there is no task {task!r}{near_miss(task, names)}; its tasks: {', '.join(names) or 'none'}"
        problems.append(document.problem(("default_task",), message))
    stemmers = known_stemmers()
    if isinstance(stemmer, str) and stemmer and stemmer not in stemmers:
        message = f"there is no stemmer {stemmer!r}{near_miss(stemmer, stemmers)}; there are {', '.join(stemmers)}"
        problems.append(document.problem(("stemmer",), message))
    return sorted(problems, key=lambda problem: problem.line)


def _build(document: Document, common: Mapping[str, Any]) -> Language:
    """Return the language of a document without mistakes."""
    data = document.data
    pack, words = data.get("pack"), data.get("function_words")
    normalization = Normalization(data.get("normalization", "lower"))
    plain = (Normalization.NONE, Normalization.LOWER)
    tasks = {name: _task(values, data["matchers"]) for name, values in {**common, **data.get("tasks", {})}.items()}
    return Language(
        code=data["code"],
        name=data["name"],
        matchers=tuple(data["matchers"]),
        tasks=tasks,
        default_task=data["default_task"],
        aliases=tuple(data.get("aliases", ())),
        meteor_code=data.get("meteor_code", data["code"]),
        normalization=normalization,
        normalizations=plain if normalization in plain else tuple(Normalization),
        apostrophes=data.get("apostrophes", "apart"),
        stemmer=data.get("stemmer"),
        pack=document.path(pack) if pack is not None and is_folder(pack) else pack,
        function_words=document.path(words) if words is not None and is_folder(words) else words,
        segmenter=data.get("segmenter"),
        source=document.source,
    )


def _task(values: Mapping[str, Any], matchers: Sequence[str]) -> Task:
    """Return a task; weights given as a list go to the language's own matchers, by position."""
    weights = values["weights"]
    if not isinstance(weights, Mapping):
        weights = dict(zip(matchers, weights, strict=False))
    alpha, beta, gamma, delta = (float(values[name]) for name in GREEK)
    return Task(alpha, beta, gamma, delta, {name: float(weight) for name, weight in weights.items()})


@functools.cache
def resources_folder() -> Path:
    """Return the folder ``resources``: inside the installed package, beside it in a checkout."""
    try:
        return Path(import_module("meteor_e.resources").__path__[0])
    except ModuleNotFoundError:
        return Path(__file__).parent.parent / "resources"


def own_tasks(language: Language) -> dict[str, Task]:
    """Return the tasks that a language has beyond those of every language, or in their place."""
    common = {name: _task(values, language.matchers) for name, values in common_tasks().items()}
    return {name: task for name, task in language.tasks.items() if task != common.get(name)}


def _folder() -> Path:
    """Return the folder of METEOR's languages."""
    return resources_folder() / "languages"


@functools.cache
def common_tasks() -> Mapping[str, Any]:
    """Return the tasks that every language has, as ``any.yaml`` says them."""
    tasks = read_yaml(_folder() / "any.yaml").data
    assert isinstance(tasks, dict)
    return tasks


@functools.cache
def builtin_language(code: str) -> Language:
    """Return one of METEOR's languages, by its own code."""
    return read_language(_folder() / f"{code}.yaml")


BUILTIN_CODES = (
    *("en", "cs", "fr", "es", "de", "ru", "da", "fi", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr", "other"),
)
"""Codes of METEOR's languages; each has a file, read only when the language is asked for."""

FURTHER_CODES = ("hi", "ja", "pl", "uk", "zh")
"""Codes of languages that METEOR never had, with files like its own."""

ALIASES = {"cz": "cs", "se": "sv"}
"""The Java program's codes where they are not ISO 639-1's."""


def builtin_languages() -> list[Language]:
    """Return all of METEOR's languages."""
    return [builtin_language(code) for code in BUILTIN_CODES]
