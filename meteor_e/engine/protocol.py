"""Define the interface that the Python engine and the C++ engine have in common.

:class:`~meteor_e.engine.native.NativeEngine` runs the C++ core. :class:`~meteor_e.engine.python.PythonEngine` is a
slower but readable implementation. Both engines return the same numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

from meteor_e.api.batches import Batch
from meteor_e.api.languages import Parameters
from meteor_e.base.errors import MeteorError
from meteor_e.scoring.rows import Rows

if TYPE_CHECKING:
    from meteor_e.api.lemmatizers import Lemmatizer
    from meteor_e.api.tokens import Token
    from meteor_e.text.normalization import Normalizer


class EngineSettings(NamedTuple):
    """Store all settings that affect scores, except for the matchers.

    Attributes:
        parameters: parameters of the formula.
        beam: beam width, the number of partial alignments that the search keeps.
        character_mode: count lengths and matches in characters.
        identity: a name in :data:`meteor_e.text.identity.IDENTITIES`, which defines when two words are equal.
        word_units: function that returns the number of units that a word counts, instead of 1. It is not used in
            character mode.
        macro_average: divide lengths and matches by the length of the segment, so that all segments count equally in
            a corpus score.
    """

    parameters: Parameters
    beam: int
    character_mode: bool
    identity: str = "word"
    word_units: Callable[[str], int] | None = None
    macro_average: bool = False


class Tokenization(NamedTuple):
    """Store the functions that convert a raw segment to tokens.

    Attributes:
        tokenize: function that returns the tokens of a raw segment. It applies the other functions one after the other.
        normalizer: function that normalizes a text. Spaces separate the words of the normalized text.
        insert_spaces: function that inserts spaces between the words of a raw segment, in a language that is written
            without spaces; ``None`` for other languages.
        lemmatizer: the lemmatizer, or ``None`` if tokens do not have lemmas.
    """

    tokenize: Callable[[str], Sequence[Token]]
    normalizer: Normalizer
    insert_spaces: Callable[[str], str] | None
    lemmatizer: Lemmatizer | None


PairSource: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""The hypotheses and the references of a source, as indexes of texts. All of them are compared with each other."""


class PairScores(NamedTuple):
    """Store the scores of pairs of texts.

    Attributes:
        scores: score of each pair.
        failures: errors of the pairs that cannot be aligned, by the index of the pair.
    """

    scores: array[float]
    failures: dict[int, MeteorError]

    def append_rows(self, rows: Rows) -> None:
        """Append the results of a batch in which each pair is a segment."""
        first_index = len(self.scores)
        for index, error in rows.failures.items():
            self.failures[first_index + index] = error
        self.scores.extend(formula_scores.score for _, formula_scores, _ in rows.segments())


class Engine(ABC):
    """Score batches of segments. This is the base class of the engines. Several threads may use the same engine.

    Class attributes:
        name: name of the engine. It is the value of :attr:`meteor_e.Meteor.engine`.
    """

    name: ClassVar[str]

    @abstractmethod
    def score(self, batch: Batch, *, maximum_accuracy: bool = False) -> Rows:
        """Score the hypotheses of a batch against their references.

        Args:
            batch: raw segments with at least one reference each. ``batch.threads`` is the number of threads.
                ``batch.alignments`` determines whether the alignments are kept.
            maximum_accuracy: align in the maximum-accuracy mode.

        Raises:
            MeteorError: if a resource or a matcher fails. Errors of single segments are stored in ``failures``.
        """

    def score_pairs(self, texts: Sequence[str], sources: Sequence[PairSource], *, threads: int = 1) -> PairScores:
        """Score each hypothesis of a source sentence against each of its references, for several sources.

        This default implementation calls :meth:`score` once for each hypothesis.

        Args:
            texts: raw segments.
            sources: for each source its hypotheses and its references, as indexes of texts.
            threads: number of threads.

        Returns:
            The scores of each hypothesis against all references, one hypothesis after the other.
        """
        pair_scores = PairScores(array("d"), {})
        for hypothesis_ids, reference_ids in sources:
            references = [[texts[text_id]] for text_id in reference_ids]
            for text_id in hypothesis_ids:
                repeated_hypothesis = [texts[text_id]] * len(references)
                rows = self.score(Batch(repeated_hypothesis, references, threads=threads))
                pair_scores.append_rows(rows)
        return pair_scores
