"""Collects alignment statistics and human judgments of test sets for tuning."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
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
    systems: Integers
    tests: tuple[TestSet, ...] = ()
    references: tuple[str, ...] = ()

    def number_segments(self) -> Integers:
        """Return the index of each unit within its test set, an array ``(units,)``."""
        # Units (segments) are sorted by group (test set), so a binary search finds the first unit of each group.
        first_units = np.searchsorted(self.unit_groups, self.unit_groups)
        return np.arange(len(self.unit_groups)) - first_units

    def count_references(self) -> Integers:
        """Return the number of references of each system output, an array ``(cells,)``."""
        return np.diff(np.append(self.starts, len(self.counts)))

    def select(self, selected_units: NDArray[np.bool_]) -> TuningSet:
        """Return a tuning set with the outputs and the judgments of the selected segments only.

        Args:
            selected_units: a mask of the units (segments of a test set) to select, ``(units,)``.
        """
        selected_cells = selected_units[self.units]
        n_references = self.count_references()
        selected_rows = np.repeat(selected_cells, n_references)  # Each cell has one row of counts per reference.
        better, worse = self._select_pairs(selected_cells)
        return dataclasses.replace(
            self,
            counts=self.counts[selected_rows],
            starts=_first_indices(n_references[selected_cells]),
            units=self.units[selected_cells],
            groups=self.groups[selected_cells],
            human_scores=self.human_scores[selected_cells],
            reference_lengths=self.reference_lengths[selected_cells],
            better=better,
            worse=worse,
            systems=self.systems[selected_cells],
        )

    def _select_pairs(self, is_selected: NDArray[np.bool_]) -> tuple[Integers, Integers]:
        """Return the indices of the better and of the worse output in each comparison between selected outputs.

        Each index is a position among the selected outputs.

        Args:
            is_selected: a mask of the selected cells, ``(cells,)``.
        """
        new_index = np.cumsum(is_selected) - 1  # (cells,)
        # Both outputs in a comparison belong to the same segment, so either both outputs are selected or neither is.
        is_selected_pair = is_selected[self.better]
        return new_index[self.better[is_selected_pair]], new_index[self.worse[is_selected_pair]]


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
    return _join_tests([_align_test(meteor, test, cache, progress) for test in tests])


class _AlignedTest(NamedTuple):
    """For one test set, alignment statistics of all outputs with human judgments.

    Attributes:
        test: the test set.
        systems: index of the system of each judged output, ``(cells,)``.
        segments: index of the segment of each judged output, ``(cells,)``.
        statistics: statistics of each judged output, ``(cells, references, statistics)``.
    """

    test: TestSet
    systems: Integers
    segments: Integers
    statistics: Counts

    @property
    def counts(self) -> Counts:
        """Array of alignment statistics, with one row for each pair of a judged output and one of its references."""
        return self.statistics.reshape(-1, self.statistics.shape[2])

    @property
    def human_scores(self) -> Floats:
        """Human score of each judged output. NaN if the output does not have a score."""
        return self.test.human[self.systems, self.segments]

    @property
    def reference_lengths(self) -> Floats:
        """Number of words of the first reference of each judged output."""
        first_reference_statistics = statistics_columns(self.statistics[:, 0])
        return np.asarray(first_reference_statistics.reference_length, float)

    def find_compared_cells(self) -> tuple[Integers, Integers]:
        """Return the indices of the better and of the worse output in each human comparison of two outputs.

        Comparisons without a winner are left out.
        """
        if self.test.rankings is None:
            no_cells = np.array([], np.int64)
            return no_cells, no_cells
        # Outputs without judgments keep the index 0. It is never used, because only judged outputs are compared.
        cell_index = np.zeros((len(self.test.systems), len(self.test)), np.int64)
        cell_index[self.systems, self.segments] = np.arange(len(self.systems))
        untied = self.test.rankings.strict()
        return cell_index[untied.better, untied.segments], cell_index[untied.worse, untied.segments]


def _align_test(meteor: Meteor, test: TestSet, cache: ArrayCache, progress: Progress) -> _AlignedTest:
    """Align the judged outputs of one test set."""
    language = meteor.chain.language.code
    if test.language != language:
        raise ConfigError(f"{test.name} {test.pair} is in {test.language!r}, but the chain is for {language!r}")
    is_judged = test.judgment_mask()  # (systems, segments)
    systems, segments = np.nonzero(is_judged)
    statistics = chain_statistics(meteor, test, is_judged, cache, progress=progress)
    return _AlignedTest(test, systems, segments, statistics[systems, segments])


def _join_tests(aligned_tests: Sequence[_AlignedTest]) -> TuningSet:
    """Concatenate the statistics and the judgments of several test sets, with one group per test set."""
    tests = tuple(aligned.test for aligned in aligned_tests)
    groups = np.arange(len(tests))
    n_units = [len(test) for test in tests]
    n_cells = [len(aligned.systems) for aligned in aligned_tests]
    n_references = [aligned.statistics.shape[1] for aligned in aligned_tests]
    pairs = [aligned.find_compared_cells() for aligned in aligned_tests]
    return TuningSet(
        counts=np.concatenate([aligned.counts for aligned in aligned_tests]),
        starts=_first_indices(np.repeat(n_references, n_cells)),
        units=_join_indices([aligned.segments for aligned in aligned_tests], n_units),
        groups=np.repeat(groups, n_cells),
        human_scores=np.concatenate([aligned.human_scores for aligned in aligned_tests]),
        reference_lengths=np.concatenate([aligned.reference_lengths for aligned in aligned_tests]),
        better=_join_indices([better for better, _ in pairs], n_cells),
        worse=_join_indices([worse for _, worse in pairs], n_cells),
        names=tuple(f"{test.name} {test.pair}" for test in tests),
        unit_groups=np.repeat(groups, n_units),
        systems=np.concatenate([aligned.systems for aligned in aligned_tests]),
        tests=tests,
        references=tuple(reference for test in tests for reference in test.references[0]),
    )


def _join_indices(arrays: Sequence[Integers], sizes: Sequence[int]) -> Integers:
    """Join arrays of indices, so that the indices of each test set continue those of the test sets before it.

    Args:
        arrays: indices of items in each test set.
        sizes: number of items in each test set.
    """
    offsets = _first_indices(np.array(sizes))
    return np.concatenate([indices + offset for indices, offset in zip(arrays, offsets, strict=True)])


def _first_indices(sizes: Integers) -> Integers:
    """Return the index at which each group starts in an array of concatenated groups.

    Args:
        sizes: number of items of each group.
    """
    return np.asarray(np.cumsum(sizes) - sizes)
