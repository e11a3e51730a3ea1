"""Is one metric better than another? Williams' test, and permutation tests that exchange the metrics' scores.

A permutation test asks how often a difference as large as the observed one comes about when it does not matter which
metric a score is from. What is exchanged at random differs: every score (``perm-both``: PERM-BOTH of Deutsch, Dror
and Roth, 2021), all scores of a segment (``paired``), or the scores of a system (``systems``). Scores of two metrics
are brought to one scale first, with mean 0 and variance 1.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import Agreement, ConfigError, Measure, Progress, Scores, near_miss
from meteor_e.toolkit import Floats, permutation_p, random_signs, silent
from meteor_e_evaluation import kendall
from meteor_e_evaluation.correlation import williams_matrix
from meteor_e_evaluation.data import TestSet
from meteor_e_evaluation.measures import PairMeasure, SegmentCorrelation

TESTS = {
    "auto": "the test that suits the measure",
    "williams": "Williams' test; for correlations over segments or systems",
    "perm-both": "exchanges every score of a segment of a system (PERM-BOTH)",
    "paired": "exchanges all scores of a segment",
    "systems": "exchanges scores of systems",
}
"""The tests of metrics against one another."""

UNITS = {
    "auto": "what the test says",
    "segments": "all scores of a segment together: scores of different segments are independent",
    "documents": "all scores of a document together: documents are independent",
    "systems": "all scores of a system together: systems are independent",
}
"""What a permutation test exchanges together, and what it then assumes."""

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
        parts: tests of which the one that doubts most gives each p.
    """

    test: str
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
    units: str = "auto",
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
        units: one of :data:`UNITS`: what a permutation test exchanges together.
        progress: told the number of permutations done and of all.

    Returns:
        The tests; ``None`` for fewer than two metrics, or where the test does not fit the judgments.

    Raises:
        ConfigError: for an unknown test, or one that the measure does not allow.
    """
    if method not in TESTS:
        raise ConfigError(f"unknown test {method!r}{near_miss(method, TESTS)}; there are {', '.join(TESTS)}")
    if units not in UNITS:
        raise ConfigError(f"unknown units {units!r}{near_miss(units, UNITS)}; there are {', '.join(UNITS)}")
    if units != "auto" and method != "auto":
        raise ConfigError(f"--units {units} chooses a permutation test of its own; leave out the test {method!r}")
    if units == "documents" and not test.documents:
        raise ConfigError(f"{test.name} {test.pair}: the index names no documents; choose other units")
    names = tuple(entry.name for entry in scores)
    if len(scores) < 2:
        return None
    if method == units == "auto" and isinstance(measure, SegmentCorrelation):
        # Pooled scores share their segment's difficulty and their metric's favor of a system.
        return _most_doubtful(
            [
                compare(measure, test, scores, samples=samples, seed=seed, units=each, progress=progress)
                for each in ("segments", "systems")
            ]
        )
    chosen = measure.default_test() if method == "auto" else method
    if units != "auto":
        chosen = {"segments": "paired"}.get(units, units)
    if chosen == "williams":
        return _williams(measure, test, scores, names)
    seeds = [seed, zlib.crc32(f"{test.name} {test.pair}".encode())]
    if chosen in ("paired", "documents") and isinstance(measure, PairMeasure):
        return _exchange_outcomes(measure, test, scores, names, samples, seeds, chosen)
    return _exchange_scores(measure, test, scores, names, samples, seeds, chosen, progress)


def _most_doubtful(parts: Sequence[Comparison | None]) -> Comparison | None:
    """Return the highest p of several tests: significant is what all of them find (intersection-union test)."""
    known = [entry for entry in parts if entry is not None]
    if not known or len(known) < len(parts):
        return None
    title = "; ".join(dict.fromkeys(entry.test for entry in known)) + "; the higher p counts"
    highest = np.maximum.reduce([entry.p for entry in known])
    return Comparison(title, known[0].names, highest, known[0].observed, parts=tuple(known))


def _title(method: str, samples: int, seeds: Sequence[int]) -> str:
    what, assumed = {
        "perm-both": ("permutation of scores of segments and systems (PERM-BOTH)", "scores"),
        "paired": ("permutation of segments", "segments"),
        "documents": ("permutation of documents", "documents"),
        "systems": ("permutation of systems", "systems"),
    }[method]
    return f"{what}, {samples} samples, seed {seeds[0]}; assumes that {assumed} are independent"


def _williams(
    measure: Measure[TestSet], test: TestSet, scores: Sequence[Scores], names: tuple[str, ...]
) -> Comparison | None:
    rows = measure.correlated(test, scores)
    if rows is None:
        return None
    metrics, human = rows
    if len(human) < 4 or np.isnan(metrics).any():
        return None
    return Comparison(
        f"Williams' test; assumes that {_items(measure)} are independent", names, williams_matrix(metrics, human)
    )


def _items(measure: Measure[TestSet]) -> str:
    return "systems" if measure.takes == "systems" else "scores"


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
    return _from_permutations(comparisons[0].test, comparisons[0].names, observed, permuted)


def _exchange_outcomes(
    measure: PairMeasure,
    test: TestSet,
    scores: Sequence[Scores],
    names: tuple[str, ...],
    samples: int,
    seeds: Sequence[int],
    method: str,
) -> Comparison | None:
    """Exchange what two metrics say of the pairs of systems on a segment, a segment or a document at a time."""
    every = [measure.counts(test, entry.segments) for entry in scores]
    if any(counts is None or not counts.any() for counts in every):
        return None
    judged = np.any([counts.any(axis=1) for counts in every if counts is not None], axis=0)
    counts = [entry[judged] for entry in every if entry is not None]
    if method == "documents":
        own = np.unique(np.array(test.documents)[judged], return_inverse=True)[1]
        counts = [np.stack([np.bincount(own, column) for column in entry.T], axis=1) for entry in counts]
    totals = [entry.sum(axis=0) for entry in counts]

    def difference(first: Floats, second: Floats) -> Floats:
        values = [np.asarray(kendall.tau(kendall.PairCounts(*part.T), measure.variant)) for part in (first, second)]
        result: Floats = values[0] - values[1]
        return result

    upper = _pairs(len(scores))
    observed = {pair: float(difference(totals[pair[0]], totals[pair[1]])) for pair in upper}
    drawn: dict[tuple[int, int], list[Floats]] = {pair: [] for pair in upper}
    for exchanged in random_signs(len(counts[0]), samples, seeds):
        mask = exchanged.astype(float)
        for first, second in upper:
            moved = mask @ (counts[second] - counts[first])
            drawn[first, second].append(difference(totals[first] + moved, totals[second] - moved))
    permuted = {pair: np.concatenate(parts) for pair, parts in drawn.items()}
    return _from_permutations(_title(method, samples, seeds), names, observed, permuted)


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
    upper = _pairs(len(scores))
    permuted = {pair: np.empty(samples) for pair in upper}
    if _is_pooled_pearson(measure) and test.assessments is not None and known[_rated(test)].all():
        exchange = _pooled_pearson(values[(slice(None), *_rated(test))], test.assessments.scores)
        cells: Any = _rated(test)
    else:
        exchange, cells = _one_by_one(values, agreement, means=of_systems and values.ndim == 3), ...
    whole = exchange(np.zeros((1, *np.empty(sides.shape[1:], bool)[cells].shape), bool), upper)
    observed = {pair: float(difference[0]) for pair, difference in whole.items()}
    for start in range(0, samples, BLOCK):
        batch = np.stack([mask[cells] for mask in itertools.islice(masks, min(BLOCK, samples - start))])
        for pair, differences in exchange(batch, upper).items():
            permuted[pair][start : start + len(batch)] = differences
        progress("permutations", start + len(batch), samples)
    return _from_permutations(_title(method, samples, seeds), names, observed, permuted)


Exchange = Callable[[NDArray[np.bool_], Pairs], dict[tuple[int, int], Floats]]
"""From masks, a row each, to the measure's differences of pairs of metrics after the exchange."""


def _is_pooled_pearson(measure: Measure[TestSet]) -> bool:
    return isinstance(measure, SegmentCorrelation) and measure.coefficient == "pearson"


def _rated(test: TestSet) -> tuple[NDArray[Any], NDArray[Any]]:
    assert test.assessments is not None
    return test.assessments.systems, test.assessments.segments


def _one_by_one(values: Floats, agreement: Agreement, *, means: bool) -> Exchange:
    """Exchange scores and ask the measure; with ``means`` it takes means over segments, which are exchanged as sums."""

    def exchange(masks: NDArray[np.bool_], upper: Pairs) -> dict[tuple[int, int], Floats]:
        found = {pair: np.empty(len(masks)) for pair in upper}
        length = values.shape[-1]
        moved = np.einsum("bsn,ksn->kbs", masks.astype(float), values) / length if means else values
        own = values.mean(axis=-1) if means else values
        for first, second in upper:
            for number, mask in enumerate(masks):
                if means:
                    change = moved[second, number] - moved[first, number]
                    one, other = own[first] + change, own[second] - change
                else:
                    one = np.where(mask, values[second], values[first])
                    other = np.where(mask, values[first], values[second])
                found[first, second][number] = agreement(one) - agreement(other)
        return found

    return exchange


def _pooled_pearson(values: Floats, human: Floats) -> Exchange:
    """Exchange the sums of Pearson's coefficient, which are linear in the mask: a matrix product for all metrics."""
    centred = human - human.mean()
    norm = float(centred @ centred)
    length = len(human)
    # Per metric: Σx, Σx², Σxh.
    parts = np.concatenate([values, values**2, values * centred]).T

    def coefficient(sums: Floats) -> Floats:
        total, squares, products = sums
        spread = squares - total**2 / length
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Floats = np.where(spread > 1e-12 * length, products / np.sqrt(spread * norm), math.nan)
        return result

    def exchange(masks: NDArray[np.bool_], upper: Pairs) -> dict[tuple[int, int], Floats]:
        moved = (masks.astype(float) @ parts).reshape(len(masks), 3, len(values)).transpose(1, 0, 2)
        own = parts.sum(axis=0).reshape(3, 1, len(values))
        found = {}
        for first, second in upper:
            change = moved[:, :, second] - moved[:, :, first]
            found[first, second] = coefficient(own[:, :, first] + change) - coefficient(own[:, :, second] - change)
        return found

    return exchange


def _standardized(scores: Floats, known: NDArray[np.bool_]) -> Floats:
    values = scores[known]
    spread = float(values.std())
    result: Floats = (scores - values.mean()) / (spread if spread > 0 else 1.0)
    return result


def _masks(
    shape: tuple[int, ...], method: str, documents: Sequence[str], samples: int, seeds: Sequence[int]
) -> Iterator[NDArray[np.bool_]]:
    """Yield which scores are exchanged; those of a unit together."""
    random = np.random.default_rng(list(seeds))
    if method == "documents":
        names, own = np.unique(np.array(documents), return_inverse=True)
    drawn: tuple[int, ...] = {
        "perm-both": shape,
        "paired": (1, shape[-1]),
        "documents": (1, len(names) if method == "documents" else 0),
        "systems": (shape[0], *[1] * (len(shape) - 1)),
    }[method]
    for _ in range(samples):
        mask = random.integers(2, size=drawn, dtype=bool)
        yield np.broadcast_to(mask[:, own] if method == "documents" else mask, shape)


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
