"""Computes the features of texts block by block, with one or several processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meteor_e.api import Feature, FeatureBatch
from meteor_e.base.array_cache import Floats
from meteor_e_learned.columns import NamedFeature

MAX_SEGMENTS = 2048
"""Maximum number of segments in a block."""
MAX_CHARACTERS = 1 << 21
"""Maximum number of characters in a block. A segment with more characters becomes a block by itself."""


@dataclass(frozen=True)
class FeatureBlock:
    """A block of segments, and the features to compute for each segment.

    Attributes:
        indexes: the indexes of the segments in the batch.
        features: the features.
    """

    indexes: tuple[int, ...]
    features: tuple[NamedFeature, ...]

    @property
    def n_rows(self) -> int:
        """The number of rows to compute: the number of segments times the number of features."""
        return len(self.indexes) * len(self.features)


def split_blocks(
    indexes: Sequence[int], features: Sequence[NamedFeature], batch: FeatureBatch
) -> Iterator[FeatureBlock]:
    """Split segments into blocks to limit the amount of text that is processed at a time.

    Args:
        indexes: the indexes of the segments in the batch.
        features: the features to compute for all of these segments.
        batch: the batch.
    """
    block: list[int] = []
    block_characters = 0
    for index in indexes:
        n_characters = len(batch.hypotheses[index]) + sum(map(len, batch.references[index]))
        is_full = len(block) == MAX_SEGMENTS or block_characters + n_characters > MAX_CHARACTERS
        if block and is_full:
            yield FeatureBlock(tuple(block), tuple(features))
            block = []
            block_characters = 0
        block.append(index)
        block_characters += n_characters
    if block:
        yield FeatureBlock(tuple(block), tuple(features))


def select_segments(batch: FeatureBatch, indexes: Sequence[int]) -> FeatureBatch:
    """Return a batch that contains only the segments with the given indexes."""

    def select(values: Sequence[Any] | None) -> list[Any] | None:
        return None if values is None else [values[index] for index in indexes]

    return FeatureBatch(
        select(batch.hypotheses) or [],
        select(batch.references) or [],
        select(batch.sources),
        select(batch.systems),
        select(batch.segments),
    )


_worker_features: dict[str, Feature] = {}
"""The features that a worker process computes, by label."""


def _start_worker(features: Mapping[str, Feature]) -> None:
    _worker_features.update(features)


def _compute_in_worker(task: tuple[Sequence[str], FeatureBatch]) -> list[Floats]:
    labels, batch = task
    return [_worker_features[label].rows(batch) for label in labels]


def compute_blocks(
    blocks: Sequence[FeatureBlock], batch: FeatureBatch, jobs: int
) -> Iterator[tuple[FeatureBlock, list[Floats]]]:
    """Compute features block by block, and yield each block with one matrix per feature.

    Args:
        blocks: the blocks.
        batch: the batch with the segments of the blocks.
        jobs: the maximum number of processes.
    """
    n_processes = min(jobs, len(blocks))
    if n_processes > 1:
        yield from _compute_in_processes(blocks, batch, n_processes)
        return
    for block in blocks:
        block_batch = select_segments(batch, block.indexes)
        yield block, [entry.feature.rows(block_batch) for entry in block.features]


def _compute_in_processes(
    blocks: Sequence[FeatureBlock], batch: FeatureBatch, n_processes: int
) -> Iterator[tuple[FeatureBlock, list[Floats]]]:
    """Compute features block by block in worker processes, and yield each block with one matrix per feature."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    features = {entry.label: entry.feature for block in blocks for entry in block.features}
    tasks = (([entry.label for entry in block.features], select_segments(batch, block.indexes)) for block in blocks)
    # Forking a process that has threads can cause deadlocks, so worker processes are spawned instead.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_processes, context, initializer=_start_worker, initargs=(features,)) as pool:
        yield from zip(blocks, pool.map(_compute_in_worker, tasks), strict=True)
