"""The engine in plain Python: what METEOR computes, to read and to check the native engine against."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from meteor_e.api.matchers import ContextualMatcher, Matcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import MeteorError, guarded
from meteor_e.engine.batches import SegmentBatch
from meteor_e.engine.candidates import collect_candidates, family_of
from meteor_e.engine.protocol import EngineSettings, PairSource, Scored, score_pairs_one_by_one
from meteor_e.engine.search import DEFAULT_BEAM, search
from meteor_e.scoring import formula
from meteor_e.scoring.alignment import Alignment, count_chunks
from meteor_e.scoring.characters import ngram_shares, subsequence_shares
from meteor_e.scoring.statistics import Statistics, StatisticsSum, collect
from meteor_e.text.identity import Identity, find_identity

_WHOLE = {"characters": ngram_shares, "subsequence": subsequence_shares}
"""What the matchers of whole segments compare, by their family."""


def align(
    matchers: Sequence[Matcher],
    hypothesis: Sequence[Token],
    reference: Sequence[Token],
    *,
    beam: int = DEFAULT_BEAM,
    maximum_accuracy: bool = False,
    identity: Identity = str,
) -> Alignment:
    """Align a hypothesis with a reference.

    Args:
        matchers: the chain.
        hypothesis: tokens of the hypothesis.
        reference: tokens of the reference.
        beam: number of paths that survive a reference position.
        maximum_accuracy: prefer matches to few chunks, as the Java aligner's ``maxacc`` mode.
        identity: what makes two words one.

    Raises:
        InputError: if words repeat so often that the pair has too many candidates, or paths for its beam.
        PluginError: if a matcher proposes words that are not there.
    """
    candidates = collect_candidates(matchers, hypothesis, reference, identity)
    chosen = search(
        candidates.by_reference,
        candidates.fixed,
        [matcher.accuracy_search_weight if maximum_accuracy else matcher.search_weight for matcher in matchers],
        beam=beam,
        compare_matched_words=maximum_accuracy,
        hypothesis_size=len(hypothesis),
    )
    matches = tuple(chosen)
    return Alignment(
        tuple(token.form for token in hypothesis),
        tuple(token.form for token in reference),
        matches,
        tuple(matcher.name for matcher in matchers),
        count_chunks(matches),
    )


class _Pair(NamedTuple):
    """A hypothesis with one of its references."""

    reference: int
    alignment: Alignment | None
    statistics: Statistics
    scores: formula.FormulaScores


class PythonEngine:
    """Scores batches, one pair of segments after the other.

    Args:
        settings: parameters, beam and units.
        matchers: the chain.
        function_words: the language's function words.
        tokenize: a raw segment's tokens.
    """

    name = "python"
    max_threads = 1

    def __init__(
        self,
        settings: EngineSettings,
        matchers: Sequence[Matcher],
        function_words: Collection[str],
        tokenize: Callable[[str], Sequence[Token]],
    ) -> None:
        self._settings = settings
        self._matchers = matchers
        self._encoders = [matcher for matcher in matchers if isinstance(matcher, ContextualMatcher)]
        self._function_words = function_words
        self._tokenize = tokenize
        self._identity = find_identity(settings.identity)

    def score(
        self,
        batch: SegmentBatch,
        *,
        threads: int = 1,
        alignments: bool = False,
        maximum_accuracy: bool = False,
        stop: object = None,
    ) -> Scored:
        """Score a batch; see :meth:`meteor_e.engine.protocol.Engine.score`. The alignments are always kept."""
        pairs = zip(batch.hypotheses, batch.references, strict=True)
        sides: Iterable[list[Sequence[Token]]]
        sides = ([self._tokenize(text) for text in (hypothesis, *texts)] for hypothesis, texts in pairs)
        if self._encoders:
            sides = self._encoded(sides)
        return self._score(sides, maximum_accuracy, stop)

    def score_pairs(
        self, texts: Sequence[str], sources: Sequence[PairSource], *, threads: int = 1
    ) -> tuple[array[float], dict[int, MeteorError]]:
        """Score pairs of texts; see :meth:`meteor_e.engine.protocol.Engine.score_pairs`."""
        return score_pairs_one_by_one(self, texts, sources)

    def _encoded(self, sides: Iterable[Iterable[Sequence[Token]]]) -> list[list[Sequence[Token]]]:
        """Encode all sentences at once; the matchers then find them in memory, as far as it reaches."""
        kept = [list(segments) for segments in sides]
        distinct = dict.fromkeys(tuple(tokens) for segments in kept for tokens in segments if tokens)
        for matcher in self._encoders:
            with guarded(f"matcher {matcher.name!r}"):
                matcher.sentence_rows([sentence for sentence in distinct if len(sentence) <= matcher.longest_sentence])
        return kept

    def _score(self, sides: Iterable[Sequence[Sequence[Token]]], accurate: bool, stop: object) -> Scored:
        """Score hypotheses, each followed by its references."""
        statistics, scores, references = array("q"), array("d"), array("i")
        failures: dict[int, MeteorError] = {}
        kept: list[Alignment | None] = []
        total = StatisticsSum(len(self._matchers))
        for number, (hypothesis, *others) in enumerate(sides):
            if stop:
                raise KeyboardInterrupt
            try:
                best = self._best(hypothesis, others, accurate)
                total.add(best.statistics)
            except MeteorError as error:
                failures[number] = error
                best = self._count(hypothesis, others[0], None, 0)
            statistics.extend(best.statistics.to_vector())
            scores.extend(best.scores)
            references.append(best.reference)
            kept.append(best.alignment)
        return Scored(
            statistics.tobytes(),
            scores.tobytes(),
            references.tobytes(),
            failures,
            kept,
            total.total.to_vector(),
        )

    def _best(self, hypothesis: Sequence[Token], references: Sequence[Sequence[Token]], accurate: bool) -> _Pair:
        """Return the pair of the reference with the highest score, of equals the first."""
        pairs = []
        for number, reference in enumerate(references):
            alignment = align(
                self._matchers,
                hypothesis,
                reference,
                beam=self._settings.beam,
                maximum_accuracy=accurate,
                identity=self._identity,
            )
            pairs.append(self._count(hypothesis, reference, alignment, number))
        return max(pairs, key=lambda pair: pair.scores.score)

    def _count(
        self, hypothesis: Sequence[Token], reference: Sequence[Token], alignment: Alignment | None, number: int
    ) -> _Pair:
        """Score an alignment; ``None`` stands for one in which nothing matches."""
        statistics = collect(
            [token.form for token in hypothesis],
            [token.form for token in reference],
            () if alignment is None else alignment.matches,
            0 if alignment is None else alignment.chunks,
            len(self._matchers),
            self._function_words,
            character_mode=self._settings.character_mode,
            equal=self._settings.equal_segments,
            weigh=self._settings.weigh,
            graded=[matcher.graded for matcher in self._matchers],
            whole=[_WHOLE.get(family_of(matcher)) for matcher in self._matchers],
        )
        return _Pair(number, alignment, statistics, formula.compute(statistics, self._settings.parameters))
