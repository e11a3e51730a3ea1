"""Significance tests of differences between systems by paired bootstrap resampling or approximate randomization.

The tests need two inputs: the segment statistics of each system, and a function that computes scores from summed
statistics. For METEOR, :func:`meteor_statistics` and :func:`meteor_scorer` provide these inputs.

The bootstrap follows Koehn (2004), and approximate randomization follows Riezler and Maxwell (2005). Two-sided p-values
are computed as in sacreBLEU, except that samples whose difference equals the observed difference count as extreme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from meteor_e.api.languages import Parameters
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import ConfigError, InputError, count_of
from meteor_e.scoring import arrays
from meteor_e.scoring.statistics import Statistics, to_additive
from meteor_e.significance.resampling import (
    SLACK,
    Interval,
    draw_exchanges,
    draw_weight_blocks,
    interval,
    permutation_p,
)

Scorer: TypeAlias = Callable[[Floats], Floats]
"""A function that computes scores, ``(samples,)``, from sums of statistics, ``(samples, width)``."""

SystemPair: TypeAlias = tuple[int, int]
"""The index of a baseline and the index of a system that is compared with the baseline."""

METHODS = {"randomization": 10_000, "bootstrap": 1000}
"""The available tests with their default numbers of samples."""

EXACT_FLOAT32 = 1 << 24
"""The bound below which float32 can represent all integers exactly."""


class SystemTest(NamedTuple):
    """The score of a system and the significance test of its difference from a baseline.

    For the baseline itself, the attributes ``difference``, ``difference_interval`` and ``p`` are ``None``.

    Attributes:
        system: the name of the system.
        score: the score on all segments.
        mean: the mean score of the bootstrap samples.
        interval: the bootstrap confidence interval of the score.
        difference: the difference from the baseline's score.
        difference_interval: the bootstrap confidence interval of the difference.
        p: the two-sided p-value of the difference.
    """

    system: str
    score: float
    mean: float
    interval: Interval
    difference: float | None = None
    difference_interval: Interval | None = None
    p: float | None = None


def meteor_statistics(segments: Sequence[Statistics]) -> Floats:
    """Convert METEOR's segment statistics to an array with one row per segment. The rows can be summed."""
    counts = np.array([statistics.to_vector() for statistics in segments], float)
    return to_additive(counts) if len(counts) else counts


def meteor_scorer(parameters: Parameters) -> Scorer:
    """Return a function that computes METEOR scores from sums of statistics."""
    return lambda sums: arrays.score_arrays(sums, parameters)


def compare_systems(systems: Mapping[str, Floats], scorer: Scorer, **options: Any) -> list[SystemTest]:
    """Compare each system with the first system. The options are those of :func:`compare_pairs`."""
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
    baselines: int | None = None,
) -> list[list[SystemTest]]:
    """Compare each baseline system with all later systems, and return one list of tests per baseline.

    A list begins with the baseline, for which the difference and its test are ``None``.

    Args:
        systems: the segment statistics of each system by its name, ``(segments, width)``. All systems have the same
            segments.
        scorer: the function that computes scores from sums of statistics.
        method: ``randomization`` (paired approximate randomization) or ``bootstrap`` (paired bootstrap resampling,
            whose p-values are too small). Confidence intervals always come from the bootstrap.
        samples: the number of samples of the test; by default 10,000 for randomization and 1,000 for the bootstrap.
        seed: the seed of the test and of the intervals.
        interval_samples: the number of bootstrap samples for the intervals if the method is randomization.
        baselines: the number of baselines, from the first system; by default all systems except the last one.

    Raises:
        ConfigError: if the method is unknown.
        InputError: if there are no systems or segments, or if the numbers of segments differ.
    """
    check_method(method)
    _check_segments(systems)
    statistics = list(systems.values())
    scores = [float(scorer(rows.sum(axis=0, keepdims=True))[0]) for rows in statistics]
    baseline_count = max(1, len(systems) - 1) if baselines is None else baselines
    differences = _compute_differences(scores, baseline_count)
    test_samples = METHODS[method] if samples is None else samples
    if method == "bootstrap":
        resampled_scores = _score_samples(statistics, scorer, test_samples, seed)
        p_values = _compute_bootstrap_p_values(resampled_scores, differences)
    else:
        resampled_scores = _score_samples(statistics, scorer, interval_samples, seed)
        p_values = _compute_randomization_p_values(statistics, scorer, differences, test_samples, seed)
    summaries = [
        SystemTest(name, score, float(sample_scores.mean()), interval(sample_scores))
        for name, score, sample_scores in zip(systems, scores, resampled_scores, strict=True)
    ]
    return [_add_tests(index, summaries, resampled_scores, p_values) for index in range(baseline_count)]


def score_interval(statistics: Floats, scorer: Scorer, *, seed: int = DEFAULT_SEED) -> Interval:
    """Return the bootstrap confidence interval of a system's score.

    The interval equals that of :func:`compare_pairs` with the method ``randomization``.

    Args:
        statistics: the statistics of the segments, ``(segments, width)``.
        scorer: the function that computes scores from sums of statistics.
        seed: the seed of the bootstrap.
    """
    (resampled_scores,) = _score_samples([statistics], scorer, METHODS["bootstrap"], seed)
    return interval(resampled_scores)


def check_method(method: str) -> None:
    """Raise ConfigError if the name of a significance test is unknown."""
    if method not in METHODS:
        raise ConfigError(f"unknown significance test {method!r}; there are {', '.join(METHODS)}")


def _compute_differences(scores: Sequence[float], baseline_count: int) -> dict[SystemPair, float]:
    """Return the score difference between each baseline system and each later system."""
    differences = {}
    for baseline in range(baseline_count):
        for system in range(baseline + 1, len(scores)):
            differences[baseline, system] = scores[system] - scores[baseline]
    return differences


def _check_segments(systems: Mapping[str, Floats]) -> None:
    """Raise InputError if there are no systems or segments, or if the numbers of segments differ."""
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
    """Score all systems on the same bootstrap samples. Each system gets an array ``(samples,)``."""
    scores: list[list[Floats]] = [[] for _ in statistics]
    for weights in draw_weight_blocks(len(statistics[0]), samples, seed):
        for system_scores, rows in zip(scores, statistics, strict=True):
            system_scores.append(np.asarray(scorer(weights @ rows), float))
    return [np.concatenate(system_scores) for system_scores in scores]


def _add_tests(
    baseline_index: int,
    summaries: Sequence[SystemTest],
    resampled_scores: Sequence[Floats],
    p_values: Mapping[SystemPair, float],
) -> list[SystemTest]:
    """Add significance tests to the results of all systems that are listed after the baseline.

    The returned list begins with the result of the baseline, which does not have a significance test.

    Args:
        baseline_index: the index of the baseline.
        summaries: the score and the confidence interval of each system.
        resampled_scores: for each system the scores of the bootstrap samples, ``(samples,)``.
        p_values: the p-value of each pair of a baseline and a later system.
    """
    baseline = summaries[baseline_index]
    results = [baseline]
    for index in range(baseline_index + 1, len(summaries)):
        summary = summaries[index]
        result = summary._replace(
            difference=summary.score - baseline.score,
            difference_interval=interval(resampled_scores[index] - resampled_scores[baseline_index]),
            p=p_values[baseline_index, index],
        )
        results.append(result)
    return results


def _compute_bootstrap_p_values(
    resampled_scores: Sequence[Floats], differences: Mapping[SystemPair, float]
) -> dict[SystemPair, float]:
    """Compute the p-value of each score difference by paired bootstrap resampling.

    As in sacreBLEU and Moses, the absolute differences of the samples are centered by subtracting their mean. This
    makes the p-values of small differences too small.

    Args:
        resampled_scores: for each system the scores of the bootstrap samples, ``(samples,)``.
        differences: the observed differences.
    """
    p_values = {}
    for (baseline, system), difference in differences.items():
        absolute_differences = np.abs(resampled_scores[system] - resampled_scores[baseline])
        centered = absolute_differences - absolute_differences.mean()
        extreme_count = int((centered >= abs(difference) - SLACK).sum())
        p_values[baseline, system] = permutation_p(extreme_count, len(centered))
    return p_values


def _compute_randomization_p_values(
    statistics: Sequence[Floats], scorer: Scorer, differences: Mapping[SystemPair, float], n_samples: int, seed: int
) -> dict[SystemPair, float]:
    """Compute the p-value of each score difference by paired approximate randomization.

    In each sample, the outputs of two systems are exchanged for a random subset of the segments. The p-value is the
    proportion of samples whose difference is at least as large as the observed difference.

    Args:
        statistics: for each system the statistics of its segments, ``(segments, width)``.
        scorer: function that computes scores from sums of statistics.
        differences: the observed differences of the pairs of a baseline and a later system.
        n_samples: number of samples.
        seed: seed of the random subsets.
    """
    if not differences:
        return {}
    totals = [rows.sum(axis=0) for rows in statistics]  # (width,) for each system
    extreme_counts = dict.fromkeys(differences, 0)
    for exchanged_sums in _sum_exchanged_segments(statistics, n_samples, seed):  # (systems, samples, width)
        for (baseline, system), difference in differences.items():
            # Swapping segments adds the gains to the baseline's total and subtracts the gains from the system's total.
            gains = exchanged_sums[system] - exchanged_sums[baseline]  # (samples, width)
            baseline_scores = scorer(totals[baseline] + gains)
            system_scores = scorer(totals[system] - gains)
            sampled_differences = np.abs(baseline_scores - system_scores)  # (samples,)
            is_extreme = sampled_differences >= abs(difference) - SLACK
            extreme_counts[baseline, system] += int(is_extreme.sum())
    return {pair: permutation_p(count, n_samples) for pair, count in extreme_counts.items()}


def _sum_exchanged_segments(statistics: Sequence[Floats], samples: int, seed: int) -> Iterator[Floats]:
    """Sum the statistics of random subsets of segments, and yield arrays of shape ``(systems, samples, width)``."""
    # The statistics of all systems are concatenated, because one large matrix product is faster than many small ones.
    columns = np.concatenate(statistics, axis=1, dtype=_sum_type(statistics))
    for is_exchanged in draw_exchanges(len(columns), samples, seed):
        flat_sums = (is_exchanged.astype(columns.dtype) @ columns).astype(float)
        yield flat_sums.reshape(len(is_exchanged), len(statistics), -1).swapaxes(0, 1)


def _sum_type(statistics: Sequence[Floats]) -> type[np.floating[Any]]:
    """Return the data type for sums: float32 if it represents all sums exactly, and otherwise float64."""
    for rows in statistics:
        is_whole = np.array_equal(rows, np.rint(rows))
        if not is_whole or np.abs(rows).sum(axis=0).max(initial=0) >= EXACT_FLOAT32:
            return np.float64
    return np.float32
