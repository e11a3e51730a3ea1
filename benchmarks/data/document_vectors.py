"""Train vectors for USAAR's metrics: skip-grams with phrases joined.

    python benchmarks/data/document_vectors.py corpus.xz news2011-ref.en … -o documents.bin --dimension 100 --epochs 3

The paper's numbers, 400 dimensions and 100 epochs, are the defaults: four minutes of one core for 12,000 sentences. One
thread trains, so that the same text gives the same vectors. Needs the plugin meteor-e-papers.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from meteor_e_papers.document_vectors import train_document_vectors

from meteor_e.base.errors import MeteorError


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="one sentence per line; gzip and xz are read, too")
    parser.add_argument("-o", "--output", type=Path, required=True, help="word2vec's binary form")
    parser.add_argument("--dimension", type=int, default=400)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--limit", type=int, help="sentences of each file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.perf_counter()

    def tell(message: str) -> None:
        print(f"{time.perf_counter() - started:.0f} s: {message}", file=sys.stderr, flush=True)

    try:
        count = train_document_vectors(tell=tell, **vars(options))
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{count} words and phrases in {time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
