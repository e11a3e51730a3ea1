"""Create small copies of the shared data, on which a script with the option ``--sample`` runs in seconds.

A copy contains the first segments of each shared task with their judgments, and the first sentences of each corpus. It
has the same folders and files as the shared data, so that scripts read both in the same way.
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

SEGMENTS = {"wmt11": 100, "wmt12": 20, "wmt13": 20, "wmt14": 20, "wmt17": 20}
"""Number of segments that are copied of each shared task. Few segments of WMT11 were judged, so it needs more."""
SENTENCES = 200
"""Number of sentences that are copied of each corpus."""


def shared_data() -> Path:
    """Return the folder of the shared data, by default ``shared/data`` beside the repository."""
    return Path(os.environ.get("METEOR_E_SHARED") or Path(__file__).parents[2] / "shared") / "data"


def make_sample(source: Path, target: Path) -> None:
    """Write small copies of the shared tasks and corpora.

    Args:
        source: the shared data.
        target: a folder, which is created.
    """
    for task, segment_count in SEGMENTS.items():
        for kind in ("references", "system-outputs"):
            for file in sorted(path for path in (source / task / kind).rglob("*") if path.is_file()):
                copy_lines(file, target / file.relative_to(source), segment_count)
        for file in sorted((source / task / "judgements").iterdir()):
            copy_judgments(file, target / file.relative_to(source), segment_count)
    for folder in ("europarl", "multi30k"):
        for file in sorted((source / folder).iterdir()):
            copy_lines(file, target / folder / file.name, SENTENCES)
    (target / "dbnary").symlink_to((source / "dbnary").resolve())


def open_text(path: Path, mode: str = "rt") -> Iterator[str]:
    """Open a text file that may be compressed."""
    opener: Callable[..., Iterator[str]] = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    return opener(path, mode, encoding="utf-8", newline="\n")


def copy_lines(source: Path, target: Path, count: int) -> None:
    """Copy the first lines of a file. The copy has the same compression."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open_text(source) as lines, open_text(target, "wt") as output:  # type: ignore[attr-defined]
        output.writelines(itertools.islice(lines, count))


def copy_judgments(source: Path, target: Path, segment_count: int) -> None:
    """Copy the judgments of the first segments."""
    target.parent.mkdir(parents=True, exist_ok=True)
    segment_ids = {str(number) for number in range(1, segment_count + 1)}
    if source.name == "wmt11.individual.RNK.csv":
        segment_ids = read_wmt11_segments(source.with_name("srcIndex-to-line.tsv"), segment_count)
    with open_text(source) as lines, open_text(target, "wt") as output:  # type: ignore[attr-defined]
        for index, line in enumerate(lines):
            segment_id = read_segment_id(source.name, line)
            is_header = index == 0 and not source.name.endswith(".rank.gz")
            if is_header or segment_id is None or segment_id in segment_ids:
                output.write(line)


def read_wmt11_segments(path: Path, segment_count: int) -> set[str]:
    """Return the values of ``srcIndex`` for the segments in the first lines of the WMT11 test set."""
    with path.open(encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return {row["srcIndex"] for row in rows if int(row["newstest2011_line"]) <= segment_count}


def read_segment_id(name: str, line: str) -> str | None:
    """Return the segment number in a line of judgments, or ``None`` if the whole file is copied."""
    if name.endswith(".RNK.csv"):
        return line.split(",")[2]
    if name.endswith(".rank.gz"):
        return line.split("\t")[0]
    if name == "DA-seglevel.csv":
        return line.split()[3]
    if name == "srcIndex-to-line.tsv":
        return line.split("\t")[1]
    return None


def write_sample_vectors(path: Path, dimension: int = 8) -> Path:
    """Write a word2vec text file with random vectors for the words of the English references."""
    words: set[str] = set()
    for file in sorted(shared_data().rglob("*-ref.en")):
        words.update(re.findall(r"\w+", file.read_text(encoding="utf-8").lower()))
    generator = random.Random(1)
    with path.open("w", encoding="utf-8") as output:
        output.write(f"{len(words)} {dimension}\n")
        for word in sorted(words):
            output.write(" ".join([word, *(f"{generator.uniform(-1, 1):.3f}" for _ in range(dimension))]) + "\n")
    return path


def add_sample_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--sample`` to a command line."""
    parser.add_argument(
        "--sample",
        action="store_true",
        help="run in seconds on a few segments, with random vectors; to test the script",
    )


@contextlib.contextmanager
def sample_folder(enabled: bool) -> Iterator[Path | None]:
    """Create a small copy of the shared data. Inside the context, ``METEOR_E_SHARED`` is the path of the copy.

    The cache is also in a temporary folder, so that no files remain.

    Args:
        enabled: whether to make the copy.

    Yields:
        An empty folder for the files that a script writes, or ``None`` if the copy is not enabled.
    """
    if not enabled:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="sample") as name:
        folder = Path(name)
        make_sample(shared_data(), folder / "shared" / "data")
        (folder / "output").mkdir()
        with change_environment(METEOR_E_SHARED=str(folder / "shared"), METEOR_E_CACHE=str(folder / "cache")):
            yield folder / "output"


@contextlib.contextmanager
def change_environment(**variables: str) -> Iterator[None]:
    """Set environment variables, and restore their old values at the end of the context."""
    previous_values = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in previous_values.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value
