"""A regression on direct assessments: Pearson's correlation with people on segments of WMT17, beside METEOR's.

    METEOR_E_VECTORS=vectors.bin python benchmarks/direct_assessment.py
    python benchmarks/direct_assessment.py recipes/OTHER.yaml --seeds 1 2 3 4 5

Trains as the recipe says and tests on cs-en, de-en and lv-en of WMT17, with 95 % bootstrap intervals of the judged
hypotheses. ``METEOR_E_SHARED`` names the folder of the data. Needs the plugin meteor-e-learned.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from meteor_e_learned.data import load_examples
from meteor_e_learned.recipe import DataSpec, load_recipe, make_features
from meteor_e_learned.training import fit_estimator, make_estimator

from meteor_e.errors import MeteorError
from meteor_e.evaluation.resampling import draw_weights, interval
from meteor_e.features.extraction import FeatureSet, FeatureStore

HERE = Path(__file__).parent


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", nargs="?", type=Path, default=HERE / "recipes" / "segment-regression-21.yaml")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5], help="of the folds [1 to 5]")
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples [1000]")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    try:
        run(options)
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def run(options: argparse.Namespace) -> None:
    """Train, test, and print a table."""
    recipe = load_recipe(options.recipe)
    features = make_features(recipe.features, recipe.language, options.recipe.parent)
    store, none = FeatureStore(), FeatureSet([])
    common = {"seed": recipe.seed, "jobs": options.jobs}
    train = load_examples(recipe.train, features, none, store, folder=options.recipe.parent, **common)
    test = load_examples([DataSpec("wmt17.yaml")], features, none, store, folder=HERE, **common)
    columns = [title.rpartition(" ")[2] for title in test.title]
    print(f"| metric | {' | '.join(columns)} | mean | 95 % interval |")
    print("|---|" + "---|" * (len(columns) + 2))

    def row(title: str, scores: np.ndarray) -> None:
        values, draws = [], []
        for part in range(len(columns)):
            rows = (test.hypothesis_part == part) & ~np.isnan(test.scores)
            weights = draw_weights(int(rows.sum()), options.samples)
            values.append(pearson(np.ones((1, weights.shape[1])), scores[rows], test.scores[rows])[0])
            draws.append(pearson(weights, scores[rows], test.scores[rows]))
        low, high = interval(np.mean(draws, axis=0))
        cells = " | ".join(f"{value:.3f}" for value in values)
        print(f"| {title} | {cells} | {np.mean(values):.3f} | {low:.3f} to {high:.3f} |", flush=True)

    row("METEOR", test.features[:, features.select(["meteor.score"])[0]])
    for seed in options.seeds:
        estimator = make_estimator(recipe, features, none).set_params(seed=seed)
        figures = fit_estimator(estimator, train, None, seed)
        row(f"{recipe.name}, seed {seed}", estimator.score_segments(test.features))
        for name, value in figures.items():
            print(f"seed {seed}: {name}: {value:.4f}", file=sys.stderr)


def pearson(weights: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return Pearson's correlation on samples; ``weights`` says how often each row is in each, ``(samples, rows)``."""
    share = weights / weights.sum(axis=1, keepdims=True)
    means = share @ one, share @ other
    covariance = share @ (one * other) - means[0] * means[1]
    variances = (share @ values**2 - mean**2 for values, mean in zip((one, other), means, strict=True))
    return covariance / np.sqrt(np.prod(list(variances), axis=0))


if __name__ == "__main__":
    sys.exit(main())
