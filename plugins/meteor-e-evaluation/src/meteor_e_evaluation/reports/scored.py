"""Contents of a report: scores of systems on the same segments by several metrics, and their comparison."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, InputError, Metric
from meteor_e.api.metrics import Explains, main_scores
from meteor_e.api.score_table import ScoreTable
from meteor_e.api.segments import SegmentId, System
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.progress import Progress, silent
from meteor_e.evaluate import KeptData, evaluate
from meteor_e.significance.systems import METHODS, Scorer, SystemTest, compare_pairs, meteor_scorer
from meteor_e_evaluation.reports.scored_system import ScoredSystem, score_system

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e.base.array_cache import Floats

METEOR = "METEOR"
"""Default name of METEOR in tables."""

ALL_PAIRS_LIMIT = 20
"""Number of systems up to which every two systems are tested; of more systems, each is tested against the first.

The number of pairs grows quadratically, and a test of one pair takes about as long as scoring a twentieth of a system.
"""

EXPLAINED_SEGMENTS = 20
"""Number of segments whose scores a metric explains, those with the largest differences."""

TITLE_SYSTEMS = 3
"""Number of systems that the title names by default."""

METEOR_DECIMALS = 4
PERCENTAGE_DECIMALS = 2
"""Decimals of scores of 10 and more, such as percentages."""


@dataclass(frozen=True)
class SystemTests:
    """Tests of differences between systems.

    Attributes:
        method: the test, a key of :data:`meteor_e.significance.METHODS`.
        samples: number of samples of the test.
        seed: of the test and the intervals.
        tests: for each baseline system, its tests: the baseline itself, then the systems after it. Under the first
            metric every system is a baseline, unless there are more than :data:`ALL_PAIRS_LIMIT`. Under the other
            metrics, the first system is the only baseline.
    """

    method: str
    samples: int
    seed: int
    tests: tuple[tuple[SystemTest, ...], ...]

    def against_baseline(self, system: int) -> SystemTest:
        """Return the test of a system against the first system."""
        return self.tests[0][system]

    def between(self, first: int, second: int) -> SystemTest:
        """Return the test of two systems, in the order of the report.

        Raises:
            ValueError: if the two systems were not tested, or not in this order.
        """
        if not self.is_tested(first, second):
            raise ValueError(f"systems {first} and {second} were not tested in that order")
        return self.tests[first][second - first]

    def is_tested(self, first: int, second: int) -> bool:
        """Return whether there is a test of two systems, in this order."""
        return first < second and first < len(self.tests)


Compare: TypeAlias = "Callable[[Sequence[Floats], Scorer], SystemTests | None]"
"""Tests the differences between systems, from their segments' statistics and a function of sums to scores."""


class SystemExplanation(NamedTuple):
    """Explanation of the difference of two systems' scores.

    Attributes:
        system: index of the system that is compared with the first system.
        segment: index of the segment; ``None`` for an explanation of the systems' scores.
        text: the metric's explanation.
    """

    system: int
    segment: int | None
    text: str


@dataclass(frozen=True)
class MetricResult:
    """One metric's scores of all systems.

    Attributes:
        label: label of the metric.
        signature: signature of the metric; scores are comparable only if their signatures are equal.
        higher_is_better: whether higher scores are better.
        decimals: number of decimals in tables.
        scores: score of each system.
        segments: scores of the segments of each system, ``(segments,)``.
        comparison: tests of the systems; ``None`` if they were not asked for.
        explanations: explanations of the differences, if the metric has them.
        details: for each system, the metric's details of each segment, see :meth:`Metric.details`; empty if the metric
            does not have details.
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
        """Return the indices of the systems, the best system first."""
        sign = -1 if self.higher_is_better else 1
        return sorted(range(len(self.scores)), key=lambda index: (sign * self.scores[index], index))

    def gains(self, first: int, second: int) -> Floats:
        """Return how much better the second system is than the first on each segment, ``(segments,)``."""
        differences: Floats = self.segments[second] - self.segments[first]
        return differences if self.higher_is_better else -differences


@dataclass(frozen=True)
class Report:
    """Systems scored on the same segments.

    Attributes:
        title: title of the report.
        language: ISO code of the text.
        task: task that METEOR's parameters were tuned for.
        matchers: names of the matchers, in the order of the chain.
        function_words: function words of the language, in lower case.
        references: raw references of each segment.
        lengths: number of words of each segment's first reference.
        systems: the systems, the baseline first.
        metrics: results of the metrics. METEOR is one of them, because the alignments are METEOR's.
        meteor: index of METEOR among the metrics.
        ids: ids of the segments in the input; empty for numbers from 1.
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
        """METEOR's signature."""
        return self.metrics[self.meteor].signature

    @property
    def comparison(self) -> SystemTests | None:
        """The tests of systems under METEOR; ``None`` if they were not asked for."""
        return self.metrics[self.meteor].comparison

    @property
    def rival(self) -> int:
        """The system that differs most from the first one under the first metric; 0 if there is no other."""
        scores = self.metrics[0].scores
        return max(range(len(scores)), key=lambda index: (abs(scores[index] - scores[0]), -index))


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
        meteor: the chain that aligns the segments.
        systems: hypotheses by name of the system; the first system is the baseline.
        references: for each segment its reference, or a sequence of references.
        metrics: the metrics in the order of the report; ``None`` stands for ``meteor``, which is added as the last one
            if it is missing.
        title: title of the report; by default the names of the systems.
        method: test of differences between systems: ``randomization``, ``bootstrap``, or ``None`` for no test.
        samples: number of samples of the test; by default 1,000 for the bootstrap and 10,000 for randomization.
        seed: of the test and of the confidence intervals.
        progress: receives the progress on each system.
        ids: of the segments; by default their numbers, from 1.

    Raises:
        ConfigError: for an unknown method.
        InputError: if there are no systems or no segments, or systems and references differ in number.
    """
    texts = tuple((segment,) if isinstance(segment, str) else tuple(segment) for segment in references)
    if not systems:
        raise InputError("a report needs at least one system")
    if not texts:
        raise InputError("there are no segments to report on")
    scored = tuple(score_system(meteor, name, hypotheses, texts, progress) for name, hypotheses in systems.items())
    report_metrics = [*metrics] if None in metrics else [*metrics, None]
    other_metrics = [metric for metric in report_metrics if metric is not None]
    table = _score_other_metrics(other_metrics, scored, texts, progress)
    metric_results = []
    for index, metric in enumerate(report_metrics):
        test_all_pairs = index == 0 and len(systems) <= ALL_PAIRS_LIMIT
        compare = partial(_compare, list(systems), method, samples, seed, test_all_pairs)
        if metric is None:
            metric_results.append(_meteor_result(meteor, scored, compare))
        else:
            assert table is not None
            metric_index = other_metrics.index(metric)
            metric_results.append(_metric_result(metric, metric_index, table, scored, texts, compare))
    return Report(
        title or _make_title(list(systems)),
        meteor.chain.language.code,
        meteor.chain.task,
        meteor.matcher_names,
        frozenset(meteor.resources.function_words),
        texts,
        np.array([len(meteor.tokenize(segment[0])) for segment in texts], np.int64),
        scored,
        tuple(metric_results),
        report_metrics.index(None),
        tuple(range(1, len(texts) + 1) if ids is None else ids),
    )


def _score_other_metrics(
    metrics: Sequence[Metric],
    systems: Sequence[ScoredSystem],
    references: Sequence[tuple[str, ...]],
    progress: Progress,
) -> ScoreTable | None:
    """Score the systems with all metrics except for METEOR; ``None`` if there are no other metrics."""
    if not metrics:
        return None
    inputs = [System.from_lists(system.name, system.hypotheses, references) for system in systems]
    keep = KeptData(segments=True, statistics=True, details=True)
    return evaluate(metrics, inputs, keep=keep, progress=progress)


def _compare(
    names: Sequence[str],
    method: str | None,
    samples: int | None,
    seed: int,
    test_all_pairs: bool,
    statistics: Sequence[Floats],
    scorer: Scorer,
) -> SystemTests | None:
    """Test the differences between systems; ``None`` if no test was asked for."""
    if method is None:
        return None
    statistics_by_name = dict(zip(names, statistics, strict=True))
    n_baselines = None if test_all_pairs else 1
    tests = compare_pairs(statistics_by_name, scorer, method=method, samples=samples, seed=seed, baselines=n_baselines)
    return SystemTests(method, METHODS[method] if samples is None else samples, seed, tuple(map(tuple, tests)))


def _meteor_result(meteor: Meteor, systems: Sequence[ScoredSystem], compare: Compare) -> MetricResult:
    return MetricResult(
        METEOR,
        meteor.signature,
        True,
        METEOR_DECIMALS,
        tuple(system.corpus.score for system in systems),
        tuple(system.values("score") for system in systems),
        compare([system.counts for system in systems], meteor_scorer(meteor.chain.parameters)),
    )


def _metric_result(
    metric: Metric,
    metric_index: int,
    table: ScoreTable,
    systems: Sequence[ScoredSystem],
    references: Sequence[Sequence[str]],
    compare: Compare,
) -> MetricResult:
    """Return the scores, the tests and the explanations of a metric.

    Args:
        metric: the metric.
        metric_index: index of the metric in the table.
        table: scores of the systems.
        systems: the systems.
        references: references of the segments.
        compare: tests the differences between the systems.
    """
    entries = [system.metrics[metric_index] for system in table.systems]
    scores = tuple(entry.values[0] for entry in entries)
    decimals = metric.decimals
    is_percentage = max(abs(score) for score in scores) >= 10
    if is_percentage:
        decimals = min(decimals, PERCENTAGE_DECIMALS)
    has_details = len(entries[0].segment_details) > 0
    result = MetricResult(
        metric.label,
        table.metrics[metric_index].signature,
        metric.higher_is_better,
        decimals,
        scores,
        tuple(np.array(entry.segment_values)[:: len(entry.values)] for entry in entries),
        compare([np.asarray(entry.statistics) for entry in entries], lambda sums: main_scores(metric.scores(sums))),
        details=tuple(list(entry.segment_details) for entry in entries) if has_details else (),
    )
    if not isinstance(metric, Explains):
        return result
    return dataclasses.replace(result, explanations=tuple(_explain_differences(metric, result, systems, references)))


def _explain_differences(
    metric: Explains, result: MetricResult, systems: Sequence[ScoredSystem], references: Sequence[Sequence[str]]
) -> Iterator[SystemExplanation]:
    """Yield explanations of the differences to the first system: of all segments, and of the largest differences."""
    first = systems[0]
    for index, system in enumerate(systems[1:], 1):
        names = (first.name, system.name)
        try:
            text = metric.explain(first.hypotheses, system.hypotheses, references, names)
        except ConfigError:  # Some models cannot explain their scores, although their class can.
            return
        yield SystemExplanation(index, None, text)
        differences = np.abs(result.gains(0, index))
        largest = np.argsort(-differences, kind="stable")[:EXPLAINED_SEGMENTS]
        for segment in largest[differences[largest] > 0].tolist():
            hypotheses = [first.hypotheses[segment]], [system.hypotheses[segment]]
            text = metric.explain(*hypotheses, [references[segment]], names)
            yield SystemExplanation(index, segment, text)


def _make_title(names: Sequence[str]) -> str:
    """Return a title with the names of the first systems."""
    title = ", ".join(names[:TITLE_SYSTEMS])
    n_others = len(names) - TITLE_SYSTEMS
    return f"{title} and {n_others} more" if n_others > 0 else title
