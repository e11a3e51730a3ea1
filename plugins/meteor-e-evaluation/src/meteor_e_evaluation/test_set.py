"""Defines a test set with human judgments."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import SystemOutputs
from meteor_e.base.array_cache import Floats
from meteor_e_evaluation.judgments import Assessments, Rankings


@dataclass(frozen=True)
class TestSet(SystemOutputs):
    """The outputs and human judgments of one language pair of a shared task.

    Attributes:
        name: name of the shared task.
        pair: language pair, such as ``cs-en``.
        language: ISO code of the language of the outputs.
        systems: sorted names of the judged systems.
        outputs: list of segments of each system.
        references: list of segments of each reference.
        source: segments of the source, or None if the index does not name a source.
        rankings: human comparisons of outputs, or None if the index does not name rankings.
        assessments: human ratings of outputs, or None if the index does not name ratings.
        system_scores: human scores of systems by name. Empty if the index does not name such scores.
        notes: messages of the readers about data that were left out.
        known_systems: names of all systems with outputs, with and without judgments.
        output_files: path of the output of each system, if every system has a file of its own.
        reference_names: names of the references in score files. Empty if the index does not define them.
        documents: name of the document of each segment. Empty if the index does not name documents.
        outliers: names of the systems that system-level measures leave out.
        root: folder of the data.
    """

    __test__ = False  # Prevents pytest from collecting this class.

    rankings: Rankings | None = None
    assessments: Assessments | None = None
    system_scores: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    known_systems: tuple[str, ...] = ()
    output_files: dict[str, str] = field(default_factory=dict)
    reference_names: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    outliers: tuple[str, ...] = ()
    root: str = ""

    @property
    def title(self) -> str:
        """The name of the language pair for error messages.

        If the test set does not have a language pair, error messages say "the test set" instead.
        """
        return self.pair or "the test set"

    @cached_property
    def human(self) -> Floats:
        """A matrix ``(systems, segments)`` of mean ratings, with NaN for outputs without ratings."""
        shape = (len(self.systems), len(self))
        if self.assessments is None:
            return np.full(shape, np.nan)
        return self.assessments.matrix(shape)

    def without(self, removed_outputs: NDArray[np.bool_]) -> TestSet:
        """Return a copy of the test set that lacks the judgments of the given outputs.

        Args:
            removed_outputs: a mask of the outputs, ``(systems, segments)``.
        """
        rankings = self.rankings
        if rankings is not None:
            better_is_removed = removed_outputs[rankings.better, rankings.segments]
            worse_is_removed = removed_outputs[rankings.worse, rankings.segments]
            rankings = rankings.select(~(better_is_removed | worse_is_removed))
        ratings = self.assessments
        if ratings is not None:
            ratings = ratings.select(~removed_outputs[ratings.systems, ratings.segments])
        return dataclasses.replace(self, rankings=rankings, assessments=ratings)

    def judgment_mask(self) -> NDArray[np.bool_]:
        """Return a mask ``(systems, segments)`` of the outputs that have human judgments."""
        is_judged = np.zeros((len(self.systems), len(self)), bool)
        if self.rankings is not None:
            is_judged[self.rankings.better, self.rankings.segments] = True
            is_judged[self.rankings.worse, self.rankings.segments] = True
        if self.assessments is not None:
            is_judged[self.assessments.systems, self.assessments.segments] = True
        return is_judged


def align_references(references_by_segment: Sequence[Sequence[str]]) -> tuple[list[str], ...]:
    """Return lists of references with one reference per segment.

    The first list contains the first reference of each segment, and so on. If a segment has fewer references than other
    segments, its last reference is repeated.
    """
    n_references = max(len(references) for references in references_by_segment)
    aligned_references = []
    for index in range(n_references):
        aligned_references.append([references[min(index, len(references) - 1)] for references in references_by_segment])
    return tuple(aligned_references)
