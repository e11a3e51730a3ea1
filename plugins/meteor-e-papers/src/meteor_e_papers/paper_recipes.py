"""The papers' recipes, which come with the plugin; the user names the judgments and the vectors."""

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
"""The features that read a file of vectors, and the argument of :func:`load_paper_recipe` that names it."""


class PaperRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A recipe without data.

    Attributes:
        description: the paper, and how the recipe differs from it.
        estimator, features, vectors, options, target: as in a :class:`~meteor_e_learned.recipe.Recipe`.
    """

    description: str
    estimator: str
    features: list[str | dict[str, Any]]
    vectors: list[str | dict[str, Any]] = []
    options: dict[str, Any] = {}
    target: str | dict[str, Any] | None = None


def recipe_names() -> list[str]:
    """Return the names of the papers' recipes."""
    return sorted(file.name.removesuffix(".yaml") for file in _folder().iterdir() if file.name.endswith(".yaml"))


def _folder() -> Any:
    return resources.files("meteor_e_papers") / "recipes"


def read_paper_recipe(name: str) -> PaperRecipe:
    """Read a recipe that comes with the plugin.

    Raises:
        ConfigError: if there is no recipe of this name.
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
    """Return a paper's recipe with data.

    Args:
        name: the recipe; see :func:`recipe_names`.
        train: judgments to learn from.
        validation: judgments that choose the best epoch.
        word_vectors: file of word vectors, for recipes that read them.
        document_vectors: file of document vectors, for USAAR's recipes.
        language: of hypotheses and references.
        seed: of everything that is drawn.
        options: options of the estimator that differ from the recipe's.

    Raises:
        ConfigError: for an unknown recipe, or if it needs vectors that were not named.
    """
    paper = read_paper_recipe(name)
    files = {"word_vectors": word_vectors, "document_vectors": document_vectors}
    return Recipe(
        name=name,
        description=paper.description,
        estimator=paper.estimator,
        train=list(train),
        validation=list(validation),
        features=[_with_vectors(name, entry, files) for entry in paper.features],
        vectors=[_with_vectors(name, entry, files) for entry in paper.vectors],
        options={**paper.options, **(options or {})},
        target=paper.target,
        language=language,
        seed=seed,
    )


def _with_vectors(recipe: str, entry: str | dict[str, Any], files: dict[str, str | None]) -> str | dict[str, Any]:
    """Return an entry of a recipe with the file of vectors that its feature reads."""
    feature = entry if isinstance(entry, str) else entry["use"]
    if feature not in VECTOR_OPTIONS:
        return entry
    argument = VECTOR_OPTIONS[feature]
    file = files[argument]
    if file is None:
        raise ConfigError(f"recipe {recipe!r} needs --{argument.replace('_', '-')} FILE")
    return {**({"use": entry} if isinstance(entry, str) else entry), "file": file}
