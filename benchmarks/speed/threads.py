"""Compare the speed gain of a second thread with the speed gain of a second process.

    python benchmarks/speed/threads.py --data ../shared/data/wmt17

Each round scores all systems of a language pair in three ways: with a process that has one thread, with two such
processes at the same time, and with a process that has two threads. All processes are warm. Two processes do not share
data, so their speed is the limit of what two threads can reach on the machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from speed import read_pairs

WORKER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from speed import read_pairs
from meteor_e import Meteor
pairs = read_pairs(Path(sys.argv[2]), sys.argv[3])
hypotheses, references = (list(side) for side in zip(*pairs))
meteor = Meteor("en", threads=int(sys.argv[4]))
meteor.corpus(hypotheses, references)
print(len(pairs), flush=True)
for _ in sys.stdin:
    started = time.perf_counter()
    meteor.corpus(hypotheses, references)
    print(time.perf_counter() - started, flush=True)
"""


def main() -> None:
    """Measure the speeds in several rounds, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="folder with references/ and system-outputs/")
    parser.add_argument("--pair", default="de-en")
    parser.add_argument("--repeat", type=int, default=9)
    arguments = parser.parse_args()
    count = len(read_pairs(arguments.data, arguments.pair))

    def start(threads: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WORKER, str(Path(__file__).parent), str(arguments.data), arguments.pair]
        process = subprocess.Popen(
            [*command, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert process.stdout is not None
        process.stdout.readline()
        return process

    def seconds(*processes: subprocess.Popen[str]) -> float:
        for process in processes:
            print(file=process.stdin, flush=True)
        return max(float(process.stdout.readline()) for process in processes if process.stdout is not None)

    first, second, threaded = start(1), start(1), start(2)
    rounds = [(seconds(first), seconds(first, second), seconds(threaded)) for _ in range(arguments.repeat)]
    one_thread, pair, two_threads = (statistics.median(times) for times in zip(*rounds, strict=True))
    print(f"{count:,} segments, medians of {arguments.repeat} rounds, load {os.getloadavg()[0]:.1f}")
    print(f"one thread       {count / one_thread:8,.0f} segments/s")
    print(f"two threads      {count / two_threads:8,.0f} segments/s  {one_thread / two_threads:.2f} ×")
    print(f"two processes    {2 * count / pair:8,.0f} segments/s  {2 * one_thread / pair:.2f} ×")


if __name__ == "__main__":
    main()
