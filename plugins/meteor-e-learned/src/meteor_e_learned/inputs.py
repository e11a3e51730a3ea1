"""Extracts the input of an estimator: the features of hypotheses, and the vectors of hypotheses and references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import FeatureBatch
from meteor_e.api.features import compute_segment_vectors
from meteor_e.base.array_cache import Floats
from meteor_e.base.progress import Progress, rename_stages, silent
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore


class EstimatorInputs(NamedTuple):
    """The features and vectors of hypotheses, with one row per hypothesis.

    Attributes:
        features: the features of the hypotheses, ``(hypotheses, columns)``.
        vectors: the sentence vectors of the hypotheses.
        reference_vectors: for each hypothesis, the mean sentence vector of its references.
    """

    features: Floats
    vectors: Floats
    reference_vectors: Floats

    def join_pairs(self, first_rows: NDArray[np.int64], second_rows: NDArray[np.int64]) -> Floats:
        """Return the input of an estimator that compares pairs of hypotheses, given their row indexes."""
        return np.hstack([
            self.features[first_rows], self.features[second_rows],
            self.vectors[first_rows], self.vectors[second_rows],
            self.reference_vectors[first_rows],
        ])  # fmt: skip


@dataclass(frozen=True)
class InputExtractor:
    """Extracts features of hypotheses, and vectors of hypotheses and references.

    Attributes:
        features: the features of hypotheses and their references.
        vectors: the features that compute a vector of a single text. If there are none, the vectors are empty.
        store: the cache of features.
        jobs: the number of processes.
        progress: receives the progress of the extraction.
    """

    features: FeatureSet
    vectors: FeatureSet
    store: FeatureStore
    jobs: int = 1
    progress: Progress = silent

    def with_stage(self, name: str) -> InputExtractor:
        """Return a copy that reports its progress under the given name."""
        return replace(self, progress=rename_stages(self.progress, name))

    def extract(self, batch: FeatureBatch) -> EstimatorInputs:
        """Return the features of the hypotheses in a batch, and the vectors of hypotheses and references."""
        features = self.features.extract(batch, self.store, jobs=self.jobs, progress=self.progress)
        if not self.vectors.features:
            no_vectors = np.empty((len(batch), 0))
            return EstimatorInputs(features, no_vectors, no_vectors)
        compute_vectors = partial(
            self.vectors.segment_vectors, store=self.store, jobs=self.jobs, progress=self.progress
        )
        vectors, reference_vectors = compute_segment_vectors(batch, compute_vectors)
        return EstimatorInputs(features, vectors, reference_vectors)


def select_hypotheses(
    systems: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    names: Sequence[str],
    mask: NDArray[np.bool_],
    sources: Sequence[str] | None = None,
) -> FeatureBatch:
    """Return the selected hypotheses as a batch, sorted by system and then by segment.

    Args:
        systems: the hypotheses of each system.
        references: the references of each segment.
        names: the names of the systems.
        mask: whether to select each hypothesis, ``(systems, segments)``.
        sources: the source of each segment, for features that read it.
    """
    # Each selected hypothesis is identified by its system index and its segment index.
    selected_indexes = np.argwhere(mask).tolist()
    selected_sources = None
    if sources is not None:
        selected_sources = [sources[segment] for _, segment in selected_indexes]
    return FeatureBatch(
        hypotheses=[systems[system][segment] for system, segment in selected_indexes],
        references=[list(references[segment]) for _, segment in selected_indexes],
        sources=selected_sources,
        systems=[names[system] for system, _ in selected_indexes],
        segments=[str(segment + 1) for _, segment in selected_indexes],
    )


def index_selected(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the row of each hypothesis in the batch of :func:`select_hypotheses`, or -1 if it is not selected.

    Args:
        mask: whether each hypothesis is selected, ``(systems, segments)``.
    """
    row_indexes = np.full(mask.shape, -1, np.int64)
    row_indexes[mask] = np.arange(np.count_nonzero(mask))
    return row_indexes
