"""Model cards, which describe trained models as text or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

import meteor_e_learned.ready as ready_package
from meteor_e.api.component import options_by_name
from meteor_e.render.plain import format_table
from meteor_e_learned.modelfile import LearnedModel, split_signature
from meteor_e_learned.ready import ReadyModel, ready_models


def feature_columns(model: LearnedModel) -> list[str]:
    """Return the names of a model's feature columns without loading the resources of the features."""
    feature_lines, _ = split_signature(model.signature)
    return [line for line in feature_lines if "=" not in line]


def card_data(model: LearnedModel) -> dict[str, Any]:
    """Return the model card as a dictionary that can be serialized to JSON."""
    return {
        "recipe": msgspec.to_builtins(model.recipe),
        "parameters": options_by_name(model.estimator.options),
        "signature": list(model.signature),
        "weights": dict(feature_weights(model)),
        **model.card,
    }


def feature_weights(model: LearnedModel) -> list[tuple[str, float]]:
    """Return the name and the weight of each feature column, sorted by descending absolute weight.

    The list is empty if the estimator does not assign a weight to each column.
    """
    if not hasattr(model.estimator, "importance"):
        return []
    weights = zip(feature_columns(model), map(float, model.estimator.importance()), strict=False)
    return sorted(weights, key=lambda item: -abs(item[1]))


def format_card(model: LearnedModel, n_weights: int = 15) -> str:
    """Return the model card as text for a terminal.

    Args:
        model: the model.
        n_weights: the number of features to show, those with the largest weights.
    """
    sections = [_format_header(model)]
    for data_name in ("training", "validation"):
        data_summary = model.card.get(data_name)
        if data_summary:
            sections.append(_format_test_sets(data_name, data_summary["test sets"]))
    sections.append(_format_figures(model.card["figures"]))
    largest_weights = feature_weights(model)[:n_weights]
    if largest_weights:
        sections.append(_format_weights(largest_weights))
    sections.append(_format_features(model))
    sections.append(_format_software(model))
    return "\n\n".join(sections)


def _format_header(model: LearnedModel) -> str:
    """Return the first section of a model card, which contains the model's name and description."""
    recipe = model.recipe
    n_parameters = sum(array.size for array in model.estimator.arrays().values())
    seed = model.card.get("seed")
    lines = [f"{recipe.name}: {recipe.estimator}, {recipe.language}, {n_parameters} numbers, seed {seed}"]
    if recipe.description:
        lines.append(recipe.description)
    is_in_plugin = model.folder == Path(str(files(ready_package)))
    if is_in_plugin and recipe.name in ready_models():
        lines += _format_ready_model(ready_models()[recipe.name])
    return "\n".join(lines)


def _format_weights(weights: Sequence[tuple[str, float]]) -> str:
    """Return a table of features and their weights."""
    rows = [[name, f"{weight:+.4f}"] for name, weight in weights]
    return format_table(["feature", "weight"], rows).rstrip("\n")


def _format_features(model: LearnedModel) -> str:
    """Return the section of a model card with the number of feature columns and the settings of the features."""
    settings = [f"  {line}" for line in model.signature if "=" in line]
    return "\n".join([f"features: {len(feature_columns(model))}", *settings])


def _format_software(model: LearnedModel) -> str:
    """Return the estimator's options, and the versions of the libraries that were used for training."""
    options = [f"{name}={value}" for name, value in options_by_name(model.estimator.options).items()]
    versions = [f"{name} {version}" for name, version in model.card["versions"].items()]
    return f"options: {', '.join(options)}\nmade with: {', '.join(versions)}"


def _format_ready_model(model: ReadyModel) -> list[str]:
    """Return lines that describe a pretrained model, and a table of its correlations with human judgments."""
    rows = []
    for figure in model.figures:
        correlations = [f"{value:.4f}" for value in (figure.value, figure.meteor, figure.chrf)]
        rows.append([figure.test_set, figure.judgment_type, figure.measure, *correlations])
    # The first three columns contain text, and the other columns contain numbers.
    table = format_table(["data", "judged by", "measure", model.name, "METEOR", "chrF"], rows, left=3)
    return [
        "",
        model.summary,
        f"Not for: {model.unsuitable_texts}",
        f"Needs: {', '.join(model.needs)}",
        model.training_note,
        "",
        "Agreement with people, by models that had not seen the test year:",
        table.rstrip(),
    ]


def _format_test_sets(heading: str, test_sets: Mapping[str, Mapping[str, int]]) -> str:
    """Return a table that shows how many hypotheses and pairwise comparisons each test set contains."""
    rows = [[title, str(counts["hypotheses"]), str(counts["comparisons"])] for title, counts in test_sets.items()]
    return format_table([heading, "hypotheses", "comparisons"], rows).rstrip("\n")


def _format_figures(figures: Mapping[str, Any]) -> str:
    """Return a table with the results of the training, such as correlations with human judgments."""
    rows = [[name, f"{value:.4f}" if isinstance(value, float) else str(value)] for name, value in figures.items()]
    return format_table(["figure", "value"], rows).rstrip("\n")
