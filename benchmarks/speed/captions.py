"""Processor time of the caption metrics: ``caption-light`` beside METEOR, ``caption-context`` beside a bare encoder.

    python benchmarks/speed/captions.py DATA/captions/flickr30k-captions.jsonl.gz

Every second caption is of another image; each has four references. Both of a pair score the same batches in one
process, in turn. The bare encoder encodes each distinct text of a batch once. Models are loaded before; references are
new in each batch, so that nothing is remembered.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Callable, Sequence

from meteor_e import load_metric

Scorer = Callable[[Sequence[str], Sequence[Sequence[str]]], object]


def encoder() -> Scorer:
    """Return what encodes the distinct texts of a batch, and does nothing else."""
    from meteor_e_captions.lexicon import split
    from meteor_e_vectors.contextual import open_encoder

    model = open_encoder("minilm")
    return lambda texts, lists: list(
        model.sentences([split(text) for text in dict.fromkeys([*texts, *(one for each in lists for one in each)])])
    )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions")
    parser.add_argument("--light", type=int, default=8000, help="captions for caption-light")
    parser.add_argument("--context", type=int, default=600, help="captions for caption-context")
    given = parser.parse_args()
    with gzip.open(given.captions, "rt", encoding="utf-8") as lines:
        images = [json.loads(line)["captions"] for line in lines]
    random.Random(1).shuffle(images)
    print("| captions | seconds | the other | seconds | ratio | captions per second |\n|---|---|---|---|---|---|")
    for name, other, bare, count, size in (
        ("caption-light", "meteor", load_metric("meteor", language="en", threads=1).corpus, given.light, 1000),
        ("caption-context", "bare encoder", encoder(), given.context, 150),
    ):
        pair: list[Scorer] = [load_metric(name, language="en").corpus, bare]
        spent = [0.0, 0.0]
        for start in range(-size, count, size):
            own = [images[at % len(images)] for at in range(start, start + size)]
            texts = [(each if at % 2 else images[at - 7 * size])[0] for at, each in enumerate(own)]
            references = [each[1:] for each in own]
            for at, score in enumerate(pair):
                before = time.process_time()
                score(texts, references)
                # The first batch loads what is needed.
                spent[at] += (time.process_time() - before) * (start >= 0)
        rate = count / spent[0]
        print(f"| {name} | {spent[0]:.2f} | {other} | {spent[1]:.2f} | {spent[0] / spent[1]:.2f} | {rate:.0f} |")


if __name__ == "__main__":
    main()
