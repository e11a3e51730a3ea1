"""What an engine is: batches of segments in, statistics and scores out.

:class:`~meteor_e.engine.native.NativeEngine` runs the C++ core, :class:`~meteor_e.engine.python.PythonEngine` is the
readable definition. They give the same digits, and nothing above this protocol knows which one runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from meteor_e.api.batches import Batch
from meteor_e.api.languages import Parameters
from meteor_e.base.errors import MeteorError
from meteor_e.scoring.rows import Rows


class EngineSettings(NamedTuple):
    """The numbers that decide a score, beside the matchers.

    Attributes:
        parameters: of the formula.
        beam: beam width of the search, the number of partial alignments kept.
        character_mode: count lengths and matches in characters.
        word_units: what a word counts, instead of 1; not in character mode.
        identity: what makes two words one, one of :data:`meteor_e.text.identity.IDENTITIES`.
        equal_segments: lengths and matches are shares, so that sums count each segment the same.
    """

    parameters: Parameters
    beam: int
    character_mode: bool
    identity: str = "word"
    word_units: Callable[[str], int] | None = None
    equal_segments: bool = False


PairSource: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""Numbers of hypotheses and of references, all of which are scored against each other."""


class Engine(ABC):
    """Scores batches of segments. Threads may share one.

    Class attributes:
        name: what :attr:`meteor_e.Meteor.engine` says.
    """

    name: ClassVar[str]

    @abstractmethod
    def score(self, batch: Batch, *, maximum_accuracy: bool = False) -> Rows:
        """Score a batch, each hypothesis against its own references (at least one).

        Args:
            batch: raw segments. ``batch.threads`` is a number here; ``batch.alignments`` says whether to keep the
                alignments.
            maximum_accuracy: align in the maximum-accuracy mode.

        Raises:
            MeteorError: if a resource or a matcher fails. What is wrong with a single pair is in ``failures``.
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
                row = self.score(Batch([texts[hypothesis]] * len(others), others, threads=threads))
                failures.update((len(scores) + index, error) for index, error in row.failures.items())
                scores.extend(parts.score for _, parts, _ in row.segments())
        return scores, failures
