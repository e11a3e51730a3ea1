"""METEOR-E beyond its defaults: better vectors, the threshold, and tuned weights, each alone and all together.

    meteor-e vectors train europarl.en.xz -l en --corpus en.corpus -o en.vectors
    meteor-e vectors train en.corpus --split -l en --model skip-gram -d 100 -e 2 -o en-100.vectors
    python benchmarks/papers/meteor_e_tuned.py --vectors 'CBOW 50'=en.vectors --vectors 'skip-gram 100'=en-100.vectors

The threshold, and the point of parameters and weights, are those with the highest mean strict τ on WMT11 and WMT13
into English; nothing is chosen on WMT12, where the result is measured. Gains are over the first vectors at the
threshold .80 and the chain's own weights, on the same bootstrap samples. A grid of points is tried at every threshold.
Needs what paper_tables.py needs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from meteor_e_evaluation.agreement import load_test_sets
from meteor_e_evaluation.data import TestSet
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.tuning.data import collect
from meteor_e_evaluation.tuning.grid import evaluate_grid, grid_size, java_axes
from meteor_e_evaluation.tuning.objectives import make_objective
from meteor_e_evaluation.tuning.scorer import Point, PointScorer, point_of
from paper_tables import HERE, Resources

from meteor_e import Meteor
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import ArrayCache, Floats
from meteor_e.base.errors import MeteorError
from meteor_e.significance.resampling import draw_weights, interval

OBJECTIVE = make_objective("rank")
USUAL = 0.8
"""METEOR-E's threshold."""
CHAINS = ("baseline-vector", "dbnary-vector")
GRID = java_axes(
    (0.85, 0.2, 0.4, 0.65, 1, 0.6, 0.6, 0.4, 0.2),
    (0.90, 1.0, 0.6, 0.75, 1, 0.8, 0.8, 0.6, 0.8),
    (0.05, 0.4, 0.2, 0.10, 1, 0.2, 0.2, 0.2, 0.2),
)
"""Values of α, β, γ, δ, and the weights of exact, stem, synonyms, paraphrase and vector."""


@dataclass(frozen=True)
class Tried:
    """The result of a threshold on the data to choose by.

    Attributes:
        threshold: of the vectors.
        own: τ at the chain's own point.
        best: τ at the best point of the grid.
        point: that point.
    """

    threshold: float
    own: float
    best: float
    point: Point


class Bench:
    """Chains with one set of vectors, on the data to choose by and on the data to measure on."""

    def __init__(self, resources: Resources, name: str, options: argparse.Namespace) -> None:
        self.resources, self.name, self.samples = resources, name, options.samples
        self.cache = ArrayCache(options.cache)

    def meteor(self, threshold: float) -> Meteor:
        """Return the chain at a threshold."""
        return Meteor.from_config(self.resources.chain(self.name, "en", threshold))

    def tried(self, threshold: float, tests: list[TestSet]) -> Tried:
        """Try a threshold with the chain's own point and with all of the grid."""
        meteor = self.meteor(threshold)
        data = collect(meteor, tests, self.cache)
        found = evaluate_grid(data, OBJECTIVE, GRID)
        own = OBJECTIVE.prepare(data).value(PointScorer(data).score(point_of(meteor.chain.parameters)))
        print(f"{self.name} {threshold:.2f}: {own:.4f}, best {found.value:.4f}", file=sys.stderr, flush=True)
        return Tried(threshold, own, found.value, found.best)

    def measured(self, threshold: float, point: Point | None, tests: list[TestSet]) -> tuple[float, Floats]:
        """Return τ of a point (by default the chain's own), and of it on bootstrap samples."""
        meteor = self.meteor(threshold)
        data = collect(meteor, tests, self.cache)
        scores = PointScorer(data).score(point or point_of(meteor.chain.parameters))
        objective = OBJECTIVE.prepare(data)
        weights = draw_weights(len(data.unit_groups), self.samples, DEFAULT_SEED)
        return objective.value(scores), objective.resampled(scores, weights)


def with_interval(value: float, drawn: Floats) -> str:
    """Return τ × 100 and the interval of its samples."""
    low, high = interval(drawn)
    return f"{100 * value:.2f} [{100 * low:.2f}, {100 * high:.2f}]"


def into_english(*years: str) -> list[TestSet]:
    """Load all pairs into English of some years."""
    indexes = [load_index(HERE / f"{year}.yaml") for year in years]
    return [
        test for index in indexes for test in load_test_sets(index, [at for at in index.pairs if at.endswith("-en")])
    ]


def rows(bench: Bench, label: str, values: Sequence[float], first: list[tuple[float, Floats]]) -> Iterator[str]:
    """Yield the rows of a chain with one set of vectors; gains are over what is in ``first``, or comes into it."""
    choosing, measuring = into_english("wmt11", "wmt13"), into_english("wmt12")
    found = {value: bench.tried(value, choosing) for value in values}
    own = max(found.values(), key=lambda entry: entry.own)
    tuned = max(found.values(), key=lambda entry: entry.best)
    for entry, point in ((found[USUAL], None), (own, None), (found[USUAL], found[USUAL].point), (tuned, tuned.point)):
        value, drawn = bench.measured(entry.threshold, point, measuring)
        gain = ""
        if first:
            base, others = first[0]
            p = (np.count_nonzero(drawn <= others) + 1) / (len(drawn) + 1)
            gain = f"{with_interval(value - base, drawn - others)}, p = {p:.3f}"
        else:
            first.append((value, drawn))
        weights = "own" if point is None else " ".join(f"{number:g}" for number in point)
        chosen = entry.own if point is None else entry.best
        yield (
            f"| {bench.name} | {label} | {entry.threshold:.2f} | {weights} | {100 * chosen:.2f} "
            f"| {with_interval(value, drawn)} | {gain} |"
        )


def main(arguments: list[str] | None = None) -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", action="append", required=True, metavar="NAME=FILE", help="English vectors")
    parser.add_argument("--chain", action="append", choices=CHAINS, help="default: both")
    parser.add_argument("--lemmatizer", action="append", default=[], metavar="LANGUAGE=FILE", help="tables of lemmas")
    parser.add_argument("--synsets", help="folder of METEOR-E's synset files")
    parser.add_argument("--thresholds", default="0.65,0.70,0.75,0.80,0.85", help="those to choose among")
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples")
    parser.add_argument("--cache", type=Path, help="folder of the cache")
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    values = sorted({USUAL, *(float(value) for value in options.thresholds.split(","))})
    named = [entry.split("=", 1) for entry in options.vectors]
    try:
        print(f"{grid_size(GRID)} points\n")
        print("| chain | vectors | threshold | weights | τ on WMT11 and WMT13 | τ on WMT12 | gain |")
        print("|---|---|--:|---|--:|---|---|")
        for name in options.chain or CHAINS:
            first: list[tuple[float, Floats]] = []
            for label, file in named:
                options.vectors = [f"en={file}"]
                for row in rows(Bench(Resources(options), name, options), label, values, first):
                    print(row, flush=True)
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
