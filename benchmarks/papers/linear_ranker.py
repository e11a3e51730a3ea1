"""The linear pairwise ranker: its τ on WMT12, and what each group of features brings.

    python benchmarks/papers/linear_ranker.py                                   # pairwise-linear-11
    python benchmarks/papers/linear_ranker.py benchmarks/recipes/pairwise-linear.yaml --ablation
    python benchmarks/papers/linear_ranker.py benchmarks/recipes/pairwise-linear-meteor-e.yaml \
        --ablation meteor meteor-e

Trains as the recipe says, tests on WMT12 into English (strict τ × 100, bootstrap intervals of the segments), then
leaves out one feature after the other (of those named, else of all) and trains again. ``METEOR_E_SHARED`` names the
folder of the data. Needs the plugin meteor-e-learned.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from command import exit_code
from guzman import narrowed, resampled, tau_of
from meteor_e_learned.data import load_examples
from meteor_e_learned.extraction import FeatureSet, FeatureStore
from meteor_e_learned.recipe import DataSpec, load_recipe, make_features
from meteor_e_learned.training import make_estimator

from meteor_e.api import Examples
from meteor_e.api.estimators import TrainingRun
from meteor_e.significance.resampling import interval

HERE = Path(__file__).parents[1]
TEST = DataSpec("wmt12.yaml", ["cs-en", "de-en", "es-en", "fr-en"])


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", nargs="?", type=Path, default=HERE / "recipes" / "pairwise-linear-11.yaml")
    parser.add_argument("--ablation", nargs="*", metavar="FEATURE", help="leave out one feature after the other")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    return exit_code(run, options.recipe, options.ablation, options.jobs)


def run(path: Path, ablation: list[str] | None, jobs: int) -> None:
    """Train, test, and print a table; ``ablation`` are the features to leave out, none of them for all."""
    recipe = load_recipe(path)
    features = make_features(recipe.features, recipe.language, path.parent)
    store, none = FeatureStore(), FeatureSet([])
    train = load_examples(recipe.train, features, none, store, folder=path.parent, seed=recipe.seed, jobs=jobs)
    test = load_examples([TEST], features, none, store, folder=HERE, jobs=jobs)
    everything = list(range(features.dimension))
    print(
        "| features | numbers | C | cs | de | es | fr | mean | 95 % interval |\n|---|---|---|---|---|---|---|---|---|"
    )

    def row(title: str, places: list[int]) -> None:
        started = time.perf_counter()
        parts: list[Examples] = [narrowed(examples, places, []) for examples in (train, test)]
        estimator = make_estimator(recipe, features, none)
        figures = estimator.learn(parts[0], None, TrainingRun(recipe.seed))
        found = estimator.decisions(parts[1])
        taus = [100 * tau_of(found, test, part) for part in range(len(test.title))]
        low, high = interval(100 * resampled(np.where(found > 0, 1.0, -1.0), test, 1000))
        print(
            f"| {title} | {len(places)} | {figures['C']:g} | {' | '.join(f'{tau:.2f}' for tau in taus)} | "
            f"{np.mean(taus):.2f} | {low:.2f} to {high:.2f} |",
            flush=True,
        )
        print(f"{title}: {time.perf_counter() - started:.1f} s", file=sys.stderr)

    row("all", everything)
    if ablation is not None:
        for label in ablation or [entry.label for entry in features.features]:
            own = features.select([f"{label}.*"])
            row(f"without {label}", [place for place in everything if place not in own])


if __name__ == "__main__":
    sys.exit(main())
