"""Recipes for learned models: YAML files that name the estimator, the features and the training data."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from meteor_e.api import ConfigError
from meteor_e.base.checked import convert
from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import Document, read_yaml
from meteor_e.plugins.registry import plugin_registry
from meteor_e_learned.extraction import FeatureSet, change_feature_paths

MAX_NAME_LENGTH = 100
"""Maximum number of characters in the name of a model."""

_ENVIRONMENT_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
"""A reference to an environment variable, ``${NAME}`` or ``${NAME:-DEFAULT}``."""


class DataSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data set that a recipe uses for training or validation.

    Attributes:
        index: the path of a data index, in the format that ``meteor-e evaluate`` reads.
        pairs: the language pairs to use. By default, all pairs into the recipe's language are used.
        sample: the number of comparisons or ratings to draw at random. By default, all are used.
        skip: the number of judgments to leave out. An entry with ``skip: N`` never contains a judgment of an entry with
            ``sample: N``, if the two entries have the same index, pairs and seed.
        seed: the seed of the sample. By default, it is the recipe's seed. Models with different recipe seeds can set
            this seed to learn from the same sample.
        weight: the weight of each comparison, relative to the comparisons of other entries.
        synthetic: the kind of synthetic comparisons to use instead of human judgments: ``errors`` compares outputs with
            erroneous versions, and ``excerpts`` compares excerpts of documents.
        answers: the path of a file with judged answers, which replaces the index; see :mod:`meteor_e_learned.answers`.
        references: the maximum number of acceptable answers per question. By default, all are used.
    """

    index: str = ""
    pairs: list[str] | None = None
    sample: int | None = None
    skip: int = 0
    seed: int | None = None
    weight: float = 1.0
    synthetic: Literal["errors", "excerpts"] | None = None
    answers: str = ""
    references: Annotated[int, msgspec.Meta(ge=1)] | None = None


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The description of a model: its estimator, its features and its training data.

    Attributes:
        name: the name of the model.
        estimator: the name of an estimator. ``meteor-e plugins`` lists the names.
        train: the training data.
        features: the features, in the format of :meth:`meteor_e_learned.extraction.FeatureSet.from_config`.
        vectors: features that compute a vector for a single segment, for neural networks.
        options: the options of the estimator.
        target: a feature with one column. The model learns its values instead of human scores.
        validation: held-out data, which is used for early stopping and for the figures on the model card.
        language: the language of hypotheses and references.
        description: a description for the model card.
        seed: the random seed of the training.
        unescape: whether to replace XML entities in texts, such as ``&apos;``, by characters.
    """

    name: str
    estimator: str
    train: list[DataSpec]
    features: list[str | dict[str, Any]] = []
    vectors: list[str | dict[str, Any]] = []
    options: dict[str, Any] = {}
    target: str | dict[str, Any] | None = None
    validation: list[DataSpec] = []
    language: str = "en"
    description: str = ""
    seed: int = 1
    unescape: bool = False


def load_recipe(path: str | os.PathLike[str]) -> Recipe:
    """Read a recipe from a YAML file.

    Raises:
        ConfigError: if the file cannot be read, or if the recipe is invalid. The message names the line if possible.
    """
    document = read_yaml(path)
    recipe: Recipe = convert(document, Recipe)
    _check_name(recipe, document.location(("name",)))
    _check_estimator(recipe, document.location(("estimator",)))
    if not recipe.train:
        raise ConfigError(f"{document.location(('train',))}: no judgments to learn from")
    for number, spec in enumerate([*recipe.train, *recipe.validation], 1):
        has_both_or_neither = bool(spec.index) == bool(spec.answers)
        if has_both_or_neither:
            raise ConfigError(f"{path}: judgments {number} need either 'index' or 'answers'")
    if not recipe.features and not recipe.vectors:
        raise ConfigError(f"{path}: neither features nor vectors")
    return recipe


def recipe_from_json(data: Any, source: str) -> Recipe:
    """Check the recipe in the header of a model file. Model files are untrusted input.

    Args:
        data: the recipe as JSON data.
        source: the name of the model file, for error messages.

    Raises:
        ConfigError: if the data are not a valid recipe.
    """
    recipe: Recipe = convert(Document(data, source), Recipe)
    _check_name(recipe, source)
    _check_estimator(recipe, source)
    return recipe


def estimator_class(name: str) -> Any:
    """Return the estimator class that a plugin has registered under the given name."""
    return plugin_registry().estimators.get(name)


def _check_name(recipe: Recipe, location: str) -> None:
    """Raise ConfigError if the name of a model is empty, too long, or not printable."""
    if not recipe.name.isprintable() or not 0 < len(recipe.name) <= MAX_NAME_LENGTH:
        raise ConfigError(f"{location}: name: must have 1 to {MAX_NAME_LENGTH} characters, all of which can be printed")


def _check_estimator(recipe: Recipe, location: str) -> None:
    """Raise ConfigError if no installed plugin registers the recipe's estimator."""
    names = plugin_registry().estimators.names()
    if recipe.estimator not in names:
        raise ConfigError(
            f"{location}: unknown estimator {recipe.estimator!r}{near_miss(recipe.estimator, names)}; "
            f"there are {', '.join(names)}"
        )


def resolve(text: str, folder: Path) -> str:
    """Replace the environment variables in a path, and resolve the path relative to a folder.

    Args:
        text: the path in the recipe. It may contain ``${NAME}``, ``${NAME:-DEFAULT}`` and a leading ``~``.
        folder: the folder that the path is relative to.

    Raises:
        ConfigError: if a variable is not set and does not have a default.
    """
    path = _ENVIRONMENT_VARIABLE.sub(_look_up_variable, text)
    return str(folder / Path(path).expanduser())


def _look_up_variable(match: re.Match[str]) -> str:
    """Return the value of an environment variable in a path. If the variable is not set, return the default value."""
    name, default = match.groups()
    value = os.environ.get(name) or default
    if value is None:
        raise ConfigError(f"{match.string!r} needs the environment variable {name}; set it")
    return str(value)


def make_features(
    entries: list[str | dict[str, Any]], language: str, folder: Path, *, unescape: bool = False
) -> FeatureSet:
    """Make the features that a recipe lists.

    Args:
        entries: the features, in the format of :meth:`meteor_e_learned.extraction.FeatureSet.from_config`.
        language: the language of hypotheses and references.
        folder: the folder that paths in the options of the features are relative to.
        unescape: whether to replace XML entities in texts by characters.
    """
    resolved_entries = [change_feature_paths(entry, lambda path: resolve(path, folder)) for entry in entries]
    return FeatureSet.from_config(resolved_entries, language, unescape=unescape)
