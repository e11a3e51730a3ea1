"""Measure the processor time and memory of tests of metrics against one another.

    python benchmarks/speed/significance_tests.py [--systems 20] [--segments 2000] [--metrics 10] [--samples 1000]
        [--only pearson/perm-both]

Scores are made up; a row is printed for each measure and test, with the processor time of all its pairs of metrics.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from meteor_e_evaluation.comparison import compare
from meteor_e_evaluation.data import TestSet
from meteor_e_evaluation.judgements import Assessments
from meteor_e_evaluation.measures import measure

from meteor_e.api.metrics import Scores

ROWS = (
    *("pearson/williams", "pearson/perm-both", "pearson/paired", "tau-b/paired", "system-pearson/williams"),
    *("system-accuracy/systems", "system-accuracy/perm-both", "spa/systems", "acc-eq/paired", "pearson-item/paired"),
)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("systems", 20), ("segments", 2000), ("metrics", 10), ("samples", 1000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--only", choices=ROWS)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    human = random.normal(size=(options.systems, options.segments)) + random.normal(size=(options.systems, 1)) * 0.3
    systems, segments = np.nonzero(np.ones(human.shape))
    blank = ("",) * options.segments
    test = TestSet(
        name="made",
        pair="xx-yy",
        language="yy",
        systems=tuple(f"s{at}" for at in range(options.systems)),
        outputs=tuple([blank] * options.systems),
        references=(blank,),
        assessments=Assessments(segments, systems, human[systems, segments]),
    )
    scores = []
    for at in range(options.metrics):
        values = human + random.normal(size=human.shape) * (1 + at / 10)
        scores.append(Scores(f"m{at}", "", values, values.mean(axis=1)))
    print("| measure | test | processor time (s) | peak memory (MB) |\n|---|---|--:|--:|", flush=True)
    for row in ROWS:
        if options.only in (None, row):
            name, method = row.split("/")
            before = time.process_time()
            compare(measure(name), test, scores, samples=options.samples, seed=1, method=method)
            spent, peak = time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"| {name} | {method} | {spent:.1f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
