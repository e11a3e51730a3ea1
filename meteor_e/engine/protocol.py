"""What an engine is: batches of segments in, statistics and scores out.

:class:`~meteor_e.engine.native.NativeEngine` runs the C++ core, :class:`~meteor_e.engine.python.PythonEngine` is the
readable definition. They give the same digits, and nothing above this protocol knows which one runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import ClassVar, NamedTuple, TypeAlias

from meteor_e.api.languages import Parameters
from meteor_e.base.errors import MeteorError
from meteor_e.engine.batches import SegmentBatch
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import FormulaScores
from meteor_e.scoring.statistics import Statistics


class EngineSettings(NamedTuple):
    """The numbers that decide a score, beside the matchers.

    Attributes:
        parameters: of the formula.
        beam: beam width of the search, the number of partial alignments kept.
        character_mode: count lengths and matches in characters.
        weigh: what a word counts, instead of 1; not in character mode.
        identity: what makes two words one, one of :data:`meteor_e.text.identity.IDENTITIES`.
        equal_segments: lengths and matches are shares, so that sums count each segment the same.
    """

    parameters: Parameters
    beam: int
    character_mode: bool
    identity: str = "word"
    weigh: Callable[[str], int] | None = None
    equal_segments: bool = False


PairSource: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""Numbers of hypotheses and of references, all of which are scored against each other."""


class Scored(NamedTuple):
    """The results of a batch: one row per hypothesis.

    Attributes:
        statistics: int64 in rows, as :meth:`Statistics.to_vector` orders them. A hypothesis without a score has its
            lengths and no match.
        scores: float64 in rows, the fields of :class:`FormulaScores`; undefined parts are NaN.
        best_references: int32: which of its references each hypothesis is scored against.
        failures: hypothesis → the error why it has no score.
        alignments: with the best references, ``None`` for a failure; empty if they were not asked for.
        total: the statistics of all hypotheses that have a score, added up as a corpus does.
    """

    statistics: bytes
    scores: bytes
    best_references: bytes
    failures: dict[int, MeteorError]
    alignments: list[Alignment | None]
    total: list[int]

    def rows(self) -> Iterator[tuple[Statistics, FormulaScores, int]]:
        """Yield statistics, scores and best reference of each hypothesis."""
        statistics: list[int] = memoryview(self.statistics).cast("q").tolist()
        scores: list[float] = memoryview(self.scores).cast("d").tolist()  # type: ignore[assignment]
        parts, width = len(FormulaScores._fields), len(self.total)
        for number, reference in enumerate(memoryview(self.best_references).cast("i")):
            yield (
                Statistics.from_vector(statistics[number * width : (number + 1) * width]),
                FormulaScores._make(scores[number * parts : (number + 1) * parts]),
                reference,
            )


def joined(parts: Sequence[Scored]) -> Scored:
    """Return the results of consecutive batches as those of one."""
    if len(parts) == 1:
        return parts[0]
    starts = accumulate((len(part.best_references) // 4 for part in parts), initial=0)
    failures: dict[int, MeteorError] = {}
    for start, part in zip(starts, parts, strict=False):
        failures.update((start + place, error) for place, error in part.failures.items())
    return Scored(
        statistics=b"".join(part.statistics for part in parts),
        scores=b"".join(part.scores for part in parts),
        best_references=b"".join(part.best_references for part in parts),
        failures=failures,
        alignments=[alignment for part in parts for alignment in part.alignments],
        total=[sum(column) for column in zip(*(part.total for part in parts), strict=True)],
    )


class Engine(ABC):
    """Scores batches of segments. Threads may share one.

    Class attributes:
        name: what :attr:`meteor_e.Meteor.engine` says.
    """

    name: ClassVar[str]

    @abstractmethod
    def score(
        self,
        batch: SegmentBatch,
        *,
        threads: int = 1,
        alignments: bool = False,
        maximum_accuracy: bool = False,
        stop: object = None,
    ) -> Scored:
        """Score a batch, each hypothesis against its own references (at least one).

        Args:
            batch: raw segments.
            threads: how many threads work.
            alignments: keep the alignments.
            maximum_accuracy: align in the maximum-accuracy mode.
            stop: when another thread makes it true, a list that gets an item, the call ends in KeyboardInterrupt.

        Raises:
            MeteorError: if a resource or a matcher fails; what is wrong with a single pair is in ``failures``.
        """

    def score_pairs(
        self, texts: Sequence[str], sources: Sequence[PairSource], *, threads: int = 1
    ) -> tuple[array[float], dict[int, MeteorError]]:
        """Score every hypothesis of a source against every reference of the source; by default pair by pair.

        Args:
            texts: raw segments.
            sources: for each source its hypotheses and its references, as numbers of texts.
            threads: how many threads work.

        Returns:
            The scores, source by source, one row per hypothesis; and for each place of a pair without a score the
            error why it has none.
        """
        scores = array("d")
        failures: dict[int, MeteorError] = {}
        for hypotheses, references in sources:
            others = [[texts[number]] for number in references]
            for hypothesis in hypotheses:
                row = self.score(SegmentBatch(1, [texts[hypothesis]] * len(others), others), threads=threads)
                failures.update((len(scores) + place, problem) for place, problem in row.failures.items())
                scores.extend(parts.score for _, parts, _ in row.rows())
        return scores, failures
