"""Words compared in their sentence, against people: WMT12 into English (strict τ), WMT17 (Pearson's r).

    meteor-e encoder install minilm
    python benchmarks/papers/contextual.py --work FOLDER -o tables.md
    python benchmarks/papers/contextual.py --work FOLDER --speed DATA/wmt17
    python benchmarks/papers/contextual.py --sample                     # seconds, without the encoder

Needs meteor-e-vectors[encoder]. Each sentence is encoded once: its rows are kept in the folder ``--work``, some
20 KB a sentence. Only judged segments are scored.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from command import add_sample_option, sample_folder
from meteor_e_evaluation.evaluation import AVERAGE, evaluate, load_test_sets
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure
from meteor_e_vectors.contextual import Encoder, open_encoder

from meteor_e import Meteor
from meteor_e.base.array_cache import ArrayCache
from meteor_e.formats.plain import read_segments

HERE = Path(__file__).parents[1]
SETS = {
    "wmt12": (("cs-en", "de-en", "es-en", "fr-en"), "tau-strict"),
    "wmt17": (("cs-en", "de-en", "lv-en"), "pearson"),
}
CHAINS = (
    "meteor",
    "contextual",
    "contextual-cosine",
    "baseline-contextual",
    "meteor-idf",
    "contextual-idf",
    "contextual-cosine-idf",
)


class KeptRows:
    """Rows of sentences on disk, in whole numbers, in one file that grows."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{encoder.folder.name}-{encoder.digest}-{encoder.layer}"
        self._rows, self._index = (folder / f"{name}.{kind}" for kind in ("rows", "index"))
        self._places: dict[bytes, tuple[int, int, int]] = {}
        if self._index.exists():
            for line in self._index.read_text(encoding="ascii").splitlines():
                key, start, words, width = line.split()
                self._places[bytes.fromhex(key)] = int(start), int(words), int(width)
        self._encode = encoder.encode
        self._lock = threading.Lock()

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray[Any, Any]]:
        """Return the rows of sentences, from the disk where they are there."""
        with self._lock:
            return self._kept(sentences)

    def _kept(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray[Any, Any]]:
        keys = [hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).digest() for words in sentences]
        missing = [number for number, key in enumerate(keys) if key not in self._places]
        with self._rows.open("ab") as rows, self._index.open("a", encoding="ascii") as index:
            for number, made in zip(missing, self._encode([sentences[number] for number in missing]), strict=True):
                start = rows.tell()
                rows.write(np.rint(made * (1 << 14)).astype("<i2").tobytes())
                index.write(f"{keys[number].hex()} {start} {made.shape[0]} {made.shape[1]}\n")
                self._places[keys[number]] = start, made.shape[0], made.shape[1]
        found = []
        with self._rows.open("rb") as rows:
            for key in keys:
                start, words, width = self._places[key]
                rows.seek(start)
                whole = np.frombuffer(rows.read(2 * words * width), "<i2").reshape(words, width)
                found.append((whole / (1 << 14)).astype(np.float32))
        return found


def metrics(names: Sequence[str], work: Path) -> list[Meteor]:
    """Return the chains as metrics; ``-idf`` behind a name weighs words by the references of two other years."""
    shared = Path(os.environ.get("METEOR_E_SHARED", HERE.parent.parent / "shared"))
    texts = [shared / "data" / f"wmt{year}" / "references" / f"newstest20{year}-ref.en" for year in (11, 13)]
    work.mkdir(parents=True, exist_ok=True)
    rare = work / "references.en"
    rare.write_bytes(b"".join(text.read_bytes() for text in texts))
    found = []
    for name in names:
        plain = name.removesuffix("-idf")
        options = {"idf": str(rare), "parameters": {"delta": 0.5}} if plain != name else {}
        found.append(Meteor.from_config({} if plain == "meteor" else plain, label=name, **options))
    return found


def keep_rows(work: Path) -> None:
    """Let all encoders of this process keep their rows."""
    opened: dict[tuple[str, int], KeptRows] = {}
    plain = Encoder.encode

    def encode(self: Encoder, sentences: Sequence[Sequence[str]]) -> list[np.ndarray[Any, Any]]:
        place = (str(self.folder), self.layer)
        if place not in opened:
            opened[place] = KeptRows(work, self)
            opened[place]._encode = lambda some: plain(self, some)
        return opened[place].encode(sentences)

    Encoder.encode = encode  # type: ignore[method-assign]


def table(name: str, names: Sequence[str], options: argparse.Namespace) -> str:
    """Return a table of a shared task."""
    pairs, measured = SETS[name]
    pairs = tuple(pair for pair in pairs if not options.pair or pair in options.pair)
    tests = load_test_sets(load_index(HERE / f"{name}.yaml"), pairs)
    evaluation = evaluate(
        tests,
        metrics(names, options.work),
        [measure(measured)],
        ArrayCache(options.work / "scores"),
        intervals=options.samples,
    )
    columns = (*pairs, AVERAGE)
    lines = [f"| chain | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}"]
    for chain_name, results in evaluation.tables[0].rows.items():
        cells = []
        for result in results:
            bounds = result.interval
            interval = f" [{100 * bounds.low:.2f}, {100 * bounds.high:.2f}]" if bounds is not None else ""
            cells.append(f"{100 * result.value:.2f}{interval}")
        lines.append(f"| {chain_name} | {' | '.join(cells)} |")
    return f"## {name}, {measured} × 100, 95 % bootstrap intervals ({options.samples} samples)\n\n" + "\n".join(lines)


def speed(folder: Path, segments: int) -> str:
    """Return segments per second of processor time, each chain in turn, three times."""
    outputs = sorted((folder / "system-outputs" / "de-en").iterdir())[0]
    reference = next((folder / "references").glob("*-deen-ref.en"))
    hypotheses = list(read_segments(outputs))[:segments]
    references = list(read_segments(reference))[:segments]
    best: dict[str, float] = {}
    for _ in range(3):
        for name in ("meteor", "contextual"):  # The encoder takes all the time; other chains take as long.
            meteor = Meteor("en", threads=1) if name == "meteor" else Meteor.from_config(name, language="en", threads=1)
            begin = time.process_time()
            meteor.corpus(hypotheses, references)
            best[name] = min(best.get(name, np.inf), time.process_time() - begin)
    lines = [f"| {name} | {segments / seconds:.0f} |" for name, seconds in best.items()]
    return "| chain | segments per second of processor time |\n|---|--:|\n" + "\n".join(lines)


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="folder of kept rows and scores")
    parser.add_argument("--set", action="append", choices=tuple(SETS), help="default: both")
    parser.add_argument("--pair", action="append", help="default: all")
    parser.add_argument("--chain", action="append", choices=CHAINS, help="default: all")
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples")
    parser.add_argument("--speed", type=Path, metavar="WMT17", help="measure speed on this folder instead")
    parser.add_argument("--segments", type=int, default=300, help="segments of the measurement of speed")
    parser.add_argument("-o", "--output", type=Path)
    add_sample_option(parser)
    options = parser.parse_args()
    with sample_folder(options.sample) as folder:
        if folder is not None:
            options.work, options.chain, options.samples = folder / "work", ["meteor", "meteor-idf"], 10
        if options.work is None:
            raise SystemExit("contextual.py: name a folder with --work")
        write_tables(options)


def write_tables(options: argparse.Namespace) -> None:
    """Print the tables, or the speed."""
    names = options.chain or CHAINS
    if options.speed:
        os.environ["METEOR_E_THREADS"] = "1"
        text = speed(options.speed, options.segments)
    else:
        keep_rows(options.work)
        text = "\n\n".join(table(name, names, options) for name in options.set or SETS)
    print(text)
    if options.output:
        options.output.write_text(text + "\n", encoding="utf-8")
    if any("contextual" in name for name in names):
        print(open_encoder("minilm").digest, file=sys.stderr)


if __name__ == "__main__":
    main()
