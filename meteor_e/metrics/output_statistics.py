"""Statistics of a chain on a test set, kept by hypothesis and reference: parameters are applied afterwards."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e.api.metrics import SystemOutputs
from meteor_e.api.sums import checked_statistics
from meteor_e.base.array_cache import ArrayCache, Cells, digest
from meteor_e.base.progress import Progress, silent
from meteor_e.metrics.chain_metric import ChainMetric
from meteor_e.scoring import arrays
from meteor_e.scoring.parameters import Parameters
from meteor_e.scoring.statistics import statistics_width

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor


def statistics_signature(meteor: Meteor) -> str:
    """Return the signature of a chain's statistics: the metric's own, except for what is applied afterwards.

    It is the whole signature with the task, parameters and weights set to zero. So whatever a signature names (now
    or later) tells statistics apart in a cache.
    """
    chain = meteor.chain
    weights = (0.0,) * len(chain.parameters.weights)
    return meteor.signature_with(
        dataclasses.replace(chain, task="", parameters=Parameters(0.0, 0.0, 0.0, 0.0, weights))
    )


def collect_statistics(
    meteor: Meteor, hypotheses: Sequence[str], references: Sequence[str], *, jobs: int = 1, progress: Progress = silent
) -> arrays.Counts:
    """Align pairs of texts and return their statistics, ``(pairs, width)``; pairs that come twice are aligned once.

    Args:
        meteor: the chain.
        hypotheses: one text per pair.
        references: one text per pair.
        jobs: number of processes, where more threads than one are of no use.
        progress: told the number of pairs done and of all.
    """
    distinct: dict[tuple[str, str], int] = {}
    at = [distinct.setdefault(pair, len(distinct)) for pair in zip(hypotheses, references, strict=True)]
    metric = ChainMetric.of(meteor, "aligning", jobs)
    texts, lists = [text for text, _ in distinct], [[reference] for _, reference in distinct]
    return checked_statistics(metric, texts, lists, progress=progress).astype(np.int32)[at]


def chain_statistics(
    meteor: Meteor,
    test: SystemOutputs,
    cells: Cells,
    cache: ArrayCache,
    *,
    jobs: int = 1,
    progress: Progress = silent,
) -> arrays.Counts:
    """Return the statistics of cells of a test set, from the cache where it has them.

    Returns:
        ``(systems, segments, references, width)``; -1 in cells that were not asked for and are not known.
    """
    signature = statistics_signature(meteor)
    width = statistics_width(len(meteor.matchers))
    result = np.full((*cells.shape, len(test.references), width), -1, np.int32)
    work = []
    for column, reference in enumerate(test.references):
        of_reference = digest(reference)
        for row, output in enumerate(test.outputs):
            key = f"{signature} {digest(output)} {of_reference}"
            kept = cache.get(key)
            if kept is not None and kept["statistics"].shape == (len(test), width):
                result[row, :, column] = kept["statistics"]
            missing = np.flatnonzero(cells[row] & (result[row, :, column, 0] < 0))
            if len(missing):
                work.append((row, column, missing, key))
    everything, done = sum(len(missing) for _, _, missing, _ in work), 0
    # Systems are sent off together, so that equal outputs are aligned once and all processes have work.
    for group in _groups(work):
        hypotheses = [test.outputs[row][at] for row, _, missing, _ in group for at in missing]
        references = [test.references[column][at] for _, column, missing, _ in group for at in missing]
        before = done

        def tell(stage: str, done: float, total: float | None, before: int = before) -> None:
            progress(stage, before + done, everything)

        counts = collect_statistics(meteor, hypotheses, references, jobs=jobs, progress=tell)
        start = 0
        for row, column, missing, key in group:
            result[row, missing, column] = counts[start : start + len(missing)]
            start += len(missing)
            cache.put(key, {"statistics": result[row, :, column]})
        done += start
    return result


_Work = tuple[int, int, "np.ndarray[Any, np.dtype[np.int64]]", str]


def _groups(work: Sequence[_Work], size: int = 20_000) -> Iterator[list[_Work]]:
    group: list[_Work] = []
    count = 0
    for item in work:
        group.append(item)
        count += len(item[2])
        if count >= size:
            yield group
            group, count = [], 0
    if group:
        yield group
