"""Agreement of the chain any with weights that were chosen without the language that is scored.

usage: python benchmarks/languages/any_chain.py INDEX...

Weights, alpha and gamma are those that are best on the other languages, of a grid; the pairs of one target language are
left out together. The figure is Kendall's tau inside a segment, by WMT14's variant where segments have scores, else the
strict one, which rankings have. It is the mean over the pairs of an index, and so is the accuracy of systems where
people have scored these.
"""

from __future__ import annotations

import argparse
import itertools
from dataclasses import replace

import numpy as np
from meteor_e_evaluation import TestSet, load_index, load_test_set, measure
from numpy.typing import NDArray

from meteor_e import Meteor
from meteor_e.chains.chain import find_language
from meteor_e.scoring.arrays import score_arrays
from meteor_e.scoring.statistics import to_additive

Floats = NDArray[np.float64]
Pair = tuple[str, str]
GRID = list(itertools.product((0.5, 0.55, 0.6), (0.2, 0.3), (0.75, 0.8), (0.0, 0.05, 0.1)))
"""Weights of characters and of subsequence, alpha, gamma; exact and ngram have the rest."""


def accuracy(test: TestSet, scores: Floats) -> float:
    """Return the share of pairs of systems in people's order; NaN without scores of systems."""
    human = np.array([test.system_scores.get(name, np.nan) for name in test.systems])
    own, others = np.triu_indices(len(human), 1)
    apart = human[own] - human[others]
    known = np.abs(apart) > 0
    right = apart[known] * (scores[own] - scores[others])[known] > 0
    return float(right.mean()) if len(right) else float("nan")


def figures(test: TestSet) -> Floats:
    """Return tau and the accuracy of systems of each point of the grid, ``(points, 2)``."""
    meteor = Meteor.from_config("any", language=find_language(test.pair.partition("-")[2]).code, offline=True)
    texts = [list(side) for side in test.references]
    rows = [[one.statistics.to_vector() for one in meteor.segments(list(output), *texts)] for output in test.outputs]
    counts = np.array(rows, np.float64)
    sums = to_additive(counts).sum(axis=1)
    agreement = measure("tau-wmt14" if test.rankings is None else "tau-strict").agreement(test)
    found = []
    for characters, subsequence, alpha, gamma in GRID:
        words = round(1 - characters - subsequence, 10)
        weights = (words, words, characters, subsequence)
        parameters = replace(meteor.chain.parameters, alpha=alpha, gamma=gamma, weights=weights)
        tau = agreement(score_arrays(counts, parameters)) if agreement else float("nan")
        found.append((tau, accuracy(test, score_arrays(sums, parameters))))
    return np.array(found)


def folds(paths: list[str]) -> None:
    """Print tau and accuracy of each pair with the parameters of the other languages, and means of each index."""
    known: dict[Pair, Floats] = {}
    for path in paths:
        index = load_index(path)
        for pair in index.pairs:
            known[index.name, pair] = figures(load_test_set(index, pair))
            print(f"{index.name} {pair}: best tau {np.nanmax(known[index.name, pair][:, 0]):.4f}", flush=True)
    chosen: dict[Pair, Floats] = {}
    print("\n| judgments | pair | characters, subsequence, alpha, gamma | tau | accuracy |\n|---|---|---|---|---|")
    for name, pair in known:
        target = pair.partition("-")[2]
        others = [each[:, 0] for (_, other), each in known.items() if other.partition("-")[2] != target]
        at = int(np.mean(others, axis=0).argmax())
        chosen[name, pair] = known[name, pair][at]
        tau, right = chosen[name, pair]
        print(f"| {name} | {pair} | {', '.join(map(str, GRID[at]))} | {tau:.4f} | {right:.4f} |")
    for name in dict.fromkeys(name for name, _ in known):
        tau, right = np.mean([row for (other, _), row in chosen.items() if other == name], axis=0)
        print(f"| {name} | mean | | {tau:.4f} | {right:.4f} |")


def main() -> None:
    """Print tau and accuracy of each pair with the parameters of the other languages, and means of each index."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="+")
    folds(parser.parse_args().index)


if __name__ == "__main__":
    main()
