"""Contents of a report: scores of systems on the same segments by several metrics, and their comparison."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e import MeteorCorpusScore, MeteorSegmentScore
from meteor_e.api import ConfigError, InputError, Metric
from meteor_e.api.formats import Found
from meteor_e.api.metrics import Explains, main_scores
from meteor_e.api.segments import SegmentId, System
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.progress import Progress, silent
from meteor_e.results import Results, score
from meteor_e.scoring.arrays import quotient
from meteor_e.scoring.formula import FormulaScores, shares
from meteor_e.scoring.statistics import StatisticsSum, statistics_columns
from meteor_e.significance.systems import METHODS, Scorer, SystemTest, compare_pairs, meteor_scorer, meteor_statistics

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e.base.array_cache import Floats

METEOR = "METEOR"
"""Default name of METEOR in tables."""

PARTS = {"precision": "Precision", "recall": "Recall", "fragmentation_penalty": "Fragmentation penalty"}
"""Parts of METEOR whose distributions are shown, and their names."""

ALL_PAIRS_LIMIT = 20
"""Number of systems up to which every two systems are tested; of more systems, each is tested against the first.

The number of pairs grows quadratically, and a test of one pair takes about as long as scoring a twentieth of a system.
"""

EXPLAINED = 20
"""Number of segments, those that differ most, that are explained where a metric explains its scores."""


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
    corpus: MeteorCorpusScore
    segments: tuple[MeteorSegmentScore, ...]

    @cached_property
    def counts(self) -> Floats:
        """The segments' statistics, ``(segments, width)``, as they are summed."""
        return meteor_statistics([segment.statistics for segment in self.segments])

    def values(self, statistic: str) -> Floats:
        """Return METEOR's ``score``, ``fmean`` or one of :data:`PARTS` for every segment."""
        return np.array([getattr(segment, statistic) for segment in self.segments], float)

    def shares(self) -> Floats:
        """Return what each matcher contributed to each segment's score, ``(segments, matchers)``.

        The rows add up to the scores. For a single segment,
        :meth:`meteor_e.scoring.results.MeteorScore.contributions` gives the same numbers.
        """
        parts = FormulaScores(*map(self.values, FormulaScores._fields))  # type: ignore[arg-type]
        found = shares(statistics_columns(self.counts), parts, self.corpus.parameters, quotient)
        return np.stack([share.score for share in found], axis=1)


@dataclass(frozen=True)
class SystemTests:
    """Tests of differences between systems.

    Attributes:
        method: of the test, a key of :data:`meteor_e.significance.METHODS`.
        samples: of the test.
        seed: of the test and the intervals.
        tests: for each baseline system, its tests: the baseline itself, then the systems after it. Under the first
            metric every system is a baseline, unless there are more than :data:`ALL_PAIRS_LIMIT`. Under the other
            metrics, the first system is the only baseline.
    """

    method: str
    samples: int
    seed: int
    tests: tuple[tuple[SystemTest, ...], ...]

    def of(self, system: int) -> SystemTest:
        """Return what is known of a system's own score."""
        return self.tests[0][system]

    def between(self, first: int, second: int) -> SystemTest:
        """Return the test of two systems, of which the first comes first in the report.

        Raises:
            ValueError: if it does not, or the two were not tested.
        """
        if not self.tested(first, second):
            raise ValueError(f"systems {first} and {second} were not tested in that order")
        return self.tests[first][second - first]

    def tested(self, first: int, second: int) -> bool:
        """Return whether there is a test of two systems, in that order."""
        return first < second and first < len(self.tests)


class SystemExplanation(NamedTuple):
    """Why a metric's scores of two outputs differ.

    Attributes:
        system: compared with the first system.
        segment: index; ``None`` for the whole outputs.
        text: the metric's words.
    """

    system: int
    segment: int | None
    text: str


@dataclass(frozen=True)
class MetricResult:
    """One metric's scores of all systems.

    Attributes:
        label: of the metric.
        signature: what must be the same for the numbers to be the same.
        higher_is_better: whether they are scores, or errors.
        decimals: that tables show.
        scores: of the systems.
        segments: ``(segments,)`` for each system.
        comparison: of the systems; ``None`` if it was not asked for.
        explanations: where the metric can say why scores differ.
        details: for each system the metric's details of each segment, see :meth:`Metric.details`; empty for nothing.
    """

    label: str
    signature: str
    higher_is_better: bool
    decimals: int
    scores: tuple[float, ...]
    segments: tuple[Floats, ...]
    comparison: SystemTests | None = None
    explanations: tuple[SystemExplanation, ...] = ()
    details: tuple[Sequence[Mapping[str, Any]], ...] = ()

    def ranking(self) -> list[int]:
        """Return the systems, the best first."""
        sign = -1 if self.higher_is_better else 1
        return sorted(range(len(self.scores)), key=lambda at: (sign * self.scores[at], at))

    def gains(self, first: int, second: int) -> Floats:
        """Return by how much the second system's segments are better than the first one's."""
        gains: Floats = self.segments[second] - self.segments[first]
        return gains if self.higher_is_better else -gains


@dataclass(frozen=True)
class Report:
    """Systems scored on the same segments.

    Attributes:
        title: of the report.
        language: ISO code of the text.
        task: what METEOR's parameters were tuned for.
        matchers: names, in chain order.
        function_words: the language's, in lower case.
        references: raw references of each segment.
        lengths: words of each segment's first reference.
        systems: in the order in which they were given; the first is the baseline.
        metrics: all that were asked for, in that order. METEOR is one of them, as alignments are METEOR's.
        meteor: the index of METEOR among them.
        ids: of the segments, as the input has them; empty for numbers from 1.
    """

    title: str
    language: str
    task: str
    matchers: tuple[str, ...]
    function_words: frozenset[str]
    references: tuple[tuple[str, ...], ...]
    lengths: NDArray[np.int64]
    systems: tuple[ScoredSystem, ...]
    metrics: tuple[MetricResult, ...]
    meteor: int = 0
    ids: tuple[SegmentId, ...] = ()

    def __len__(self) -> int:
        return len(self.references)

    @property
    def signature(self) -> str:
        """METEOR's."""
        return self.metrics[self.meteor].signature

    @property
    def comparison(self) -> SystemTests | None:
        """The tests of systems under METEOR; ``None`` if they were not asked for."""
        return self.metrics[self.meteor].comparison

    @property
    def rival(self) -> int:
        """The system that differs most from the first one under the first metric; 0 if there is no other."""
        scores = self.metrics[0].scores
        return max(range(len(scores)), key=lambda at: (abs(scores[at] - scores[0]), -at))


def score_systems(
    meteor: Meteor,
    systems: Mapping[str, Iterable[str]],
    references: Iterable[str | Sequence[str]],
    *,
    metrics: Sequence[Metric | None] = (None,),
    title: str | None = None,
    method: str | None = "randomization",
    samples: int | None = None,
    seed: int = DEFAULT_SEED,
    progress: Progress = silent,
    ids: Sequence[SegmentId] | None = None,
) -> Report:
    """Score systems on the same segments, and compare them.

    Args:
        meteor: what aligns the segments.
        systems: hypotheses by name of the system; the first system is the baseline.
        references: for each segment its reference, or a sequence of references.
        metrics: what scores, in the order in which it is shown; ``None`` stands for ``meteor``, which comes last where
            it is not named.
        title: of the report; by default it names the systems.
        method: test of differences between systems: ``randomization``, ``bootstrap``, or ``None`` for none.
        samples: of the test; by default 1,000 for the bootstrap and 10,000 for randomization.
        seed: of the test and of the confidence intervals.
        progress: told about the work on each system.
        ids: of the segments; by default their numbers, from 1.

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
    wanted = [*metrics] if None in metrics else [*metrics, None]
    language = meteor.chain.language.code
    others = [metric for metric in wanted if metric is not None]
    found = None
    if others:
        given = [System.from_lists(system.name, system.hypotheses, texts) for system in scored]
        found = score(others, given, details=True, keep=True, progress=progress).kept()

    def result(place: int, metric: Metric | None) -> MetricResult:
        def compare(statistics: Sequence[Floats], scorer: Scorer) -> SystemTests | None:
            if method is None:
                return None
            counts = dict(zip(systems, statistics, strict=True))
            test_all_pairs = place == 0 and len(systems) <= ALL_PAIRS_LIMIT
            tests = compare_pairs(
                counts, scorer, method=method, samples=samples, seed=seed, baselines=None if test_all_pairs else 1
            )
            return SystemTests(method, METHODS[method] if samples is None else samples, seed, tuple(map(tuple, tests)))

        if metric is None:
            return MetricResult(
                METEOR,
                meteor.signature,
                True,
                4,
                tuple(system.corpus.score for system in scored),
                tuple(system.values("score") for system in scored),
                compare([system.counts for system in scored], meteor_scorer(meteor.chain.parameters)),
            )
        assert found is not None
        return _result(metric, others.index(metric), found, scored, list(map(list, texts)), compare)

    return Report(
        title or _title(list(systems)),
        language,
        meteor.chain.task,
        meteor.matcher_names,
        frozenset(meteor.resources.function_words),
        texts,
        np.array([len(meteor.tokenize(each[0])) for each in texts], np.int64),
        scored,
        tuple(result(place, metric) for place, metric in enumerate(wanted)),
        wanted.index(None),
        tuple(range(1, len(texts) + 1) if ids is None else ids),
    )


def _result(
    metric: Metric,
    place: int,
    found: Results,
    systems: Sequence[ScoredSystem],
    references: Sequence[Sequence[str]],
    compare: Callable[[Sequence[Floats], Scorer], SystemTests | None],
) -> MetricResult:
    """Compare the systems under one of the metrics of results, and ask the metric why they differ if it can say."""
    column = found.columns.index(metric.headings[0])
    scores = tuple(row.found[column].values[0] for row in found.whole)
    rows: list[list[Found]] = [[] for _ in systems]
    for row in found.rows():
        if row.segment is not None:
            rows[row.system].append(row.found[column])
    result = MetricResult(
        metric.label,
        metric.signature,
        metric.higher_is_better,
        # Of a hundred points, nobody reads four decimals.
        min(metric.decimals, 2) if max(map(abs, scores)) >= 10 else metric.decimals,
        scores,
        tuple(np.array([row.values[0] for row in own]) for own in rows),
        compare([sums[place].statistics for sums in found.sums], lambda sums: main_scores(metric.scores(sums))),
    )
    if rows[0][0].details is not None:
        result = dataclasses.replace(result, details=tuple([row.details or {} for row in own] for own in rows))
    if not isinstance(metric, Explains):
        return result
    return dataclasses.replace(result, explanations=tuple(_explanations(metric, result, systems, references)))


def _explanations(
    metric: Explains, result: MetricResult, systems: Sequence[ScoredSystem], references: Sequence[Sequence[str]]
) -> Iterator[SystemExplanation]:
    """Yield what moves each system away from the first: on the whole, and in the segments that differ most."""
    first = systems[0]
    for at, system in enumerate(systems[1:], 1):
        names = (first.name, system.name)
        try:
            text = metric.explain(first.hypotheses, system.hypotheses, references, names)
        except ConfigError:  # not every model of a kind can say
            return
        yield SystemExplanation(at, None, text)
        gains = np.abs(result.gains(0, at))
        for segment in np.argsort(-gains, kind="stable")[:EXPLAINED]:
            if gains[segment] > 0:
                one, other = first.hypotheses[segment], system.hypotheses[segment]
                yield SystemExplanation(at, int(segment), metric.explain([one], [other], [references[segment]], names))


def _score(
    meteor: Meteor,
    name: str,
    hypotheses: Iterable[str],
    references: Sequence[tuple[str, ...]],
    progress: Progress,
) -> ScoredSystem:
    if isinstance(hypotheses, str):
        raise InputError(f"{name}: hypotheses are a list of segments, not one text")
    kept, total = list(hypotheses), StatisticsSum(len(meteor.matchers))
    segments = []
    try:
        for number, segment in enumerate(meteor.segments(kept, references, alignments=True), 1):
            total.add(segment.statistics)
            segments.append(segment)
            progress(name, number, len(references))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    return ScoredSystem(name, tuple(kept), meteor.corpus_score(total), tuple(segments))


def _title(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
