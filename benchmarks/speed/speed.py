r"""Compare the speed of meteor_e with that of the Java program, pycocoevalcap and nltk on the same machine.

    python benchmarks/speed/speed.py --jar meteor-1.5.jar --data ../shared/data/wmt17 \
        --write docs/results/performance.md

The script needs the English resource pack. If pycocoevalcap 1.2 or nltk with its WordNet data cannot be imported, the
table does not contain them. ``--write`` replaces the part of a document between the lines ``<!-- speed -->`` and
``<!-- /speed -->``. ``--curve FILE`` draws the time and memory for different numbers of segments, with matplotlib.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

Pairs = list[tuple[str, str]]
SYSTEMS = 11
"""Systems of a language pair that are read, at most."""

CORPUS = 3004
"""Segments of a news test set: the size of the job that people run."""


class Run(NamedTuple):
    """The wall-clock time, processor time and peak memory of a process, in seconds and MB."""

    seconds: float
    processor: float
    memory: float


class Row(NamedTuple):
    """A row of the table of speeds."""

    name: str
    process_run: Run | None
    rate: float | None


# A forked process inherits the peak memory of its parent, so a small process starts all measured processes.
LAUNCHER = """
import json, os, subprocess, sys, tempfile, time
for line in sys.stdin:
    command, environment = json.loads(line)
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
            env={**os.environ, **environment},
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        message = errors.read().decode(errors="replace")[-500:] if process.returncode else ""
    print(json.dumps([seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, message]), flush=True)
"""


@functools.cache
def launcher() -> subprocess.Popen[str]:
    """Start the small process that starts a measured process."""
    command = [sys.executable, "-S", "-c", LAUNCHER]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def measure(command: Sequence[str], environment: dict[str, str] | None = None) -> Run:
    """Run a command, and return its time and memory."""
    process = launcher()
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps([command, environment or {}]), file=process.stdin, flush=True)
    *figures, message = json.loads(process.stdout.readline())
    if message:
        raise SystemExit(f"{' '.join(command)} failed: {message}")
    return Run(*figures)


def median(repeat: int, run: Callable[[], Run]) -> Run:
    """Repeat a measurement, and return the medians of its values."""
    runs = [run() for _ in range(repeat)]
    return Run(*(statistics.median(values) for values in zip(*runs, strict=True)))


def read_pairs(data: Path, pair: str) -> Pairs:
    """Return the distinct pairs of system outputs and references of a language pair."""
    folder = data / "references"
    # A shared task has a reference file for each language pair, or one file for all language pairs.
    (reference,) = [*folder.glob(f"*-{pair.replace('-', '')}-ref.en"), *folder.glob("*[0-9]-ref.en")]
    references = reference.read_text(encoding="utf-8").splitlines()
    pairs: dict[tuple[str, str], None] = {}
    for path in sorted((data / "system-outputs" / pair).iterdir())[:SYSTEMS]:
        hypotheses = path.read_text(encoding="utf-8").splitlines()
        pairs.update(dict.fromkeys(zip(hypotheses, references, strict=True)))
    return list(pairs)


def write_texts(folder: Path, pairs: Pairs) -> tuple[str, str]:
    """Write a file of hypotheses and a file of references, and return their names."""
    paths = []
    for name, lines in zip(("hypotheses", "references"), zip(*pairs, strict=True), strict=True):
        path = folder / f"{name}-{len(pairs)}"
        with path.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(line + "\n" for line in lines)
        paths.append(str(path))
    return paths[0], paths[1]


def java_command(jar: str, hypotheses: str, references: str) -> list[str]:
    """Return a command line of the Java program that prints the statistics of all modules."""
    return ["java", "-Xmx2G", "-jar", jar, hypotheses, references, "-l", "en", "-norm", "-ssOut"]


def compat_command(hypotheses: str, references: str) -> list[str]:
    """Return the command line of ``meteor-e compat`` with the options of the Java program."""
    command = [sys.executable, "-m", "meteor_e", "compat", hypotheses, references]
    return [*command, "-l", "en", "-norm", "-ssOut"]


STEADY = """
import sys, time, json
from meteor_e import Meteor
hypotheses, references = (open(name, encoding="utf-8").read().splitlines() for name in sys.argv[1:3])
warm, repeat, *threads = (int(value) for value in sys.argv[3:])
meteor = Meteor("en")
rates = {number: [] for number in threads}
for _ in range(repeat):
    for meteor.threads in threads:
        meteor.corpus(hypotheses[:warm], references[:warm])
        started = time.perf_counter()
        meteor.corpus(hypotheses[warm:], references[warm:])
        rates[meteor.threads].append((len(hypotheses) - warm) / (time.perf_counter() - started))
        meteor._start_engine()  # a fresh vocabulary: new words are part of the work
print(json.dumps(list(rates.values())))
"""

LATENCY = """
import json, sys, timeit
from meteor_e import Meteor
meteor = Meteor("en")
hypothesis, reference = sys.argv[1:3]
meteor.score(hypothesis, [reference])
print(json.dumps(min(timeit.repeat(lambda: meteor.score(hypothesis, [reference]), number=500, repeat=9)) / 500))
"""

NLTK = """
import sys
from nltk.translate.meteor_score import meteor_score
for hypothesis, reference in zip(open(sys.argv[1], encoding="utf-8"), open(sys.argv[2], encoding="utf-8")):
    meteor_score([reference.lower().split()], hypothesis.lower().split())
"""

COCO = """
import sys
from pycocoevalcap.meteor.meteor import Meteor
sides = [open(name, encoding="utf-8").read().splitlines() for name in sys.argv[1:3]]
hypotheses, references = ({number: [line] for number, line in enumerate(side)} for side in sides)
Meteor().compute_score(references, hypotheses)
"""

COLD = 'from meteor_e import Meteor; Meteor("en").score("the cat sat on the mat", ["a cat was sitting on the mat"])'


def output(code: str, arguments: Sequence[str], **environment: str) -> object:
    """Run Python code in a new process, and return the decoded JSON that it prints."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
    return json.loads(done.stdout)


def steady_rates(
    files: tuple[str, str], warm: int, repeat: int, threads: Sequence[int], **environment: str
) -> list[float]:
    """Return the segments per second of a warm process for each number of threads.

    The vocabulary is empty before each warm-up. The runs with different numbers of threads alternate.
    """
    rates = output(STEADY, [*files, str(warm), str(repeat), *map(str, threads)], **environment)
    assert isinstance(rates, list)
    return [statistics.median(runs) for runs in rates]


def compare(jar: str, pairs: Pairs, folder: Path, repeat: int) -> list[Row]:
    """Measure all programs. Their runs alternate, so that a busy machine slows all programs equally."""
    small, large = write_texts(folder, pairs[:CORPUS]), write_texts(folder, pairs)
    ours = [sys.executable, "-m", "meteor_e", "score", *small, "-l", "en", "-q"]
    rows = []
    java_small, java_large, runs_by_threads = [], [], {1: [], 2: []}
    compat: tuple[list[Run], list[Run]] = ([], [])
    for _ in range(repeat):
        java_small.append(measure(java_command(jar, *small)))
        java_large.append(measure(java_command(jar, *large)))
        for files, runs in zip((small, large), compat, strict=True):
            runs.append(measure(compat_command(*files), {"METEOR_E_THREADS": "1"}))
        for threads, runs in runs_by_threads.items():
            runs.append(measure([*ours, "--threads", str(threads)]))

    def middle(runs: list[Run]) -> Run:
        return Run(*(statistics.median(values) for values in zip(*runs, strict=True)))

    extra = middle(java_large).seconds - middle(java_small).seconds
    rows.append(Row("METEOR 1.5 (Java)", middle(java_small), (len(pairs) - CORPUS) / extra))
    steady = steady_rates(large, CORPUS, 3 * repeat, tuple(runs_by_threads))
    for (threads, runs), rate in zip(runs_by_threads.items(), steady, strict=True):
        rows.append(Row(f"meteor_e, {threads} thread{'s' * (threads > 1)}", middle(runs), rate))
    # The speed is computed from the time that additional pairs take, as for the Java program.
    extra = middle(compat[1]).seconds - middle(compat[0]).seconds
    rows.append(Row("meteor_e compat, 1 thread", middle(compat[0]), (len(pairs) - CORPUS) / extra))
    pure = {"METEOR_E_PURE": "1"}
    (rate,) = steady_rates(small, CORPUS // 2, 1, [1], **pure)
    rows.append(Row("meteor_e, pure Python", median(1, lambda: measure(ours, pure)), rate))
    for name, code in (("pycocoevalcap (drives Java)", COCO), ("nltk (its own numbers)", NLTK)):
        try:
            rows.append(Row(name, measure([sys.executable, "-c", code, *small]), None))
        except SystemExit as error:
            print(f"{name} is left out: {str(error)[-200:]}", file=sys.stderr)
    return rows


def curve(jar: str, pairs: Pairs, folder: Path, picture: Path) -> list[tuple[int, Run | None, Run]]:
    """Measure and draw the time of processes that score 10³ to 10⁶ segments. Java scores up to 10⁵ segments."""
    points: list[tuple[int, Run | None, Run]] = []
    for size in (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000):
        files = write_texts(folder, (pairs * (size // len(pairs) + 1))[:size])
        ours = measure([sys.executable, "-m", "meteor_e", "score", *files, "-l", "en", "-q", "--threads", "1"])
        java = measure(java_command(jar, *files)) if size <= 100_000 else None
        points.append((size, java, ours))
        print(f"{size} segments: {ours.seconds:.2f} s, {ours.memory:.0f} MB", file=sys.stderr)
        for name in files:
            Path(name).unlink()
    draw(points, picture)
    return points


def draw(points: list[tuple[int, Run | None, Run]], picture: Path) -> None:
    """Draw the time and the memory against the number of segments."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for axis, attribute, label in zip(axes, ("seconds", "memory"), ("seconds", "peak memory, MB"), strict=True):
        java = [(size, getattr(run, attribute)) for size, run, _ in points if run is not None]
        ours = [(size, getattr(run, attribute)) for size, _, run in points]
        axis.plot(*zip(*java, strict=True), "s-", color="#b05030", label="METEOR 1.5 (Java)")
        axis.plot(*zip(*ours, strict=True), "o-", color="#2060a0", label="meteor_e, 1 thread")
        axis.set(xscale="log", yscale="log", xlabel="segments", ylabel=label)
        axis.grid(alpha=0.3)
    axes[0].legend(frameon=False)
    figure.savefig(picture, dpi=110)


def report(rows: list[Row], latency: dict[str, float], points: list[tuple[int, Run | None, Run]]) -> str:
    """Return the tables of speeds in Markdown."""
    java = rows[0]
    assert java.process_run is not None
    assert java.rate is not None
    measured = (
        f"The script `benchmarks/speed/speed.py` measured these values on {time.strftime('%Y-%m-%d')} "
        f"({platform.system()} {platform.machine()}, {os.cpu_count()} processors, CPython {platform.python_version()}, "
        f"load {os.getloadavg()[0]:.1f} at the end). All values are medians, and × is the ratio to Java in the same "
        "run."
    )
    lines = [
        measured,
        "",
        f"| program | whole process, {CORPUS:,} segments | peak memory | steady state, segments/s |",
        "|---|---|---|---|",
    ]
    for row in rows:
        process_text = memory = "—"
        if row.process_run is not None:
            process_text = (
                f"{row.process_run.seconds:.2f} s ({java.process_run.seconds / row.process_run.seconds:.1f} ×)"
            )
            memory = f"{row.process_run.memory:.0f} MB"
        rate = "—" if row.rate is None else f"{row.rate:,.0f} ({row.rate / java.rate:.1f} ×)"
        lines.append(f"| {row.name} | {process_text} | {memory} | {rate} |")
    lines += ["", "| one sentence | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in latency.items()]
    if points:
        lines += [
            "",
            "| segments | Java | meteor_e, 1 thread | memory, Java | memory, meteor_e |",
            "|---|---|---|---|---|",
        ]
        for size, java_run, ours in points:
            seconds, memory = (
                ("—", "—") if java_run is None else (f"{java_run.seconds:.1f} s", f"{java_run.memory:.0f} MB")
            )
            lines.append(f"| {size:,} | {seconds} | {ours.seconds:.2f} s | {memory} | {ours.memory:.0f} MB |")
    return "\n".join(lines) + "\n"


def one_sentence(repeat: int) -> dict[str, str]:
    """Measure the time of the import, and of one sentence in a new process and in a warm process."""
    importing = median(repeat, lambda: measure([sys.executable, "-c", "import meteor_e"]))
    nothing = median(repeat, lambda: measure([sys.executable, "-c", "pass"]))
    cold = median(repeat, lambda: measure([sys.executable, "-c", COLD]))
    sentence = "the resolution was adopted by the committee on monday after a debate that lasted three hours ."
    reference = "on monday the committee passed the resolution , following three hours of debate ."
    warm = output(LATENCY, [sentence, reference])
    assert isinstance(warm, float)
    return {
        "`import meteor_e`, without the start of Python": f"{1000 * (importing.seconds - nothing.seconds):.0f} ms",
        "a process that scores one sentence": f"{cold.seconds:.2f} s, {cold.memory:.0f} MB",
        "`Meteor.score`, warm, a sentence of 17 words": f"{1e6 * warm:.0f} µs",
    }


def replace_section(document: Path, text: str) -> None:
    """Replace the section of a document between two HTML comments by the new tables."""
    start, end = "<!-- speed -->\n", "<!-- /speed -->"
    preceding_text, _, remaining_text = document.read_text(encoding="utf-8").partition(start)
    _, _, following_text = remaining_text.partition(end)
    document.write_text(preceding_text + start + "\n" + text + "\n" + end + following_text, encoding="utf-8")


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jar", required=True, help="jar of METEOR 1.5 in the folder of its paraphrase table")
    parser.add_argument("--data", required=True, type=Path, help="folder with references/ and system-outputs/")
    parser.add_argument("--pair", default="de-en")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--curve", type=Path, help="file for a picture of the time and memory")
    parser.add_argument("--write", type=Path, help="document in which the tables are replaced")
    arguments = parser.parse_args()
    pairs = read_pairs(arguments.data, arguments.pair)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = compare(arguments.jar, pairs, folder, arguments.repeat)
        latency = one_sentence(arguments.repeat)
        points = curve(arguments.jar, pairs, folder, arguments.curve) if arguments.curve else []
    text = report(rows, latency, points)
    print(text)
    if arguments.write:
        replace_section(arguments.write, text)


if __name__ == "__main__":
    main()
