"""Pairs of a hypothesis and one of its references."""

from __future__ import annotations

from itertools import chain

import numpy as np

from meteor_e.api import FeatureBatch
from meteor_e.base.array_cache import Floats


def segment_pairs(batch: FeatureBatch) -> tuple[list[str], list[str]]:
    """Return the hypotheses and the references of all pairs; each hypothesis forms a pair with each reference."""
    hypotheses = [
        hypothesis
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True)
        for _ in references
    ]
    return hypotheses, list(chain.from_iterable(batch.references))


def mean_over_references(rows: Floats, batch: FeatureBatch) -> Floats:
    """Return one row per hypothesis: the mean of the rows of its pairs."""
    counts = np.array([len(references) for references in batch.references])
    if (counts == 1).all():
        return rows
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    means: Floats = np.add.reduceat(rows, starts, axis=0) / counts[:, None]
    return means
