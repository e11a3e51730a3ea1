"""Rewards of captions for self-critical training: processor time per batch and memory, of ours and of others.

    python benchmarks/speed/caption_rewards.py DATA/captions/flickr30k-captions.jsonl.gz --metric caption-light

A batch is 50 images with five captions each, 250 captions, against four references. Each metric runs in a process of
its own: run the script once per metric. ``cider`` is pycocoevalcap's class, ``java-meteor`` its class for METEOR with
the Java program; other names are metrics of meteor_e. The first batch, which loads what is needed, is given apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import time
from collections.abc import Callable
from pathlib import Path


def spent(pid: int | None) -> float:
    """Return seconds of processor time of this process, and of a child that still runs."""
    own = time.process_time()
    if pid is None:
        return own
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return own + (int(fields[11]) + int(fields[12])) / 100


def scorer(name: str) -> tuple[Callable[[list[str], list[list[str]]], object], int | None]:
    """Return what scores a batch, and the process that it starts."""
    if name == "cider":
        from pycocoevalcap.cider.cider import Cider

        cider = Cider()
        return lambda texts, lists: cider.compute_score(
            dict(enumerate(lists)), {i: [t] for i, t in enumerate(texts)}
        ), None
    if name == "java-meteor":
        from pycocoevalcap.meteor.meteor import Meteor

        java = Meteor()
        return (
            lambda texts, lists: java.compute_score(dict(enumerate(lists)), {i: [t] for i, t in enumerate(texts)}),
            java.meteor_p.pid,
        )
    from meteor_e import load_metric

    metric = load_metric(name, language="en")
    return metric.corpus, None


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions")
    parser.add_argument("--metric", default="caption-light")
    parser.add_argument("--batches", type=int, default=40)
    given = parser.parse_args()
    with gzip.open(given.captions, "rt", encoding="utf-8") as lines:
        images = [json.loads(line)["captions"] for line in lines]
    rng = random.Random(1)
    start = time.process_time()
    score, pid = scorer(given.metric)
    times = [spent(pid) - start]
    for _ in range(given.batches + 1):
        drawn = [rng.choice(images) for _ in range(50)]
        texts = [rng.choice(rng.choice(images) if rng.random() < 0.5 else own) for own in drawn for _ in range(5)]
        references = [own[1:] for own in drawn for _ in range(5)]
        before = spent(pid)
        score([text.lower().rstrip(" .") for text in texts], references)
        times.append(spent(pid) - before)
    rest = sorted(times[2:])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if pid is not None:
        peak = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
        memory += int(peak.split()[1]) / 1024
    print(
        f"| {given.metric} | {1000 * rest[len(rest) // 2]:.1f} ms per batch of 250 | "
        f"{times[0] + times[1]:.1f} s start and first batch | {memory:.0f} MiB |"
    )


if __name__ == "__main__":
    main()
