"""Measure how many segments METEOR and other metrics score per second of processor time with one thread.

    python benchmarks/speed/metrics.py HYPOTHESIS REFERENCE [-M bleu -M chrf ...]

In each round, every metric scores all segments once. The first round is a warm-up, and it is not counted.
"""

from __future__ import annotations

import argparse
import statistics
import time

from meteor_e import load_metric
from meteor_e.formats.plain import read_segments


def main() -> None:
    """Measure the metrics, and print a row for each metric."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hypothesis")
    parser.add_argument("reference")
    parser.add_argument("-M", "--metric", action="append", help="a metric; may be repeated [bleu, chrf, ter and nist]")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    hypotheses, references = list(read_segments(options.hypothesis)), list(read_segments(options.reference))
    names = ["meteor", *(options.metric or ["bleu", "chrf", "ter", "nist"])]
    metrics = {name: load_metric(name, threads=1) for name in names}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(options.rounds + 1):
        for name, metric in metrics.items():
            start = time.process_time()
            metric.corpus(hypotheses, references)
            if number:
                seconds[name].append(time.process_time() - start)
    meteor = statistics.median(seconds["meteor"])
    print("| metric | segments per second | of METEOR's |\n|---|--:|--:|")
    for name in names:
        median = statistics.median(seconds[name])
        print(f"| `{name}` | {len(hypotheses) / median:,.0f} | {meteor / median:.3f} |")


if __name__ == "__main__":
    main()
