"""Measure how well the chain ``any`` agrees with judgments if its parameters are tuned on other languages.

usage: python benchmarks/languages/any_chain.py INDEX...

The script searches a grid for the weights, alpha and gamma with the best agreement on all other target languages. The
agreement is Kendall's tau within segments: the variant of WMT14 for ratings, and the strict variant for rankings. If
there are human scores of systems, the script also computes the pairwise accuracy of systems. It prints both for each
language pair, and their means over the pairs of an index.
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
"""Weights of the matchers characters and subsequence, alpha, and gamma. Exact and ngram have the remaining weight."""


def accuracy(test: TestSet, scores: Floats) -> float:
    """Return the fraction of system pairs that have the order of the human scores, or NaN without such scores."""
    human = np.array([test.system_scores.get(name, np.nan) for name in test.systems])
    first, second = np.triu_indices(len(human), 1)
    human_differences = human[first] - human[second]
    has_order = np.abs(human_differences) > 0
    is_correct = human_differences[has_order] * (scores[first] - scores[second])[has_order] > 0
    return float(is_correct.mean()) if len(is_correct) else float("nan")


def measure_grid(test: TestSet) -> Floats:
    """Return Kendall's tau and the system accuracy for each point of the parameter grid, as ``(points, 2)``."""
    meteor = Meteor.from_config("any", language=find_language(test.pair.partition("-")[2]).code, offline=True)
    references = [list(column) for column in test.references]
    rows = []
    for output in test.outputs:
        rows.append([segment.statistics.to_vector() for segment in meteor.segments(list(output), *references)])
    counts = np.array(rows, np.float64)
    sums = to_additive(counts).sum(axis=1)
    agreement = measure("tau-wmt14" if test.rankings is None else "tau-strict").agreement(test)
    results = []
    for characters, subsequence, alpha, gamma in GRID:
        words = round(1 - characters - subsequence, 10)
        weights = (words, words, characters, subsequence)
        parameters = replace(meteor.chain.parameters, alpha=alpha, gamma=gamma, weights=weights)
        tau = agreement(score_arrays(counts, parameters)) if agreement else float("nan")
        results.append((tau, accuracy(test, score_arrays(sums, parameters))))
    return np.array(results)


def print_table(paths: list[str]) -> None:
    """Print tau and accuracy of each language pair, with parameters tuned on the other target languages."""
    grids: dict[Pair, Floats] = {}
    for path in paths:
        index = load_index(path)
        for pair in index.pairs:
            grid = grids[index.name, pair] = measure_grid(load_test_set(index, pair))
            print(f"{index.name} {pair}: best tau {np.nanmax(grid[:, 0]):.4f}", flush=True)
    results: dict[Pair, Floats] = {}
    print("\n| judgments | pair | characters, subsequence, alpha, gamma | tau | accuracy |\n|---|---|---|---|---|")
    for (name, pair), grid in grids.items():
        point = find_best_point(grids, pair.partition("-")[2])
        results[name, pair] = grid[point]
        tau, system_accuracy = grid[point]
        print(f"| {name} | {pair} | {', '.join(map(str, GRID[point]))} | {tau:.4f} | {system_accuracy:.4f} |")
    for name in dict.fromkeys(name for name, _ in grids):
        index_results = [result for (index_name, _), result in results.items() if index_name == name]
        tau, system_accuracy = np.mean(index_results, axis=0)
        print(f"| {name} | mean | | {tau:.4f} | {system_accuracy:.4f} |")


def find_best_point(grids: dict[Pair, Floats], excluded_language: str) -> int:
    """Return the grid point with the best mean tau over all target languages except ``excluded_language``."""
    taus = [grid[:, 0] for (_, pair), grid in grids.items() if pair.partition("-")[2] != excluded_language]
    return int(np.mean(taus, axis=0).argmax())


def main() -> None:
    """Parse the command line, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="+", help="indexes of judged test sets")
    print_table(parser.parse_args().index)


if __name__ == "__main__":
    main()
