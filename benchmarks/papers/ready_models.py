"""Train the models that are included in meteor-e-learned, and measure their correlation with human judgments.

    python benchmarks/papers/ready_models.py en-light            # writes the model and its card into the plugin

A model that is included in the plugin is trained on all judgments of its recipe. The figures on its card are measured
by cross-validation: a model with the same recipe is trained without a test set, and tested on that test set. WMT17 is
used for tests only. METEOR and sacreBLEU's chrF are measured on the same texts, in which XML entities are decoded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from command import exit_code
from meteor_e_learned.data import load_examples
from meteor_e_learned.entities import decode_batch
from meteor_e_learned.examples import concatenate
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.inputs import InputExtractor
from meteor_e_learned.models.base import SYNTHETIC, pearson, strict_tau
from meteor_e_learned.ready import Figure, ReadyModel
from meteor_e_learned.recipe import DataSpec, Recipe, load_recipe, make_features
from meteor_e_learned.training import make_estimator, train
from numpy.typing import NDArray

from meteor_e import load_metric
from meteor_e.api import Estimator, Examples, FeatureBatch, Metric
from meteor_e.api.estimators import TrainingRun

HERE = Path(__file__).parents[1]
RECIPES = HERE / "recipes/ready"
BASELINES = ("meteor", "chrf")
READY = HERE.parent / "plugins/meteor-e-learned/src/meteor_e_learned/ready"
Floats = NDArray[np.float64]

# Each model comes after the models that it is based on.
CARDS = {
    "en-light": (
        "English translations, one reference: ranks systems, rates segments. METEOR's order elsewhere.",
        "other languages than English; captions, for which caption-light is better.",
    ),
    "en-light-context": (
        "en-light with a sentence encoder: the same texts, agrees better, slow.",
        "large amounts of text: two cores score about two hundred segments a second.",
    ),
}
PACK = "METEOR's pack (meteor-e pack install {})"
ENCODER = (
    "an encoder (in a clone: pip install './plugins/meteor-e-learned[encoder]' ./plugins/meteor-e-vectors; "
    "then meteor-e encoder install minilm)"
)


def main() -> int:
    """Parse the command line, train the models, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="names of the models [all]")
    parser.add_argument("--cache", help="folder of cached features")
    return exit_code(run, parser.parse_args())


def run(options: argparse.Namespace) -> None:
    """Train the models, measure them, and write their files."""
    store = FeatureStore(options.cache)
    for name in CARDS:
        if options.names and name not in options.names:
            continue
        recipe = load_recipe(RECIPES / f"{name}.yaml")
        figures = measure_model(recipe, store)
        for figure in figures:
            print(
                f"{recipe.name}\t{figure.test_set}\t{figure.value:.4f}\t{figure.meteor:.4f}\t{figure.chrf:.4f}",
                flush=True,
            )
        train(recipe, READY / f"{recipe.name}.safetensors", folder=RECIPES, store=store)
        (READY / f"{recipe.name}.safetensors.jsonl").unlink(missing_ok=True)
        card = make_card(recipe, figures)
        (READY / f"{recipe.name}.json").write_bytes(msgspec.json.format(msgspec.json.encode(card), indent=1) + b"\n")


def make_card(recipe: Recipe, figures: list[Figure]) -> ReadyModel:
    """Return the card of a model."""
    summary, avoid = CARDS[recipe.name]
    requirements = [PACK.format(recipe.language)]
    if any(isinstance(entry, dict) and entry["use"] == "encoder" for entry in recipe.features):
        requirements.append(ENCODER)
    judged_sets = [test_set_name(spec).upper() for spec in recipe.train if not spec.synthetic]
    synthetic_sets = [f"{spec.synthetic} of {index_name(spec)}" for spec in recipe.train if spec.synthetic]
    training = f"The shipped weights have seen {', '.join(judged_sets)}"
    if synthetic_sets:
        training += f", and comparisons made of texts: {', '.join(synthetic_sets)}"
    training += f". A clone trains it again: python benchmarks/papers/ready_models.py {recipe.name}."
    return ReadyModel(recipe.name, recipe.language, summary, avoid, requirements, training, figures)


def index_name(spec: DataSpec) -> str:
    """Return the name of an index file without its suffix, such as ``wmt13``."""
    return Path(spec.index).name.partition(".")[0]


def test_set_name(spec: DataSpec) -> str:
    """Return the name of an index, such as ``wmt13``, and the kind of synthetic comparisons if there are any."""
    return f"{index_name(spec)} {spec.synthetic}" if spec.synthetic else index_name(spec)


def load_test_sets(recipe: Recipe, features: FeatureSet, store: FeatureStore) -> dict[str, Examples]:
    """Return the names and examples of all training and validation sets of a recipe."""
    extractor = InputExtractor(features, FeatureSet([]), store)
    examples = {}
    for spec in (*recipe.train, *recipe.validation):
        examples[test_set_name(spec)] = load_examples([spec], extractor, language=recipe.language, folder=RECIPES)
    return examples


def measure_model(recipe: Recipe, store: FeatureStore) -> list[Figure]:
    """Measure a model on each test set. For each test set, a model is trained on the other sets."""
    features = make_features(recipe.features, recipe.language, RECIPES, unescape=recipe.unescape)
    test_sets = load_test_sets(recipe, features, store)
    baselines = [load_metric(name, language=recipe.language) for name in BASELINES]
    figures = []
    estimators: dict[tuple[str, ...], Estimator] = {}
    for name, examples in test_sets.items():
        training_names = select_training_sets(recipe, name)
        if not training_names:
            continue
        if training_names not in estimators:
            training = [test_sets[training_name] for training_name in training_names]
            estimators[training_names] = train_estimator(recipe, features, training)
        scores = estimators[training_names].raw(examples.features)  # type: ignore[attr-defined]
        baseline_scores = score_baselines(baselines, examples, recipe)
        training_description = f"trained on {', '.join(training_names).upper()}"
        figures.append(make_figure(name, examples, scores, baseline_scores, training_description))
    return figures


def select_training_sets(recipe: Recipe, test_name: str) -> tuple[str, ...]:
    """Return the names of the training sets that have no texts in common with a test set.

    The result is empty if the remaining training sets contain no human judgments.
    """
    test_index = test_name.partition(" ")[0]
    specs = [spec for spec in recipe.train if index_name(spec) != test_index]
    if all(spec.synthetic for spec in specs):
        return ()
    return tuple(test_set_name(spec) for spec in specs)


def train_estimator(recipe: Recipe, features: FeatureSet, training: Sequence[Examples]) -> Estimator:
    """Create the estimator of a recipe, and train it on the examples of several data sets."""
    estimator = make_estimator(recipe, features, FeatureSet([]))
    estimator.learn(concatenate(training), None, TrainingRun(recipe.seed, features.columns))
    return estimator


def score_baselines(baselines: Sequence[Metric], examples: Examples, recipe: Recipe) -> Floats:
    """Score all segments with the baselines, and return an array ``(hypotheses, baselines)``."""
    texts = FeatureBatch(list(examples.hypotheses), [list(references) for references in examples.references])
    if recipe.unescape:
        texts = decode_batch(texts)
    scores = [metric.corpus(texts.hypotheses, texts.references, segments=True).segment_scores for metric in baselines]
    return np.column_stack(scores)


def measure_correlation(examples: Examples, scores: Floats) -> float:
    """Return the mean correlation of scores with human judgments over the language pairs.

    The measure is Pearson's r for human scores, and the strict τ for human comparisons. For synthetic comparisons, the
    measure is the proportion of comparisons in which the better text has the higher score.
    """
    parts = range(len(examples.title))
    if examples.title[0].startswith(SYNTHETIC):
        is_correct = scores[examples.better] > scores[examples.worse]
        return float(np.mean([is_correct[examples.part == part].mean() for part in parts]))
    correlations = []
    for part in parts:
        is_scored = (examples.hypothesis_part == part) & ~np.isnan(examples.scores)
        if is_scored.any():
            correlations.append(pearson(scores[is_scored], examples.scores[is_scored]))
        else:
            rows = examples.part == part
            correlations.append(strict_tau(scores[examples.better[rows]] - scores[examples.worse[rows]]))
    return float(np.mean(correlations))


def make_figure(
    name: str, examples: Examples, scores: Floats, baseline_scores: Floats, training_description: str
) -> Figure:
    """Return the results of a model, of METEOR, and of chrF on a test set.

    Args:
        name: the name of the test set.
        examples: the examples of the test set.
        scores: the scores of the model, ``(hypotheses,)``.
        baseline_scores: the scores of METEOR and chrF, ``(hypotheses, 2)``.
        training_description: the training sets of the model.
    """
    values = [round(measure_correlation(examples, column), 4) for column in (scores, *baseline_scores.T)]
    if examples.title[0].startswith(SYNTHETIC):
        index, _, kind = name.partition(" ")
        data = f"{kind} of {index.upper()}, {len(examples.title)} kinds"
        return Figure(data, "synthetic comparisons", "share found", *values, training_description)
    pairs = " ".join(title.rpartition(" ")[2] for title in examples.title)
    data = f"{name.upper()} ({pairs})"
    if np.isnan(examples.scores).all():
        return Figure(data, "rankings", "strict tau", *values, training_description)
    return Figure(data, "direct assessments", "Pearson r", *values, training_description)


if __name__ == "__main__":
    sys.exit(main())
