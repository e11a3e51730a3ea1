"""Is one metric better than another? Williams' test, and permutation tests that exchange the metrics' scores.

A permutation test asks how often a difference as large as the observed one comes about when it does not matter which
metric a score is from. What is exchanged at random differs: every score (``perm-both``: PERM-BOTH of Deutsch, Dror
and Roth, 2021), all scores of a segment (``paired``), or the scores of a system (``systems``). Scores of two metrics
are brought to one scale first, with mean 0 and variance 1.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Measure, Progress, Scores, near_miss
from meteor_e.toolkit import Floats, permutation_p, random_signs, silent
from meteor_e_evaluation import kendall
from meteor_e_evaluation.correlation import williams_matrix
from meteor_e_evaluation.data import TestSet
from meteor_e_evaluation.measures import PairMeasure

TESTS = {
    "auto": "the test that suits the measure",
    "williams": "Williams' test; for correlations over segments or systems",
    "perm-both": "exchanges every score of a segment of a system (PERM-BOTH)",
    "paired": "exchanges all scores of a segment",
    "systems": "exchanges scores of systems",
}
"""The tests of metrics against one another."""

SLACK = 1e-12
"""Differences closer than this are equal except for rounding."""

BLOCK = 50

Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Comparison:
    """One-sided tests of every metric against every other.

    Attributes:
        test: what was done.
        names: the metrics.
        p: ``(metrics, metrics)``: probability of such an advantage of the row over the column if there is none.
        observed: the measure's difference of the row and the column, by ``(row, column)`` with row < column.
        permuted: the difference in each permutation, likewise; empty for tests without permutations.
    """

    test: str
    names: tuple[str, ...]
    p: Floats
    observed: dict[tuple[int, int], float] = field(default_factory=dict, repr=False)
    permuted: dict[tuple[int, int], Floats] = field(default_factory=dict, repr=False)


def compare(
    measure: Measure[TestSet],
    test: TestSet,
    scores: Sequence[Scores],
    *,
    samples: int,
    seed: int,
    method: str = "auto",
    progress: Progress = silent,
) -> Comparison | None:
    """Test metrics against one another.

    Args:
        measure: what the metrics are compared by.
        test: the test set.
        scores: of the metrics.
        samples: permutations.
        seed: of the permutations.
        method: one of :data:`TESTS`.
        progress: told the number of permutations done and of all.

    Returns:
        The tests; ``None`` for fewer than two metrics, or where the test does not fit the judgments.

    Raises:
        ConfigError: for an unknown test, or one that the measure does not allow.
    """
    if method not in TESTS:
        raise ConfigError(f"unknown test {method!r}{near_miss(method, TESTS)}; there are {', '.join(TESTS)}")
    names = tuple(entry.name for entry in scores)
    if len(scores) < 2:
        return None
    chosen = measure.default_test() if method == "auto" else method
    if chosen == "williams":
        return _williams(measure, test, scores, names)
    if chosen == "systems" and measure.takes != "systems":
        raise ConfigError(f"the test 'systems' goes with measures of systems' scores, not with {measure.name}")
    seeds = [seed, zlib.crc32(f"{test.name} {test.pair}".encode())]
    if chosen == "paired" and isinstance(measure, PairMeasure):
        return _exchange_outcomes(measure, test, scores, names, samples, seeds)
    return _exchange_scores(measure, test, scores, names, samples, seeds, chosen, progress)


def _title(method: str, samples: int, seeds: Sequence[int]) -> str:
    what = {
        "perm-both": "permutation of scores of segments and systems (PERM-BOTH)",
        "paired": "permutation of segments",
        "systems": "permutation of systems",
    }[method]
    return f"{what}, {samples} samples, seed {seeds[0]}"


def _williams(
    measure: Measure[TestSet], test: TestSet, scores: Sequence[Scores], names: tuple[str, ...]
) -> Comparison | None:
    rows = measure.correlated(test, scores)
    if rows is None:
        return None
    metrics, human = rows
    if len(human) < 4 or np.isnan(metrics).any():
        return None
    return Comparison("Williams' test", names, williams_matrix(metrics, human))


def _pairs(count: int) -> Pairs:
    return [(first, second) for first in range(count) for second in range(first + 1, count)]


def _from_permutations(
    title: str, names: tuple[str, ...], observed: dict[tuple[int, int], float], permuted: dict[tuple[int, int], Floats]
) -> Comparison:
    p = np.full((len(names), len(names)), math.nan)
    for (first, second), difference in observed.items():
        drawn = permuted[first, second]
        if math.isnan(difference):
            continue
        # Samples equal to what was observed count, in spite of rounding; so do those without a value.
        undefined = np.isnan(drawn)
        above, below = drawn >= difference - SLACK, drawn <= difference + SLACK
        p[first, second] = permutation_p(int((above | undefined).sum()), len(drawn))
        p[second, first] = permutation_p(int((below | undefined).sum()), len(drawn))
    return Comparison(title, names, p, observed, permuted)


def average(comparisons: Sequence[Comparison], weights: Sequence[float]) -> Comparison | None:
    """Test the mean over language pairs, from the permutations of each.

    Args:
        comparisons: of the language pairs, of the same metrics and number of permutations.
        weights: what each language pair counts.

    Returns:
        The tests; ``None`` if a language pair was tested without permutations.
    """
    if not comparisons or any(not entry.permuted for entry in comparisons):
        return None
    shares = np.array(weights, float) / sum(weights)
    observed = {
        pair: float(shares @ np.array([entry.observed[pair] for entry in comparisons]))
        for pair in comparisons[0].observed
    }
    permuted = {
        pair: np.asarray(shares @ np.stack([entry.permuted[pair] for entry in comparisons]))
        for pair in comparisons[0].observed
    }
    return _from_permutations(comparisons[0].test, comparisons[0].names, observed, permuted)


def _exchange_outcomes(
    measure: PairMeasure,
    test: TestSet,
    scores: Sequence[Scores],
    names: tuple[str, ...],
    samples: int,
    seeds: Sequence[int],
) -> Comparison | None:
    """Exchange what two metrics say of the pairs of systems on a segment, a segment at a time."""
    every = [measure.counts(test, entry.segments) for entry in scores]
    if any(counts is None or not counts.any() for counts in every):
        return None
    judged = np.any([counts.any(axis=1) for counts in every if counts is not None], axis=0)
    counts = [entry[judged] for entry in every if entry is not None]
    totals = [entry.sum(axis=0) for entry in counts]

    def difference(first: Floats, second: Floats) -> Floats:
        values = [np.asarray(kendall.tau(kendall.PairCounts(*part.T), measure.variant)) for part in (first, second)]
        result: Floats = values[0] - values[1]
        return result

    upper = _pairs(len(scores))
    observed = {pair: float(difference(totals[pair[0]], totals[pair[1]])) for pair in upper}
    drawn: dict[tuple[int, int], list[Floats]] = {pair: [] for pair in upper}
    for exchanged in random_signs(int(judged.sum()), samples, seeds):
        mask = exchanged.astype(float)
        for first, second in upper:
            moved = mask @ (counts[second] - counts[first])
            drawn[first, second].append(difference(totals[first] + moved, totals[second] - moved))
    permuted = {pair: np.concatenate(parts) for pair, parts in drawn.items()}
    return _from_permutations(_title("paired", samples, seeds), names, observed, permuted)


def _exchange_scores(
    measure: Measure[TestSet],
    test: TestSet,
    scores: Sequence[Scores],
    names: tuple[str, ...],
    samples: int,
    seeds: Sequence[int],
    method: str,
    progress: Progress,
) -> Comparison | None:
    agreement = measure.agreement(test)
    if agreement is None:
        return None
    sides: list[Floats]
    if method == "systems":
        sides = [entry.systems for entry in scores]
        if np.isnan(sides).any():
            return None
        shape: tuple[int, ...] = sides[0].shape
        of: Callable[[Floats], float] = agreement
    else:
        sides = [entry.segments for entry in scores]
        shape = sides[0].shape if method == "perm-both" else (1, sides[0].shape[1])
        of = agreement
        if measure.takes == "systems":
            if np.isnan(sides).any():
                raise ConfigError(
                    f"the test {method!r} of {measure.name} needs scores of all segments; use the test 'systems'"
                )
            of = lambda segments: agreement(segments.mean(axis=1))  # noqa: E731
        elif any(np.isnan(side).all() for side in sides):
            return None
    known = np.asarray(~np.isnan(np.stack(sides)).any(axis=0))
    sides = [_standardized(side, known) for side in sides]
    upper = _pairs(len(scores))
    values = [of(side) for side in sides]
    observed = {(first, second): values[first] - values[second] for first, second in upper}
    permuted = {pair: np.empty(samples) for pair in upper}
    for number, mask in enumerate(_masks(shape, samples, seeds)):
        for first, second in upper:
            one = np.where(mask, sides[second], sides[first])
            other = np.where(mask, sides[first], sides[second])
            permuted[first, second][number] = of(one) - of(other)
        if number % BLOCK == BLOCK - 1:
            progress("permutations", number + 1, samples)
    return _from_permutations(_title(method, samples, seeds), names, observed, permuted)


def _standardized(scores: Floats, known: NDArray[np.bool_]) -> Floats:
    values = scores[known]
    spread = float(values.std())
    result: Floats = (scores - values.mean()) / (spread if spread > 0 else 1.0)
    return result


def _masks(shape: tuple[int, ...], samples: int, seeds: Sequence[int]) -> Iterator[NDArray[Any]]:
    random = np.random.default_rng(list(seeds))
    for _ in range(samples):
        yield random.integers(2, size=shape, dtype=bool)


SIGNIFICANT = 0.05
"""p below which a difference counts."""


def cluster_ranks(values: Mapping[str, float], comparison: Comparison, level: float = SIGNIFICANT) -> dict[str, int]:
    """Rank metrics: a rank ends where a metric is significantly worse than one of that rank.

    From the best metric down, metrics share a rank until the first that is significantly worse than any metric of the
    rank; it begins the next one. Source: Freitag et al. (2022; 2023), "Results of the WMT22/WMT23 Metrics Shared
    Task".

    Args:
        values: the measure by metric; metrics without a value get no rank.
        comparison: tests of the metrics.
        level: p below which a difference counts.

    Returns:
        Metric → rank, from 1, best first.
    """
    at = {name: place for place, name in enumerate(comparison.names)}
    order = sorted((name for name in values if not math.isnan(values[name])), key=lambda name: -values[name])
    ranks: dict[str, int] = {}
    rank = 0
    cluster: list[str] = []
    for name in order:
        if not cluster or any(comparison.p[at[better], at[name]] < level for better in cluster):
            rank += 1
            cluster = []
        cluster.append(name)
        ranks[name] = rank
    return ranks
