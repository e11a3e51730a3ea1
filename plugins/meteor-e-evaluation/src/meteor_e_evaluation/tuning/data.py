"""Collects alignment statistics and human judgments of test sets for tuning."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

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
    """Alignment statistics and human judgments of the outputs in several test sets.

    A cell is the output of one system for one segment. A unit is a segment of a test set. A group is a test set of one
    language pair.

    Cross-validation folds and bootstrap samples consist of whole segments.

    Attributes:
        counts: statistics of each cell and reference, ``(cells × references, statistics)``. The rows of a cell are
            adjacent.
        starts: index of each cell's first row in ``counts``, ``(cells,)``.
        units: unit of each cell, ``(cells,)``.
        groups: group of each cell, ``(cells,)``.
        human_scores: human score of each cell, ``(cells,)``. NaN if the cell does not have a score.
        reference_lengths: number of words of each cell's first reference, ``(cells,)``.
        better, worse: the better and the worse cell of each human comparison, ``(pairs,)``.
        names: names of the groups.
        unit_groups: group of each unit, ``(units,)``.
        systems: index of each cell's system in its test set, ``(cells,)``.
        tests: the test set of each group.
        references: first reference of each unit. Empty if the texts are unknown.
    """

    counts: Counts
    starts: Integers
    units: Integers
    groups: Integers
    human_scores: Floats
    reference_lengths: Floats
    better: Integers
    worse: Integers
    names: tuple[str, ...]
    unit_groups: Integers
    systems: Integers = field(default_factory=lambda: np.array([], np.int64))
    tests: tuple[TestSet, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def matchers(self) -> int:
        """The number of matchers of the chain."""
        return (int(self.counts.shape[1]) - 7) // 4

    def select(self, units: NDArray[np.bool_]) -> TuningSet:
        """Return the outputs and the judgments of some segments.

        Args:
            units: a mask of the units to select, ``(units,)``.
        """
        is_selected = units[self.units]
        new_index = np.cumsum(is_selected) - 1
        sizes = np.diff(np.append(self.starts, len(self.counts)))
        selected_sizes = sizes[is_selected]
        selected_pairs = is_selected[self.better]
        return dataclasses.replace(
            self,
            counts=self.counts[np.repeat(is_selected, sizes)],
            starts=_first_indices(selected_sizes),
            units=self.units[is_selected],
            groups=self.groups[is_selected],
            human_scores=self.human_scores[is_selected],
            reference_lengths=self.reference_lengths[is_selected],
            better=new_index[self.better[selected_pairs]],
            worse=new_index[self.worse[selected_pairs]],
            systems=self.systems[is_selected] if len(self.systems) else self.systems,
        )


def collect(
    meteor: Meteor,
    tests: Sequence[TestSet],
    cache: ArrayCache,
    *,
    progress: Progress = silent,
) -> TuningSet:
    """Align the judged outputs of test sets, and collect their statistics and judgments.

    If an output has several ratings, their mean is used. Each test set becomes a group.

    Args:
        meteor: the chain that aligns the outputs.
        tests: the test sets.
        cache: stores statistics between runs.
        progress: receives the progress.

    Raises:
        ConfigError: if a test set and the chain have different languages.
    """
    test_cells = []
    for test in tests:
        _check_language(test, meteor.chain.language.code)
        test_cells.append(_collect_cells(meteor, test, cache, progress))
    # The indices of each test set continue the indices of the previous test set.
    first_cells = _first_indices([len(cells.segments) for cells in test_cells])
    first_units = _first_indices([len(test) for test in tests])
    sizes = np.concatenate([cells.sizes for cells in test_cells])
    references: list[str] = []
    for test in tests:
        references += test.references[0]
    return TuningSet(
        counts=np.concatenate([cells.counts for cells in test_cells]),
        starts=_first_indices(sizes),
        units=np.concatenate([cells.segments + first_units[group] for group, cells in enumerate(test_cells)]),
        groups=np.concatenate([np.full(len(cells.segments), group) for group, cells in enumerate(test_cells)]),
        human_scores=np.concatenate([cells.human_scores for cells in test_cells]),
        reference_lengths=np.concatenate([cells.reference_lengths for cells in test_cells]),
        better=np.concatenate([cells.better + first_cells[group] for group, cells in enumerate(test_cells)]),
        worse=np.concatenate([cells.worse + first_cells[group] for group, cells in enumerate(test_cells)]),
        names=tuple(f"{test.name} {test.pair}" for test in tests),
        unit_groups=np.concatenate([np.full(len(test), group) for group, test in enumerate(tests)]),
        systems=np.concatenate([cells.systems for cells in test_cells]),
        tests=tuple(tests),
        references=tuple(references),
    )


def _first_indices(sizes: Sequence[int] | Integers) -> Integers:
    """Return the start index of each group in an array that contains one group after the other.

    Args:
        sizes: number of items of each group.
    """
    return np.asarray(np.cumsum(sizes) - sizes)


def _check_language(test: TestSet, language: str) -> None:
    if test.language != language:
        raise ConfigError(f"{test.name} {test.pair} is in {test.language!r}, but the chain is for {language!r}")


class _TestCells(NamedTuple):
    """Statistics and judgments of the judged outputs of one test set.

    The attributes have the same meaning as in :class:`TuningSet`, but all indices start from 0.

    Attributes:
        counts: statistics of each cell and reference, ``(cells × references, statistics)``.
        sizes: number of references of each cell, ``(cells,)``.
        systems: index of each cell's system, ``(cells,)``.
        segments: index of each cell's segment, ``(cells,)``.
        human_scores: human score of each cell, ``(cells,)``.
        reference_lengths: number of words of each cell's first reference, ``(cells,)``.
        better, worse: the better and the worse cell of each human comparison, ``(pairs,)``.
    """

    counts: Counts
    sizes: Integers
    systems: Integers
    segments: Integers
    human_scores: Floats
    reference_lengths: Floats
    better: Integers
    worse: Integers


def _collect_cells(meteor: Meteor, test: TestSet, cache: ArrayCache, progress: Progress) -> _TestCells:
    """Align the judged outputs of one test set, and return their statistics and judgments."""
    is_judged = test.judgment_mask()
    systems, segments = np.nonzero(is_judged)
    statistics = chain_statistics(meteor, test, is_judged, cache, progress=progress)[systems, segments]
    n_cells, n_references, n_statistics = statistics.shape
    better = worse = np.array([], np.int64)
    if test.rankings is not None:
        cell_index = np.full(is_judged.shape, -1, np.int64)
        cell_index[systems, segments] = np.arange(n_cells)
        untied = test.rankings.strict()
        better = cell_index[untied.better, untied.segments]
        worse = cell_index[untied.worse, untied.segments]
    return _TestCells(
        counts=statistics.reshape(n_cells * n_references, n_statistics),
        sizes=np.full(n_cells, n_references),
        systems=systems,
        segments=segments,
        human_scores=test.human[systems, segments],
        reference_lengths=statistics_columns(statistics[:, 0]).reference_length.astype(float),
        better=better,
        worse=worse,
    )
