"""Scores hypotheses with a trained model."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from meteor_e.api import ConfigError, FeatureBatch
from meteor_e.base.array_cache import Floats
from meteor_e.base.progress import Progress, silent
from meteor_e_learned.blocks import select_segments
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.libraries import estimator_errors
from meteor_e_learned.modelfile import LearnedModel
from meteor_e_learned.models.texts import TextSamples

MAX_SEGMENTS = 8192
"""Maximum number of segments per process whose features are in memory at the same time."""


def has_scale(model: LearnedModel) -> bool:
    """Return whether a model maps its raw scores to a scale, such as percentages."""
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
    """Return the score of each hypothesis. Higher scores are better.

    Args:
        model: the model.
        batch: the hypotheses and their references.
        store: the store of computed features.
        raw: whether to return raw scores, before the model maps them to its scale. The order is the same.
        jobs: the number of processes.
        progress: receives the number of finished segments, and their total number.

    Raises:
        ConfigError: if the model only compares hypotheses.
    """
    if model.estimator.compares_only:
        raise ConfigError(
            f"model {model.recipe.name!r} compares hypotheses and has no score of a single one; "
            "`meteor-e score A B REFERENCE -M MODEL` and ModelMetric.compare decide between two or more systems"
        )
    if not len(batch):
        return np.empty(0)
    n_segments = len(batch)
    block_size = MAX_SEGMENTS * max(1, jobs)
    block_scores = []
    for start in range(0, n_segments, block_size):
        indexes = range(start, min(start + block_size, n_segments))
        block = select_segments(batch, indexes)
        block_progress = partial(_report_overall_progress, progress, indexes, n_segments)
        features = model.features.extract(block, store, jobs=jobs, progress=block_progress)
        with estimator_errors(f"model {model.recipe.name!r}"):
            block_scores.append(_score_block(model, block, features, raw=raw))
    return np.concatenate(block_scores)


def _score_block(model: LearnedModel, block: FeatureBatch, features: Floats, *, raw: bool) -> Floats:
    """Return the scores of hypotheses, given their extracted features."""
    estimator: Any = model.estimator
    scores: Floats
    if estimator.needs_texts:
        scores = estimator.score_texts(TextSamples(block.hypotheses, block.references, features))
    elif raw and has_scale(model):
        scores = estimator.raw(features)
    else:
        scores = estimator.score_segments(features)
    return scores


def _report_overall_progress(
    progress: Progress, block: range, n_segments: int, stage: str, n_finished_rows: float, n_rows: float | None
) -> None:
    """Convert the progress within a block of segments to the overall progress, and report it.

    Args:
        progress: receives the number of finished segments, and their total number.
        block: the indexes of the block's segments.
        n_segments: the total number of segments.
        stage: the name of the current stage.
        n_finished_rows: the number of feature rows of the block that have been computed.
        n_rows: the number of feature rows of the block to compute.
    """
    n_finished_segments = len(block) * n_finished_rows // n_rows if n_rows else 0
    progress(stage, block.start + n_finished_segments, n_segments)
