"""Score segments in plain Python. This code is the reference implementation for the engine in C++."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from meteor_e.api.batches import Batch
from meteor_e.api.contextual_matchers import ContextualMatcher
from meteor_e.api.matchers import Matcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import MeteorError, plugin_errors
from meteor_e.engine.candidates import collect_candidates
from meteor_e.engine.protocol import Engine, EngineSettings
from meteor_e.engine.search import DEFAULT_BEAM, search
from meteor_e.matchers.pieces import CharactersMatcher, SubsequenceMatcher
from meteor_e.scoring.alignment import Alignment, count_chunks
from meteor_e.scoring.characters import ngram_shares, subsequence_shares
from meteor_e.scoring.formula import FormulaScores, compute
from meteor_e.scoring.rows import Rows
from meteor_e.scoring.statistics import (
    SegmentComparison,
    Statistics,
    StatisticsCounter,
    characters_of,
    sum_statistics,
)
from meteor_e.text.identity import IDENTITIES, Identity

_SEGMENT_COMPARISONS: dict[type[Matcher], SegmentComparison] = {
    CharactersMatcher: ngram_shares,
    SubsequenceMatcher: subsequence_shares,
}
"""The functions that compare whole segments, by the class of the matcher. Subclasses do not inherit the function."""


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
        beam: number of paths that the search keeps at each reference position.
        maximum_accuracy: prefer more matches to fewer chunks, like the ``maxacc`` mode of the Java aligner.
        identity: function that returns equal values for words that count as equal.

    Raises:
        InputError: if words repeat so often that the pair has too many candidates or paths.
        PluginError: if a matcher fails, or proposes words that do not exist.
    """
    candidates = collect_candidates(matchers, hypothesis, reference, identity)
    if maximum_accuracy:
        search_weights = [matcher.accuracy_search_weight for matcher in matchers]
    else:
        search_weights = [matcher.search_weight for matcher in matchers]
    matches = search(
        candidates.by_reference,
        candidates.fixed,
        search_weights,
        beam=beam,
        compare_matched_words=maximum_accuracy,
        hypothesis_size=len(hypothesis),
    )
    return Alignment(
        hypothesis=tuple(token.form for token in hypothesis),
        reference=tuple(token.form for token in reference),
        matches=tuple(matches),
        matchers=tuple(matcher.name for matcher in matchers),
        chunks=count_chunks(matches),
    )


class _AlignmentScore(NamedTuple):
    """Store an alignment with its statistics and scores.

    Attributes:
        reference_index: index of the reference among the references of the segment.
        alignment: alignment of the hypothesis with the reference.
        statistics: statistics of the alignment.
        scores: the score and its parts.
    """

    reference_index: int
    alignment: Alignment
    statistics: Statistics
    scores: FormulaScores


class PythonEngine(Engine):
    """Score the segments of a batch in Python, one after the other.

    Args:
        settings: parameters, beam and units.
        matchers: the chain.
        function_words: the language's function words.
        tokenize: function that returns the tokens of a raw segment.
    """

    name = "python"

    def __init__(
        self,
        settings: EngineSettings,
        matchers: Sequence[Matcher],
        function_words: Collection[str],
        tokenize: Callable[[str], Sequence[Token]],
    ) -> None:
        self._settings = settings
        self._matchers = matchers
        self._tokenize = tokenize
        self._identity = IDENTITIES[settings.identity]
        word_units = characters_of if settings.character_mode else settings.word_units
        graded_matchers = [index for index, matcher in enumerate(matchers) if matcher.graded]
        segment_comparisons = _find_segment_comparisons(matchers)
        self._counter = StatisticsCounter(
            function_words, word_units, graded_matchers, segment_comparisons, settings.macro_average
        )
        self._encoders = [matcher for matcher in matchers if isinstance(matcher, ContextualMatcher)]

    def score(self, batch: Batch, *, maximum_accuracy: bool = False) -> Rows:
        """Score a batch, as described in :meth:`meteor_e.engine.protocol.Engine.score`. Alignments are always kept."""
        hypotheses = [self._tokenize(text) for text in batch.hypotheses]
        references = [[self._tokenize(text) for text in texts] for texts in batch.references]
        for encoder in self._encoders:
            _cache_sentence_vectors(encoder, hypotheses, references)
        best_scores: list[_AlignmentScore] = []
        failures: dict[int, MeteorError] = {}
        for index, (hypothesis, segment_references) in enumerate(zip(hypotheses, references, strict=True)):
            if batch.stop:
                raise KeyboardInterrupt
            try:
                best = self._score_segment(hypothesis, segment_references, maximum_accuracy)
            except MeteorError as error:
                failures[index] = error
                best = self._score_without_matches(hypothesis, segment_references[0])
            best_scores.append(best)
        return _make_rows(best_scores, failures, len(self._matchers))

    def _score_segment(
        self, hypothesis: Sequence[Token], references: Sequence[Sequence[Token]], maximum_accuracy: bool
    ) -> _AlignmentScore:
        """Score a hypothesis against each of its references, and return the highest score.

        If several references have the same highest score, the first one is chosen.
        """
        alignment_scores = []
        for index, reference in enumerate(references):
            alignment = align(
                self._matchers,
                hypothesis,
                reference,
                beam=self._settings.beam,
                maximum_accuracy=maximum_accuracy,
                identity=self._identity,
            )
            alignment_scores.append(self._score_alignment(alignment, index))
        return max(alignment_scores, key=lambda alignment_score: alignment_score.scores.score)

    def _score_without_matches(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> _AlignmentScore:
        """Return the score of a hypothesis and a reference as if no words matched."""
        hypothesis_words = tuple(token.form for token in hypothesis)
        reference_words = tuple(token.form for token in reference)
        matcher_names = tuple(matcher.name for matcher in self._matchers)
        alignment = Alignment(hypothesis_words, reference_words, matches=(), matchers=matcher_names, chunks=0)
        return self._score_alignment(alignment, reference_index=0)

    def _score_alignment(self, alignment: Alignment, reference_index: int) -> _AlignmentScore:
        """Count the matched words and the chunks of an alignment, and compute its score."""
        statistics = self._counter.count(alignment)
        scores = compute(statistics, self._settings.parameters)
        return _AlignmentScore(reference_index, alignment, statistics, scores)


def _find_segment_comparisons(matchers: Sequence[Matcher]) -> dict[int, SegmentComparison]:
    """Return a dictionary from matcher indexes to the functions that compare whole segments."""
    comparisons = [_SEGMENT_COMPARISONS.get(type(matcher)) for matcher in matchers]
    return {index: comparison for index, comparison in enumerate(comparisons) if comparison is not None}


def _make_rows(scores: Sequence[_AlignmentScore], failures: Mapping[int, MeteorError], matcher_count: int) -> Rows:
    """Return the rows of a batch.

    Args:
        scores: for each segment the score against its best reference.
        failures: errors of the segments that cannot be aligned, by the index of the segment.
        matcher_count: number of matchers of the chain.
    """
    statistics = chain.from_iterable(score.statistics.to_vector() for score in scores)
    formula_scores = chain.from_iterable(score.scores for score in scores)
    best_references = [score.reference_index for score in scores]
    aligned_statistics = [score.statistics for index, score in enumerate(scores) if index not in failures]
    return Rows(
        statistics=array("q", statistics).tobytes(),
        scores=array("d", formula_scores).tobytes(),
        best_references=array("i", best_references).tobytes(),
        failures=failures,
        alignments=[None if index in failures else score.alignment for index, score in enumerate(scores)],
        total=sum_statistics(aligned_statistics, matcher_count),
    )


def _cache_sentence_vectors(
    encoder: ContextualMatcher,
    hypotheses: Iterable[Sequence[Token]],
    references: Iterable[Iterable[Sequence[Token]]],
) -> None:
    """Encode all distinct sentences of a batch, and store the vectors in the matcher's cache.

    Sentences that are too long are skipped here. They cause an error later, when the matcher compares them.
    """
    sentences = [tuple(tokens) for tokens in hypotheses]
    for segment_references in references:
        sentences += [tuple(tokens) for tokens in segment_references]
    distinct_sentences = list(dict.fromkeys(sentences))
    with plugin_errors(f"matcher {encoder.name!r}"):
        encoder.sentence_rows([tokens for tokens in distinct_sentences if 0 < len(tokens) <= encoder.longest_sentence])
