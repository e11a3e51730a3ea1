"""Scores of single hypotheses by a trained model; light: without evaluation, training and networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from meteor_e.api import ConfigError, FeatureBatch
from meteor_e.base.array_cache import Floats
from meteor_e.base.progress import Progress, silent
from meteor_e_learned.blocks import picked
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.libraries import guarded_estimator
from meteor_e_learned.modelfile import LearnedModel
from meteor_e_learned.models.texts import TextSamples

BLOCK = 8192
"""Segments whose features are in memory at once, for each process."""


def has_scores(model: LearnedModel) -> bool:
    """Return whether a model gives a score of a single hypothesis."""
    return not model.estimator.compares_only


def has_scale(model: LearnedModel) -> bool:
    """Return whether a model maps its scores to shares."""
    return hasattr(model.estimator, "raw")


def score_segments(
    model: LearnedModel,
    batch: FeatureBatch,
    store: FeatureStore,
    *,
    raw: bool = False,
    jobs: int = 1,
    progress: Progress = silent,
) -> Floats:
    """Return a score of each hypothesis; the higher, the better.

    Args:
        model: the model.
        batch: the hypotheses with their references.
        store: where features are kept.
        raw: before scores are mapped to shares, for models that do so: in the same order, but as far apart as the
            model holds them.
        jobs: number of processes.
        progress: told how many segments are done, and how many there are.

    Raises:
        ConfigError: for a model that only compares hypotheses.
    """
    if not has_scores(model):
        raise ConfigError(
            f"model {model.recipe.name!r} compares hypotheses and has no score of a single one; "
            "`meteor-e score A B REFERENCE -M MODEL` and ModelMetric.compare decide between two or more systems"
        )
    if not len(batch):
        return np.empty(0)
    size = BLOCK * max(1, jobs)
    found = []
    for start in range(0, len(batch), size):
        block = picked(batch, range(start, min(len(batch), start + size)))
        tell = _counting(progress, start, len(block), len(batch))
        features = model.features.extract(block, store, jobs=jobs, progress=tell)
        estimator: Any = model.estimator
        with guarded_estimator(f"model {model.recipe.name!r}"):
            if model.estimator.needs_texts:
                scores = estimator.score_texts(TextSamples(block.hypotheses, block.references, features))
            else:
                scores = estimator.raw(features) if raw and has_scale(model) else estimator.score_segments(features)
        found.append(scores)
    return np.concatenate(found)


def _counting(progress: Progress, start: int, segments: int, total: int) -> Progress:
    """Return the progress of segments, from the progress of a block's rows."""
    return lambda stage, done, rows: progress(stage, start + segments * done // max(1, rows or 0), total)
