"""The engine in plain Python: what METEOR computes, to read and to check the native engine against."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from meteor_e.api.batches import Batch
from meteor_e.api.matchers import ContextualMatcher, Matcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import MeteorError, guarded
from meteor_e.engine.candidates import collect_candidates
from meteor_e.engine.protocol import Engine, EngineSettings
from meteor_e.engine.search import DEFAULT_BEAM, search
from meteor_e.matchers.pieces import CharactersMatcher, SubsequenceMatcher
from meteor_e.scoring.alignment import Alignment, count_chunks
from meteor_e.scoring.characters import ngram_shares, subsequence_shares
from meteor_e.scoring.formula import FormulaScores, compute
from meteor_e.scoring.rows import Rows
from meteor_e.scoring.statistics import (
    Statistics,
    WholeShares,
    characters_of,
    collect,
    corpus_vector,
    statistics_width,
)
from meteor_e.text.identity import IDENTITIES, Identity

_WHOLE: dict[type[Matcher], WholeShares] = {CharactersMatcher: ngram_shares, SubsequenceMatcher: subsequence_shares}
"""What the matchers of whole segments compare. A class that derives from one of them does not."""


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


class PythonEngine(Engine):
    """Scores batches, one pair of segments after the other.

    Args:
        settings: parameters, beam and units.
        matchers: the chain.
        function_words: the language's function words.
        tokenize: a raw segment's tokens.
    """

    name = "python"

    def __init__(
        self,
        settings: EngineSettings,
        matchers: Sequence[Matcher],
        function_words: Collection[str],
        tokenize: Callable[[str], Sequence[Token]],
    ) -> None:
        self._settings, self._matchers = settings, matchers
        self._function_words, self._tokenize = function_words, tokenize
        self._identity = IDENTITIES[settings.identity]
        self._whole = [_WHOLE.get(type(matcher)) for matcher in matchers]
        self._encoders = [matcher for matcher in matchers if isinstance(matcher, ContextualMatcher)]

    def score(self, batch: Batch, *, maximum_accuracy: bool = False) -> Rows:
        """Score a batch; see :meth:`meteor_e.engine.protocol.Engine.score`. The alignments are always kept."""
        pairs = zip(batch.hypotheses, batch.references, strict=True)
        segments = [[self._tokenize(text) for text in (hypothesis, *texts)] for hypothesis, texts in pairs]
        for encoder in self._encoders:
            _encode(encoder, segments)
        align_pair = partial(
            align,
            self._matchers,
            beam=self._settings.beam,
            maximum_accuracy=maximum_accuracy,
            identity=self._identity,
        )
        statistics, scores, references = array("q"), array("d"), array("i")
        failures: dict[int, MeteorError] = {}
        kept: list[Alignment | None] = []
        total = [0] * statistics_width(len(self._matchers))
        for number, (hypothesis, *others) in enumerate(segments):
            if batch.stop:
                raise KeyboardInterrupt
            try:
                aligned = [align_pair(hypothesis, other) for other in others]
                found = [self._count(alignment) for alignment in aligned]
                # Of equals, the first counts.
                best = max(range(len(found)), key=lambda at: found[at][1].score)
                counted, parts = found[best]
                total = [a + b for a, b in zip(total, corpus_vector(counted), strict=True)]
                kept.append(aligned[best])
            except MeteorError as error:
                failures[number] = error
                best = 0
                words, reference = (tuple(token.form for token in tokens) for tokens in (hypothesis, others[0]))
                counted, parts = self._count(Alignment(words, reference, (), (), 0))
                kept.append(None)
            statistics.extend(counted.to_vector())
            scores.extend(parts)
            references.append(best)
        return Rows(statistics.tobytes(), scores.tobytes(), references.tobytes(), failures, kept, total)

    def _count(self, alignment: Alignment) -> tuple[Statistics, FormulaScores]:
        """Score an alignment."""
        statistics = collect(
            alignment,
            len(self._matchers),
            self._function_words,
            weigh=characters_of if self._settings.character_mode else self._settings.weigh,
            equal=self._settings.equal_segments,
            graded=[matcher.graded for matcher in self._matchers],
            whole=self._whole,
        )
        return statistics, compute(statistics, self._settings.parameters)


def _encode(matcher: ContextualMatcher, segments: Iterable[Sequence[Sequence[Token]]]) -> None:
    """Encode all sentences at once; the matcher then finds them in memory, as far as it reaches."""
    distinct = dict.fromkeys(tuple(tokens) for sides in segments for tokens in sides if tokens)
    with guarded(f"matcher {matcher.name!r}"):
        matcher.sentence_rows([each for each in distinct if len(each) <= matcher.longest_sentence])
