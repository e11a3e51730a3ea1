"""Pairs each hypothesis with each of its references, and averages feature values over the references."""

from __future__ import annotations

from itertools import chain

import numpy as np

from meteor_e.api import FeatureBatch
from meteor_e.base.array_cache import Floats


def segment_pairs(batch: FeatureBatch) -> tuple[list[str], list[str]]:
    """Pair each hypothesis with each of its references, and return two lists of equal length."""
    hypotheses = [
        hypothesis
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True)
        for _ in references
    ]
    return hypotheses, list(chain.from_iterable(batch.references))


def mean_over_references(rows: Floats, batch: FeatureBatch) -> Floats:
    """Average the feature rows of each hypothesis over its references.

    Args:
        rows: one row per pair, in the order of :func:`segment_pairs`.
        batch: the segments.
    """
    reference_counts = np.array([len(references) for references in batch.references])
    if (reference_counts == 1).all():
        return rows
    first_rows = np.concatenate([[0], np.cumsum(reference_counts)[:-1]])
    sums = np.add.reduceat(rows, first_rows, axis=0)
    means: Floats = sums / reference_counts[:, None]
    return means
