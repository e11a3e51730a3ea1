"""Divides the training comparisons of MaxSD (Ma et al., 2016) into batches that need little padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meteor_e_papers.comparisons import Comparisons, Integers
from meteor_e_papers.maxsd_texts import PreparedTexts

BATCHES_PER_POOL = 50
"""Approximate number of batches that are formed from a pool of comparisons of similar length."""


@dataclass
class ComparisonData:
    """Comparisons of hypotheses, and the texts that are compared."""

    texts: PreparedTexts
    comparisons: Comparisons

    def find_reference_length(self, group: Integers) -> int:
        """Return the word count of the longest reference of a group. All comparisons of the group share references."""
        first_hypothesis = self.comparisons.better[group[0]]
        return max(len(reference) for reference in self.texts.references[first_hypothesis])


def make_batches(
    data: ComparisonData, batch_size: int, generator: np.random.Generator, *, by_segment: bool
) -> list[Integers]:
    """Divide the comparisons into batches for one epoch, and return the batches in random order.

    The groups of comparisons are shuffled and divided into pools of about fifty batches. The groups in a pool are
    sorted by length, so that little padding is needed.

    Args:
        data: the comparisons and their texts.
        batch_size: the minimum number of comparisons in a batch.
        generator: the random number generator.
        by_segment: whether all comparisons of a segment must be in the same batch.
    """
    groups = _shuffle(_group_comparisons(data.comparisons, by_segment=by_segment), generator)
    n_comparisons_per_pool = BATCHES_PER_POOL * batch_size
    pool_size = max(1, round(n_comparisons_per_pool * len(groups) / len(data.comparisons)))
    batches: list[Integers] = []
    for start in range(0, len(groups), pool_size):
        pool = sorted(groups[start : start + pool_size], key=data.find_reference_length)
        batches += _combine_groups(pool, batch_size)
    return _shuffle(batches, generator)


def _group_comparisons(comparisons: Comparisons, *, by_segment: bool) -> list[Integers]:
    """Group the comparisons that must be in the same batch, and return their indexes."""
    group_ids = comparisons.group
    if group_ids is None or not by_segment:
        group_ids = np.arange(len(comparisons))
    order = np.argsort(group_ids, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group_ids[order])) + 1)


def _shuffle(arrays: Sequence[Integers], generator: np.random.Generator) -> list[Integers]:
    """Return arrays of comparison indexes in random order."""
    return [arrays[index] for index in generator.permutation(len(arrays))]


def _combine_groups(groups: list[Integers], batch_size: int) -> list[Integers]:
    """Combine consecutive groups into batches with at least ``batch_size`` comparisons, except for the last batch."""
    batches = []
    batch_groups: list[Integers] = []
    for group in groups:
        batch_groups.append(group)
        if sum(map(len, batch_groups)) >= batch_size:
            batches.append(np.concatenate(batch_groups))
            batch_groups = []
    if batch_groups:
        batches.append(np.concatenate(batch_groups))
    return batches
