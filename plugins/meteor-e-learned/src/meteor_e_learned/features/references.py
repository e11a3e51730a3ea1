"""Hypotheses beside each of their references."""

from __future__ import annotations

from itertools import chain

import numpy as np

from meteor_e.api import FeatureBatch
from meteor_e.base.array_cache import Floats


def segment_pairs(batch: FeatureBatch) -> tuple[list[str], list[str]]:
    """Return pairs of hypotheses and references: each hypothesis once for each of its references."""
    left = [text for text, each in zip(batch.hypotheses, batch.references, strict=True) for _ in each]
    return left, list(chain.from_iterable(batch.references))


def mean_over_references(rows: Floats, batch: FeatureBatch) -> Floats:
    """Return a row for each hypothesis: the mean of the rows of its pairs."""
    counts = np.array([len(each) for each in batch.references])
    if (counts == 1).all():
        return rows
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    result: Floats = np.add.reduceat(rows, starts, axis=0) / counts[:, None]
    return result
