"""Evaluate the matcher ``contextual`` on WMT12 into English (strict τ) and on WMT17 (Pearson's r).

    meteor-e encoder install minilm
    python benchmarks/papers/contextual.py --work FOLDER -o tables.md
    python benchmarks/papers/contextual.py --work FOLDER --speed DATA/wmt17
    python benchmarks/papers/contextual.py --sample                     # a test that takes seconds, without the encoder

The script needs the plugin meteor-e-vectors with its extra ``encoder``. It encodes each sentence once, and stores the
vectors in the folder ``--work``, with about 20 KB per sentence. Only judged segments are scored.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

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
FIXED_POINT_SCALE = 1 << 14
"""The factor by which vectors are multiplied before they are rounded to integers."""
EncodeFunction = Callable[[Sequence[Sequence[str]]], list[np.ndarray[Any, Any]]]
CHAINS = (
    "meteor",
    "contextual",
    "contextual-cosine",
    "baseline-contextual",
    "meteor-idf",
    "contextual-idf",
    "contextual-cosine-idf",
)


class VectorStore:
    """A file that stores word vectors of sentences as 16-bit integers. New sentences are appended.

    Args:
        folder: the folder of the file.
        encoder: the encoder, whose name and digest are part of the file's name.
        encode: a function that computes the vectors of sentences that are not in the file.
    """

    def __init__(self, folder: Path, encoder: Encoder, encode: EncodeFunction) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{encoder.folder.name}-{encoder.digest}-{encoder.layer}"
        self._rows_path, self._index_path = folder / f"{name}.rows", folder / f"{name}.index"
        self._entries: dict[bytes, tuple[int, int, int]] = {}
        if self._index_path.exists():
            for line in self._index_path.read_text(encoding="ascii").splitlines():
                key, offset, word_count, dimension = line.split()
                self._entries[bytes.fromhex(key)] = int(offset), int(word_count), int(dimension)
        self._encode = encode
        self._lock = threading.Lock()

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray[Any, Any]]:
        """Return the word vectors of each sentence. Sentences that are not in the file are encoded and added."""
        keys = [hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).digest() for words in sentences]
        with self._lock:
            self._add_missing(keys, sentences)
            with self._rows_path.open("rb") as rows_file:
                return [self._read_vectors(rows_file, key) for key in keys]

    def _add_missing(self, keys: Sequence[bytes], sentences: Sequence[Sequence[str]]) -> None:
        """Encode the sentences that are not in the file, and append their vectors."""
        missing = [index for index, key in enumerate(keys) if key not in self._entries]
        new_vectors = self._encode([sentences[index] for index in missing])
        with self._rows_path.open("ab") as rows_file, self._index_path.open("a", encoding="ascii") as index_file:
            for index, vectors in zip(missing, new_vectors, strict=True):
                offset = rows_file.tell()
                word_count, dimension = vectors.shape
                rows_file.write(np.rint(vectors * FIXED_POINT_SCALE).astype("<i2").tobytes())
                index_file.write(f"{keys[index].hex()} {offset} {word_count} {dimension}\n")
                self._entries[keys[index]] = offset, word_count, dimension

    def _read_vectors(self, rows_file: BinaryIO, key: bytes) -> np.ndarray[Any, Any]:
        """Read the word vectors of a sentence from the file."""
        offset, word_count, dimension = self._entries[key]
        rows_file.seek(offset)
        integers = np.frombuffer(rows_file.read(2 * word_count * dimension), "<i2").reshape(word_count, dimension)
        return (integers / FIXED_POINT_SCALE).astype(np.float32)


def make_metrics(names: Sequence[str], work: Path) -> list[Meteor]:
    """Return the named chains as metrics.

    If a name ends in ``-idf``, the words are weighted by their inverse document frequency in the references of WMT11
    and WMT13.
    """
    shared = Path(os.environ.get("METEOR_E_SHARED", HERE.parent.parent / "shared"))
    reference_paths = [shared / "data" / f"wmt{year}" / "references" / f"newstest20{year}-ref.en" for year in (11, 13)]
    work.mkdir(parents=True, exist_ok=True)
    idf_corpus = work / "references.en"
    idf_corpus.write_bytes(b"".join(path.read_bytes() for path in reference_paths))
    metrics = []
    for name in names:
        chain = name.removesuffix("-idf")
        options = {"idf": str(idf_corpus), "parameters": {"delta": 0.5}} if name.endswith("-idf") else {}
        metrics.append(Meteor.from_config({} if chain == "meteor" else chain, label=name, **options))
    return metrics


def store_vectors(work: Path) -> None:
    """Change the class ``Encoder`` so that all encoders store their vectors in a folder."""
    stores: dict[tuple[str, int], VectorStore] = {}
    original_encode = Encoder.encode

    def encode(self: Encoder, sentences: Sequence[Sequence[str]]) -> list[np.ndarray[Any, Any]]:
        key = (str(self.folder), self.layer)
        if key not in stores:
            stores[key] = VectorStore(work, self, functools.partial(original_encode, self))
        return stores[key].encode(sentences)

    Encoder.encode = encode  # type: ignore[method-assign]


def format_table(index_name: str, chains: Sequence[str], options: argparse.Namespace) -> str:
    """Evaluate chains on a shared task, and return a Markdown table."""
    pairs, measure_name = SETS[index_name]
    pairs = tuple(pair for pair in pairs if not options.pair or pair in options.pair)
    tests = load_test_sets(load_index(HERE / f"{index_name}.yaml"), pairs)
    evaluation = evaluate(
        tests,
        make_metrics(chains, options.work),
        [measure(measure_name)],
        ArrayCache(options.work / "scores"),
        intervals=options.samples,
    )
    columns = (*pairs, AVERAGE)
    lines = [
        f"## {index_name}, {measure_name} × 100, 95 % bootstrap intervals ({options.samples} samples)\n",
        f"| chain | {' | '.join(columns)} |",
        f"|---|{'---|' * len(columns)}",
    ]
    for chain, results in evaluation.tables[0].rows.items():
        cells = []
        for result in results:
            bounds = result.interval
            interval = f" [{100 * bounds.low:.2f}, {100 * bounds.high:.2f}]" if bounds is not None else ""
            cells.append(f"{100 * result.value:.2f}{interval}")
        lines.append(f"| {chain} | {' | '.join(cells)} |")
    return "\n".join(lines)


def measure_speed(folder: Path, segment_count: int) -> str:
    """Measure the speed of METEOR and of the chain ``contextual``, and return a Markdown table.

    The speed is the best of three runs in processor time. The other chains with an encoder have about the same speed,
    because the encoder takes most of the time.

    Args:
        folder: the folder of WMT17.
        segment_count: the number of segments to score.
    """
    output_path = min((folder / "system-outputs" / "de-en").iterdir())
    reference_path = next((folder / "references").glob("*-deen-ref.en"))
    hypotheses = list(read_segments(output_path))[:segment_count]
    references = list(read_segments(reference_path))[:segment_count]
    best_seconds: dict[str, float] = {}
    for _ in range(3):
        for chain in ("meteor", "contextual"):
            config = {} if chain == "meteor" else chain
            meteor = Meteor.from_config(config, language="en", threads=1)
            start_time = time.process_time()
            meteor.corpus(hypotheses, references)
            seconds = time.process_time() - start_time
            best_seconds[chain] = min(best_seconds.get(chain, np.inf), seconds)
    lines = ["| chain | segments per second of processor time |", "|---|--:|"]
    lines += [f"| {chain} | {segment_count / seconds:.0f} |" for chain, seconds in best_seconds.items()]
    return "\n".join(lines)


def main() -> None:
    """Parse the command line, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="folder of stored vectors and scores")
    parser.add_argument("--set", action="append", choices=tuple(SETS), help="shared task; may be repeated [both]")
    parser.add_argument("--pair", action="append", help="language pair; may be repeated [all]")
    parser.add_argument("--chain", action="append", choices=CHAINS, help="may be repeated [all]")
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples")
    parser.add_argument("--speed", type=Path, metavar="WMT17", help="measure the speed on this folder instead")
    parser.add_argument("--segments", type=int, default=300, help="number of segments for --speed")
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
    """Print the tables or the speed."""
    chains = options.chain or CHAINS
    if options.speed:
        os.environ["METEOR_E_THREADS"] = "1"
        text = measure_speed(options.speed, options.segments)
    else:
        store_vectors(options.work)
        text = "\n\n".join(format_table(index_name, chains, options) for index_name in options.set or SETS)
    print(text)
    if options.output:
        options.output.write_text(text + "\n", encoding="utf-8")
    if any("contextual" in chain for chain in chains):
        print(open_encoder("minilm").digest, file=sys.stderr)


if __name__ == "__main__":
    main()
