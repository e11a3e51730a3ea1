"""Compare the paraphrases of meteor-e-bitext with those of Parex, METEOR's program for paraphrases.

    python benchmarks/parity/parex_parity.py --bitext train.de train.en --jar JAR [--least-count 1] [--memory 4G]

Both programs extract paraphrases from the same phrase table of the bitext. The script prints the number of paraphrases
of each program, the number of paraphrases that only one program has, and the largest difference between probabilities.
The exit code is 1 if a paraphrase is missing, or if probabilities differ by more than 1e-6.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from meteor_e_bitext.build import build_from_bitext
from meteor_e_bitext.corpus import Corpus
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.phrases import PhrasePairs, read_phrase_pairs
from meteor_e_bitext.texts import language_text

TOLERANCE = 1e-6


def write_phrase_table(path: Path, pairs: PhrasePairs) -> int:
    """Write a phrase table for Parex, compressed with gzip, and return the number of its lines.

    A line is ``pivot ||| phrase ||| p(pivot|phrase) 1 p(phrase|pivot) 1``. The lines are sorted by pivot. The second
    and the fourth number would be lexical weights, which are not computed here. Phrases with the separator ``|||`` are
    left out, because the format cannot represent them.
    """
    order = np.lexsort((pairs.pair_phrases, pairs.pair_pivots))
    lines = 0
    with path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        for begin in range(0, len(order), 1 << 16):
            block = order[begin : begin + (1 << 16)]
            text = []
            columns = (
                pairs.pivots.texts(pairs.pair_pivots[block]),
                pairs.phrases.texts(pairs.pair_phrases[block]),
                pairs.to_pivot[block].tolist(),
                pairs.from_pivot[block].tolist(),
            )
            for source_phrase, target_phrase, to_pivot, from_pivot in zip(*columns, strict=True):
                if "|||" in source_phrase or "|||" in target_phrase:
                    continue
                text.append(f"{source_phrase} ||| {target_phrase} ||| {to_pivot!r} 1 {from_pivot!r} 1\n")
            lines += len(text)
            packed.write("".join(text).encode())
    return lines


def java_pairs(jar: Path, files: list[Path], out: Path, memory: str) -> dict[tuple[str, str], float]:
    """Run Parex, and return the probability of each paraphrase."""
    command = ["java", f"-Xmx{memory}", "-Dfile.encoding=UTF-8", "-cp", str(jar), "Parex", *map(str, files), str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pairs = {}
    with gzip.open(out / "paraphrase.gz", "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            phrase, paraphrase, probability = line.rstrip("\n").split(" ||| ")
            pairs[phrase, paraphrase] = float(probability)
    return pairs


def our_pairs(pack: Path) -> dict[tuple[str, str], float]:
    """Return the probability of each paraphrase in the table of a pack."""
    with gzip.open(pack / "paraphrase.gz", "rt", encoding="utf-8", newline="\n") as stream:
        lines = stream.read().split("\n")
    return {
        (phrase, paraphrase): float(number)
        for number, phrase, paraphrase in zip(lines[0:-1:3], lines[1::3], lines[2::3], strict=True)
    }


def main() -> int:
    """Extract paraphrases with both programs, and compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bitext", nargs=2, type=Path, required=True, help="a text and its translation")
    parser.add_argument("--jar", type=Path, required=True)
    parser.add_argument("--least-count", type=int, default=1)
    parser.add_argument("--memory", default="4G", help="maximum heap size of Java [4G]")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        language = pivot = language_text(None)
        options = BitextOptions(least_count=arguments.least_count)
        work = folder / "work"
        build_from_bitext(
            folder / "first", language, pivot, tuple(arguments.bitext), options=options, work=work, keep_work=True
        )
        corpora = [Corpus(work / "tokens" / text_name) for text_name in ("language", "pivot")]
        table = folder / "table.gz"
        lines = write_phrase_table(table, read_phrase_pairs(*corpora, work / "phrases", 0.0))
        texts = []
        for corpus, text in zip(corpora, ("own.txt", "pivot.txt"), strict=True):
            bounds = corpus.starts.tolist()
            words = [corpus.vocabulary[number] for number in corpus.words.tolist()]
            sentences = (" ".join(words[a:b]) + "\n" for a, b in itertools.pairwise(bounds))
            (folder / text).write_text("".join(sentences), encoding="utf-8", newline="\n")
            texts.append(folder / text)
        print(f"phrase table: {lines:,} lines")
        begin = time.monotonic()
        plain = language_text(None, whitespace=True)
        pack = build_from_bitext(
            folder / "pack", plain, plain, (texts[0], texts[1]), options=options, phrase_table=table
        )
        ours, seconds = our_pairs(pack.path), time.monotonic() - begin
        begin = time.monotonic()
        theirs = java_pairs(arguments.jar, [texts[1], texts[0], table, texts[0]], folder / "java", arguments.memory)
        print(f"meteor_e: {len(ours):,} paraphrases in {seconds:.1f} s")
        print(f"Parex:    {len(theirs):,} paraphrases in {time.monotonic() - begin:.1f} s")
        only = len(ours.keys() - theirs.keys()), len(theirs.keys() - ours.keys())
        for pair in list(ours.keys() ^ theirs.keys())[:10]:
            print("  only", "ours" if pair in ours else "Java's", pair, ours.get(pair, theirs.get(pair)))
        difference = max((abs(ours[pair] - theirs[pair]) for pair in ours.keys() & theirs.keys()), default=0.0)
        print(f"only ours: {only[0]}, only Java's: {only[1]}, largest difference: {difference:.2g}")
        return int(any(only) or difference > TOLERANCE or not ours)


if __name__ == "__main__":
    sys.exit(main())
