"""Recipes for training the metrics of published papers. Users supply the training data and the word vectors."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

import msgspec
from meteor_e_learned.recipe import Recipe

from meteor_e.api import ConfigError
from meteor_e.base.checked import convert
from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import parse_yaml

VECTOR_OPTIONS = {"word-vectors": "--word-vectors", "document-cosine": "--document-vectors"}
"""The features that read a file of vectors, and the command-line option that names the file."""

_FOLDER: Any = resources.files("meteor_e_papers") / "recipes"
"""The folder of the recipes in this package."""


class PaperRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A recipe without training data.

    Attributes:
        description: the paper, and the differences between the recipe and the paper.
        estimator, features, vectors, options, target: see :class:`~meteor_e_learned.recipe.Recipe`.
    """

    description: str
    estimator: str
    features: list[str | dict[str, Any]]
    vectors: list[str | dict[str, Any]] = []
    options: dict[str, Any] = {}
    target: str | dict[str, Any] | None = None


def recipe_names() -> list[str]:
    """Return the sorted names of all recipes of this plugin."""
    return sorted(file.name.removesuffix(".yaml") for file in _FOLDER.iterdir() if file.name.endswith(".yaml"))


def read_paper_recipe(name: str) -> PaperRecipe:
    """Read a recipe of this plugin.

    Raises:
        ConfigError: if the recipe does not exist.
    """
    names = recipe_names()
    if name not in names:
        raise ConfigError(f"there is no recipe {name!r}{near_miss(name, names)}; the recipes are {', '.join(names)}")
    document = parse_yaml((_FOLDER / f"{name}.yaml").read_bytes(), f"recipe {name}")
    recipe: PaperRecipe = convert(document, PaperRecipe)
    return recipe


def make_recipe(
    name: str, *, vector_files: Mapping[str, str | None], changed_options: Mapping[str, Any], **settings: Any
) -> Recipe:
    """Return the training recipe of a paper, completed with training data, vector files and settings.

    Args:
        name: the name of the recipe; see :func:`recipe_names`.
        vector_files: the path of the vectors for each feature in :data:`VECTOR_OPTIONS`.
        changed_options: the options of the estimator that differ from those of the paper.
        settings: the fields of the recipe that the paper does not determine, such as ``train`` and ``seed``.

    Raises:
        ConfigError: if the recipe does not exist, or if it needs vectors and their path is missing.
    """
    paper = read_paper_recipe(name)
    return Recipe(
        name=name,
        description=paper.description,
        estimator=paper.estimator,
        features=[_add_vector_file(name, entry, vector_files) for entry in paper.features],
        vectors=[_add_vector_file(name, entry, vector_files) for entry in paper.vectors],
        options={**paper.options, **changed_options},
        target=paper.target,
        **settings,
    )


def _add_vector_file(
    recipe: str, entry: str | dict[str, Any], vector_files: Mapping[str, str | None]
) -> str | dict[str, Any]:
    """Add the path of the vector file to a feature that reads vectors. Return other features unchanged.

    Args:
        recipe: the name of the recipe.
        entry: the name of the feature, or the feature with its options.
        vector_files: the path of the vectors for each feature that reads vectors.

    Raises:
        ConfigError: if the path is missing.
    """
    feature = {"use": entry} if isinstance(entry, str) else entry
    feature_name = feature["use"]
    if feature_name not in VECTOR_OPTIONS:
        return entry
    path = vector_files.get(feature_name)
    if path is None:
        raise ConfigError(f"recipe {recipe!r} needs {VECTOR_OPTIONS[feature_name]} FILE")
    return {**feature, "file": path}
