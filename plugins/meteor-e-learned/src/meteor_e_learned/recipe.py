"""Recipes: what a model is made of, in YAML."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from meteor_e.api import ConfigError
from meteor_e.base.checked import convert
from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import parse_yaml, read_yaml
from meteor_e.plugins.registry import plugin_registry
from meteor_e_learned.extraction import FeatureSet

LONGEST_NAME = 100


class DataSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Judgments to learn from.

    Attributes:
        index: a data index, as ``meteor-e evaluate`` reads it.
        pairs: language pairs; by default all into the recipe's language.
        sample: number of comparisons (or scores) to take; by default all.
        skip: leave so many out, those that ``sample: SKIP`` takes: with the same index, pairs and seed, what one entry
            skips and what the other samples have no judgment in common.
        seed: of the sample; by default the recipe's. With one of its own, models of several seeds learn from the same
            sample, and features are computed once.
        weight: of each comparison, relative to those of other test sets.
        made: instead of judgments, synthetic comparisons of ``sample`` outputs: ``errors``, each output against the
            same with an error, or ``excerpts`` of documents.
        answers: instead of an index, a file of judged answers to questions; see :mod:`meteor_e_learned.answers`.
        references: of judged answers, keep only so many acceptable answers per question, the central ones.
    """

    index: str = ""
    pairs: list[str] | None = None
    sample: int | None = None
    skip: int = 0
    seed: int | None = None
    weight: float = 1.0
    made: Literal["errors", "excerpts"] | None = None
    answers: str = ""
    references: Annotated[int, msgspec.Meta(ge=1)] | None = None


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model: estimator, features, data.

    Attributes:
        name: of the model.
        estimator: as ``meteor-e plugins`` lists them.
        train: judgments to learn from.
        features: entries as :meth:`meteor_e_learned.extraction.FeatureSet.from_config` takes them.
        vectors: entries of features of single segments, for networks.
        options: of the estimator.
        target: an entry of one feature with one number, which is learned instead of human scores.
        validation: judgments that say when to stop, or how good the model is; not learned from.
        language: of hypotheses and references.
        description: for people.
        seed: of all that is drawn.
        unescape: read entities of XML in texts, such as ``&apos;``, as the characters that they stand for.
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
    """Read a recipe.

    Raises:
        ConfigError: for a file that cannot be read, or anything in it that is wrong, with the line.
    """
    document = read_yaml(path)
    recipe: Recipe = convert(document, Recipe)
    _check_name(recipe, document.location(("name",)))
    _check_estimator(recipe, document.location(("estimator",)))
    if not recipe.train:
        raise ConfigError(f"{document.location(('train',))}: no judgments to learn from")
    for number, spec in enumerate([*recipe.train, *recipe.validation], 1):
        if bool(spec.index) == bool(spec.answers):
            raise ConfigError(f"{path}: judgments {number} need either 'index' or 'answers'")
    if not recipe.features and not recipe.vectors:
        raise ConfigError(f"{path}: neither features nor vectors")
    return recipe


def recipe_from_json(content: bytes, source: str) -> Recipe:
    """Return the recipe in a model file, which anybody may have written.

    Raises:
        ConfigError: if it is not a recipe.
    """
    document = parse_yaml(content, source)
    recipe: Recipe = convert(document, Recipe)
    _check_name(recipe, source)
    _check_estimator(recipe, source)
    return recipe


def estimator_class(name: str) -> Any:
    """Import an estimator's class, ours or another plugin's."""
    return plugin_registry().estimators.get(name)


def _check_name(recipe: Recipe, where: str) -> None:
    """Refuse a name that tables and terminals cannot show."""
    if not recipe.name.isprintable() or not 0 < len(recipe.name) <= LONGEST_NAME:
        raise ConfigError(f"{where}: name: must have 1 to {LONGEST_NAME} characters, all of which can be printed")


def _check_estimator(recipe: Recipe, where: str) -> None:
    known = plugin_registry().estimators.names()
    if recipe.estimator not in known:
        raise ConfigError(
            f"{where}: unknown estimator {recipe.estimator!r}{near_miss(recipe.estimator, known)}; "
            f"there are {', '.join(known)}"
        )


def resolve(text: str, folder: Path) -> str:
    """Return a path of a recipe: environment variables filled in, seen from a folder.

    Raises:
        ConfigError: for a variable that is not set and has no default.
    """

    def variable(found: re.Match[str]) -> str:
        value = os.environ.get(found[1], "") or found[2]
        if value is None:
            raise ConfigError(f"{text!r} needs the environment variable {found[1]}; set it")
        return str(value)

    filled = re.sub(r"\$\{(\w+)(?::-([^}]*))?\}", variable, text)
    return str(folder / Path(filled).expanduser())


def make_features(
    entries: list[str | dict[str, Any]], language: str, folder: Path, *, unescape: bool = False
) -> FeatureSet:
    """Make the features of a recipe; options that name files are seen from a folder."""
    named = FeatureSet.with_paths(entries, lambda path: resolve(path, folder))
    return FeatureSet.from_config(named, language, unescape=unescape)
