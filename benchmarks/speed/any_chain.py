"""Compare the processor time of `meteor-e score -M any` and of METEOR (`meteor-e score`) in each language.

    python benchmarks/speed/any_chain.py benchmarks/wmt24.yaml benchmarks/wmt12.yaml

In each run, a new process scores the outputs of several systems for a language pair with one thread. The runs of the
two commands alternate. The first figure is the shortest processor time (user and system time) of all rounds. The second
figure does not include the time in which a process starts and scores its first segment.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from meteor_e_evaluation import load_index, load_test_set

from meteor_e.chains.chain import find_language


def measure_seconds(command: list[str]) -> float:
    """Run a command, and return its processor time in seconds."""
    start_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "METEOR_E_THREADS": "1"})
    end_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end_usage.ru_utime + end_usage.ru_stime - start_usage.ru_utime - start_usage.ru_stime


def main() -> None:
    """Measure both commands, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="+")
    parser.add_argument("--pair", action="append", help="measure only this language pair; may be repeated")
    parser.add_argument("--systems", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| pair | segments | METEOR, s | any, s | METEOR / any | without the start |\n|---|---|---|---|---|---|")
    for path in options.index:
        index = load_index(path)
        for pair in options.pair or index.pairs:
            test = load_test_set(index, pair)
            language = find_language(pair.partition("-")[2]).code
            outputs = test.outputs[: options.systems]
            with TemporaryDirectory() as folder:
                files = [str(Path(folder) / name) for name in ("hypothesis", "reference", "one", "other")]
                texts = [line for output in outputs for line in output], [*test.references[0]] * len(outputs)
                for file, lines in zip(files, (*texts, texts[0][:1], texts[1][:1]), strict=True):
                    Path(file).write_text("".join(f"{line}\n" for line in lines), "utf-8")
                score = [sys.executable, "-m", "meteor_e", "score", "-l", language]
                commands = [
                    [*score, *text_files, *metric]
                    for text_files in (files[:2], files[2:])
                    for metric in ([], ["-M", "any"])
                ]  # fmt: skip
                rounds = [[measure_seconds(command) for command in commands] for _ in range(options.rounds)]
            meteor_seconds, any_seconds, *start = (min(times) for times in zip(*rounds, strict=True))
            share, bare = meteor_seconds / any_seconds, (meteor_seconds - start[0]) / (any_seconds - start[1])
            figures = f"{len(texts[0]):,} | {meteor_seconds:.2f} | {any_seconds:.2f} | {share:.2f} | {bare:.2f}"
            print(f"| {index.name} {pair} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
