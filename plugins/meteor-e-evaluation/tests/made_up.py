"""Judged cells that are made up."""

from __future__ import annotations

import numpy as np
from meteor_e_evaluation.tuning.data import TuningSet


def make_set(
    *, units: int = 60, systems: int = 4, references: int = 1, seed: int = 1, name: str = "made up"
) -> TuningSet:
    """Judged cells with random statistics of two matchers; people prefer recall of content words."""
    random = np.random.default_rng(seed)
    cells = units * systems
    rows = []
    for _ in range(cells * references):
        hypothesis, reference = random.integers(8, 20, 2)
        function = [int(random.integers(0, length // 2)) for length in (hypothesis, reference)]
        exact = int(random.integers(2, 5))
        other = int(random.integers(0, 3))
        functional = min(*function, int(random.integers(0, 3)))
        matched = exact + other + functional
        rows.append([hypothesis, reference, *function, exact, exact, functional, functional, other, other, 0, 0,
                     random.integers(1, matched + 1), matched, matched])  # fmt: skip
    counts = np.array(rows)
    first = counts[::references]
    quality = (first[:, 4] + 0.5 * first[:, 8]) / first[:, 1] + random.normal(size=cells) * 0.05
    unit = np.repeat(np.arange(units), systems)
    better, worse = [], []
    for start in range(0, cells, systems):
        for a in range(start, start + systems):
            for b in range(a + 1, start + systems):
                up, down = (a, b) if quality[a] > quality[b] else (b, a)
                better.append(up)
                worse.append(down)
    return TuningSet(
        counts=counts,
        starts=np.arange(cells) * references,
        units=unit,
        groups=(unit >= units // 2).astype(int),
        human_scores=quality,
        reference_lengths=first[:, 1].astype(float),
        better=np.array(better),
        worse=np.array(worse),
        names=(f"{name} 1", f"{name} 2"),
        unit_groups=(np.arange(units) >= units // 2).astype(int),
    )
