"""Small copies of the shared data, on which every script of benchmarks/papers runs in seconds with ``--sample``.

A copy holds the first segments of each shared task with the judgments of these segments, and the first sentences of the
corpora. It has the layout of the shared data, so that a script reads it like the whole.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import gzip
import itertools
import lzma
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

SEGMENTS = 100
"""Segments of each test set."""
SENTENCES = 200
"""Sentences of each corpus."""
YEARS = ("wmt11", "wmt12", "wmt13", "wmt14", "wmt17")


def shared_data() -> Path:
    """Return the folder of the shared data, which ``METEOR_E_SHARED`` names."""
    return Path(os.environ.get("METEOR_E_SHARED") or Path(__file__).parents[2] / "shared") / "data"


def make_sample(source: Path, target: Path) -> None:
    """Write small copies of the shared tasks and corpora.

    Args:
        source: the shared data.
        target: a folder, which is created.
    """
    for year in YEARS:
        for kind in ("references", "system-outputs"):
            for file in sorted(path for path in (source / year / kind).rglob("*") if path.is_file()):
                copy_lines(file, target / file.relative_to(source), SEGMENTS)
        for file in sorted((source / year / "judgements").iterdir()):
            copy_judgments(file, target / file.relative_to(source))
    for folder in ("europarl", "multi30k"):
        for file in sorted((source / folder).iterdir()):
            copy_lines(file, target / folder / file.name, SENTENCES)
    (target / "dbnary").symlink_to((source / "dbnary").resolve())


def open_text(path: Path, mode: str = "rt") -> Iterator[str]:
    """Open a text file that may be compressed."""
    opener: Callable[..., Iterator[str]] = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    return opener(path, mode, encoding="utf-8", newline="\n")


def copy_lines(source: Path, target: Path, count: int) -> None:
    """Copy the first lines of a file, compressed as it is."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open_text(source) as lines, open_text(target, "wt") as output:  # type: ignore[attr-defined]
        output.writelines(itertools.islice(lines, count))


def copy_judgments(source: Path, target: Path) -> None:
    """Copy the judgments of the first segments."""
    target.parent.mkdir(parents=True, exist_ok=True)
    segments = {str(number) for number in range(1, SEGMENTS + 1)}
    if source.name == "wmt11.individual.RNK.csv":
        segments = read_wmt11_segments(source.with_name("srcIndex-to-line.tsv"))
    with open_text(source) as lines, open_text(target, "wt") as output:  # type: ignore[attr-defined]
        output.writelines(select_judgments(source.name, lines, segments))


def read_wmt11_segments(path: Path) -> set[str]:
    """Return the ``srcIndex`` of the segments of WMT11 whose line is among the first ones."""
    with path.open(encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return {row["srcIndex"] for row in rows if int(row["newstest2011_line"]) <= SEGMENTS}


def select_judgments(name: str, lines: Iterator[str], segments: set[str]) -> Iterator[str]:
    """Yield the header of a file of judgments, and the rows of some segments."""
    for number, line in enumerate(lines):
        if name.endswith(".RNK.csv"):
            chosen = number == 0 or line.split(",")[2] in segments
        elif name.endswith(".rank.gz"):
            chosen = line.split("\t")[0] in segments
        elif name == "DA-seglevel.csv":
            chosen = number == 0 or line.split()[3] in segments
        elif name == "srcIndex-to-line.tsv":
            chosen = number == 0 or int(line.split("\t")[1]) <= SEGMENTS
        else:
            chosen = True
        if chosen:
            yield line


def write_sample_vectors(path: Path, dimension: int = 8) -> Path:
    """Write made-up vectors of the words of a sample's references, in word2vec's text form, and return their path."""
    words: set[str] = set()
    for file in sorted(shared_data().rglob("*-ref.en")):
        words.update(re.findall(r"\w+", file.read_text(encoding="utf-8").lower()))
    draw = random.Random(1)
    with path.open("w", encoding="utf-8") as output:
        output.write(f"{len(words)} {dimension}\n")
        for word in sorted(words):
            output.write(" ".join([word, *(f"{draw.uniform(-1, 1):.3f}" for _ in range(dimension))]) + "\n")
    return path


def add_sample_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--sample`` to a command line."""
    parser.add_argument(
        "--sample", action="store_true", help=f"run in seconds on the first {SEGMENTS} segments, with made-up vectors"
    )


@contextlib.contextmanager
def sample_folder(enabled: bool) -> Iterator[Path | None]:
    """Make a sample, which ``METEOR_E_SHARED`` names in the context; nothing is cached outside its folder.

    Args:
        enabled: whether there is a sample.

    Yields:
        An empty folder for what a script writes; ``None`` without a sample.
    """
    if not enabled:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="sample") as name:
        folder = Path(name)
        make_sample(shared_data(), folder / "shared" / "data")
        (folder / "output").mkdir()
        changed = {"METEOR_E_SHARED": str(folder / "shared"), "METEOR_E_CACHE": str(folder / "cache")}
        before = {name: os.environ.get(name) for name in changed}
        os.environ.update(changed)
        try:
            yield folder / "output"
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name)
                else:
                    os.environ[name] = value
