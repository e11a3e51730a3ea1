"""Train word vectors for USAAR's metrics with skip-grams. Frequent phrases have a vector, too.

    python benchmarks/data/document_vectors.py corpus.xz news2011-ref.en … -o documents.bin --dimension 100 --epochs 3

By default, the vectors have 400 dimensions, and training takes 100 epochs, as in the paper. With 12,000 sentences, this
takes four minutes on one core. Training uses a single thread, so that it always gives the same vectors for a text. The
script needs the plugin meteor-e-papers.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from meteor_e_papers.document_vectors import SkipGramOptions, train_document_vectors

from meteor_e.base.errors import MeteorError


def main() -> int:
    """Train the vectors, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="one sentence per line; may be compressed (.gz, .xz)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="word vectors in word2vec's binary format")
    parser.add_argument("--dimension", type=int, default=400)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--limit", type=int, help="maximum number of sentences of each file")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    options = SkipGramOptions(
        dimension=arguments.dimension,
        window=arguments.window,
        epochs=arguments.epochs,
        min_count=arguments.min_count,
        limit=arguments.limit,
        seed=arguments.seed,
    )
    start_time = time.perf_counter()

    def tell(message: str) -> None:
        print(f"{time.perf_counter() - start_time:.0f} s: {message}", file=sys.stderr, flush=True)

    try:
        count = train_document_vectors(arguments.files, arguments.output, options, tell)
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{count} words and phrases in {time.perf_counter() - start_time:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
