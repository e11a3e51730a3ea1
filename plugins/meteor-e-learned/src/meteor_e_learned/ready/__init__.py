"""Pretrained models that come with the plugin, and their descriptions."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import msgspec

from meteor_e.api import ConfigError, InputError
from meteor_e.base.errors import near_miss

__all__ = ["Figure", "ReadyModel", "model_size", "ready_model", "ready_models", "resolve_model"]


class Figure(msgspec.Struct, frozen=True, rename={"test_set": "data", "judgment_type": "kind"}):
    """A model's correlation with human judgments on a test set that was excluded from the training data.

    Attributes:
        test_set: the name of the test set, and its number of language pairs.
        judgment_type: the kind of the human judgments, ``rankings`` or ``direct assessments``.
        measure: the name of the correlation coefficient.
        value: the mean correlation of the model over the language pairs.
        meteor, chrf: the mean correlations of METEOR and of chrF.
        without: the data that were excluded from the training for this figure.
    """

    test_set: str
    judgment_type: str
    measure: str
    value: float
    meteor: float
    chrf: float
    without: str


class ReadyModel(msgspec.Struct, frozen=True, rename={"unsuitable_texts": "avoid", "training_note": "trained"}):
    """Description of a pretrained model that comes with the plugin.

    Attributes:
        name: the name of the model, which ``-M`` accepts.
        language: the language of hypotheses and references.
        summary: the purpose of the model.
        unsuitable_texts: texts for which the model is not suitable.
        needs: packages and resources that the model requires in addition to the plugin.
        training_note: a description of the training data.
        figures: correlations with human judgments, for models that were trained without the test data.
    """

    name: str
    language: str
    summary: str
    unsuitable_texts: str
    needs: list[str]
    training_note: str
    figures: list[Figure]


def ready_models() -> dict[str, ReadyModel]:
    """Return the descriptions of all pretrained models, by name.

    Raises:
        InputError: if the installation is damaged.
    """
    models = {}
    cards = [file for file in files(__name__).iterdir() if file.name.endswith(".json")]
    for card in cards:
        try:
            model = msgspec.json.decode(card.read_bytes(), type=ReadyModel)
        except (OSError, msgspec.DecodeError) as error:
            raise InputError(f"{card.name}: the card of a model is damaged: {error}; install again") from error
        models[model.name] = model
    return dict(sorted(models.items()))


def ready_model(name: str) -> ReadyModel:
    """Return the description of the pretrained model with the given name.

    Raises:
        ConfigError: if the plugin does not contain a model with this name.
    """
    models = ready_models()
    if name not in models:
        raise ConfigError(f"there is no model {name!r}{near_miss(name, models)}; there are {', '.join(models)}")
    return models[name]


def model_size(name: str) -> int:
    """Return the size of a model file in bytes."""
    return len((files(__name__) / f"{name}.safetensors").read_bytes())


def resolve_model(name: str) -> Path:
    """Return the path of a model file.

    Args:
        name: the name of a model that comes with the plugin, or the path of a file. A model's name has precedence over
            a file with the same name in the current folder; write ``./NAME`` for the file.

    Raises:
        ConfigError: if the argument looks like a name, but neither a model nor a file has this name.
    """
    looks_like_path = any(character in name for character in "/.\\")
    if looks_like_path:
        return Path(name)
    if name not in ready_models() and Path(name).exists():
        return Path(name)
    model = ready_model(name)
    return Path(str(files(__name__) / f"{model.name}.safetensors"))
