"""Compare our PTB tokens with the Java program's, line by line, and the time of both.

    python benchmarks/parity/ptb_tokens.py --jar stanford-corenlp-3.4.1.jar FILE…

Files are plain text, ``.gz`` or ``.xz``, one caption a line. The jar is in the wheel of pycocoevalcap, folder
``tokenizer``. Lines with line ends of their own (carriage returns, form feeds, line separators) are left out.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import re
import subprocess
import time
from pathlib import Path

from meteor_e_captions.ptb import Tokenizer

OPENERS = {".gz": gzip.open, ".xz": lzma.open}
BREAKS = re.compile("[\r\u000b\u000c\u2028\u2029]")


def read(path: Path, most: int | None) -> list[str]:
    """Return the lines of a file."""
    with OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8", errors="replace", newline="\n") as stream:
        lines = [line.rstrip("\n") for line in stream]
    return [line for line in lines[:most] if not BREAKS.search(line)]


def java_lines(jar: Path, lines: list[str]) -> list[str]:
    """Return the Java program's tokens of each line."""
    command = ["java", "-cp", str(jar), "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines"]
    done = subprocess.run(command, input="\n".join(lines).encode(), capture_output=True, check=True)
    return done.stdout.decode().split("\n")


def main() -> None:
    """Print a row for each file, and the lines that differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--jar", type=Path, required=True)
    parser.add_argument("--lines", type=int, help="the first lines of each file alone")
    options = parser.parse_args()
    print("file\tlines\ttokens\tdiffering lines\tJava s\tours s")
    for path in options.files:
        lines = read(path, options.lines)
        start = time.perf_counter()
        theirs = java_lines(options.jar, lines)
        middle = time.perf_counter()
        ours = Tokenizer().lines(lines)
        end = time.perf_counter()
        if len(theirs) != len(ours):
            raise SystemExit(f"{path}: {len(theirs)} lines from Java, {len(ours)} from us")
        differ = [at for at, (one, other) in enumerate(zip(theirs, ours, strict=True)) if one != other]
        tokens = sum(len(line.split(" ")) for line in ours if line)
        print(f"{path.name}\t{len(lines)}\t{tokens}\t{len(differ)}\t{middle - start:.2f}\t{end - middle:.2f}")
        for at in differ:
            print(f"  line {at + 1}: {lines[at]!r}\n    Java {theirs[at]}\n    ours {ours[at]}")


if __name__ == "__main__":
    main()
