"""Trained models that come with the plugin: weights, and what is known about each."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import msgspec

from meteor_e.api import ConfigError, InputError
from meteor_e.base.errors import near_miss

__all__ = ["Figure", "ReadyModel", "model_size", "ready_model", "ready_models", "resolve_model"]


class Figure(msgspec.Struct, frozen=True):
    """Agreement of a model with people on judged data that it had not seen.

    Attributes:
        data: the test set, and how many language pairs.
        kind: what people did: ``rankings`` or ``direct assessments``.
        measure: of agreement.
        value: the mean over the language pairs.
        meteor, chrf: what these metrics reach there.
        without: what was left out of the training for this figure.
    """

    data: str
    kind: str
    measure: str
    value: float
    meteor: float
    chrf: float
    without: str


class ReadyModel(msgspec.Struct, frozen=True):
    """Description of a model.

    Attributes:
        name: what ``-M`` takes.
        language: of hypotheses and references.
        summary: what it is for.
        avoid: when not to use it.
        needs: what has to be installed beside the plugin.
        trained: what the weights that are shipped have seen.
        figures: how well models of the same recipe do on what they had not seen.
    """

    name: str
    language: str
    summary: str
    avoid: str
    needs: list[str]
    trained: str
    figures: list[Figure]


def ready_models() -> dict[str, ReadyModel]:
    """Return the models by name.

    Raises:
        InputError: for a damaged installation.
    """
    found = {}
    folder = files(__name__)
    for entry in folder.iterdir():
        if entry.name.endswith(".json"):
            try:
                model = msgspec.json.decode(entry.read_bytes(), type=ReadyModel)
            except (OSError, msgspec.DecodeError) as error:
                raise InputError(f"{entry.name}: the card of a model is damaged: {error}; install again") from error
            found[model.name] = model
    return dict(sorted(found.items()))


def ready_model(name: str) -> ReadyModel:
    """Return what is known about a model.

    Raises:
        ConfigError: if there is none of that name.
    """
    known = ready_models()
    if name not in known:
        raise ConfigError(f"there is no model {name!r}{near_miss(name, known)}; there are {', '.join(known)}")
    return known[name]


def model_size(name: str) -> int:
    """Return the size of a model's file in bytes."""
    return len((files(__name__) / f"{name}.safetensors").read_bytes())


def resolve_model(name: str) -> Path:
    """Return the file of a model: of one that comes with the plugin, by its name, or the path itself.

    Raises:
        ConfigError: for a name that is neither a model's nor a file's.
    """
    bare = "/" not in name and "." not in name and "\\" not in name
    if bare and (name in ready_models() or not Path(name).exists()):
        ready_model(name)
        with as_file(files(__name__) / f"{name}.safetensors") as path:
            return path
    return Path(name)
