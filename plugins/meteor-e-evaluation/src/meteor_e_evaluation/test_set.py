"""A judged test set: one language pair of a shared task."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import SystemOutputs
from meteor_e.base.array_cache import Floats
from meteor_e_evaluation.judgments import Assessments, Rankings


@dataclass(frozen=True)
class TestSet(SystemOutputs):
    """One language pair of a shared task.

    Attributes:
        name: of the shared task.
        pair: ``source-target``.
        language: of the outputs.
        systems: names of the judged systems, sorted.
        outputs: their outputs, in the order of ``systems``; one list of segments each.
        references: one list of segments per reference.
        source: segments of the source; ``None`` if the index names none.
        rankings: comparisons of systems; ``None`` if there are none.
        assessments: ratings of segments; ``None`` if there are none.
        system_scores: human scores of systems, by name; empty if there are none.
        notes: messages of the readers about data that were left out.
        known_systems: names of all systems with outputs, judged or not.
        output_files: for each system in a file of its own, the path of the file.
        reference_names: names of the references in files of scores; empty if the index does not give them.
        documents: the document of each segment; empty if the index does not give them.
        outliers: systems that system-level measures leave out.
        root: folder of the data.
    """

    __test__ = False  # pytest must not collect it as a test class.

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

    @cached_property
    def human(self) -> Floats:
        """Mean ratings, ``(systems, segments)``; NaN for outputs without ratings."""
        shape = (len(self.systems), len(self))
        return np.full(shape, np.nan) if self.assessments is None else self.assessments.matrix(shape)

    def without(self, outputs: NDArray[np.bool_]) -> TestSet:
        """Return the test set without the judgments of the outputs of a mask, ``(systems, segments)``."""
        rankings, assessments = self.rankings, self.assessments
        if rankings is not None:
            is_removed = outputs[rankings.better, rankings.segments] | outputs[rankings.worse, rankings.segments]
            rankings = rankings.select(~is_removed)
        if assessments is not None:
            assessments = assessments.select(~outputs[assessments.systems, assessments.segments])
        return dataclasses.replace(self, rankings=rankings, assessments=assessments)

    def judgment_mask(self) -> NDArray[np.bool_]:
        """Return a mask of the judged outputs, ``(systems, segments)``."""
        is_judged = np.zeros((len(self.systems), len(self)), bool)
        if self.rankings is not None:
            is_judged[self.rankings.better, self.rankings.segments] = True
            is_judged[self.rankings.worse, self.rankings.segments] = True
        if self.assessments is not None:
            is_judged[self.assessments.systems, self.assessments.segments] = True
        return is_judged
