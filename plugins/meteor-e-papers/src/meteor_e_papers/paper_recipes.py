"""Recipes that train the metrics of published papers. Users add the training data and the word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

import msgspec
from meteor_e_learned.recipe import DataSpec, Recipe

from meteor_e.api import ConfigError
from meteor_e.base.checked import convert
from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import parse_yaml

VECTOR_OPTIONS = {"word-vectors": "word_vectors", "document-cosine": "document_vectors"}
"""For each feature that reads a file of vectors, the argument of :func:`make_recipe` that contains the file's path."""


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
    return sorted(file.name.removesuffix(".yaml") for file in _folder().iterdir() if file.name.endswith(".yaml"))


def _folder() -> Any:
    """Return the folder of the recipes in this package."""
    return resources.files("meteor_e_papers") / "recipes"


def read_paper_recipe(name: str) -> PaperRecipe:
    """Read a recipe of this plugin.

    Raises:
        ConfigError: if the recipe does not exist.
    """
    names = recipe_names()
    if name not in names:
        raise ConfigError(f"there is no recipe {name!r}{near_miss(name, names)}; the recipes are {', '.join(names)}")
    document = parse_yaml((_folder() / f"{name}.yaml").read_bytes(), f"recipe {name}")
    recipe: PaperRecipe = convert(document, PaperRecipe)
    return recipe


def make_recipe(
    name: str,
    train: Sequence[DataSpec],
    validation: Sequence[DataSpec] = (),
    *,
    word_vectors: str | None = None,
    document_vectors: str | None = None,
    language: str = "en",
    seed: int = 1,
    options: dict[str, Any] | None = None,
) -> Recipe:
    """Add training data and word vectors to the recipe of a paper.

    Args:
        name: the name of the recipe; see :func:`recipe_names`.
        train: the human judgments to learn from.
        validation: the human judgments that select the best epoch.
        word_vectors: the path of the word vectors, which the recipes of Guzmán et al. and of MaxSD need.
        document_vectors: the path of the vectors of words and phrases, which USAAR's recipes need.
        language: the language of hypotheses and references.
        seed: the seed of all random number generators.
        options: options of the estimator that replace those of the recipe.

    Raises:
        ConfigError: if the recipe does not exist, or if it needs vectors and their path is missing.
    """
    paper = read_paper_recipe(name)
    files = {"word_vectors": word_vectors, "document_vectors": document_vectors}
    return Recipe(
        name=name,
        description=paper.description,
        estimator=paper.estimator,
        train=list(train),
        validation=list(validation),
        features=[_add_vector_file(name, entry, files) for entry in paper.features],
        vectors=[_add_vector_file(name, entry, files) for entry in paper.vectors],
        options={**paper.options, **(options or {})},
        target=paper.target,
        language=language,
        seed=seed,
    )


def _add_vector_file(recipe: str, entry: str | dict[str, Any], files: dict[str, str | None]) -> str | dict[str, Any]:
    """Add the path of a vector file to a feature of a recipe if the feature reads vectors.

    Args:
        recipe: the name of the recipe.
        entry: the name of the feature, or the feature with its options.
        files: the paths of the vectors by argument of :func:`make_recipe`.

    Raises:
        ConfigError: if the path is missing.
    """
    options = {"use": entry} if isinstance(entry, str) else entry
    argument = VECTOR_OPTIONS.get(options["use"])
    if argument is None:
        return entry
    file = files[argument]
    if file is None:
        raise ConfigError(f"recipe {recipe!r} needs --{argument.replace('_', '-')} FILE")
    return {**options, "file": file}
