"""Are two systems' scores different? Paired bootstrap, approximate randomization, confidence intervals.

Everything works on statistics of segments, ``(segments, width)``, one array per system, and a function from sums of
statistics to scores, so that nothing is aligned again. For METEOR both come from :func:`meteor_statistics` and
:func:`meteor_scorer`. Koehn (2004) for the bootstrap; Riezler and Maxwell (2005) for approximate randomization.

The two-sided p-values are computed as sacreBLEU computes them, with one exception: samples whose difference equals
the observed one count against significance, so that a system does not differ significantly from itself.
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
from meteor_e.significance.resampling import SLACK, Interval, draw_weights, interval, permutation_p, random_signs

Scorer: TypeAlias = Callable[[Floats], Floats]
"""From sums of statistics ``(samples, width)`` to scores ``(samples,)``."""

METHODS = {"randomization": 10_000, "bootstrap": 1000}
"""The tests, and how many samples they take by default."""

EXACT_FLOAT32 = 1 << 24
"""Integers below this bound are exact in float32."""


class SystemTest(NamedTuple):
    """What is known of a system's score.

    Attributes:
        system: its name.
        score: on all segments.
        mean: of the bootstrap samples.
        interval: of the score, by percentiles of the bootstrap samples.
        difference: to the first system's score; ``None`` for the first system.
        difference_interval: of the difference on the same samples.
        p: two-sided p-value of the difference.
    """

    system: str
    score: float
    mean: float
    interval: Interval
    difference: float | None = None
    difference_interval: Interval | None = None
    p: float | None = None


def meteor_statistics(segments: Sequence[Statistics]) -> Floats:
    """Return segment statistics as an array, ready to be summed: ``(segments, width)``."""
    counts = np.array([statistics.to_vector() for statistics in segments], float)
    return to_additive(counts) if len(counts) else counts


def meteor_scorer(parameters: Parameters) -> Scorer:
    """Return METEOR's formula as a function from sums of statistics to scores."""
    return lambda sums: arrays.score_arrays(sums, parameters)


def compare_systems(systems: Mapping[str, Floats], scorer: Scorer, **options: Any) -> list[SystemTest]:
    """Compare every system with the first; the options are those of :func:`compare_pairs`, and errors, too."""
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
    """Compare every two systems.

    Args:
        systems: statistics by name, a baseline first; all of the same segments.
        scorer: from sums of statistics to scores.
        method: ``randomization`` (paired approximate randomization) or ``bootstrap`` (paired bootstrap resampling,
            which finds differences too easily); confidence intervals are the bootstrap's either way.
        samples: of the test; by default 10,000 for randomization and 1,000 for the bootstrap.
        seed: of the test and of the intervals.
        interval_samples: bootstrap samples for the intervals, if the test is none.
        confidence: of the intervals.
        baselines: so many systems, the first ones, are baselines; by default all but the last.

    Returns:
        For each baseline what is known of its own score, then the tests of the systems after it against it.

    Raises:
        ConfigError: for an unknown method.
        InputError: if systems differ in their number of segments, or there are none.
    """
    if method not in METHODS:
        raise ConfigError(f"unknown significance test {method!r}; there are {', '.join(METHODS)}")
    if not systems:
        raise InputError("there are no systems to compare")
    samples = METHODS[method] if samples is None else samples
    names, rows = list(systems), list(systems.values())
    length = len(rows[0])
    for name, statistics in systems.items():
        if len(statistics) != length:
            raise InputError(
                f"{name} has {count_of(len(statistics), 'segment')}, {names[0]} has {length}; they cannot be compared"
            )
    if not length:
        raise InputError(f"{names[0]} has no segments")
    weights = draw_weights(length, samples if method == "bootstrap" else interval_samples, seed)
    resampled = [scorer(weights @ statistics) for statistics in rows]
    scores = [float(scorer(statistics.sum(axis=0)[None])[0]) for statistics in rows]
    firsts = range(max(1, len(rows) - 1) if baselines is None else baselines)
    pairs = [(first, second) for first in firsts for second in range(first + 1, len(rows))]
    observed = {(first, second): abs(scores[second] - scores[first]) for first, second in pairs}
    if method == "bootstrap":
        found = {}
        for first, second in pairs:
            # As sacreBLEU and Moses do: amounts less their mean. That is too easily significant for small
            # differences; randomization is not.
            moved = np.abs(resampled[second] - resampled[first])
            extreme = int((moved - moved.mean() >= observed[first, second] - SLACK).sum())
            found[first, second] = permutation_p(extreme, samples)
    else:
        found = _randomize(rows, scorer, observed, samples, seed)

    def own(at: int) -> SystemTest:
        return SystemTest(names[at], scores[at], float(resampled[at].mean()), interval(resampled[at], confidence))

    def test(first: int, second: int) -> SystemTest:
        return own(second)._replace(
            difference=scores[second] - scores[first],
            difference_interval=interval(resampled[second] - resampled[first], confidence),
            p=found[first, second],
        )

    return [[own(first), *(test(first, second) for second in range(first + 1, len(rows)))] for first in firsts]


def _randomize(
    rows: Sequence[Floats], scorer: Scorer, observed: Mapping[tuple[int, int], float], samples: int, seed: int
) -> dict[tuple[int, int], float]:
    """Return how often two systems whose outputs are exchanged at random differ by more than was observed."""
    if not observed:
        return {}
    seconds_by_first: dict[int, list[int]] = {}
    for first, second in observed:
        seconds_by_first.setdefault(first, []).append(second)
    # The columns of all systems are side by side, because one large product is faster than many small ones.
    columns = np.concatenate(rows, axis=1, dtype=_sum_type(rows))
    totals = np.array([statistics.sum(axis=0) for statistics in rows])
    counts = dict.fromkeys(observed, 0)
    for exchanged in random_signs(len(rows[0]), samples, seed):
        flat_sums = (exchanged.astype(columns.dtype) @ columns).astype(float)
        sums = flat_sums.reshape(len(exchanged), len(rows), -1).swapaxes(0, 1)
        for first, seconds in seconds_by_first.items():
            moved = sums[seconds] - sums[first]
            first_scores = _score_sums(scorer, totals[first] + moved)
            second_scores = _score_sums(scorer, totals[seconds, None] - moved)
            for second, differences in zip(seconds, np.abs(first_scores - second_scores), strict=True):
                counts[first, second] += int((differences >= observed[first, second] - SLACK).sum())
    return {pair: permutation_p(count, samples) for pair, count in counts.items()}


def _sum_type(rows: Sequence[Floats]) -> type[np.floating[Any]]:
    """Return the type in which sums of segments are exact if they can be: float32 if all sums are small integers."""
    for statistics in rows:
        is_whole = np.array_equal(statistics, np.rint(statistics))
        if not is_whole or np.abs(statistics).sum(axis=0).max(initial=0) >= EXACT_FLOAT32:
            return np.float64
    return np.float32


def _score_sums(scorer: Scorer, sums: Floats) -> Floats:
    """Score sums of statistics, ``(pairs, samples, width)``; return ``(pairs, samples)``."""
    return np.asarray(scorer(sums.reshape(-1, sums.shape[-1])), float).reshape(sums.shape[:2])
