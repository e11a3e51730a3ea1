"""Score every system of a WMT17 language pair with meteor_e and with the Java program, and compare.

    METEOR_E_JAR=.../meteor-1.5.jar python benchmarks/parity/parity_wmt17.py ../shared/data/wmt17 [--pair de-en]

For each system: segments, segments whose statistics differ, segments whose four figures are equal to the last
bit, the largest difference of any figure, both system scores, and the seconds that each program took. The exit code
is 1 if statistics differ or a figure differs by more than 1e-9.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from meteor_e import Meteor
from meteor_e.java.formats import java_lines
from meteor_e.scoring import formula

CLOSE = 1e-9


class JavaRun(NamedTuple):
    """What the Java program prints for a system."""

    statistics: list[list[float]]
    figures: list[list[float]]
    score: float
    seconds: float


def run_java(jar: Path, hypotheses: Path, reference: Path) -> JavaRun:
    """Run the Java program twice: for statistics and for figures."""
    command = ["java", "-Xmx2G", "-jar", str(jar), str(hypotheses), str(reference), "-l", "en", "-norm"]
    started = time.perf_counter()
    printed = _output([*command, "-vOut"])
    seconds = time.perf_counter() - started
    statistics = [list(map(float, line.split())) for line in _output([*command, "-ssOut"])]
    figures = [list(map(float, line.split("\t")[1:])) for line in printed if line.startswith("Segment ")]
    (final,) = (float(line.split()[-1]) for line in printed if line.startswith("Final score:"))
    return JavaRun(statistics, figures, final, seconds)


def _output(command: Sequence[str]) -> list[str]:
    return subprocess.run(command, check=True, capture_output=True).stdout.decode().splitlines()


def segments_of(path: Path) -> list[str]:
    """Read a file as Java does; one of the systems begins with a byte order mark, a word to Java."""
    with path.open("rb") as stream:
        return list(java_lines(stream))


def compare(meteor: Meteor, jar: Path, hypotheses: Path, reference: Path) -> bool:
    """Compare one system, print its line; return whether the programs agree."""
    java = run_java(jar, hypotheses, reference)
    started = time.perf_counter()
    corpus = meteor.corpus(segments_of(hypotheses), segments_of(reference), segments=True)
    seconds = time.perf_counter() - started
    different = equal = 0
    largest = abs(corpus.score - java.score)
    for segment, statistics, figures in zip(corpus.segments, java.statistics, java.figures, strict=True):
        different += segment.statistics.to_vector() != statistics
        parts = formula.compute(segment.statistics, segment.parameters)
        ours = [parts.precision, parts.recall, parts.fragmentation_penalty, parts.score]
        pairs = [(x, y) for x, y in zip(ours, figures, strict=True) if x == x or y == y]
        largest = max([largest, *(abs(x - y) if x == x and y == y else float("inf") for x, y in pairs)])
        equal += all(x == y for x, y in pairs)
    print(
        f"{hypotheses.name}\t{len(corpus.segments)}\t{different}\t{equal}\t{largest:.1e}\t{corpus.score!r}\t{java.score!r}"
        f"\t{seconds:.1f}\t{java.seconds:.1f}",
        flush=True,
    )
    return not different and largest <= CLOSE


def main() -> int:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder with references/ and system-outputs/")
    parser.add_argument("--pair", default="de-en", help="language pair into English")
    arguments = parser.parse_args()
    jar = Path(os.environ.get("METEOR_E_JAR", ""))
    if not jar.is_file():
        parser.error("set METEOR_E_JAR to the path of meteor-1.5.jar")
    systems = sorted((arguments.folder / "system-outputs" / arguments.pair).iterdir())
    reference = arguments.folder / "references" / f"newstest2017-{arguments.pair.replace('-', '')}-ref.en"
    meteor = Meteor("en")
    print(meteor.signature)
    print("system\tsegments\tdifferent\tbit-equal\tlargest difference\tmeteor_e\tJava\tseconds\tJava's seconds")
    agreed = [compare(meteor, jar, system, reference) for system in systems]
    print(f"{sum(agreed)} of {len(agreed)} systems agree")
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
