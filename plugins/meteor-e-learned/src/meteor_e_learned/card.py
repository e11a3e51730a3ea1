"""Model cards: what is in a model file, for people and as data."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

import meteor_e_learned.ready as ready_package
from meteor_e.api.component import options_by_name
from meteor_e.render.plain import format_table
from meteor_e_learned.modelfile import LearnedModel
from meteor_e_learned.ready import ready_models


def columns(model: LearnedModel) -> list[str]:
    """Return the names of the features, without making any."""
    lines = list(model.signature)
    before = lines[: lines.index("vectors:")] if "vectors:" in lines else lines
    return [line for line in before if "=" not in line]


def card_data(model: LearnedModel) -> dict[str, Any]:
    """Return all that a model file says of itself."""
    return {
        "recipe": msgspec.to_builtins(model.recipe),
        "parameters": options_by_name(model.estimator.options),
        "signature": list(model.signature),
        "weights": dict(importances(model)),
        **model.card,
    }


def importances(model: LearnedModel) -> list[tuple[str, float]]:
    """Return features and weights, the largest first; nothing where weights say nothing of single features."""
    if not hasattr(model.estimator, "importance"):
        return []
    pairs = zip(columns(model), map(float, model.estimator.importance()), strict=False)
    return sorted(pairs, key=lambda pair: -abs(pair[1]))


def as_text(model: LearnedModel, weights: int = 15) -> str:
    """Return the card for a terminal."""
    recipe, card = model.recipe, model.card
    ready = ready_models().get(recipe.name) if model.folder == Path(str(files(ready_package))) else None
    numbers = sum(array.size for array in model.estimator.arrays().values())
    lines = [f"{recipe.name}: {recipe.estimator}, {recipe.language}, {numbers} numbers, seed {card.get('seed')}"]
    if recipe.description:
        lines.append(recipe.description)
    if ready is not None:
        rows = [
            [
                figure.data,
                figure.kind,
                figure.measure,
                *(f"{v:.4f}" for v in (figure.value, figure.meteor, figure.chrf)),
            ]
            for figure in ready.figures
        ]
        lines += ["", ready.summary, f"Not for: {ready.avoid}", f"Needs: {', '.join(ready.needs)}", ready.trained, ""]
        lines.append("Agreement with people, by models that had not seen the test year:")
        lines.append(
            format_table(["data", "judged by", "measure", recipe.name, "METEOR", "chrF"], rows, left=3).rstrip()
        )
    for what in ("training", "validation"):
        if card.get(what):
            rows = [
                [title, str(counts["hypotheses"]), str(counts["comparisons"])]
                for title, counts in card[what]["test sets"].items()
            ]
            lines += ["", format_table([what, "hypotheses", "comparisons"], rows).rstrip("\n")]
    figures = [
        [name, f"{value:.4f}" if isinstance(value, float) else str(value)] for name, value in card["figures"].items()
    ]
    lines += ["", format_table(["figure", "value"], figures).rstrip("\n")]
    shown = [[name, f"{value:+.4f}"] for name, value in importances(model)[:weights]]
    if shown:
        lines += ["", format_table(["feature", "weight"], shown).rstrip("\n")]
    lines += ["", f"features: {len(columns(model))}"]
    lines += [f"  {line}" for line in model.signature if "=" in line]
    options = options_by_name(model.estimator.options)
    lines += ["", "options: " + ", ".join(f"{name}={value}" for name, value in options.items())]
    lines.append("made with: " + ", ".join(f"{name} {version}" for name, version in card["versions"].items()))
    return "\n".join(lines)
