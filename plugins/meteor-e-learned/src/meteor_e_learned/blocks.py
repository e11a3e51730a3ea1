"""Features are computed in blocks of segments, in this process or in several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meteor_e.api import Feature, FeatureBatch
from meteor_e.base.array_cache import Floats
from meteor_e_learned.columns import NamedFeature

BATCH = 2048
"""Segments that are computed at once."""
ROOM = 1 << 21
"""Characters of all segments that are computed at once; a longer segment goes alone."""


@dataclass(frozen=True)
class FeatureBlock:
    """Segments of a batch, and the features that are computed of them."""

    places: tuple[int, ...]
    features: tuple[NamedFeature, ...]


def split_blocks(
    places: Sequence[int], features: Sequence[NamedFeature], batch: FeatureBatch
) -> Iterator[FeatureBlock]:
    """Yield blocks of segments that lack the same features, so that these share what they make of the texts."""
    block: list[int] = []
    room = ROOM
    for place in places:
        size = len(batch.hypotheses[place]) + sum(map(len, batch.references[place]))
        if block and (len(block) == BATCH or size > room):
            yield FeatureBlock(tuple(block), tuple(features))
            block, room = [], ROOM
        block.append(place)
        room -= size
    if block:
        yield FeatureBlock(tuple(block), tuple(features))


def picked(batch: FeatureBatch, places: Sequence[int]) -> FeatureBatch:
    """Return some of a batch's segments."""

    def of(values: Sequence[Any] | None) -> list[Any] | None:
        return None if values is None else [values[place] for place in places]

    return FeatureBatch(
        of(batch.hypotheses) or [], of(batch.references) or [], of(batch.sources), of(batch.systems), of(batch.segments)
    )


_features: dict[str, Feature] = {}
"""The features that this process computes, by label."""


def _begin(features: Mapping[str, Feature]) -> None:
    _features.update(features)


def _compute(block: tuple[Sequence[str], FeatureBatch]) -> list[Floats]:
    labels, batch = block
    return [_features[label].rows(batch) for label in labels]


def compute_blocks(
    work: Sequence[FeatureBlock], batch: FeatureBatch, jobs: int
) -> Iterator[tuple[FeatureBlock, list[Floats]]]:
    """Yield each block with the rows of each of its features."""
    features = {entry.label: entry.feature for block in work for entry in block.features}
    parts = (([entry.label for entry in block.features], picked(batch, block.places)) for block in work)
    if min(jobs, len(work)) <= 1:
        computed = ([features[label].rows(part) for label in labels] for labels, part in parts)
        yield from zip(work, computed, strict=True)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A process that is forked from one with threads can hang; these are started afresh.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(work)), context, _begin, (features,)) as pool:
        yield from zip(work, pool.map(_compute, parts), strict=True)
