"""Compare ``compat`` with the Java program on real sentences that are mutated at random.

    METEOR_E_JAR=…/meteor-1.5.jar python benchmarks/parity/mutated_pairs.py ../shared/data/wmt12 --language en \
        [--batches 10] [--size 2000] [--seed 1] [--java-options "-norm"]

Each batch takes pairs of outputs and references, drops, doubles, exchanges and changes words of both sides, scores the
batch with both programs, and compares what they print, line by line. Scores that differ only in the last bit, as
``pow`` has it, are counted on their own. It prints a line per batch, and exits with 1 if anything else differs.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from meteor_e.formats.plain import read_segments

TAILS = ("s", "ing", "ed", "'s", ".", ",", "-", "…", "\u00a0", "e")


def mutated(text: str, draw: random.Random) -> str:
    """Return a text with some of its words dropped, doubled, exchanged or changed."""
    words = text.split()
    for _ in range(draw.randint(0, 4)):
        if not words:
            break
        at = draw.randrange(len(words))
        change = draw.randrange(5)
        if change == 0:
            del words[at]
        elif change == 1:
            words.insert(draw.randrange(len(words) + 1), words[at])
        elif change == 2:
            other = draw.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif change == 3:
            words[at] += draw.choice(TAILS)
        else:
            words[at] = draw.choice((str.upper, str.capitalize, str.lower))(words[at])
    return " ".join(words)


def pairs(folder: Path, language: str) -> tuple[list[str], list[str]]:
    """Return the outputs of all systems into a language, and their references."""
    hypotheses: list[str] = []
    references: list[str] = []
    for outputs in sorted((folder / "system-outputs").glob(f"*-{language}")):
        (reference,) = (folder / "references").glob(f"*-ref.{language}")
        lines = list(read_segments(reference))
        for system in sorted(outputs.iterdir()):
            found = list(read_segments(system))
            if len(found) == len(lines):
                hypotheses += found
                references += lines
    return hypotheses, references


def nearly_equal(one: bytes, other: bytes) -> bool:
    """Tell whether two lines differ in the last bit of their number only."""
    name, _, number = one.rpartition(b"\t")
    other_name, _, other_number = other.rpartition(b"\t")
    if not name or name != other_name:
        return False
    first, second = float(number), float(other_number)
    return abs(first - second) <= math.ulp(max(first, second))


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with references/ and system-outputs/")
    parser.add_argument("--language", default="en")
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--java-options", default="-norm")
    arguments = parser.parse_args()
    hypotheses, references = pairs(arguments.data, arguments.language)
    draw = random.Random(arguments.seed)
    different = last_bits = 0
    with tempfile.TemporaryDirectory() as folder:
        names = [str(Path(folder, name)) for name in ("hypotheses", "references")]
        options = ["-l", "cz" if arguments.language == "cs" else arguments.language, *arguments.java_options.split()]
        for batch in range(1, arguments.batches + 1):
            chosen = [draw.randrange(len(hypotheses)) for _ in range(arguments.size)]
            for name, side in zip(names, (hypotheses, references), strict=True):
                Path(name).write_text("".join(f"{mutated(side[at], draw)}\n" for at in chosen), encoding="utf-8")
            java = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", os.environ["METEOR_E_JAR"]]
            ours = [sys.executable, "-m", "meteor_e", "compat"]
            theirs, mine = (
                subprocess.run([*program, *names, *options], capture_output=True, check=True).stdout.splitlines()
                for program in (java, ours)
            )
            unequal = [(one, other) for one, other in zip(theirs, mine, strict=True) if one != other]
            wrong = sum(not nearly_equal(one, other) for one, other in unequal)
            different += wrong
            last_bits += len(unequal) - wrong
            print(
                f"{batch * arguments.size} pairs: {different} lines differ, {last_bits} more in the last bit",
                flush=True,
            )
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
