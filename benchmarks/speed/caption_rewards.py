"""Measure the processor time and memory that caption metrics need to compute rewards for self-critical training.

    python benchmarks/speed/caption_rewards.py DATA/captions/flickr30k-captions.jsonl.gz --metric caption-light

A batch contains 50 images with five captions each, and every caption has four references. The script measures one
metric per run. ``cider`` and ``java-meteor`` are classes of pycocoevalcap; ``java-meteor`` starts the Java program. All
other names are metrics of meteor_e. The time of the first batch is shown separately, because it includes loading.
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


def measure_seconds(pid: int | None) -> float:
    """Return the processor time of this process in seconds, plus that of a running child process."""
    own_seconds = time.process_time()
    if pid is None:
        return own_seconds
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return own_seconds + (int(fields[11]) + int(fields[12])) / 100


def scorer(name: str) -> tuple[Callable[[list[str], list[list[str]]], object], int | None]:
    """Return a function that scores a batch of captions, and the id of its child process if it starts one."""
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
    """Measure the metric that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions")
    parser.add_argument("--metric", default="caption-light")
    parser.add_argument("--batches", type=int, default=40)
    options = parser.parse_args()
    with gzip.open(options.captions, "rt", encoding="utf-8") as lines:
        images = [json.loads(line)["captions"] for line in lines]
    rng = random.Random(1)
    start = time.process_time()
    score, pid = scorer(options.metric)
    times = [measure_seconds(pid) - start]
    for _ in range(options.batches + 1):
        drawn = [rng.choice(images) for _ in range(50)]
        texts = [
            rng.choice(rng.choice(images) if rng.random() < 0.5 else image_captions)
            for image_captions in drawn
            for _ in range(5)
        ]
        references = [image_captions[1:] for image_captions in drawn for _ in range(5)]
        start_seconds = measure_seconds(pid)
        score([text.lower().rstrip(" .") for text in texts], references)
        times.append(measure_seconds(pid) - start_seconds)
    batch_seconds = sorted(times[2:])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if pid is not None:
        peak = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
        memory += int(peak.split()[1]) / 1024
    print(
        f"| {options.metric} | {1000 * batch_seconds[len(batch_seconds) // 2]:.1f} ms per batch of 250 | "
        f"{times[0] + times[1]:.1f} s start and first batch | {memory:.0f} MiB |"
    )


if __name__ == "__main__":
    main()
