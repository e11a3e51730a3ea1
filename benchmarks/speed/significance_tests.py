"""Measure the processor time and memory of significance tests that compare metrics.

    python benchmarks/speed/significance_tests.py [--systems 20] [--segments 2000] [--metrics 10] [--samples 1000]
        [--only spa] [--test systems]

The human scores and the metric scores are random numbers. Human scores are rounded to halves, so some of them are
equal. A tenth of the outputs are equal to the output of another system. The script prints a row for each measure and
significance test, with the processor time for all pairs of metrics and the peak memory. Each row is measured in a new
process.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

import numpy as np
from meteor_e_evaluation import TestSet
from meteor_e_evaluation.comparison import compare
from meteor_e_evaluation.judgments import Assessments
from meteor_e_evaluation.measures import MEASURES, measure

from meteor_e.api.metrics import Scores


def make(systems: int, segments: int, metrics: int) -> tuple[TestSet, list[Scores]]:
    """Create a random test set, and random scores of metrics that differ in quality."""
    random = np.random.default_rng(1)
    shape = systems, segments
    human = random.normal(size=shape) + random.normal(size=(systems, 1)) * 0.3 + random.normal(size=(1, segments))
    human = np.round(human * 2) / 2
    same = random.random(segments) < 0.1
    system_indexes, segment_indexes = np.nonzero(np.ones(shape))
    blank = ("",) * segments
    test = TestSet(
        name="made",
        pair="xx-yy",
        language="yy",
        systems=tuple(f"s{number}" for number in range(systems)),
        outputs=tuple([blank] * systems),
        references=(blank,),
        assessments=Assessments(segment_indexes, system_indexes, human[system_indexes, segment_indexes]),
    )
    scores = []
    for number in range(metrics):
        values = human + random.normal(size=shape) * (1 + number / 10)
        values[1, same] = values[0, same]
        scores.append(Scores(f"m{number}", "", values, values.mean(axis=1)))
    return test, scores


def run(name: str, method: str, options: argparse.Namespace) -> None:
    """Run a significance test, and print its row of the table."""
    test, scores = make(options.systems, options.segments, options.metrics)
    start_seconds = time.process_time()
    compare(measure(name), test, scores, samples=options.samples, seed=1, method=method)
    spent, peak = time.process_time() - start_seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| `{name}` | {method} | {spent:.1f} | {peak:.0f} |", flush=True)


def main() -> None:
    """Measure each significance test in a new process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("systems", 20), ("segments", 2000), ("metrics", 10), ("samples", 1000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--only", action="append", choices=list(MEASURES))
    parser.add_argument("--test", action="append", help="a test of `meteor-e evaluate --significance`, or default")
    options = parser.parse_args()
    print("| measure | test | processor time (s) | peak memory (MB) |\n|---|---|--:|--:|", flush=True)
    fresh = multiprocessing.get_context("spawn")
    for name in options.only or MEASURES:
        default = measure(name).default_test()
        # PERM-BOTH computes most measures for each sample. It takes many minutes, so it only runs if the user names it.
        tests = [default if test_name == "default" else test_name for test_name in options.test or ("default",)]
        for method in dict.fromkeys(tests):
            child = fresh.Process(target=run, args=(name, method, options))
            child.start()
            child.join()


if __name__ == "__main__":
    main()
