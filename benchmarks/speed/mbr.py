"""Times ``Meteor.pairwise_batches`` against the same pairs scored as segments, and compares the digits.

Candidates of a source are made of its reference by dropping, exchanging and repeating words, with a seed.

    python benchmarks/speed/mbr.py REFERENCES [--sources 10] [--candidates 100] [--threads 1]
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from pathlib import Path

import numpy as np

from meteor_e import Meteor


def candidates(text: str, vocabulary: list[str], count: int, random_: random.Random) -> list[str]:
    """Return variants of a text."""
    found = []
    for _ in range(count):
        words = [word if random_.random() > 0.15 else random_.choice(vocabulary) for word in text.split()]
        words = [word for word in words if random_.random() > 0.08]
        if len(words) > 2 and random_.random() < 0.5:
            at = random_.randrange(len(words) - 1)
            words[at], words[at + 1] = words[at + 1], words[at]
        found.append(" ".join(words))
    return found


def main() -> None:
    """Print processor seconds of both ways, twice in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("references", type=Path)
    parser.add_argument("--sources", type=int, default=10)
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--language", default="en")
    options = parser.parse_args()
    lines = [line for line in options.references.read_text(encoding="utf-8").splitlines() if len(line.split()) > 8]
    random_ = random.Random(1)
    vocabulary = sorted({word for line in lines[:500] for word in line.split()})
    sources = [candidates(line, vocabulary, options.candidates, random_) for line in lines[: options.sources]]
    meteor = Meteor(options.language, threads=options.threads)
    left = [text for each in sources for text, _ in itertools.product(each, each)]
    right = [text for each in sources for _, text in itertools.product(each, each)]
    list(meteor.pairwise_batches(sources[:1]))
    for _ in range(2):
        start, wall = time.process_time(), time.perf_counter()
        scores = [segment.score for segment in meteor.segments(left, right)]
        segments, segments_wall = time.process_time() - start, time.perf_counter() - wall
        start, wall = time.process_time(), time.perf_counter()
        matrices = list(meteor.pairwise_batches(sources))
        pairs, pairs_wall = time.process_time() - start, time.perf_counter() - wall
        same = np.array_equal(np.concatenate([matrix.ravel() for matrix in matrices]), np.array(scores))
        print(
            f"{len(left)} pairs: as segments {segments:.2f} s ({segments_wall:.2f} s wall), "
            f"pairwise {pairs:.2f} s ({pairs_wall:.2f} s wall), {segments / pairs:.1f} times; "
            f"same digits: {same}"
        )


if __name__ == "__main__":
    main()
