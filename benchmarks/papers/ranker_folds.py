"""What a linear ranker should be made of, by folds of WMT11 and WMT13 alone: features, and how much of WMT13.

    python benchmarks/papers/ranker_folds.py benchmarks/recipes/pairwise-linear-language-model.yaml --samples 5000 40000
    python benchmarks/papers/ranker_folds.py benchmarks/recipes/pairwise-linear-meteor-e.yaml --without meteor meteor-e

Learns from two thirds of the segments of both years (all comparisons of WMT11, so many of WMT13), tests on all
comparisons of the others, three times; strict τ × 100, mean over language pairs. The recipe says features and options.
``METEOR_E_SHARED`` names the folder of the data. Needs the plugin meteor-e-learned.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from command import exit_code
from guzman import tau_of
from meteor_e_learned.data import load_examples
from meteor_e_learned.extraction import FeatureSet, FeatureStore
from meteor_e_learned.models.base import Floats
from meteor_e_learned.recipe import DataSpec, Recipe, load_recipe, make_features
from meteor_e_learned.training import make_estimator

from meteor_e.api import Examples

HERE = Path(__file__).parents[1]
YEARS = ("wmt11", "wmt13")
FOLDS = 3


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--samples", nargs="+", type=int, default=[5000], help="comparisons of WMT13 [5000]")
    parser.add_argument(
        "--without", nargs="+", default=[], metavar="FEATURE", help="leave out one after the other, too"
    )
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    return exit_code(run, options)


def run(options: argparse.Namespace) -> None:
    """Print a row for each size of the sample, and for each feature that is left out."""
    recipe = load_recipe(options.recipe)
    features = make_features(recipe.features, recipe.language, options.recipe.parent)
    store, none = FeatureStore(), FeatureSet([])
    years = [
        load_examples([DataSpec(f"{year}.yaml")], features, none, store, folder=HERE, jobs=options.jobs)
        for year in YEARS
    ]
    print("| features | numbers | comparisons of WMT13 | WMT11 | WMT13 | mean |\n|---|---|---|---|---|---|")
    everything = list(range(features.dimension))
    rows = [("all", everything)]
    for label in options.without:
        own = features.select([f"{label}.*"])
        rows.append((f"without `{label}`", [place for place in everything if place not in own]))
    for sample in options.samples:
        for title, places in rows:
            found = folds(recipe, features, years, places, sample)
            values = " | ".join(f"{value:.2f}" for value in (*found, np.mean(found)))
            print(f"| {title} | {len(places)} | {sample:,} | {values} |", flush=True)


def folds(recipe: Recipe, features: FeatureSet, years: list[Examples], places: list[int], sample: int) -> list[float]:
    """Return the strict τ × 100 of each year on the segments that were not learned from."""
    draw = np.random.default_rng(0)
    fold = [draw.integers(FOLDS, size=int(year.group.max()) + 1)[year.group] for year in years]
    sampled = np.zeros(len(years[1].better), bool)
    sampled[np.random.default_rng(recipe.seed).permutation(len(sampled))[:sample]] = True
    chosen = [np.ones(len(years[0].better), bool), sampled]
    found: list[Floats] = [np.zeros(len(year.better)) for year in years]
    for number in range(FOLDS):
        parts = [year_pairs(year, places, np.flatnonzero((fold[at] != number) & chosen[at]))
                 for at, year in enumerate(years)]  # fmt: skip
        pairs = np.vstack(parts)
        labels = np.random.default_rng(number).integers(2, size=len(pairs))
        size = pairs.shape[1] // 2
        turned = np.where(labels[:, None] == 1, pairs, np.hstack([pairs[:, size:], pairs[:, :size]]))
        estimator = make_estimator(recipe, features, FeatureSet([]))
        estimator.fit(turned, labels)
        for at, year in enumerate(years):
            held = np.flatnonzero(fold[at] == number)
            for some in np.array_split(held, max(1, len(held) // 20_000)):
                found[at][some] = estimator.decision_function(year_pairs(year, places, some))
    return [
        float(np.mean([100 * tau_of(found[at], year, part) for part in range(len(year.title))]))
        for at, year in enumerate(years)
    ]


def year_pairs(year: Examples, places: list[int], rows: np.ndarray) -> Floats:
    """Return the features of both sides of comparisons, the better one first."""
    return np.hstack([year.features[np.ix_(side[rows], places)] for side in (year.better, year.worse)])


if __name__ == "__main__":
    sys.exit(main())
