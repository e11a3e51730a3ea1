"""Segments a second of trained models, beside METEOR's in the same run.

    meteor-e train benchmarks/recipes/pairwise-linear.yaml -o linear.safetensors
    python benchmarks/speed/predict_speed.py linear.safetensors network.safetensors --pair de-en --segments 500

Scores the output of one system: its features from nothing and the decision, single hypotheses where a model has
scores, else pairs of two systems' hypotheses. Model and resources are loaded, and a few segments are scored, before
the clock starts. It counts processor time. METEOR and the models take turns; the best of the rounds counts. Also says
what share of the time each feature takes, and how fast a model is on features that are kept. Needs the plugin
meteor-e-learned.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import load_index
from meteor_e_learned.extraction import FeatureStore
from meteor_e_learned.modelfile import LearnedModel, load_model
from meteor_e_learned.prediction import pairwise_advantages
from meteor_e_learned.scoring import has_scores, score_segments

from meteor_e import Meteor
from meteor_e.api.features import FeatureBatch
from meteor_e.base.errors import MeteorError

HERE = Path(__file__).parents[1]


def main() -> None:
    """Time METEOR and the models in turns, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--index", type=Path, default=HERE / "wmt12.yaml")
    parser.add_argument("--pair", default="cs-en")
    parser.add_argument("--segments", type=int, default=1000, help="how many [1000]")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    test = load_test_set(load_index(options.index), options.pair)
    count = min(options.segments, len(test))
    first, second = (list(output[:count]) for output in test.outputs[:2])
    references = [[reference[at] for reference in test.references] for at in range(count)]
    meteor = Meteor(test.language)
    ways: dict[str, Callable[[], object]] = {"METEOR": lambda: list(meteor.segments(first, references))}
    compared = {"METEOR": count}
    models = {}
    for path in options.models:
        model = models[str(path)] = load_model(path)
        ways[str(path)] = way(model, first, second, references, FeatureStore(enabled=False))
        compared[str(path)] = count if has_scores(model) else 2 * count
        # Loads what is loaded late.
        way(model, first[:20], second[:20], references[:20], FeatureStore(enabled=False))()
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(options.rounds):
        for name, call in ways.items():
            best[name] = min(best[name], timed(call))
    print(
        f"{options.pair}, {count} segments, best of {options.rounds} rounds, one process, load {os.getloadavg()[0]:.1f}"
    )
    print(
        "\n| model | estimator | features | hypotheses/s | METEOR's | hypotheses/s, features kept | most of the time |"
    )
    print("|---|---|---|---|---|---|---|")
    own = compared["METEOR"] / best["METEOR"]
    print(f"| METEOR | | | {own:.0f} | 1 | | |")
    for name, model in models.items():
        speed = compared[name] / best[name]
        with TemporaryDirectory() as folder:
            call = way(model, first, second, references, FeatureStore(folder))
            call()
            kept = compared[name] / min(timed(call) for _ in range(options.rounds))
        shares = feature_shares(model, first, references)
        most = ", ".join(f"{label} {share:.0%}" for label, share in shares[:3])
        print(
            f"| {model.recipe.name} | {model.recipe.estimator} | {model.features.dimension} | {speed:.0f} | "
            f"{speed / own:.4f} | {kept:.0f} | {most} |",
            flush=True,
        )


def way(
    model: LearnedModel, first: list[str], second: list[str], references: list[list[str]], store: FeatureStore
) -> Callable[[], object]:
    """Return what scores the first system, or compares both."""
    if has_scores(model):
        return lambda: score_segments(model, FeatureBatch(first, references), store)
    return lambda: pairwise_advantages(model, [first, second], references, store)


def timed(call: Callable[[], object]) -> float:
    """Return how many seconds of processor time a call takes."""
    started = time.process_time()
    call()
    return time.process_time() - started


def feature_shares(model: LearnedModel, hypotheses: list[str], references: list[list[str]]) -> list[tuple[str, float]]:
    """Return the features and their shares of the time, the slowest first."""
    took = {
        entry.label: timed(lambda entry=entry: entry.feature.extract(hypotheses, references))  # type: ignore[misc]
        for entry in (*model.features.features, *model.vectors.features)
    }
    total = sum(took.values())
    return sorted(((label, seconds / total) for label, seconds in took.items()), key=lambda pair: -pair[1])


if __name__ == "__main__":
    try:
        main()
    except MeteorError as error:
        sys.exit(str(error))
