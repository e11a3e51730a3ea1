"""Is one metric better than another? Williams' test, and permutation tests that exchange the metrics' scores.

A permutation test asks how often a difference as large as the observed one comes about when it does not matter which
metric a score is from. What is exchanged at random differs: every score (``perm-both``: PERM-BOTH of Deutsch, Dror
and Roth, 2021), all scores of a segment (``paired``), or the scores of a system (``systems``). Scores of two metrics
are brought to one scale first, with mean 0 and variance 1.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Measure
from meteor_e.api.measures import Agreement
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import near_miss
from meteor_e.base.progress import Progress, silent
from meteor_e.significance.resampling import SIGNIFICANT, SLACK, permutation_p
from meteor_e_evaluation.correlation import williams_matrix
from meteor_e_evaluation.exchange import Differences, Masks
from meteor_e_evaluation.test_set import TestSet

TESTS = {
    "auto": "the test that suits the measure",
    "williams": "Williams' test; for correlations over segments or systems",
    "perm-both": "exchanges every score of a segment of a system (PERM-BOTH)",
    "paired": "exchanges all scores of a segment",
    "documents": "exchanges all scores of a document",
    "systems": "exchanges scores of systems",
    "paired+systems": "both of these, one after the other; the higher p counts",
}
"""The tests of metrics against one another."""

ASSUMED = {
    "williams": "scores",
    "perm-both": "scores",
    "paired": "segments",
    "documents": "documents",
    "systems": "systems",
    "paired+systems": "segments or systems",
}
"""The units that each test assumes to be independent."""


def assumed(measure: Measure[TestSet], test: str) -> str:
    """Return what a test of a measure assumes to be independent."""
    return "systems" if test == "williams" and measure.takes == "systems" else ASSUMED[test]


Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Comparison:
    """One-sided tests of every metric against every other.

    Attributes:
        test: what was done.
        assumed: what the test assumes to be independent.
        names: the metrics.
        p: ``(metrics, metrics)``: probability of such an advantage of the row over the column if there is none.
        observed: the measure's difference of the row and the column, by ``(row, column)`` with row < column.
        permuted: the difference in each permutation, likewise; empty for tests without permutations.
        parts: tests of which the one that doubts most gives each p.
    """

    test: str
    assumed: str
    names: tuple[str, ...]
    p: Floats
    observed: dict[tuple[int, int], float] = field(default_factory=dict, repr=False)
    permuted: dict[tuple[int, int], Floats] = field(default_factory=dict, repr=False)
    parts: tuple[Comparison, ...] = field(default=(), repr=False)


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
    if method == "documents" and not test.documents:
        raise ConfigError(f"{test.name} {test.pair}: the index names no documents; choose another test")
    names = tuple(entry.name for entry in scores)
    if len(scores) < 2:
        return None
    chosen = measure.default_test() if method == "auto" else method
    if chosen == "williams":
        return _williams(measure, test, scores, names)
    seeds = [seed, zlib.crc32(f"{test.name} {test.pair}".encode())]
    parts = [_exchange(measure, test, scores, names, samples, seeds, each, progress) for each in chosen.split("+")]
    return parts[0] if len(parts) == 1 else _most_doubtful(parts)


def _most_doubtful(parts: Sequence[Comparison | None]) -> Comparison | None:
    """Return the highest p of several tests: significant is what all of them find (intersection-union test)."""
    known = [entry for entry in parts if entry is not None]
    if not known or len(known) < len(parts):
        return None
    what = " and one of ".join(dict.fromkeys(part.test.split(",")[0].removeprefix("permutation of ") for part in known))
    title = f"higher p of a permutation of {what},{known[0].test.partition(',')[2]}"
    highest = np.maximum.reduce([entry.p for entry in known])
    any_of = " or ".join(dict.fromkeys(entry.assumed for entry in known))
    return Comparison(title, any_of, known[0].names, highest, known[0].observed, parts=tuple(known))


def _title(method: str, samples: int, seeds: Sequence[int]) -> str:
    what = {"perm-both": "scores of segments and systems (PERM-BOTH)", "paired": "segments"}.get(method, method)
    return f"permutation of {what}, {samples} samples, seed {seeds[0]}"


def _williams(
    measure: Measure[TestSet], test: TestSet, scores: Sequence[Scores], names: tuple[str, ...]
) -> Comparison | None:
    rows = measure.correlated(test, scores)
    if rows is None:
        return None
    metrics, human = rows
    if len(human) < 4 or np.isnan(metrics).any():
        return None
    return Comparison("Williams' test", assumed(measure, "williams"), names, williams_matrix(metrics, human))


def _pairs(count: int) -> Pairs:
    return [(first, second) for first in range(count) for second in range(first + 1, count)]


def _from_permutations(
    title: str,
    independent: str,
    names: tuple[str, ...],
    observed: dict[tuple[int, int], float],
    permuted: dict[tuple[int, int], Floats],
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
    return Comparison(title, independent, names, p, observed, permuted)


def average(comparisons: Sequence[Comparison], weights: Sequence[float]) -> Comparison | None:
    """Test the mean over language pairs, from the permutations of each.

    Args:
        comparisons: of the language pairs, of the same metrics and number of permutations.
        weights: what each language pair counts.

    Returns:
        The tests; ``None`` if a language pair was tested without permutations.
    """
    if comparisons and all(entry.parts for entry in comparisons):
        return _most_doubtful(
            [average(each, weights) for each in zip(*(entry.parts for entry in comparisons), strict=True)]
        )
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
    shown = comparisons[0]
    return _from_permutations(shown.test, shown.assumed, shown.names, observed, permuted)


def _exchange(
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
    of_systems = measure.takes == "systems"
    sides = np.stack([entry.systems if of_systems and method == "systems" else entry.segments for entry in scores])
    if of_systems and np.isnan(sides).any():
        if method == "systems":
            return None
        raise ConfigError(f"the test {method!r} of {measure.name} needs scores of all segments; use the test 'systems'")
    if any(np.isnan(side).all() for side in sides):
        return None
    known = np.asarray(~np.isnan(sides).any(axis=0))
    values = np.stack([_standardized(side, known) for side in sides])
    masks = _masks(sides.shape[1:], method, test.documents, samples, seeds)
    exchanged = {"systems": "systems", "perm-both": "scores"}.get(method, "segments")
    means = of_systems and values.ndim == 3
    upper = _pairs(len(scores))
    quick = measure.exchange(test, values, masks, exchanged) if of_systems or known[test.judged()].all() else None
    exchange = one_by_one(values, masks, exchanged, agreement, means=means) if quick is None else quick
    observed, permuted = {}, {}
    for done, pair in enumerate(upper):
        progress("permutations", done * samples, samples * len(upper))
        found = exchange(*pair)
        observed[pair], permuted[pair] = float(found[0]), found[1:]
    progress("permutations", samples * len(upper), samples * len(upper))
    return _from_permutations(_title(method, samples, seeds), ASSUMED[method], names, observed, permuted)


def one_by_one(
    values: Floats, masks: Masks, exchanged: str, agreement: Agreement, *, means: bool = False
) -> Differences:
    """Exchange scores, and ask the measure anew for each sample; with ``means`` it takes means over segments."""
    shaped = masks
    if values.ndim > masks.ndim:
        shaped = masks[:, None] if exchanged == "segments" else masks[:, :, None]

    def ask(mask: Masks, one: Floats, other: Floats) -> float:
        scores = np.where(mask, other, one)
        return agreement(scores.mean(axis=1) if means else scores)

    def differences(first: int, second: int) -> Floats:
        one, other = values[first], values[second]
        return np.array([ask(mask, one, other) - ask(mask, other, one) for mask in shaped])

    return differences


def _standardized(scores: Floats, known: NDArray[np.bool_]) -> Floats:
    values = scores[known]
    spread = float(values.std())
    result: Floats = (scores - values.mean()) / (spread if spread > 0 else 1.0)
    return result


def _masks(
    shape: tuple[int, ...], method: str, documents: Sequence[str], samples: int, seeds: Sequence[int]
) -> NDArray[np.bool_]:
    """Return what is exchanged: ``(1 + samples, systems)`` or ``segments``, or of single scores both.

    Nothing is exchanged in the first sample, which is what is observed.
    """
    random = np.random.default_rng(list(seeds))
    own = np.unique(np.array(documents), return_inverse=True)[1] if method == "documents" else np.arange(shape[-1])
    drawn = {"perm-both": shape, "systems": shape[:1]}.get(method, (own.max(initial=-1) + 1,))
    # Drawn a sample at a time, the first samples do not depend on how many there are.
    none = np.zeros(drawn, bool)
    masks = np.stack([none, *(random.integers(2, size=drawn, dtype=bool) for _ in range(samples))])
    return masks[:, own] if method == "documents" else masks


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
