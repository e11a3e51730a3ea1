"""Languages: what METEOR knows of each, as data.

A language is one YAML file. Those of METEOR are in ``resources/languages/``; third parties add theirs through
the hook ``meteor_e_languages``. What every language has in common (the tasks ``li``, ``tune`` and
``universal``) is in ``resources/languages/any.yaml``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from meteor_e.errors import ConfigError, near_miss
from meteor_e.scoring.parameters import Parameters
from meteor_e.text.normalization import APOSTROPHE_STYLES, Normalization

__all__ = ["Language", "Task", "builtin_languages", "parse_language"]


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
        apostrophes: a key of ``APOSTROPHE_STYLES``.
        stemmer: name of its Snowball stemmer, or ``None``.
        pack: name of the resource pack that it needs, or ``None``.
        matchers: its modules, in chain order.
        default_task: the task used where none is named.
        tasks: its tasks by name.
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
    source: str = field(default="", compare=False)

    def task(self, name: str | None) -> tuple[str, Task]:
        """Return name and parameters of a task; ``None`` is the default task.

        Raises:
            ConfigError: if the language has no such task.
        """
        name = name or self.default_task
        if name not in self.tasks:
            raise ConfigError(
                f"language {self.code!r} has no task {name!r}{near_miss(name, self.tasks)}; "
                f"its tasks: {', '.join(self.tasks)}"
            )
        return name, self.tasks[name]


_REQUIRED = {"code": str, "name": str, "matchers": list, "default_task": str}
_OPTIONAL = {
    **{"aliases": list, "meteor_code": str, "normalization": str, "apostrophes": str, "stemmer": str},
    **{"pack": str, "tasks": dict},
}


def parse_language(data: object, source: str, common: Mapping[str, Any] | None = None) -> Language:
    """Turn the content of a language file into a :class:`Language`.

    Args:
        data: the parsed YAML.
        source: what to call the file in errors.
        common: tasks of every language (the content of ``any.yaml``).

    Raises:
        ConfigError: naming file and key.
    """
    if not isinstance(data, dict):
        raise ConfigError(f"{source}: a language definition is a mapping of keys to values")
    known = {**_REQUIRED, **_OPTIONAL}
    for key, value in data.items():
        if key not in known:
            raise ConfigError(f"{source}: unknown key {key!r}{near_miss(str(key), known)}; known: {', '.join(known)}")
        if not isinstance(value, known[key]):
            raise ConfigError(f"{source}: {key} must be a {known[key].__name__}, not {value!r}")
    for key in _REQUIRED:
        if key not in data:
            raise ConfigError(f"{source}: key {key!r} is missing")
    matchers = _names(data["matchers"], f"{source}: matchers")
    tasks = {name: _common_task(task, matchers, f"any.yaml: {name}") for name, task in (common or {}).items()}
    for name, task in data.get("tasks", {}).items():
        tasks[str(name)] = _task(task, f"{source}: tasks: {name}")
    if data["default_task"] not in tasks:
        raise ConfigError(
            f"{source}: default_task is {data['default_task']!r}; its tasks: {', '.join(tasks) or 'none'}"
        )
    try:
        normalization = Normalization(data.get("normalization", "lower"))
    except ValueError:
        raise ConfigError(
            f"{source}: normalization is {data['normalization']!r}; "
            f"it must be one of {', '.join(mode.value for mode in Normalization)}"
        ) from None
    apostrophes = data.get("apostrophes", "apart")
    if apostrophes not in APOSTROPHE_STYLES:
        raise ConfigError(
            f"{source}: apostrophes is {apostrophes!r}; it must be one of {', '.join(APOSTROPHE_STYLES)}"
        )
    plain = (Normalization.NONE, Normalization.LOWER)
    return Language(
        code=data["code"],
        name=data["name"],
        matchers=matchers,
        tasks=tasks,
        default_task=data["default_task"],
        aliases=_names(data.get("aliases", []), f"{source}: aliases"),
        meteor_code=data.get("meteor_code", data["code"]),
        normalization=normalization,
        normalizations=plain if normalization in plain else tuple(Normalization),
        apostrophes=apostrophes,
        stemmer=data.get("stemmer"),
        pack=data.get("pack"),
        source=source,
    )


def _names(values: Sequence[object], where: str) -> tuple[str, ...]:
    for value in values:
        if not isinstance(value, str):
            # YAML 1.1 reads a bare `no` as false, and Norwegian's code is `no`.
            raise ConfigError(f"{where}: {value!r} is not a text; put it in quotes")
    return tuple(str(value) for value in values)


def _numbers(task: object, keys: Sequence[str], where: str) -> list[float]:
    if not isinstance(task, dict):
        raise ConfigError(f"{where}: a task is a mapping with {', '.join(keys)} and weights")
    for key in task:
        if key not in (*keys, "weights"):
            raise ConfigError(f"{where}: unknown key {key!r}{near_miss(str(key), (*keys, 'weights'))}")
    values = []
    for key in keys:
        value = task.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(f"{where}: {key} must be a number, not {value!r}")
        values.append(float(value))
    return values


_GREEK = ("alpha", "beta", "gamma", "delta")


def _task(task: object, where: str) -> Task:
    alpha, beta, gamma, delta = _numbers(task, _GREEK, where)
    assert isinstance(task, dict)
    weights = task.get("weights")
    if not isinstance(weights, dict) or not weights:
        raise ConfigError(f"{where}: weights must map matchers to numbers")
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise ConfigError(f"{where}: the weight of {name} must be a number, not {weight!r}")
    return Task(alpha, beta, gamma, delta, {str(name): float(weight) for name, weight in weights.items()})


def _common_task(task: Mapping[str, Any], matchers: Sequence[str], where: str) -> Task:
    """A task of every language: weights by name, or a list of weights for the language's own matchers."""
    weights = task["weights"]
    if isinstance(weights, list):
        weights = dict(zip(matchers, weights, strict=False))
    return _task({**task, "weights": weights}, where)


def load_yaml(text: str) -> Any:
    """Parse YAML safely, with the C parser where PyYAML has it."""
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def common_tasks() -> Mapping[str, Any]:
    """Return the tasks that every language has."""
    tasks = load_yaml((files("meteor_e.resources.languages") / "any.yaml").read_text(encoding="utf-8"))
    assert isinstance(tasks, dict)
    return tasks


@functools.cache
def builtin_language(code: str) -> Language:
    """Return one of METEOR's languages, by its own code."""
    text = (files("meteor_e.resources.languages") / f"{code}.yaml").read_text(encoding="utf-8")
    return parse_language(load_yaml(text), f"languages/{code}.yaml", common_tasks())


BUILTIN_CODES = (
    *("en", "cs", "fr", "es", "de", "ru", "da", "fi", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr", "other"),
)
"""Codes of METEOR's languages; each has a file, read only when the language is asked for."""

ALIASES = {"cz": "cs", "se": "sv"}
"""The Java program's codes where they are not ISO 639-1's."""


def builtin_languages() -> list[Language]:
    """Return all of METEOR's languages."""
    return [builtin_language(code) for code in BUILTIN_CODES]
