"""The text that the language model of ``recipes/pairwise-linear-language-model.yaml`` is made from.

    python benchmarks/data/language_model_text.py ../shared/data words.txt
    lmplz -o 4 --prune 0 0 1 1 --text words.txt --arpa model.arpa
    build_binary -q 8 -b 8 trie model.arpa model.bin

English references and system outputs of WMT17 and WMT21, each segment once, then the English sides of Europarl and
Multi30k; nothing of WMT11, 12 and 13, which the ranker is trained and tested on. ``lmplz`` and ``build_binary`` are
KenLM's.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path

from meteor_e_learned.splitting import split

from meteor_e.base.files import atomic_writer


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with europarl, multi30k, wmt17 and wmt21")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    seen: set[str] = set()
    with atomic_writer(options.output) as stream:
        for line in news(options.data):
            words = " ".join(split(line))
            if words and words not in seen:
                seen.add(words)
                stream.write(words + "\n")
        for line in bitext(options.data):
            stream.write(" ".join(split(line)) + "\n")
    return 0


def news(data: Path) -> Iterator[str]:
    """Yield the segments of WMT17 and WMT21."""
    for year in (17, 21):
        folder = data / f"wmt{year}"
        for path in [*sorted(folder.glob("references/*en")), *sorted(folder.glob("system-outputs/*-en/*"))]:
            with path.open(encoding="utf-8", errors="replace", newline="\n") as lines:
                yield from lines


def bitext(data: Path) -> Iterator[str]:
    """Yield the English sides."""
    with lzma.open(data / "europarl" / "europarl.fr-en.en.xz", "rt", encoding="utf-8") as lines:
        yield from lines
    with gzip.open(data / "multi30k" / "train.en.gz", "rt", encoding="utf-8") as lines:
        yield from lines


if __name__ == "__main__":
    sys.exit(main())
