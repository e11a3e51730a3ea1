"""Measure how often each significance test finds a difference although there is none (type I error).

    python benchmarks/parity/type_one_error.py                # 1,000 simulations of each test, minutes
    python benchmarks/parity/type_one_error.py --simulations 200 --only acc-eq
    python benchmarks/parity/type_one_error.py --output docs/results/type-one-error.md

The script needs no data. Each simulation creates random human scores of some systems and segments. The scores of two
metrics are the human scores plus independent noise with the same variance, so no metric is better. At the level .05, a
significance test should reject the null hypothesis in 5% of the simulations. The exit code is 1 if the rate of a test
that should keep its level is too low or too high. Other tests are shown for comparison.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from meteor_e_evaluation import TestSet
from meteor_e_evaluation.comparison import average_comparisons, compare
from meteor_e_evaluation.judgments import Assessments
from meteor_e_evaluation.measures import MEASURES, measure
from meteor_e_evaluation.tuning.data import TuningSet
from meteor_e_evaluation.tuning.objectives import make_objective
from meteor_e_evaluation.tuning.validation import compare_on_held_out

from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats
from meteor_e.significance.systems import compare_systems

LEVEL = 0.05
LOW, HIGH = 0.03, 0.07
AGAIN = 0.065
"""A test that should hold its level, and rejects more often, is simulated five times as often."""

PERMUTATIONS = 99
NOTES = {"none": "independent errors", "segments": "shared by a segment", "systems": "shared by a system"}
"""What the two metrics' errors have in common."""

Simulation = Callable[[np.random.Generator], float]
"""Makes data without a difference, tests them, and returns p."""


def people(random: np.random.Generator, systems: int, segments: int) -> Floats:
    """Return random human scores. They are rounded to halves, so some of them are equal."""
    scores = random.normal(size=(systems, 1)) * 0.5 + random.normal(size=(1, segments))
    return np.round((scores + random.normal(size=(systems, segments))) * 2) / 2


def test_set(human: Floats, name: str) -> TestSet:
    """Return a test set in which every output has a human score."""
    systems, segments = np.nonzero(~np.isnan(human))
    blank = [""] * human.shape[1]
    return TestSet(
        name=name,
        pair="xx-yy",
        language="yy",
        systems=tuple(f"system{number}" for number in range(len(human))),
        outputs=tuple([blank] * len(human)),
        references=(blank,),
        assessments=Assessments(segments, systems, human[systems, segments]),
    )


def of_metrics(name: str, method: str, systems: int, segments: int, pairs: int = 1, shared: str = "none") -> Simulation:
    """Simulate a test of two equally good metrics on a language pair, or on the mean over several pairs.

    By default, the errors of a metric are independent. With ``shared``, the errors on all outputs of a segment or of a
    system have a part in common.
    """

    def simulate(random: np.random.Generator) -> float:
        comparisons, weights = [], []
        for pair in range(pairs):
            human = people(random, systems, segments)
            test = test_set(human, f"set{pair}")
            scores = []
            for metric in ("one", "other"):
                values = human + random.normal(size=human.shape) * 1.5
                if shared == "segments":
                    values += random.normal(size=(1, segments)) * 1.5
                elif shared == "systems":
                    values += random.normal(size=(systems, 1)) * 0.75
                if name.startswith("system"):
                    # Like corpus scores, the scores of systems have their own noise.
                    system_scores = human.mean(axis=1) + random.normal(size=systems) * 0.3
                else:
                    system_scores = values.mean(axis=1)
                scores.append(Scores(metric, metric, values, system_scores))
            seed = int(random.integers(2**31))
            comparison = compare(measure(name), test, scores, samples=PERMUTATIONS, seed=seed, method=method)
            assert comparison is not None
            comparisons.append(comparison)
            weights.append(measure(name).weight(test))
        whole_test = comparisons[0] if pairs == 1 else average_comparisons(comparisons, weights)
        assert whole_test is not None
        return float(whole_test.p[0, 1])

    return simulate


def of_systems(method: str, segments: int = 200) -> Simulation:
    """Simulate a test of two systems. Statistics of their segments have the same distribution."""

    def simulate(random: np.random.Generator) -> float:
        hard = random.normal(size=segments)
        lengths = random.integers(5, 40, segments).astype(float)
        systems = {}
        for name in ("one", "other"):
            quality = 1 / (1 + np.exp(-(hard + random.normal(size=segments))))
            systems[name] = np.stack([quality * lengths, lengths], axis=1)
        results = compare_systems(
            systems,
            lambda sums: sums[:, 0] / sums[:, 1],
            method=method,
            samples=199,
            interval_samples=1,
            seed=int(random.integers(2**31)),
        )
        return float(results[1].p or 0.0)

    return simulate


def of_gain(objective: str, units: int = 40, systems: int = 3) -> Simulation:
    """Simulate a test of tuned parameters on held-out data. Judgments are random, so tuning has no effect."""

    def simulate(random: np.random.Generator) -> float:
        cells = units * systems
        lengths = random.integers(8, 20, (cells, 2))
        first, second = (random.integers(0, high, cells) for high in (5, 4))
        zero = np.zeros(cells, int)
        matched = first + second
        chunks = np.minimum(1 + random.integers(0, 4, cells), np.maximum(matched, 1))
        counts = np.stack(
            [*lengths.T, zero, zero, first, first, zero, zero, second, second, zero, zero, chunks, matched, matched],
            axis=1,
        )
        unit = np.repeat(np.arange(units), systems)
        starts = np.arange(units) * systems
        better = np.concatenate([starts + random.integers(systems, size=units) for _ in range(4)])
        worse = starts.repeat(4).reshape(units, 4).T.ravel() + random.integers(systems, size=4 * units)
        data = TuningSet(
            counts=counts,
            starts=np.arange(cells),
            units=unit,
            groups=np.zeros(cells, int),
            human_scores=random.normal(size=cells),
            reference_lengths=lengths[:, 1].astype(float),
            better=better[better != worse],
            worse=worse[better != worse],
            names=("simulated",),
            unit_groups=np.zeros(units, int),
            systems=np.tile(np.arange(systems), units),
        )
        points = (0.85, 0.2, 0.6, 0.75, 1.0, 0.6), (0.5, 1.0, 0.3, 0.5, 1.0, 0.1)
        seed = int(random.integers(2**31))
        return compare_on_held_out(data, data, make_objective(objective), *points, samples=PERMUTATIONS, seed=seed).p

    return simulate


def simulations() -> Iterator[tuple[str, str, bool, Simulation]]:
    """Yield what each test compares, its name, whether it should keep its level, and its simulation."""
    for name in ("pearson", "spearman"):
        yield name, "Williams", True, of_metrics(name, "williams", 6, 60)
    for name, holds in (("system-pearson", True), ("system-spearman", False)):
        yield name, "Williams", holds, of_metrics(name, "williams", 20, 5)
    for name in ("tau-strict", "tau-wmt13", "tau-wmt14", "tau-b", "accuracy", "darr:threshold=1"):
        yield name, "paired", True, of_metrics(name, "paired", 5, 60)
    for name in ("acc-eq", "acc-item", "pearson", "pearson-item", "kendall-item", "spa"):
        yield name, "perm-both", True, of_metrics(name, "perm-both", 5, 40)
    for name in ("acc-eq", "spa"):
        yield name, "paired", True, of_metrics(name, "paired", 5, 40)
    yield "system-accuracy", "perm-both", True, of_metrics("system-accuracy", "perm-both", 15, 60)
    yield "system-accuracy", "paired", True, of_metrics("system-accuracy", "paired", 15, 60)
    yield "system-kendall", "systems", True, of_metrics("system-kendall", "systems", 15, 5)
    yield "system-accuracy", "systems", True, of_metrics("system-accuracy", "systems", 15, 5)
    yield "system-accuracy-pooled, 3 pairs", "systems", True, of_metrics("system-accuracy-pooled", "systems", 10, 5, 3)
    yield "acc-eq, mean of 2 pairs", "perm-both", True, of_metrics("acc-eq", "perm-both", 4, 30, 2)
    yield "spa, mean of 2 pairs", "perm-both", True, of_metrics("spa", "perm-both", 4, 30, 2)
    yield "system-spearman", "systems", True, of_metrics("system-spearman", "systems", 15, 5)
    for shared in ("none", "segments", "systems"):
        note = NOTES[shared]
        for name in MEASURES:
            # For a single language pair, pooled pairs of systems give the same result as separate pairs.
            if name != "system-accuracy-pooled":
                full = "darr:threshold=1" if name == "darr" else name
                yield f"{full}, {note}", "default", True, of_metrics(full, "auto", 15, 40, shared=shared)
        yield f"pearson, {note}", "Williams", shared == "none", of_metrics("pearson", "williams", 15, 40, shared=shared)
        for name in ("pearson", "spa"):
            for method in ("perm-both", "paired", "systems"):
                row = of_metrics(name, method, 15, 40, shared=shared)
                yield f"{name}, {note}", method, shared == "none", row
    # If two points differ in few pairs of systems, p has few possible values, and the test rejects too rarely.
    yield "gain of tuning, rank", "permutation", True, of_gain("rank", units=400)
    yield "gain of tuning, pearson", "permutation", True, of_gain("pearson")
    yield "two systems", "randomization", True, of_systems("randomization")
    yield "two systems", "bootstrap", False, of_systems("bootstrap")


def main() -> int:
    """Run the simulations, and print a line for each. The exit code is 1 if a test does not keep its level."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--only", help="only tests with this text in the name of what they compare")
    parser.add_argument("--output", help="also write the table to a Markdown file")
    options = parser.parse_args()
    table: dict[tuple[str, str], dict[str, str]] = {}
    failed = False
    for number, (name, test, holds, simulate) in enumerate(simulations()):
        if options.only and options.only not in name:
            continue
        random = np.random.default_rng([options.seed, number])
        started = time.process_time()
        rejections = [simulate(random) <= LEVEL for _ in range(options.simulations)]
        if holds and np.mean(rejections) > AGAIN:
            rejections += [simulate(random) <= LEVEL for _ in range(4 * options.simulations)]
        rate = float(np.mean(rejections))
        # A default test combines two tests, so it may reject the null hypothesis too rarely.
        failed |= holds and not (0.0 if test == "default" else LOW) <= rate <= HIGH
        print(f"{name}, {test}: {rate:.3f} of {len(rejections):,}, {time.process_time() - started:.0f} s", flush=True)
        comparison, _, note = name.rpartition(", ")
        if note not in NOTES.values():
            comparison, note = name, "separate"
        table.setdefault((comparison, test), {})[note] = f"{rate:.3f}{'' if holds else '*'}"
    if options.output:
        notes = ("separate", *NOTES.values())
        rows = [
            " | ".join(["", name, test, *(rates.get(note, "") for note in notes), ""]).strip()
            for (name, test), rates in table.items()
        ]
        head = (
            "# Type I error of the significance tests\n\n"
            f"Each test was simulated {options.simulations:,} times with the seed {options.seed}. The simulation "
            "compares two metrics, points or systems that do not differ. At the level .05, a correct test rejects the "
            "null hypothesis in 5% of the simulations. If a test is supposed to keep its level but rejects in more "
            "than 6.5% of the simulations, the number of simulations is multiplied by five. A default test that "
            "combines two tests rejects less often than 5%.\n\n"
            "The values are the proportions of simulations with p ≤ .05. In the column *separate*, the simulated data "
            "fit the test. In the other columns, the errors of the two metrics are independent, or they are shared by "
            "all outputs of a segment or by all outputs of a system. A star means that the simulated data violate the "
            "assumptions of the test.\n\n"
            "    python benchmarks/parity/type_one_error.py "
            f"--simulations {options.simulations} --output {options.output}\n\n"
            f"| comparison | test | {' | '.join(notes)} |\n|---|---|--:|--:|--:|--:|\n"
        )
        Path(options.output).parent.mkdir(parents=True, exist_ok=True)
        Path(options.output).write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
