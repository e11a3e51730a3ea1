"""Significance tests of differences between systems: paired bootstrap, approximate randomization, and intervals.

All tests work on the statistics of the segments, ``(segments, width)``, one array per system, and on a function from
sums of statistics to scores. For METEOR, :func:`meteor_statistics` and :func:`meteor_scorer` return both. The bootstrap
follows Koehn (2004), and approximate randomization follows Riezler and Maxwell (2005).

The two-sided p-values are computed as in sacreBLEU, with one exception: samples whose difference equals the observed
difference count against significance, so that a system does not differ significantly from itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from meteor_e.api.languages import Parameters
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import ConfigError, InputError, count_of
from meteor_e.scoring import arrays
from meteor_e.scoring.statistics import Statistics, to_additive
from meteor_e.significance.resampling import SLACK, Interval, draw_weight_blocks, interval, permutation_p, random_signs

Scorer: TypeAlias = Callable[[Floats], Floats]
"""Function from sums of statistics, ``(samples, width)``, to scores, ``(samples,)``."""

SystemPair: TypeAlias = tuple[int, int]
"""The indexes of a baseline and of the system that is compared with it."""

METHODS = {"randomization": 10_000, "bootstrap": 1000}
"""The methods of the test, and their default numbers of samples."""

EXACT_FLOAT32 = 1 << 24
"""Integers below this bound are exact in float32."""


class SystemTest(NamedTuple):
    """The score of a system, its confidence interval, and its difference from a baseline.

    Attributes:
        system: name of the system.
        score: score on all segments.
        mean: mean score of the bootstrap samples.
        interval: percentile interval of the scores of the bootstrap samples.
        difference: difference from the baseline's score; ``None`` for the baseline.
        difference_interval: percentile interval of the differences on the bootstrap samples; ``None`` for the baseline.
        p: two-sided p-value of the difference; ``None`` for the baseline.
    """

    system: str
    score: float
    mean: float
    interval: Interval
    difference: float | None = None
    difference_interval: Interval | None = None
    p: float | None = None


def meteor_statistics(segments: Sequence[Statistics]) -> Floats:
    """Return the statistics of METEOR's segments as an array that can be summed, ``(segments, width)``."""
    counts = np.array([statistics.to_vector() for statistics in segments], float)
    return to_additive(counts) if len(counts) else counts


def meteor_scorer(parameters: Parameters) -> Scorer:
    """Return METEOR's formula as a function from sums of statistics to scores."""
    return lambda sums: arrays.score_arrays(sums, parameters)


def compare_systems(systems: Mapping[str, Floats], scorer: Scorer, **options: Any) -> list[SystemTest]:
    """Compare every system with the first one. The options and the errors are those of :func:`compare_pairs`."""
    (tests,) = compare_pairs(systems, scorer, baselines=1, **options)
    return tests


def compare_pairs(
    systems: Mapping[str, Floats],
    scorer: Scorer,
    *,
    method: str = "randomization",
    samples: int | None = None,
    seed: int = DEFAULT_SEED,
    interval_samples: int = METHODS["bootstrap"],
    confidence: float = 0.95,
    baselines: int | None = None,
) -> list[list[SystemTest]]:
    """Compare every pair of systems.

    Args:
        systems: statistics of the segments by name of the system. All systems have the same segments.
        scorer: function from sums of statistics to scores.
        method: ``randomization`` (paired approximate randomization) or ``bootstrap`` (paired bootstrap resampling,
            which finds differences too easily). Confidence intervals always come from the bootstrap.
        samples: number of samples of the test; by default 10,000 for randomization and 1,000 for the bootstrap.
        seed: seed of the test and of the intervals.
        interval_samples: number of bootstrap samples for the intervals, if the method is randomization.
        confidence: confidence level of the intervals.
        baselines: number of systems, from the first one, that are baselines; by default all except the last one.

    Returns:
        A list for each baseline: the baseline without a test, then the tests of all later systems against it.

    Raises:
        ConfigError: for an unknown method.
        InputError: if the numbers of segments differ, or there are no segments or systems.
    """
    if method not in METHODS:
        raise ConfigError(f"unknown significance test {method!r}; there are {', '.join(METHODS)}")
    _check_segments(systems)
    samples = METHODS[method] if samples is None else samples
    names, statistics = list(systems), list(systems.values())
    baseline_count = max(1, len(names) - 1) if baselines is None else baselines
    resampled = _score_samples(statistics, scorer, samples if method == "bootstrap" else interval_samples, seed)
    scores = [float(scorer(rows.sum(axis=0)[None])[0]) for rows in statistics]
    differences: dict[SystemPair, float] = {}
    for baseline in range(baseline_count):
        for system in range(baseline + 1, len(names)):
            differences[baseline, system] = scores[system] - scores[baseline]
    if method == "bootstrap":
        p_values = {pair: _bootstrap_p(resampled, pair, difference) for pair, difference in differences.items()}
    else:
        p_values = _randomize(statistics, scorer, differences, samples, seed)

    untested = [
        SystemTest(name, score, float(values.mean()), interval(values, confidence))
        for name, score, values in zip(names, scores, resampled, strict=True)
    ]
    tests = [[untested[baseline]] for baseline in range(baseline_count)]
    for (baseline, system), difference in differences.items():
        test = untested[system]._replace(
            difference=difference,
            difference_interval=interval(resampled[system] - resampled[baseline], confidence),
            p=p_values[baseline, system],
        )
        tests[baseline].append(test)
    return tests


def _check_segments(systems: Mapping[str, Floats]) -> None:
    """Raise InputError if the numbers of segments differ, or there are no segments or systems."""
    if not systems:
        raise InputError("there are no systems to compare")
    first_name = next(iter(systems))
    segment_count = len(systems[first_name])
    for name, statistics in systems.items():
        if len(statistics) != segment_count:
            raise InputError(
                f"{name} has {count_of(len(statistics), 'segment')}, but {first_name} has {segment_count}; systems can "
                "only be compared on the same segments"
            )
    if not segment_count:
        raise InputError(f"{first_name} has no segments")


def _score_samples(statistics: Sequence[Floats], scorer: Scorer, samples: int, seed: int) -> list[Floats]:
    """Return the scores of each system on bootstrap samples, ``(samples,)``. All systems have the same samples."""
    scores: list[list[Floats]] = [[] for _ in statistics]
    for weights in draw_weight_blocks(len(statistics[0]), samples, seed):
        for system_scores, rows in zip(scores, statistics, strict=True):
            system_scores.append(np.asarray(scorer(weights @ rows), float))
    return [np.concatenate(system_scores) for system_scores in scores]


def _bootstrap_p(resampled: Sequence[Floats], pair: SystemPair, difference: float) -> float:
    """Return the p-value of a difference by the paired bootstrap.

    sacreBLEU and Moses also subtract the mean from the absolute differences of the samples. The test finds small
    differences too easily; randomization does not.
    """
    baseline, system = pair
    absolute_differences = np.abs(resampled[system] - resampled[baseline])
    centered = absolute_differences - absolute_differences.mean()
    extreme = int((centered >= abs(difference) - SLACK).sum())
    return permutation_p(extreme, len(centered))


def _randomize(
    statistics: Sequence[Floats], scorer: Scorer, differences: Mapping[SystemPair, float], samples: int, seed: int
) -> dict[SystemPair, float]:
    """Return the p-value of each difference by paired approximate randomization.

    In each sample, the outputs of two systems are exchanged for a random half of the segments. The p-value is the
    proportion of samples whose difference reaches the observed difference.
    """
    if not differences:
        return {}
    systems_by_baseline: dict[int, list[int]] = {}
    for baseline, system in differences:
        systems_by_baseline.setdefault(baseline, []).append(system)
    # The statistics of all systems are side by side, because one large product is faster than many small ones.
    columns = np.concatenate(statistics, axis=1, dtype=_sum_type(statistics))
    totals = np.array([rows.sum(axis=0) for rows in statistics])
    extreme_counts = dict.fromkeys(differences, 0)
    for exchanged in random_signs(len(columns), samples, seed):
        flat_sums = (exchanged.astype(columns.dtype) @ columns).astype(float)
        exchanged_sums = flat_sums.reshape(len(exchanged), len(statistics), -1).swapaxes(0, 1)
        for baseline, systems in systems_by_baseline.items():
            changes = exchanged_sums[systems] - exchanged_sums[baseline]
            baseline_scores = _score_sums(scorer, totals[baseline] + changes)
            system_scores = _score_sums(scorer, totals[systems, None] - changes)
            sample_differences = np.abs(baseline_scores - system_scores)
            for index, system in enumerate(systems):
                threshold = abs(differences[baseline, system]) - SLACK
                extreme_counts[baseline, system] += int((sample_differences[index] >= threshold).sum())
    return {pair: permutation_p(count, samples) for pair, count in extreme_counts.items()}


def _sum_type(statistics: Sequence[Floats]) -> type[np.floating[Any]]:
    """Return float32 if all statistics are integers whose sums are exact in float32, and otherwise float64."""
    for rows in statistics:
        is_whole = np.array_equal(rows, np.rint(rows))
        if not is_whole or np.abs(rows).sum(axis=0).max(initial=0) >= EXACT_FLOAT32:
            return np.float64
    return np.float32


def _score_sums(scorer: Scorer, sums: Floats) -> Floats:
    """Score sums of statistics, ``(pairs, samples, width)``, and return ``(pairs, samples)``."""
    return np.asarray(scorer(sums.reshape(-1, sums.shape[-1])), float).reshape(sums.shape[:2])
