"""What a report shows: systems that were scored on the same segments, and how their scores compare."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meteor_e import CorpusScore, SegmentScore
from meteor_e.api import InputError
from meteor_e.scoring import FormulaScores, StatisticsSum, columns, quotient, shares
from meteor_e.significance import (
    DEFAULT_SEED,
    METHODS,
    SystemTest,
    compare_systems,
    meteor_scorer,
    meteor_statistics,
)

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e.base import Floats

__all__ = ["STATISTICS", "Comparison", "Progress", "Report", "ScoredSystem", "score_systems"]

STATISTICS = {
    "score": "METEOR",
    "precision": "Precision",
    "recall": "Recall",
    "fragmentation_penalty": "Fragmentation penalty",
}
"""The numbers whose distributions are shown, and what they are called."""

Progress = Callable[[str, int], object]
"""Called with a system's name and the number of its segments that are scored."""


@dataclass(frozen=True)
class ScoredSystem:
    """A system's output with its scores.

    Attributes:
        name: of the system.
        hypotheses: raw segments.
        corpus: the score of all of them.
        segments: their scores, with alignments.
    """

    name: str
    hypotheses: tuple[str, ...]
    corpus: CorpusScore
    segments: tuple[SegmentScore, ...]

    @cached_property
    def counts(self) -> Floats:
        """The segments' statistics, ``(segments, width)``, as they are summed."""
        return meteor_statistics([segment.statistics for segment in self.segments])

    def values(self, statistic: str) -> Floats:
        """Return one of :data:`STATISTICS` (or ``fmean``) for every segment."""
        return np.array([getattr(segment, statistic) for segment in self.segments], float)

    def shares(self) -> Floats:
        """Return what each matcher contributed to each segment's score, ``(segments, matchers)``.

        The rows add up to the scores; see :meth:`meteor_e.scoring.results.Score.contributions`, which gives the same
        numbers, a segment at a time.
        """
        parts = FormulaScores(*map(self.values, FormulaScores._fields))  # type: ignore[arg-type]
        found = shares(columns(self.counts), parts, self.corpus.parameters, quotient)
        return np.stack([share.score for share in found], axis=1)


@dataclass(frozen=True)
class Comparison:
    """How the scores of the systems compare.

    Attributes:
        method: of the test, a key of :data:`meteor_e.significance.systems.METHODS`.
        samples: of the test.
        seed: of the test and the intervals.
        tests: for each system, its tests against that system as the baseline: the baseline itself, then the
            systems after it.
    """

    method: str
    samples: int
    seed: int
    tests: tuple[tuple[SystemTest, ...], ...]

    def of(self, system: int) -> SystemTest:
        """Return what is known of a system's own score."""
        return self.tests[0][system]

    def between(self, first: int, second: int) -> SystemTest:
        """Return the test of two systems, of which the first comes first in the report."""
        if not first < second:
            raise ValueError("the first system must come before the second")
        return self.tests[first][second - first]


@dataclass(frozen=True)
class Report:
    """Systems scored on the same segments.

    Attributes:
        title: of the report.
        language: ISO code of the text.
        task: what the parameters were tuned for.
        signature: of all scores.
        matchers: names, in chain order.
        function_words: the language's, in lower case.
        references: raw references of each segment.
        lengths: words of each segment's first reference.
        systems: in the order in which they were given; the first is the baseline.
        comparison: of the systems; ``None`` if it was not asked for.
    """

    title: str
    language: str
    task: str
    signature: str
    matchers: tuple[str, ...]
    function_words: frozenset[str]
    references: tuple[tuple[str, ...], ...]
    lengths: NDArray[np.int64]
    systems: tuple[ScoredSystem, ...]
    comparison: Comparison | None

    def __len__(self) -> int:
        return len(self.references)


def score_systems(
    meteor: Meteor,
    systems: Mapping[str, Iterable[str]],
    references: Iterable[str | Sequence[str]],
    *,
    title: str | None = None,
    method: str | None = "randomization",
    samples: int | None = None,
    seed: int = DEFAULT_SEED,
    progress: Progress | None = None,
) -> Report:
    """Score systems on the same segments, and compare them.

    Args:
        meteor: the metric.
        systems: hypotheses by name of the system; the first system is the baseline.
        references: for each segment its reference, or a sequence of references.
        title: of the report; by default it names the systems.
        method: test of differences between systems: ``randomization``, ``bootstrap``, or ``None`` for none.
        samples: of the test; by default 1,000 for the bootstrap and 10,000 for randomization.
        seed: of the test and of the confidence intervals.
        progress: called with a system's name and the number of segments done.

    Raises:
        ConfigError: for an unknown method.
        InputError: if there are no systems or no segments, or systems and references differ in number.
    """
    texts = tuple((one,) if isinstance(one, str) else tuple(one) for one in references)
    if not systems:
        raise InputError("a report needs at least one system")
    if not texts:
        raise InputError("there are no segments to report on")
    scored = tuple(_score(meteor, name, hypotheses, texts, progress) for name, hypotheses in systems.items())
    comparison = None if method is None else _compare(scored, meteor, method, samples, seed)
    return Report(
        title or _title(list(systems)),
        meteor.chain.language.code,
        meteor.chain.task,
        meteor.signature,
        meteor.matcher_names,
        frozenset(meteor.resources.function_words),
        texts,
        _reference_lengths(meteor, scored, texts),
        scored,
        comparison,
    )


def _score(
    meteor: Meteor,
    name: str,
    hypotheses: Iterable[str],
    references: Sequence[tuple[str, ...]],
    progress: Progress | None,
) -> ScoredSystem:
    if isinstance(hypotheses, str):
        raise InputError(f"{name}: hypotheses are a list of segments, not one text")
    kept, total = list(hypotheses), StatisticsSum(len(meteor.matchers))
    segments = []
    try:
        for number, segment in enumerate(meteor.segments(kept, references, alignments=True), 1):
            total.add(segment.statistics)
            segments.append(segment)
            if progress is not None:
                progress(name, number)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    return ScoredSystem(name, tuple(kept), meteor.corpus_score(total), tuple(segments))


def _compare(
    systems: Sequence[ScoredSystem], meteor: Meteor, method: str, samples: int | None, seed: int
) -> Comparison:
    scorer = meteor_scorer(meteor.chain.parameters)
    counts = {system.name: system.counts for system in systems}
    tests = []
    # The last system has none after it; alone, it is tested for its interval.
    for first in range(max(1, len(systems) - 1)):
        wanted = dict(itertools.islice(counts.items(), first, None))
        tests.append(tuple(compare_systems(wanted, scorer, method=method, samples=samples, seed=seed)))
    return Comparison(method, METHODS[method] if samples is None else samples, seed, tuple(tests))


def _reference_lengths(
    meteor: Meteor, systems: Sequence[ScoredSystem], references: Sequence[tuple[str, ...]]
) -> NDArray[np.int64]:
    """Count the words of the first references; alignments with them know, others are tokenized again."""
    lengths = []
    for number, texts in enumerate(references):
        for system in systems:
            segment = system.segments[number]
            if segment.reference_index == 0:
                lengths.append(len(segment.alignment.reference))
                break
        else:
            lengths.append(len(meteor.tokenize(texts[0])))
    return np.array(lengths, np.int64)


def _title(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
