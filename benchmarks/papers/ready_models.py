"""Train the models that come with meteor-e-learned, and measure each on what it had not seen.

    python benchmarks/papers/ready_models.py en-light            # writes weights and card into the plugin

Weights that are shipped see all judgments of their recipe. Every figure on a card is of a model of the same recipe
that did not see the test's year: trained without WMT13, tested on WMT13, and so on; WMT17 is in no training. METEOR and
sacreBLEU's chrF beside it read the same texts, entities of XML as characters.
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
from meteor_e_learned.models.base import SYNTHETIC, pearson, strict_tau
from meteor_e_learned.ready import Figure, ReadyModel
from meteor_e_learned.recipe import DataSpec, Recipe, load_recipe, make_features
from meteor_e_learned.training import make_estimator, train
from numpy.typing import NDArray

from meteor_e import load_metric
from meteor_e.api import Estimator, Examples, FeatureBatch
from meteor_e.api.estimators import TrainingRun

HERE = Path(__file__).parents[1]
RECIPES = HERE / "recipes/ready"
BASELINES = ("meteor", "chrf")
READY = HERE.parent / "plugins/meteor-e-learned/src/meteor_e_learned/ready"
Floats = NDArray[np.float64]

# A model stands before those that stand on it.
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
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="models [all]")
    parser.add_argument("--cache", help="folder of the features")
    return exit_code(run, parser.parse_args())


def run(options: argparse.Namespace) -> None:
    """Train and measure."""
    store = FeatureStore(options.cache)
    for name in CARDS:
        if options.names and name not in options.names:
            continue
        recipe = load_recipe(RECIPES / f"{name}.yaml")
        figures = measured(recipe, store)
        for figure in figures:
            print(
                f"{recipe.name}\t{figure.data}\t{figure.value:.4f}\t{figure.meteor:.4f}\t{figure.chrf:.4f}", flush=True
            )
        train(recipe, READY / f"{recipe.name}.safetensors", folder=RECIPES, store=store)
        (READY / f"{recipe.name}.safetensors.jsonl").unlink(missing_ok=True)
        card = described(recipe, figures)
        (READY / f"{recipe.name}.json").write_bytes(msgspec.json.format(msgspec.json.encode(card), indent=1) + b"\n")


def described(recipe: Recipe, figures: list[Figure]) -> ReadyModel:
    """Return the card of a model."""
    language = recipe.language
    summary, avoid = CARDS[recipe.name]
    needs = [PACK.format(language)]
    if any(isinstance(entry, dict) and entry["use"] == "encoder" for entry in recipe.features):
        needs.append(ENCODER)
    years = ", ".join(year(spec).upper() for spec in recipe.train if spec.made is None)
    trained = f"The shipped weights have seen {years}"
    made = []
    for spec in recipe.train:
        if spec.made:
            made.append(f"{spec.made} of {Path(spec.index).name.partition('.')[0]}")
    trained += f", and comparisons made of texts: {', '.join(made)}." if made else "."
    trained += f" A clone trains it again: python benchmarks/papers/ready_models.py {recipe.name}."
    return ReadyModel(recipe.name, language, summary, avoid, needs, trained, figures)


def year(spec: DataSpec) -> str:
    """Return the name of a spec's test set, with what was made of it."""
    stem = Path(spec.index).name.partition(".")[0]
    made = f" {spec.made}" if spec.made else ""
    return stem + made


def loaded(recipe: Recipe, features: FeatureSet, store: FeatureStore) -> dict[str, Examples]:
    """Return the examples of each year, those that only test among them."""
    none = FeatureSet([])
    return {
        year(spec): load_examples([spec], features, none, store, language=recipe.language, folder=RECIPES)
        for spec in (*recipe.train, *recipe.validation)
    }


def measured(recipe: Recipe, store: FeatureStore) -> list[Figure]:
    """Return the figures of models that had not seen what they are tested on."""
    features = make_features(recipe.features, recipe.language, RECIPES, unescape=recipe.unescape)
    parts = loaded(recipe, features, store)
    baselines = [load_metric(name, language=recipe.language) for name in BASELINES]
    names = [year(spec) for spec in recipe.train]
    figures = []
    known: dict[tuple[str, ...], Estimator] = {}
    for test, examples in parts.items():
        # Neither the test's judgments, nor what is made of its texts.
        others = [name for name in names if name.partition(" ")[0] != test.partition(" ")[0]]
        if all(" " in name for name in others):
            continue  # No judgment would be left to train on.
        key = tuple(others)
        if key not in known:
            known[key] = trained(recipe, features, [parts[name] for name in others])
        scores = known[key].raw(examples.features)  # type: ignore[attr-defined]
        texts = FeatureBatch(list(examples.hypotheses), [list(each) for each in examples.references])
        if recipe.unescape:
            texts = decode_batch(texts)
        own = np.column_stack(
            [each.corpus(texts.hypotheses, texts.references, segments=True).segment_scores for each in baselines]
        )
        figures.append(figure(test, examples, scores, own, f"trained on {', '.join(others).upper()}"))
    return figures


def trained(recipe: Recipe, features: FeatureSet, training: Sequence[Examples]) -> Estimator:
    """Return an estimator that has learned from some test sets."""
    estimator = make_estimator(recipe, features, FeatureSet([]))
    estimator.learn(concatenate(training), None, TrainingRun(recipe.seed, features.columns))
    return estimator


def agreement(examples: Examples, scores: Floats) -> float:
    """Return the mean over language pairs of Pearson's r with human scores, or of the strict τ.

    Of synthetic comparisons, the mean over kinds of the share whose better text has the higher score.
    """
    found = []
    if examples.title[0].startswith(SYNTHETIC):
        higher = scores[examples.better] > scores[examples.worse]
        return float(np.mean([higher[examples.part == place].mean() for place in range(len(examples.title))]))
    for place in range(len(examples.title)):
        rows = (examples.hypothesis_part == place) & ~np.isnan(examples.scores)
        chosen = examples.part == place
        if rows.any():
            found.append(pearson(scores[rows], examples.scores[rows]))
        else:
            found.append(strict_tau(scores[examples.better[chosen]] - scores[examples.worse[chosen]]))
    return float(np.mean(found))


def figure(name: str, examples: Examples, scores: Floats, baselines: Floats, without: str) -> Figure:
    """Return the figure of a test set, with METEOR's and chrF's, ``(hypotheses, 2)``, beside it."""
    assessed = not np.isnan(examples.scores).all()
    pairs = " ".join(title.rpartition(" ")[2] for title in examples.title)
    if examples.title[0].startswith(SYNTHETIC):
        values = (round(agreement(examples, each), 4) for each in (scores, *baselines.T))
        index, _, made = name.partition(" ")
        data = f"{made} of {index.upper()}, {len(examples.title)} kinds"
        return Figure(data, "synthetic comparisons", "share found", *values, without)
    return Figure(
        f"{name.upper()} ({pairs})",
        "direct assessments" if assessed else "rankings",
        "Pearson r" if assessed else "strict tau",
        *(round(agreement(examples, each), 4) for each in (scores, *baselines.T)),
        without,
    )


if __name__ == "__main__":
    sys.exit(main())
