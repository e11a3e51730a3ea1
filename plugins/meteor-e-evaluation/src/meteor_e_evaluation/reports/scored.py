"""Scores systems by several metrics and compares them, for reports."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, InputError, Metric
from meteor_e.api.metrics import Explains, main_scores
from meteor_e.api.score_table import MetricScores, ScoreTable
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
"""Default label of METEOR in tables."""

ALL_PAIRS_LIMIT = 20
"""Largest number of systems for which all pairs are tested. Otherwise, only pairs with the first system are tested.

The number of pairs grows quadratically with the number of systems, so tests of all pairs would take too long.
"""

EXPLAINED_SEGMENTS = 20
"""Largest number of segments per system whose scores are explained, those with the largest differences."""

TITLE_SYSTEMS = 3
"""Largest number of systems that a default title names."""

METEOR_DECIMALS = 4
PERCENTAGE_DECIMALS = 2
"""Number of decimals of metrics whose scores exceed 10, such as percentages."""


@dataclass(frozen=True)
class SystemTests:
    """Significance tests of the differences between systems.

    Attributes:
        method: the test, a key of :data:`meteor_e.significance.METHODS`.
        samples: number of samples of the test.
        seed: seed of the test and of the confidence intervals.
        tests: for each baseline system, the results of the baseline and of all later systems. Under the first metric,
            every system is a baseline, unless there are more than :data:`ALL_PAIRS_LIMIT`. Under the other metrics,
            the first system is the only baseline.
    """

    method: str
    samples: int
    seed: int
    tests: tuple[tuple[SystemTest, ...], ...]

    def between(self, first: int, second: int) -> SystemTest:
        """Return the result of the significance test between two systems.

        The order of the arguments does not matter: the system that comes first in the report is always the baseline.

        Args:
            first, second: indices of the systems.

        Raises:
            ValueError: if the two systems were not tested.
        """
        if not self.is_tested(first, second):
            raise ValueError(f"systems {first} and {second} were not tested")
        earlier, later = sorted((first, second))
        return self.tests[earlier][later - earlier]  # The results of a baseline start with the baseline itself.

    def is_tested(self, first: int, second: int) -> bool:
        """Return whether the difference between two systems was tested."""
        return first != second and min(first, second) < len(self.tests)

    def difference_interval(self, better: int, worse: int) -> tuple[float, float]:
        """Return the confidence interval of the score of the better system minus the score of the worse system.

        Raises:
            ValueError: if the two systems were not tested.
        """
        test = self.between(better, worse)
        assert test.difference_interval is not None  # Only a baseline itself does not have an interval.
        low, high = test.difference_interval
        # The test subtracts the score of the lower-numbered system from the score of the higher-numbered system.
        return (low, high) if worse < better else (-high, -low)


@dataclass(frozen=True)
class _TestSettings:
    """Settings of the significance tests between systems.

    Attributes:
        names: names of the systems.
        method: the test, a key of :data:`meteor_e.significance.METHODS`, or None for no tests.
        samples: number of samples of the test, or None for the default number.
        seed: seed of the test and of the confidence intervals.
    """

    names: tuple[str, ...]
    method: str | None
    samples: int | None
    seed: int

    def compare(self, statistics: Sequence[Floats], scorer: Scorer, *, n_baselines: int | None) -> SystemTests | None:
        """Test the differences between systems, or return None if no tests were requested.

        Args:
            statistics: statistics of the segments of each system, arrays ``(segments, statistics)``.
            scorer: computes scores from sums of the statistics.
            n_baselines: number of systems to compare with all later systems, or None to compare all pairs.
        """
        if self.method is None:
            return None
        tests = compare_pairs(
            dict(zip(self.names, statistics, strict=True)),
            scorer,
            method=self.method,
            samples=self.samples,
            seed=self.seed,
            baselines=n_baselines,
        )
        return SystemTests(
            method=self.method,
            samples=METHODS[self.method] if self.samples is None else self.samples,
            seed=self.seed,
            tests=tuple(tuple(baseline_tests) for baseline_tests in tests),
        )


class SystemExplanation(NamedTuple):
    """A metric's explanation of the difference between the scores of two systems.

    Attributes:
        system: index of the system that is compared with the first system.
        segment: index of the explained segment, or None if the text explains the scores of the whole outputs.
        text: text of the explanation.
    """

    system: int
    segment: int | None
    text: str


@dataclass(frozen=True)
class MetricResult:
    """Scores of all systems by one metric.

    Attributes:
        label: label of the metric.
        signature: signature of the metric. Scores are comparable only if their signatures are equal.
        higher_is_better: whether higher scores are better.
        decimals: number of decimals in tables.
        scores: score of each system.
        segments: scores of the segments of each system, one array ``(segments,)`` per system.
        comparison: significance tests of the systems, or None if no tests were requested.
        explanations: explanations of the differences. Empty if the metric cannot explain its scores.
        details: the metric's details of each segment of each system, see :meth:`Metric.details`. Empty if the metric
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
        """Return the indices of the systems, sorted from the best to the worst system."""
        sign = -1 if self.higher_is_better else 1
        return sorted(range(len(self.scores)), key=lambda index: (sign * self.scores[index], index))

    def gains(self, first: int, second: int) -> Floats:
        """Return how much better the second system scores than the first system on each segment.

        Returns:
            An array ``(segments,)``.
        """
        differences: Floats = self.segments[second] - self.segments[first]
        return differences if self.higher_is_better else -differences


@dataclass(frozen=True)
class Report:
    """The contents of a report on systems that were scored on the same segments.

    Attributes:
        title: title of the report.
        language: ISO code of the text.
        task: task that METEOR's parameters were tuned for.
        matchers: names of the matchers, in the order of the chain.
        function_words: function words of the language, in lower case.
        references: raw references of each segment.
        lengths: number of words of each segment's first reference.
        systems: the systems, the baseline first.
        metrics: results of the metrics. METEOR is always one of them, because the report shows its alignments.
        meteor: index of METEOR among the metrics.
        ids: ids of the segments in the input. If empty, the segments are numbered from 1.
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
        """The signature of METEOR."""
        return self.metrics[self.meteor].signature

    @property
    def comparison(self) -> SystemTests | None:
        """The significance tests of METEOR scores, or None if no tests were requested."""
        return self.metrics[self.meteor].comparison

    @property
    def rival(self) -> int:
        """The index of the system whose score under the first metric is furthest from the baseline's score.

        The baseline is the first system. The index is 0 if there is only one system, or if all systems have equal
        scores.
        """
        scores = self.metrics[0].scores
        differences = [abs(score - scores[0]) for score in scores]
        return differences.index(max(differences))


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
        systems: hypotheses by name of the system. The first system is the baseline.
        references: for each segment, its reference or a sequence of references.
        metrics: the metrics in the order of the report. None stands for ``meteor``, which is added as the last metric
            if it is missing.
        title: title of the report. By default, the title contains the names of the systems.
        method: significance test of the differences between systems: ``randomization``, ``bootstrap``, or None for no
            test.
        samples: number of samples of the test. The default is 1,000 for the bootstrap and 10,000 for randomization.
        seed: seed of the test and of the confidence intervals.
        progress: receives the progress on each system.
        ids: ids of the segments. By default, the segments are numbered from 1.

    Returns:
        The report, with the scores and alignments of all systems and the significance tests.

    Raises:
        ConfigError: if the method is unknown.
        InputError: if there are no systems or no segments, or if systems and references differ in number.
    """
    reference_sets = tuple(_as_tuple(segment_references) for segment_references in references)
    if not systems:
        raise InputError("a report needs at least one system")
    if not reference_sets:
        raise InputError("there are no segments to report on")
    scored_systems = [
        score_system(meteor, name, hypotheses, reference_sets, progress) for name, hypotheses in systems.items()
    ]
    other_metrics = [metric for metric in metrics if metric is not None]
    untested_results = _score_other_metrics(other_metrics, scored_systems, reference_sets, progress)
    meteor_index = metrics.index(None) if None in metrics else len(metrics)
    untested_results.insert(meteor_index, _make_meteor_result(meteor, scored_systems))
    settings = _TestSettings(tuple(systems), method, samples, seed)
    segment_ids = range(1, len(reference_sets) + 1) if ids is None else ids
    return Report(
        title=title if title else _make_title(list(systems)),
        language=meteor.chain.language.code,
        task=meteor.chain.task,
        matchers=meteor.matcher_names,
        function_words=frozenset(meteor.resources.function_words),
        references=reference_sets,
        lengths=np.array([len(meteor.tokenize(texts[0])) for texts in reference_sets], np.int64),
        systems=tuple(scored_systems),
        metrics=tuple(_test_differences(untested_results, settings)),
        meteor=meteor_index,
        ids=tuple(segment_ids),
    )


def _as_tuple(references: str | Sequence[str]) -> tuple[str, ...]:
    """Return the references of a segment as a tuple, even if there is only one."""
    return (references,) if isinstance(references, str) else tuple(references)


class _UntestedResult(NamedTuple):
    """The result of a metric, before the differences between systems are tested.

    Attributes:
        result: the result without significance tests.
        statistics: statistics of the segments of each system, arrays ``(segments, statistics)``.
        scorer: computes scores from sums of the statistics.
    """

    result: MetricResult
    statistics: list[Floats]
    scorer: Scorer


def _make_meteor_result(meteor: Meteor, systems: Sequence[ScoredSystem]) -> _UntestedResult:
    """Collect the METEOR scores of the systems, which have already been computed."""
    result = MetricResult(
        label=METEOR,
        signature=meteor.signature,
        higher_is_better=True,
        decimals=METEOR_DECIMALS,
        scores=tuple(system.corpus.score for system in systems),
        segments=tuple(system.values("score") for system in systems),
    )
    return _UntestedResult(result, [system.counts for system in systems], meteor_scorer(meteor.chain.parameters))


def _score_other_metrics(
    metrics: Sequence[Metric],
    systems: Sequence[ScoredSystem],
    references: Sequence[tuple[str, ...]],
    progress: Progress,
) -> list[_UntestedResult]:
    """Score the systems with all metrics except METEOR."""
    if not metrics:
        return []
    inputs = [System.from_lists(system.name, system.hypotheses, references) for system in systems]
    keep = KeptData(segments=True, statistics=True, details=True)
    table = evaluate(metrics, inputs, keep=keep, progress=progress)
    return [_make_metric_result(metric, index, table, systems, references) for index, metric in enumerate(metrics)]


def _make_metric_result(
    metric: Metric,
    metric_index: int,
    table: ScoreTable,
    systems: Sequence[ScoredSystem],
    references: Sequence[tuple[str, ...]],
) -> _UntestedResult:
    """Collect the scores of a metric, and explain them.

    Args:
        metric: the metric.
        metric_index: index of the metric in the table.
        table: scores of the systems.
        systems: the systems, for the explanations.
        references: references of each segment, for the explanations.
    """
    system_results = [system.metrics[metric_index] for system in table.systems]
    # A metric may return several values. Only the first value is the score.
    scores = tuple(system_result.values[0] for system_result in system_results)
    segment_scores = tuple(_get_segment_scores(system_result) for system_result in system_results)
    details = tuple(list(system_result.segment_details) for system_result in system_results)
    result = MetricResult(
        label=metric.label,
        signature=table.metrics[metric_index].signature,
        higher_is_better=metric.higher_is_better,
        decimals=_choose_decimals(metric, scores),
        scores=scores,
        segments=segment_scores,
        explanations=tuple(_explain_differences(metric, segment_scores, systems, references)),
        details=details if any(details) else (),
    )
    statistics = [np.asarray(system_result.statistics) for system_result in system_results]
    return _UntestedResult(result, statistics, scorer=functools.partial(_compute_main_scores, metric))


def _compute_main_scores(metric: Metric, sums: Floats) -> Floats:
    return main_scores(metric.scores(sums))


def _get_segment_scores(system_scores: MetricScores) -> Floats:
    """Return the score of each segment of a system, an array ``(segments,)``."""
    values = np.array(system_scores.segment_values).reshape(-1, len(system_scores.values))  # (segments, values)
    return values[:, 0]


def _choose_decimals(metric: Metric, scores: Sequence[float]) -> int:
    """Return the number of decimals of a metric in tables. Scores such as percentages have fewer decimals."""
    if max(abs(score) for score in scores) >= 10:
        return min(metric.decimals, PERCENTAGE_DECIMALS)
    return metric.decimals


def _test_differences(results: Sequence[_UntestedResult], settings: _TestSettings) -> Iterator[MetricResult]:
    """Add the significance tests of the differences between systems to the results of metrics.

    With the first metric, all pairs of systems are tested. With the other metrics, each system is tested against the
    first system.
    """
    for index, untested in enumerate(results):
        tests_all_pairs = index == 0 and len(settings.names) <= ALL_PAIRS_LIMIT
        n_baselines = None if tests_all_pairs else 1
        comparison = settings.compare(untested.statistics, untested.scorer, n_baselines=n_baselines)
        yield dataclasses.replace(untested.result, comparison=comparison)


def _explain_differences(
    metric: Metric,
    segment_scores: Sequence[Floats],
    systems: Sequence[ScoredSystem],
    references: Sequence[Sequence[str]],
) -> list[SystemExplanation]:
    """Explain how the scores of each system differ from the scores of the first system.

    The explanations of a system begin with an explanation of the whole output. Explanations of the segments with large
    score differences follow. If the metric cannot explain differences, return an empty list.
    """
    explanations: list[SystemExplanation] = []
    if not isinstance(metric, Explains):
        return explanations
    first = systems[0]
    try:
        texts = [
            metric.explain(first.hypotheses, system.hypotheses, references, (first.name, system.name))
            for system in systems[1:]
        ]
    except ConfigError:
        return explanations  # The metric has a method for explanations, but its model does not support explanations.
    for index, text in enumerate(texts, 1):
        explanations.append(SystemExplanation(index, None, text))
        segments = _find_largest_differences(segment_scores[0], segment_scores[index])
        explanations += _explain_segments(metric, systems, index, segments, references)
    return explanations


def _explain_segments(
    metric: Explains,
    systems: Sequence[ScoredSystem],
    index: int,
    segments: Sequence[int],
    references: Sequence[Sequence[str]],
) -> Iterator[SystemExplanation]:
    """Yield an explanation of the difference between a system and the first system for each given segment."""
    first, system = systems[0], systems[index]
    names = (first.name, system.name)
    for segment in segments:
        hypotheses = [first.hypotheses[segment]], [system.hypotheses[segment]]
        yield SystemExplanation(index, segment, metric.explain(*hypotheses, [references[segment]], names))


def _find_largest_differences(first_scores: Floats, second_scores: Floats) -> list[int]:
    """Return the segments with the largest score differences between two systems."""
    differences = np.abs(second_scores - first_scores)
    largest = np.argsort(-differences, kind="stable")[:EXPLAINED_SEGMENTS]
    return [segment for segment in largest.tolist() if differences[segment] > 0]


def _make_title(names: Sequence[str]) -> str:
    """Return the default title of a report, which contains the names of the first systems."""
    title = ", ".join(names[:TITLE_SYSTEMS])
    n_others = len(names) - TITLE_SYSTEMS
    return f"{title} and {n_others} more" if n_others > 0 else title
