"""Generates random judged translations, on which tuning is tested."""

from __future__ import annotations

import itertools

import numpy as np
from meteor_e_evaluation.tuning.data import TuningSet


def make_tuning_set(
    *, units: int = 60, systems: int = 4, references: int = 1, seed: int = 1, name: str = "made up"
) -> TuningSet:
    """Make judged translations with random match counts of two matchers.

    The human scores depend on the recall of content words.
    """
    random = np.random.default_rng(seed)
    cells = units * systems
    rows = []
    for _ in range(cells * references):
        hypothesis, reference = random.integers(8, 20, 2)
        function_words = [int(random.integers(0, length // 2)) for length in (hypothesis, reference)]
        first_content = int(random.integers(2, 5))
        second_content = int(random.integers(0, 3))
        first_function = min(*function_words, int(random.integers(0, 3)))
        n_matches = first_content + second_content + first_function
        lengths = [hypothesis, reference]
        first_matches = [first_content, first_content, first_function, first_function]
        second_matches = [second_content, second_content, 0, 0]
        n_chunks = random.integers(1, n_matches + 1)
        rows.append([*lengths, *function_words, *first_matches, *second_matches, n_chunks, n_matches, n_matches])
    counts = np.array(rows)
    first_rows = counts[::references]
    content_recall = (first_rows[:, 4] + 0.5 * first_rows[:, 8]) / first_rows[:, 1]
    human_scores = content_recall + random.normal(size=cells) * 0.05
    unit_of_cell = np.repeat(np.arange(units), systems)
    better, worse = [], []
    for start in range(0, cells, systems):
        for pair in itertools.combinations(range(start, start + systems), 2):
            loser, winner = sorted(pair, key=lambda cell: human_scores[cell])
            better.append(winner)
            worse.append(loser)
    return TuningSet(
        counts=counts,
        starts=np.arange(cells) * references,
        units=unit_of_cell,
        groups=(unit_of_cell >= units // 2).astype(int),
        human_scores=human_scores,
        reference_lengths=first_rows[:, 1].astype(float),
        better=np.array(better),
        worse=np.array(worse),
        names=(f"{name} 1", f"{name} 2"),
        unit_groups=(np.arange(units) >= units // 2).astype(int),
        systems=np.tile(np.arange(systems), units),
    )
