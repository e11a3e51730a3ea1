r"""Compare scoring on a cluster of two processes with scoring in one process, in time and in memory.

    python benchmarks/speed/cluster.py --data ../shared/data --pairs 10000000 --work FOLDER \
        --write docs/results/cluster.md

The script needs the extra ``dask`` and the English resource pack. The first pairs are the system outputs of WMT11,
WMT12, WMT13 and WMT17 into English with their references. All other pairs are edited copies of the first pairs. One
to three words of the hypothesis and one word of the reference are deleted, duplicated, or replaced by a word of another
segment. The number of the pair is the random seed of its edits. Because of the edits, caches rarely find a pair or a
reference again. The script prints how many pairs are distinct. It writes a Parquet file to the folder ``--work``, and
uses this file again in later runs.

Four runs compute the corpus score of the file, each in a new process: ``meteor-e score FILE --threads 1``, the same
command with ``--dask local:1`` and ``--dask local:2``, and ``Meteor.corpus`` on plain iterators. ``--only`` selects
some of these runs. All scores must have the same digits. The time of a run includes the start and the end of the
process and of the cluster. The memory of a run is the resident memory of the process and its children. It is sampled
only every two seconds, because sampling takes processor time. A page that several processes share is counted once for
each process. "Flat" is the peak memory in the second half of a run, divided by the peak memory in its first half.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import json
import os
import platform
import random
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

PACKED = 1 << 16
"""Rows of a row group."""

CORPUS = """
import sys
import pyarrow.parquet as pq
from meteor_e import Meteor

def column(name):
    with pq.ParquetFile(sys.argv[1]) as file:
        for batch in file.iter_batches(4096, columns=[name], use_threads=False):
            yield from batch.column(0).to_pylist()

print(repr(Meteor("en", threads=1).corpus(column("hypothesis"), column("reference")).score))
"""


class Run(NamedTuple):
    """The score, time and memory samples of a process and its children."""

    name: str
    score: str
    seconds: float
    samples: list[tuple[float, float]]

    @property
    def peak(self) -> float:
        """The peak memory in MB."""
        return max(memory for _, memory in self.samples)

    @property
    def growth(self) -> float:
        """The peak memory in the second half of the run, divided by the peak memory in the first half."""
        half = self.seconds / 2
        later = [memory for elapsed, memory in self.samples if elapsed > half]
        return max(later, default=0.0) / max(memory for elapsed, memory in self.samples if elapsed <= half)


@functools.cache
def real_pairs(data: Path) -> list[tuple[str, str]]:
    """Return all distinct pairs of system outputs into English and their references."""
    pairs: dict[tuple[str, str], None] = {}
    for year in sorted(data.glob("wmt1[0-9]")):
        references = {}
        for path in sorted(year.glob("references/*ref.en")):
            source = re.search(r"([a-z]{2})en-ref\.en$", path.name)
            references[source[1] if source else ""] = path.read_text(encoding="utf-8").splitlines()
        for folder in sorted(year.glob("system-outputs/*-en")):
            reference = references.get(folder.name[:2]) or references.get("")
            for path in sorted(folder.iterdir()):
                hypotheses = path.read_text(encoding="utf-8").splitlines()
                if reference is not None and len(hypotheses) == len(reference):
                    pairs.update(dict.fromkeys(zip(hypotheses, reference, strict=True)))
    return [pair for pair in pairs if pair[0].strip() and pair[1].strip()]


def vary_pairs(pairs: list[tuple[str, str]], start: int, stop: int) -> Iterator[tuple[str, str]]:
    """Yield the pairs with the numbers from ``start`` to ``stop``. Real pairs come before edited pairs."""
    yield from pairs[start:stop]
    for number in range(max(start, len(pairs)), stop):
        generator = random.Random(number)
        hypothesis, reference = (text.split() for text in pairs[number % len(pairs)])
        other_words = pairs[int(generator.random() * len(pairs))][0].split()
        for _ in range(1 + int(generator.random() * 3)):
            edit(hypothesis, other_words, generator)
        edit(reference, other_words, generator)
        yield " ".join(hypothesis), " ".join(reference)


def edit(words: list[str], other_words: list[str], generator: random.Random) -> None:
    """Delete a random word, duplicate it, or replace it by a word of another segment."""
    index = int(generator.random() * len(words))
    kind = int(generator.random() * 3)
    if kind == 0 and len(words) > 1:
        del words[index]
    elif kind == 1:
        words.insert(index, words[index])
    else:
        words[index] = other_words[int(generator.random() * len(other_words))]


def group(data: Path, start: int, stop: int) -> tuple[list[str], list[str], list[int]]:
    """Return the hypotheses, references and hashes of the pairs in a row group of the Parquet file."""
    some = list(vary_pairs(real_pairs(data), start, stop))
    hypotheses, references = zip(*some, strict=True)
    digests = [zlib.crc32(f"{a}\n{b}".encode()) << 32 | zlib.adler32(f"{a}\n{b}".encode()) for a, b in some]
    return list(hypotheses), list(references), digests


def make(data: Path, count: int, path: Path) -> None:
    """Write the Parquet file. All processors create row groups in parallel."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    scratch = path.with_suffix(".tmp")
    schema = pa.schema([("hypothesis", pa.string()), ("reference", pa.string())])
    distinct_digests: set[int] = set()
    starts = range(0, count, PACKED)
    with pq.ParquetWriter(scratch, schema, compression="zstd") as writer, ProcessPoolExecutor() as pool:
        groups = pool.map(group, repeat(data), starts, (min(start + PACKED, count) for start in starts))
        for hypotheses, references, digests in groups:
            distinct_digests.update(digests)
            writer.write_table(pa.table([hypotheses, references], schema=schema))
    scratch.replace(path)
    note = {"real": min(len(real_pairs(data)), count), "pairs": count, "distinct": len(distinct_digests)}
    path.with_suffix(".json").write_text(json.dumps(note), encoding="utf-8")


def measure(name: str, command: list[str], tick: float = 2.0) -> Run:
    """Run a command, and sample the memory of its process and child processes."""
    import psutil

    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    watched = psutil.Process(process.pid)
    samples = []
    while process.poll() is None:
        total = 0
        try:
            for child in (watched, *watched.children(recursive=True)):
                total += child.memory_info().rss
        except psutil.NoSuchProcess:
            continue
        finally:
            time.sleep(tick)
        samples.append((time.perf_counter() - started, total / 1e6))
    seconds = time.perf_counter() - started
    assert process.stdout is not None
    score = process.stdout.read().strip()
    if process.returncode:
        raise SystemExit(f"{name} failed")
    print(f"{name}: {seconds:.1f} s, score {score}", file=sys.stderr)
    return Run(name, score, seconds, samples)


def table(runs: list[Run], note: dict[str, int], load: float) -> str:
    """Return a Markdown table of the measured times and memory."""
    count = note["pairs"]
    machine = (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, CPython {platform.python_version()}"
    )
    lines = [
        (
            f"The script `benchmarks/speed/cluster.py` measured these values on {datetime.date.today()} ({machine}, "
            f"load {load:.1f} before). The data consist of {count:,} pairs, of which {note['real']:,} are real and the "
            f"others are edited; {note['distinct']:,} pairs are distinct. METEOR is {float(runs[0].score):.6f} in all "
            "runs."
        ),
        "",
        "| | seconds | pairs/s | ratio | peak memory | second half / first |",
        "|---|---|---|---|---|---|",
    ]
    for run in runs:
        lines.append(
            f"| {run.name} | {run.seconds:.1f} | {count / run.seconds:,.0f} | {runs[0].seconds / run.seconds:.2f} "
            f"| {run.peak:,.0f} MB | {run.growth:.2f} |"
        )
    by_name = {run.name: run for run in runs}
    single_run, double_run = by_name.get(NAMES["local:1"]), by_name.get(NAMES["local:2"])
    if double_run is not None:
        rate = count / double_run.seconds / 2
        hours = 1e9 / (rate * 100) / 3600
        lines += [
            "",
            (
                f"The following estimate is based on these values. Each of the two processes scored {rate:,.0f} pairs "
                f"per second, so 100 such processes would score 10⁹ pairs in {hours * 60:.0f} minutes "
                f"({1e9 / rate / 3600:.1f} hours of processor time) if the storage delivers "
                f"{rate * 100 * note.get('bytes', 0) / count / 1e6:,.0f} MB/s of Parquet. The scheduler would "
                f"distribute {1e9 / PACKED:,.0f} tasks at a rate of {1e9 / PACKED / (hours * 3600):.0f} tasks per "
                "second, and its capacity is a thousand tasks per second."
            ),
        ]
        if single_run is not None:
            lines[-1] += (
                f" The cluster of two processes was {single_run.seconds / double_run.seconds:.2f} times as fast as a "
                "cluster of one."
            )
    return "\n".join(lines)


NAMES = {
    "one": "one process, `meteor-e score`",
    "local:1": "cluster of one process",
    "local:2": "cluster of two processes",
    "corpus": "one process, `Meteor.corpus` on iterators",
}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the shared data")
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--work", type=Path, required=True, help="folder in which the Parquet file is stored")
    parser.add_argument("--only", default="one,local:1,local:2,corpus", help="names of the runs, separated by commas")
    parser.add_argument("--write", type=Path, help="document whose part between <!-- cluster --> lines is replaced")
    parser.add_argument("--samples", type=Path, help="write the memory over time as JSON")
    arguments = parser.parse_args()
    if arguments.write and "<!-- cluster -->" not in arguments.write.read_text(encoding="utf-8"):
        parser.error(f"{arguments.write} has no <!-- cluster --> lines")
    arguments.work.mkdir(parents=True, exist_ok=True)
    path = arguments.work / f"pairs-{arguments.pairs}.parquet"
    if not path.exists():
        make(arguments.data, arguments.pairs, path)
    note = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    note["bytes"] = path.stat().st_size
    score = [sys.executable, "-m", "meteor_e", "score", str(path), "-q"]
    commands = {
        "one": [*score, "--threads", "1"],
        "local:1": [*score, "--dask", "local:1"],
        "local:2": [*score, "--dask", "local:2"],
        "corpus": [sys.executable, "-c", CORPUS, str(path)],
    }
    load = os.getloadavg()[0]
    runs = [measure(NAMES[name], commands[name]) for name in arguments.only.split(",")]
    if len({run.score for run in runs}) != 1:
        raise SystemExit(f"the scores differ: {[run.score for run in runs]}")
    figures = table(runs, note, load)
    print(figures)
    if arguments.samples:
        arguments.samples.write_text(json.dumps({run.name: run.samples for run in runs}), encoding="utf-8")
    if arguments.write:
        text = arguments.write.read_text(encoding="utf-8")
        pattern = re.compile(r"(<!-- cluster -->\n).*?(<!-- /cluster -->)", re.DOTALL)
        replaced = pattern.sub(lambda match: f"{match[1]}\n{figures}\n\n{match[2]}", text)
        arguments.write.write_text(replaced, encoding="utf-8")


if __name__ == "__main__":
    main()
