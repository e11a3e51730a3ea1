"""Judged test sets for tuning, in flat arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError
from meteor_e.base.array_cache import ArrayCache, Floats, Integers
from meteor_e.base.progress import Progress, silent
from meteor_e.metrics.translations import chain_statistics
from meteor_e.scoring.arrays import Counts
from meteor_e.scoring.statistics import statistics_columns
from meteor_e_evaluation.test_set import TestSet

if TYPE_CHECKING:
    from meteor_e import Meteor


@dataclass(frozen=True)
class TuningSet:
    """Judged segments ("cells": one segment of one system) and what people say of them.

    Attributes:
        counts: statistics ``(cells × references, width)``, the references of a cell one after the other.
        starts: where each cell begins in ``counts``, ``(cells,)``.
        units: segment that a cell belongs to, ``(cells,)``; what folds and bootstrap samples are made of.
        groups: test set and language pair that a cell belongs to, ``(cells,)``.
        humans: human score of a cell, ``(cells,)``; NaN where there is none.
        lengths: words of a cell's (first) reference, ``(cells,)``.
        better, worse: cells that were compared, ``(pairs,)``.
        names: names of the groups.
        unit_groups: group of each unit, ``(units,)``.
        rows: system of each cell in its test set, ``(cells,)``.
        tests: the test set of each group.
        texts: reference of each unit; empty where it is not known.
    """

    counts: Counts
    starts: Integers
    units: Integers
    groups: Integers
    humans: Floats
    lengths: Floats
    better: Integers
    worse: Integers
    names: tuple[str, ...]
    unit_groups: Integers
    rows: Integers = field(default_factory=lambda: np.array([], np.int64))
    tests: tuple[TestSet, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def matchers(self) -> int:
        """Number of the chain's matchers."""
        return (int(self.counts.shape[1]) - 7) // 4

    def select(self, units: NDArray[np.bool_]) -> TuningSet:
        """Return the part with some of the units; ``units`` has one truth value per unit."""
        keep = units[self.units]
        number = np.cumsum(keep) - 1
        sizes = np.diff(np.append(self.starts, len(self.counts)))
        pairs = keep[self.better]
        kept_sizes = sizes[keep]
        return dataclasses.replace(
            self,
            counts=self.counts[np.repeat(keep, sizes)],
            starts=np.cumsum(kept_sizes) - kept_sizes,
            units=self.units[keep],
            groups=self.groups[keep],
            humans=self.humans[keep],
            lengths=self.lengths[keep],
            better=number[self.better[pairs]],
            worse=number[self.worse[pairs]],
            rows=self.rows[keep] if len(self.rows) else self.rows,
        )


def collect(
    meteor: Meteor,
    tests: Sequence[TestSet],
    cache: ArrayCache,
    *,
    progress: Progress = silent,
) -> TuningSet:
    """Align the judged segments of test sets and gather their statistics and judgments.

    Several ratings of a segment of a system are averaged.

    Args:
        meteor: the chain.
        tests: the test sets.
        cache: where statistics are kept.
        progress: told about the work.

    Raises:
        ConfigError: if a test set's language is not the chain's.
    """
    parts: list[dict[str, NDArray[np.generic]]] = []
    unit_groups: list[int] = []
    names: list[str] = []
    texts: list[str] = []
    offset = 0
    for group, test in enumerate(tests):
        if test.language != meteor.chain.language.code:
            raise ConfigError(
                f"{test.name} {test.pair} is in {test.language!r}, but the chain is for {meteor.chain.language.code!r}"
            )
        names.append(f"{test.name} {test.pair}")
        cells = test.judged()
        counts = chain_statistics(meteor, test, cells, cache, progress=progress)
        rows, columns = np.nonzero(cells)
        at = np.full(cells.shape, -1, np.int64)
        at[rows, columns] = np.arange(len(rows)) + offset
        humans = test.human
        better = worse = np.array([], np.int64)
        if test.rankings is not None:
            strict = test.rankings.strict()
            better, worse = at[strict.better, strict.segments], at[strict.worse, strict.segments]
        references = counts.shape[2]
        own = counts[rows, columns]
        parts.append(
            {
                "counts": own.reshape(-1, own.shape[-1]),
                "sizes": np.full(len(rows), references),
                "units": columns + len(unit_groups),
                "groups": np.full(len(rows), group),
                "humans": humans[rows, columns],
                "lengths": statistics_columns(own[:, 0]).reference_length.astype(float),
                "better": better,
                "worse": worse,
                "rows": rows,
            }
        )
        unit_groups += [group] * len(test)
        texts += test.references[0]
        offset += len(rows)
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    sizes = joined.pop("sizes").astype(np.int64)
    return TuningSet(
        **joined,
        starts=np.cumsum(sizes) - sizes,
        names=tuple(names),
        unit_groups=np.array(unit_groups, np.int64),
        tests=tuple(tests),
        texts=tuple(texts),
    )
