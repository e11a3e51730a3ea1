"""Train the models that come with meteor-e-learned, and measure each on what it had not seen.

    python benchmarks/papers/ready_models.py                     # writes weights and cards into the plugin
    python benchmarks/papers/ready_models.py --gains --write docs/results/feature-gains.md

Weights that are shipped see all judgments of their recipe. Every figure on a card is of a model of the same recipe
that did not see the test's year: trained without WMT13, tested on WMT13, and so on; WMT17 is in no training. Models
for other targets than English have one year only, WMT12; theirs are figures of five folds that share no segment.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from command import exit_code
from meteor_e_learned.data import load_examples
from meteor_e_learned.examples import joined
from meteor_e_learned.extraction import FeatureSet, FeatureStore
from meteor_e_learned.made import MADE
from meteor_e_learned.models.base import pearson, strict_tau
from meteor_e_learned.ready import Figure, ReadyModel, ready_models
from meteor_e_learned.recipe import DataSpec, Recipe, load_recipe, make_features
from meteor_e_learned.training import make_estimator, train
from numpy.typing import NDArray

from meteor_e.api import Estimator, Examples, FeatureBatch
from meteor_e.api.estimators import TrainingRun

HERE = Path(__file__).parents[1]
RECIPES = HERE / "recipes/ready"
READY = HERE.parent / "plugins/meteor-e-learned/src/meteor_e_learned/ready"
Floats = NDArray[np.float64]

CARDS = {
    "en-light": (
        "The model to begin with: translations, captions with several references; METEOR's order elsewhere.",
        "other languages than English; claims about summaries: for long texts it only follows METEOR.",
    ),
    "en-light-context": (
        "en-light with a sentence encoder: translations, and captions with one reference; slow.",
        "large amounts of text, since it scores about a hundred segments a second.",
    ),
    "en-ranker": (
        "Ranks outputs of one segment against each other, as people did from 2011 to 2014.",
        "absolute scores of segments, and neural systems: there en-light is better.",
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
    parser.add_argument("--gains", action="store_true", help="what each feature brings, in place of training")
    parser.add_argument("--write", type=Path, help="the table of gains")
    parser.add_argument("--cache", help="folder of the features")
    return exit_code(run, parser.parse_args())


def run(options: argparse.Namespace) -> None:
    """Train and measure, or write the table of gains."""
    store = FeatureStore(options.cache)
    if options.gains:
        text = gains(store)
        print(text)
        if options.write:
            options.write.write_text(text, encoding="utf-8")
        return
    for file in sorted(RECIPES.glob("*.yaml")):
        recipe = load_recipe(file)
        if options.names and recipe.name not in options.names:
            continue
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
    summary, avoid = CARDS.get(
        recipe.name,
        (
            f"Ranks outputs of one segment against each other, language {language!r}.",
            "absolute scores, neural systems, and other languages: it knows phrase-based systems of 2012 only.",
        ),
    )
    needs = [PACK.format(language)]
    if any(isinstance(entry, dict) and "encoder" in entry for entry in recipe.features):
        needs.append(ENCODER)
    if "tag-overlap" in recipe.features:
        needs.append("textblob (pip install 'meteor-e-learned[tags]')")
    years = ", ".join(year(spec).upper() for spec in recipe.train if spec.made is None)
    trained = f"The shipped weights have seen {years}"
    made = []
    for spec in recipe.train:
        if spec.made:
            against = f" ({spec.references} reference)" if spec.references else ""
            made.append(f"{spec.made} of {Path(spec.index).name.partition('.')[0]}{against}")
    trained += f", and comparisons made of texts: {', '.join(made)}." if made else "."
    for model in stands_on(recipe):
        needs += [need for need in ready_models()[model].needs if need not in needs]
        trained += f" What {model} has seen, on which it stands, is on that model's card."
    return ReadyModel(recipe.name, language, summary, avoid, needs, trained, figures)


def stands_on(recipe: Recipe) -> list[str]:
    """Return the models whose scores are features of a recipe."""
    specs = [entry for entry in recipe.features if isinstance(entry, dict)]
    return [str(entry["model"]) for entry in specs if entry["use"] == "model-score"]


def year(spec: DataSpec) -> str:
    """Return the name of a spec's test set, with what was made of it."""
    stem = Path(spec.index).name.partition(".")[0]
    made = f" {spec.made}" if spec.made else ""
    return stem + made + (f" against {spec.references}" if spec.references else "")


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
    names = [year(spec) for spec in recipe.train]
    # METEOR and chrF themselves read texts as they are.
    base = make_features(["meteor", "chrf"], recipe.language, RECIPES)

    def own(examples: Examples) -> Examples:
        batch = FeatureBatch(examples.hypotheses, [list(each) for each in examples.references])
        return replace(examples, features=base.extract(batch, store))

    if len(names) == 1 and not recipe.validation:
        return [in_folds(recipe, features, parts[names[0]], names[0])]
    if stands_on(recipe):
        # The model that it stands on has seen other years: only what neither has seen is a test.
        figures = []
        for test in (year(spec) for spec in recipe.validation):
            scores = fitted(recipe, features, [parts[name] for name in names], parts[test])
            figures.append(figure(test, own(parts[test]), scores, base, f"trained on {', '.join(names).upper()}"))
        return figures
    figures = []
    known: dict[tuple[str, ...], Estimator] = {}
    for test, examples in parts.items():
        if " " in test and test in names:
            continue  # What is made of training data tests nothing.
        # Neither the test's judgments, nor what is made of its texts.
        others = [name for name in names if name.partition(" ")[0] != test.partition(" ")[0]]
        key = tuple(others)
        if key not in known:
            known[key] = trained(recipe, features, [parts[name] for name in others])
        scores = known[key].raw(examples.features)  # type: ignore[attr-defined]
        figures.append(figure(test, own(examples), scores, base, f"trained on {', '.join(others).upper()}"))
    return figures


def fitted(recipe: Recipe, features: FeatureSet, training: Sequence[Examples], test: Examples) -> Floats:
    """Train, and return the weighted sums of a test set's hypotheses, as ``meteor-e evaluate`` takes them."""
    result: Floats = trained(recipe, features, training).raw(test.features)  # type: ignore[attr-defined]
    return result


def trained(recipe: Recipe, features: FeatureSet, training: Sequence[Examples]) -> Estimator:
    """Return an estimator that has learned from some test sets."""
    estimator = make_estimator(recipe, features, FeatureSet([]))
    estimator.learn(joined(training), None, TrainingRun(recipe.seed, features.columns))
    return estimator


def agreement(examples: Examples, scores: Floats) -> float:
    """Return the mean over language pairs of Pearson's r with human scores, or of the strict τ.

    Of texts with made errors, the mean over kinds of the share whose better text has the higher score.
    """
    found = []
    if examples.title[0].startswith(MADE):
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


def figure(name: str, examples: Examples, scores: Floats, features: FeatureSet, without: str) -> Figure:
    """Return the figure of a test set, with METEOR's and chrF's beside it."""
    assessed = not np.isnan(examples.scores).all()
    own = [examples.features[:, features.columns.index(column)] for column in ("meteor.score", "chrf.score")]
    pairs = " ".join(title.rpartition(" ")[2] for title in examples.title)
    if examples.title[0].startswith(MADE):
        values = (round(agreement(examples, each), 4) for each in (scores, *own))
        data = f"{name.partition(' ')[0].upper()}, texts with one error of {len(examples.title)} kinds"
        return Figure(data, "made errors", "share found", *values, without)
    return Figure(
        f"{name.upper()} ({pairs})",
        "direct assessments" if assessed else "rankings",
        "Pearson r" if assessed else "strict tau",
        *(round(agreement(examples, each), 4) for each in (scores, *own)),
        without,
    )


def in_folds(recipe: Recipe, features: FeatureSet, examples: Examples, name: str, folds: int = 5) -> Figure:
    """Return the figure of models each trained without the segments that it is tested on."""
    draw = np.random.default_rng(recipe.seed)
    groups = np.unique(examples.group)
    fold = draw.permutation(len(groups)) % folds
    of_row = fold[np.searchsorted(groups, examples.group)]
    right = 0
    for at in range(folds):
        kept = narrowed(examples, of_row != at)
        test = narrowed(examples, of_row == at)
        scores = fitted(recipe, features, [kept], test)
        right += int((scores[test.better] > scores[test.worse]).sum())
    whole = figure(name, examples, examples.features[:, 0], features, "five folds that share no segment")
    return msgspec.structs.replace(whole, value=round(2 * right / len(of_row) - 1, 4))


def narrowed(examples: Examples, rows: NDArray[np.bool_]) -> Examples:
    """Return examples with some of the comparisons, and the hypotheses that they compare."""
    used = np.zeros(len(examples.features), bool)
    used[examples.better[rows]] = used[examples.worse[rows]] = True
    place = np.cumsum(used) - 1
    return replace(
        examples,
        features=examples.features[used],
        vectors=examples.vectors[used],
        reference_vectors=examples.reference_vectors[used],
        scores=examples.scores[used],
        hypothesis_part=examples.hypothesis_part[used],
        better=place[examples.better[rows]],
        worse=place[examples.worse[rows]],
        part=examples.part[rows],
        group=examples.group[rows],
        weight=examples.weight[rows],
        hypotheses=tuple(text for text, kept in zip(examples.hypotheses, used, strict=True) if kept),
        references=tuple(texts for texts, kept in zip(examples.references, used, strict=True) if kept),
    )


def gains(store: FeatureStore) -> str:
    """Return a table: what each feature brings to adequacy.yaml, taken out or put in, on each kind of judgments."""
    light = load_recipe(HERE / "recipes/adequacy.yaml")
    rich = load_recipe(RECIPES / "en-ranker.yaml")
    every = msgspec.structs.replace(light, features=rich.features)
    features = make_features(every.features, "en", RECIPES)
    parts = loaded(every, features, store)
    names = [year(spec) for spec in light.train]
    tests = ["wmt11", "wmt13", "wmt17"]  # WMT12 is for the last look, not for choosing.
    own = [str(name) for name in light.features]
    rows: list[tuple[str, list[str]]] = [("adequacy.yaml", own)]
    rows += [(f"without `{name}`", [each for each in own if each != name]) for name in own]
    rows += [(f"with `{name}`", [*own, str(name)]) for name in rich.features if name not in own]
    rows.append(("with all of them", [str(name) for name in rich.features]))
    lines = [
        "| features | numbers | " + " | ".join(test.upper() for test in tests) + " |",
        "|---|---|" + "---|" * len(tests),
    ]
    for label, chosen in rows:
        some = make_features(list(chosen), "en", RECIPES)
        columns = [features.columns.index(name) for name in some.columns]
        toward = tuple(name for name in ("meteor.score", "chrf.score") if name in some.columns)
        recipe = msgspec.structs.replace(
            light, features=list(chosen), options={**light.options, "toward": list(toward), "iterations": 40}
        )
        found = []
        for test in tests:
            training = [
                replace(parts[name], features=parts[name].features[:, columns]) for name in names if name != test
            ]
            examples = replace(parts[test], features=parts[test].features[:, columns])
            found.append(100 * agreement(examples, fitted(recipe, some, training, examples)))
        lines.append(f"| {label} | {len(columns)} | " + " | ".join(f"{value:.2f}" for value in found) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    cells = trees(parts, names, tests, features, own)
    lines.append("| trees (LightGBM) on the same | | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def trees(
    parts: dict[str, Examples], names: Sequence[str], tests: Sequence[str], features: FeatureSet, own: Sequence[str]
) -> list[str]:
    """Return what boosted trees reach, learned from shares of comparisons won and from assessments, standardized."""
    try:
        from lightgbm import LGBMRegressor
    except ImportError:
        return ["LightGBM is not installed"] * len(tests)
    columns = [place for place, name in enumerate(features.columns) if name.partition(".")[0] in own]
    cells = []
    for test in tests:
        rows, targets = [], []
        for name in names:
            if name == test:
                continue
            examples = parts[name]
            won = np.bincount(examples.better, minlength=len(examples.features)).astype(float)
            lost = np.bincount(examples.worse, minlength=len(examples.features))
            compared = won + lost > 0
            scores = np.where(compared, won / np.maximum(won + lost, 1), np.nan)
            target = examples.scores if not np.isnan(examples.scores).all() else scores
            for place in range(len(examples.title)):
                chosen = (examples.hypothesis_part == place) & ~np.isnan(target)
                rows.append(examples.features[chosen][:, columns])
                targets.append((target[chosen] - target[chosen].mean()) / target[chosen].std())
        model = LGBMRegressor(
            n_estimators=300, learning_rate=0.05, num_leaves=15, min_child_samples=200, reg_lambda=10, random_state=1,
            n_jobs=1, verbose=-1,
        )  # fmt: skip
        model.fit(np.vstack(rows), np.concatenate(targets))
        cells.append(f"{100 * agreement(parts[test], model.predict(parts[test].features[:, columns])):.2f}")
    return cells


if __name__ == "__main__":
    sys.exit(main())
