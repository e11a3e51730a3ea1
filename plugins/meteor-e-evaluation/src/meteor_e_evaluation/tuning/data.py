"""Collects the statistics and the judgments of test sets for tuning."""

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
    """Statistics and judgments of the outputs of several test sets.

    A cell is the output of one system for one segment. A unit is a segment of a test set. A group is a test set of one
    language pair. Folds and bootstrap samples consist of units.

    Attributes:
        counts: statistics of each cell and reference, ``(cells × references, statistics)``. The rows of a cell are
            adjacent.
        starts: index of each cell's first row in ``counts``, ``(cells,)``.
        units: unit of each cell, ``(cells,)``.
        groups: group of each cell, ``(cells,)``.
        human_scores: human score of each cell, ``(cells,)``. NaN if the cell does not have a score.
        lengths: number of words of each cell's first reference, ``(cells,)``.
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
    lengths: Floats
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
        """Return the cells and the judgments of some units.

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
            starts=np.cumsum(selected_sizes) - selected_sizes,
            units=self.units[is_selected],
            groups=self.groups[is_selected],
            human_scores=self.human_scores[is_selected],
            lengths=self.lengths[is_selected],
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

    If an output has several ratings, their mean is used.

    Args:
        meteor: the chain that aligns the outputs.
        tests: the test sets.
        cache: stores statistics between runs.
        progress: receives the progress.

    Raises:
        ConfigError: if a test set and the chain have different languages.
    """
    language = meteor.chain.language.code
    arrays_of_tests: list[dict[str, NDArray[np.generic]]] = []
    unit_groups: list[int] = []
    references: list[str] = []
    n_cells = 0
    for group, test in enumerate(tests):
        _check_language(test, language)
        arrays_of_test = _collect_test_set(meteor, test, cache, progress)
        n_test_cells = len(arrays_of_test["units"])
        arrays_of_test["groups"] = np.full(n_test_cells, group)
        # The indices of units and cells continue those of the previous test set.
        arrays_of_test["units"] = arrays_of_test["units"] + len(unit_groups)
        arrays_of_test["better"] = arrays_of_test["better"] + n_cells
        arrays_of_test["worse"] = arrays_of_test["worse"] + n_cells
        arrays_of_tests.append(arrays_of_test)
        unit_groups += [group] * len(test)
        references += test.references[0]
        n_cells += n_test_cells
    arrays = {name: np.concatenate([entry[name] for entry in arrays_of_tests]) for name in arrays_of_tests[0]}
    sizes = arrays.pop("sizes").astype(np.int64)
    return TuningSet(
        **arrays,
        starts=np.cumsum(sizes) - sizes,
        names=tuple(f"{test.name} {test.pair}" for test in tests),
        unit_groups=np.array(unit_groups, np.int64),
        tests=tuple(tests),
        references=tuple(references),
    )


def _check_language(test: TestSet, language: str) -> None:
    if test.language != language:
        raise ConfigError(f"{test.name} {test.pair} is in {test.language!r}, but the chain is for {language!r}")


def _collect_test_set(
    meteor: Meteor, test: TestSet, cache: ArrayCache, progress: Progress
) -> dict[str, NDArray[np.generic]]:
    """Return the arrays of one test set by name. The indices of units and cells start from 0."""
    is_judged = test.judgment_mask()
    statistics = chain_statistics(meteor, test, is_judged, cache, progress=progress)
    systems, segments = np.nonzero(is_judged)
    cell_index = np.full(is_judged.shape, -1, np.int64)
    cell_index[systems, segments] = np.arange(len(systems))
    better = worse = np.array([], np.int64)
    if test.rankings is not None:
        untied = test.rankings.strict()
        better = cell_index[untied.better, untied.segments]
        worse = cell_index[untied.worse, untied.segments]
    cell_statistics = statistics[systems, segments]
    return {
        "counts": cell_statistics.reshape(-1, cell_statistics.shape[-1]),
        "sizes": np.full(len(systems), cell_statistics.shape[1]),
        "units": segments,
        "human_scores": test.human[systems, segments],
        "lengths": statistics_columns(cell_statistics[:, 0]).reference_length.astype(float),
        "better": better,
        "worse": worse,
        "systems": systems,
    }
