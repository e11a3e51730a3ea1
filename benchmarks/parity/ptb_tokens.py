"""Compare the PTB tokenizer of meteor_e with the Java tokenizer in tokens and in time.

    python benchmarks/parity/ptb_tokens.py --jar stanford-corenlp-3.4.1.jar FILE…

The files have one caption per line, and may be compressed (``.gz`` or ``.xz``). The jar is in the folder ``tokenizer``
of pycocoevalcap. The script uses the same options as pycocoevalcap, so tokens are lowercase. Lines that contain other
line ends, such as carriage returns, form feeds or line separators, are left out.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from meteor_e_captions.ptb import Tokenizer

OPENERS = {".gz": gzip.open, ".xz": lzma.open}
BREAKS = re.compile("[\r\u000b\u000c\u2028\u2029]")


def read(path: Path, most: int | None) -> list[str]:
    """Return the lines of a file that do not contain other line ends."""
    with OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8", errors="replace", newline="\n") as stream:
        lines = [line.rstrip("\n") for _, line in zip(range(most or sys.maxsize), stream, strict=False)]
    return [line for line in lines if not BREAKS.search(line)]


def real_java() -> str:
    """Return the path of the first program ``java`` on the PATH.

    Raises:
        SystemExit: if there is none, or it is a script that runs meteor-e, which would compare us with us.
    """
    java = shutil.which("java")
    if java is None or b"meteor-e" in Path(java).read_bytes()[:200]:
        raise SystemExit("no Java on the PATH" if java is None else f"{java} is meteor-e's own; take it off the PATH")
    return java


def java_lines(jar: Path, lines: list[str], *, lowercase: bool) -> list[str]:
    """Return the tokens that the Java program prints for each line."""
    command = [real_java(), "-cp", str(jar), "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines"]
    command += ["-lowerCase"] * lowercase
    done = subprocess.run(command, input="\n".join(lines).encode(), capture_output=True, check=True)
    return done.stdout.decode().split("\n")


def main() -> None:
    """Print the lines that differ, a row for each file, and a row of totals. Exit with 1 if lines differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--jar", type=Path, required=True)
    parser.add_argument("--lines", type=int, help="number of lines that are read from each file")
    parser.add_argument("--keep-case", action="store_true", help="do not lowercase the tokens")
    options = parser.parse_args()
    print("file\tlines\ttokens\tdiffering lines\tJava s\tours s")
    totals = [0, 0, 0]
    for path in options.files:
        lines = read(path, options.lines)
        start = time.perf_counter()
        theirs = java_lines(options.jar, lines, lowercase=not options.keep_case)
        middle = time.perf_counter()
        ours = Tokenizer(lowercase=not options.keep_case).tokenize(lines)
        end = time.perf_counter()
        if len(theirs) != len(ours):
            raise SystemExit(f"{path}: {len(theirs)} lines from Java, {len(ours)} from us")
        differ = [
            index
            for index, (java_tokens, our_tokens) in enumerate(zip(theirs, ours, strict=True))
            if java_tokens != our_tokens
        ]
        counts = [len(lines), sum(len(line.split(" ")) for line in ours if line), len(differ)]
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        print(path.name, *counts, f"{middle - start:.2f}", f"{end - middle:.2f}", sep="\t", flush=True)
        for index in differ:
            print(f"  line {index + 1}: {lines[index]!r}\n    Java {theirs[index]}\n    ours {ours[index]}")
    print("all", *totals, sep="\t")
    sys.exit(totals[-1] > 0)


if __name__ == "__main__":
    main()
