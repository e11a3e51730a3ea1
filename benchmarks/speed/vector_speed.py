"""Measure the speed of the vector matcher, and the time in which a file of two million word vectors opens.

    python benchmarks/speed/vector_speed.py --vectors en=en.vectors --synsets english.synsets.gz
    python benchmarks/speed/vector_speed.py --vectors en=en.vectors --synsets english.synsets.gz --lemmas en.lemmas.tsv
    python benchmarks/speed/vector_speed.py --large large.vectors      # 2 million words of 300 dimensions: 2.5 GB

The speed is measured with one thread on the outputs of all systems of WMT12 fr-en. Rounds with and without the matcher
alternate, and the best round of each counts. Other programs on the machine can slow the measurement. Each time of
opening is measured in a new process. /proc/PID/smaps shows how much memory of the file two processes share.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from meteor_e_evaluation.evaluation import load_test_sets
from meteor_e_evaluation.index import load_index

from meteor_e import Meteor
from meteor_e.chains.settings import apply_settings

WORDS = 2_000_000
OPEN = """
import sys, time
from meteor_e_vectors import open_vectors
started = time.perf_counter()
vectors = open_vectors(sys.argv[1])
row = vectors["word1999999"]
print(time.perf_counter() - started, flush=True)
vectors.rows[:100000].sum()
sys.stdin.readline()
"""


def throughput(options: argparse.Namespace) -> None:
    """Print the segments per second of four chains with and without word vectors and DBnary."""
    language, _, file = options.vectors.partition("=")
    (test,) = load_test_sets(load_index(Path(__file__).parents[1] / "wmt12.yaml"), [options.pair])
    hypotheses = [segment for output in test.outputs for segment in output]
    references = [[segment] for segment in test.references[0]] * len(test.outputs)
    chains: dict[str, Any] = {}
    for name in ("baseline", "vector", "baseline-vector", "dbnary-vector"):
        settings: dict[str, dict[str, Any]] = {}
        if "vector" in name:
            settings["vector"] = {"file": str(Path(file).absolute())}
        if "dbnary" in name:
            settings["dbnary"] = {"file": options.synsets}
            if options.lemmas is not None:
                settings["lemmatizer"] = {"use": "lookup", "file": options.lemmas}
        changed = apply_settings(name, {"language": language}, settings)
        if "dbnary" in name:
            changed.setdefault("lemmatizer", "simplemma")
        chains[name] = Meteor.from_config({"language": language, **changed}, threads=1)
    best = dict.fromkeys(chains, 0.0)
    for round_number in range(options.rounds + 1):
        for name, meteor in chains.items():
            started = time.perf_counter()
            meteor.corpus(hypotheses, references)
            if round_number:  # the first round fills the caches
                best[name] = max(best[name], len(hypotheses) / (time.perf_counter() - started))
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{len(hypotheses)} segments of {options.pair}, one thread, best of {options.rounds}; load {load:.1f}")
    for name, speed in best.items():
        print(f"{name:16} {speed:8.0f} segments/s  {speed / best['baseline']:.2f} of the baseline")


def opening(path: Path, dimension: int) -> None:
    """Print how long it takes to open a large vector file, and how much of its memory two processes share."""
    from meteor_e_vectors import write_vectors

    if not path.exists():
        scratch = path.with_suffix(".rows")
        rows = np.memmap(scratch, np.float32, "w+", shape=(WORDS, dimension))
        numbers = np.random.default_rng(1)
        for start in range(0, WORDS, 10_000):
            rows[start : start + 10_000] = numbers.standard_normal((10_000, dimension), dtype=np.float32)
        write_vectors(path, [f"word{number}" for number in range(WORDS)], rows)
        scratch.unlink()
    run = [sys.executable, "-c", OPEN, str(path)]
    times = []
    for _ in range(5):
        done = subprocess.run(run, input="\n", capture_output=True, text=True, check=True)
        times.append(float(done.stdout))
    size, milliseconds = path.stat().st_size / 1e9, [1000 * seconds for seconds in times]
    print(f"{size:.1f} GB, opened and a word looked up in {min(milliseconds):.1f} ms (worst {max(milliseconds):.1f})")
    processes = [subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    time.sleep(3)
    for process in processes:
        shared = private = 0
        mine = False
        for line in Path(f"/proc/{process.pid}/smaps").read_text().splitlines():
            if "-" in line.split()[0] and not line.endswith("kB"):
                mine = path.name in line
            elif mine and line.startswith("Shared_"):
                shared += int(line.split()[1])
            elif mine and line.startswith("Private_"):
                private += int(line.split()[1])
        print(f"process {process.pid}: {shared / 1024:.0f} MiB of the file shared, {private / 1024:.0f} MiB private")
    for process in processes:
        process.communicate("\n")


def main() -> None:
    """Run the measurements that the command line selects."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", metavar="LANGUAGE=FILE", help="word vectors for the measurement of the speed")
    parser.add_argument("--synsets", help="METEOR-E's synset file of the language")
    parser.add_argument("--lemmas", help="table of lemmas [lemmas of simplemma]")
    parser.add_argument("--pair", default="fr-en", help="language pair of WMT12")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds after the warm-up")
    parser.add_argument(
        "--large", type=Path, metavar="FILE", help="vectors of two million words; the file is created unless it exists"
    )
    parser.add_argument("--dimension", type=int, default=300, help="dimension of a created file [300]")
    options = parser.parse_args()
    if options.vectors is not None:
        throughput(options)
    if options.large is not None:
        opening(options.large, options.dimension)


if __name__ == "__main__":
    main()
