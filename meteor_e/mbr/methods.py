"""Methods that find the candidates with the best expected scores without scoring all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from meteor_e.api import ConfigError, Metric
from meteor_e.api.metrics import AggregatesReferences, score_pairs
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.nbest import Source

if TYPE_CHECKING:
    from meteor_e.engine.aggregation import Aggregated

BLOCK = 1 << 19
"""The maximum number of pairs of a source that are scored or approximated at the same time."""

TIE_TOLERANCE = 1e-12
"""The relative difference below which two expected scores count as equal.

The means of the same scores in a different order can differ by rounding errors.
"""


def rank_candidates(expected: Floats, sign: int) -> Integers:
    """Return the indexes of candidates from the best one. Candidates with equal scores keep their order.

    Args:
        expected: expected scores. Candidates with NaN come last.
        sign: 1 if the highest score is best, and otherwise -1.
    """
    quality = np.where(np.isnan(expected), -np.inf, sign * expected)
    order = np.argsort(-quality, kind="stable")
    finite = quality[np.isfinite(quality)]
    tolerance = TIE_TOLERANCE * float(np.abs(finite).max(initial=0.0))
    with np.errstate(
        invalid="ignore"
    ):  # The difference between two infinite values is NaN, so that their ranks are equal.
        starts_rank = quality[order[:-1]] - quality[order[1:]] > tolerance
    ranks = np.concatenate([[0], np.cumsum(starts_rank)])
    return np.asarray(order[np.lexsort((order, ranks))])


@dataclass(frozen=True)
class Pairs:
    """The pairs of candidates and references of one source. A method scores the pairs that it needs.

    Attributes:
        metric: the metric.
        number: number of the source, from 1.
        source: the source as it was read.
        candidates: the distinct candidates.
        references: the references.
        weights: weights of the references, with a sum of 1; ``None`` for equal weights.
    """

    metric: Metric
    number: int
    source: Source
    candidates: Sequence[str]
    references: Sequence[str]
    weights: Floats | None

    def scores(self, rows: Iterable[int], columns: Integers) -> Floats:
        """Return the scores of candidates against references. Each distinct reference is scored once.

        Args:
            rows: indexes of the candidates.
            columns: indexes of the references, which may be repeated.
        """
        distinct_columns, inverse = np.unique(columns, return_inverse=True)
        hypotheses = [self.candidates[row] for row in rows]
        references = [self.references[column] for column in distinct_columns]
        matrix = next(score_pairs(self.metric, [hypotheses], [references]))
        return np.take(matrix, inverse.ravel(), axis=1)  # The order of the columns affects the rounding of sums.

    def average(self, matrix: Floats) -> Floats:
        """Return expected scores, which are the weighted means of scores against the first references."""
        if self.weights is None:
            return np.asarray(matrix.mean(axis=1))
        weights = self.weights[: matrix.shape[1]]
        # A matrix product is not used here, because its last digits depend on the number of rows.
        return np.asarray((matrix * (weights / weights.sum())).sum(axis=1))

    def compute_expected(self, rows: Sequence[int], progress: Progress = silent) -> Floats:
        """Return the expected scores of candidates over all references. One block of scores is in memory at a time."""
        blocks: list[Floats] = []
        step = max(1, BLOCK // len(self.references))
        for start in range(0, len(rows), step):
            scores = self.scores(rows[start : start + step], np.arange(len(self.references)))
            blocks.append(self.average(scores))
            progress(f"source {self.number}", min(start + step, len(rows)), len(rows))
        return np.concatenate(blocks)

    @property
    def sign(self) -> int:
        """1 if the highest score is best, and otherwise -1."""
        return 1 if self.metric.higher_is_better else -1


class Method(Protocol):
    """A method that finds the best candidates."""

    def __call__(self, pairs: Pairs, best: int) -> Floats:
        """Return the expected scores of the candidates, or NaN for candidates that are ruled out.

        Args:
            pairs: the pairs of a source.
            best: number of candidates that must not be ruled out.
        """


@dataclass(frozen=True)
class Pruning:
    """Confidence-based pruning: algorithm 1 of Cheng and Vlachos (2023), "Faster Minimum Bayes Risk Decoding".

    Candidates are scored against an increasing number of references. Each step rules out the candidates that win
    against the best candidate in at most ``1 - confidence`` of the bootstrap samples of references. The expected scores
    are means over the references of the last step. If there are no ties, mbrs makes the same choices with the same
    settings and seed.

    Attributes:
        confidence: the confidence level α.
        sizes: increasing numbers of references.
        samples: number of bootstrap samples.
        seed: seed of the samples, below 2³². Samples are drawn from MT19937 in the same way as by PyTorch.
    """

    confidence: float = 0.99
    sizes: tuple[int, ...] = (8, 16, 32, 64, 128, 256)
    samples: int = 500
    seed: int = 0

    def __call__(self, pairs: Pairs, best: int) -> Floats:
        """Rule out candidates step by step; see :class:`Method`."""
        sign = pairs.sign
        random = np.random.RandomState(self.seed)
        candidates = np.arange(len(pairs.candidates))
        matrix = np.empty((len(candidates), 0))
        expected = np.zeros(len(candidates))
        for size in self.sizes:
            size, previous_size = min(size, len(pairs.references)), matrix.shape[1]
            if size <= previous_size:
                break
            new_scores = pairs.scores(candidates, np.arange(previous_size, size))
            wider_matrix = np.concatenate([matrix, new_scores], axis=1)
            sample_means = sign * wider_matrix @ self._draw_weights(random, pairs.weights, size).T
            # The products of equal rows can differ in the last bits.
            best_means = sample_means[rank_candidates(pairs.average(wider_matrix), sign)[0]]
            wins = sample_means >= best_means - 1e-9
            # In single precision, as in PyTorch, 1 - 0.9 equals 0.1.
            winners = np.flatnonzero(np.float32(wins.mean(axis=1)) > np.float32(1 - self.confidence))
            if len(winners) < best:
                expected = expected if previous_size else pairs.average(wider_matrix)
                break
            candidates, matrix = candidates[winners], wider_matrix[winners]
            expected = pairs.average(matrix)
        return _spread_scores(candidates, expected, len(pairs.candidates))

    def _draw_weights(self, random: np.random.RandomState, weights: Floats | None, size: int) -> Floats:
        """Return the weights of the references in each bootstrap sample, ``(samples, size)``."""
        drawn_references = random.randint(0, 1 << 32, (self.samples, size), np.uint32) % size
        cells = drawn_references + size * np.arange(self.samples)[:, None]
        counts = np.bincount(cells.ravel(), minlength=self.samples * size).reshape(self.samples, size)
        sample_weights = counts * (1.0 if weights is None else weights[:size])
        return np.asarray(sample_weights / sample_weights.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Aggregation:
    """Reference aggregation, followed by exact scores of the candidates that may be the best.

    Aggregated references give approximate expected scores (:mod:`meteor_e.engine.aggregation`), which select the
    ``top`` candidates. These candidates are scored against samples of 16, 32, 64 and more references. A candidate is
    ruled out if the best candidate is better by more than 2.5 + 6 / references standard errors. If the metric has
    approximate scores of pairs, they are a control variate, and only their errors are sampled. The remaining candidates
    are scored against all references.

    Attributes:
        top: number of candidates that are scored exactly; 0 to choose by approximate scores.
        seed: seed of the sampled references.
    """

    top: int = 256
    seed: int = 0

    def __call__(self, pairs: Pairs, best: int) -> Floats:
        """Select candidates by approximate scores, and score them exactly; see :class:`Method`."""
        if not isinstance(pairs.metric, AggregatesReferences):
            raise ConfigError(f"metric {pairs.metric.label} cannot aggregate references; use pruning")
        distinct_references = list(dict.fromkeys(pairs.references))
        index_of = {text: index for index, text in enumerate(distinct_references)}
        indexes = [index_of[text] for text in pairs.references]
        weights = np.bincount(indexes, pairs.weights, len(distinct_references))
        weights = weights / weights.sum()
        aggregated: Aggregated = pairs.metric.expected_scores(pairs.candidates, distinct_references, weights)
        if not self.top:
            return aggregated.expected
        candidates = rank_candidates(aggregated.expected, pairs.sign)[: max(self.top, best)]
        distinct_pairs = replace(pairs, references=distinct_references, weights=weights)
        candidates = self._rule_out(distinct_pairs, aggregated, candidates, best)
        expected = pairs.compute_expected(candidates.tolist())
        return _spread_scores(candidates, expected, len(pairs.candidates))

    def _rule_out(self, pairs: Pairs, aggregated: Aggregated, candidates: Integers, best: int) -> Integers:
        """Return the candidates that are not ruled out by samples of references."""
        assert pairs.weights is not None
        random = np.random.default_rng(self.seed)
        reference_count = len(pairs.references)

        def approximate(columns: Integers) -> Floats:
            if aggregated.pairs is None:
                return np.zeros((len(candidates), len(columns)))
            return aggregated.pairs(candidates, columns)

        means = np.zeros(len(candidates))
        step = max(1, BLOCK // len(candidates))
        for start in range(0, reference_count, step):
            columns = np.arange(start, min(start + step, reference_count))
            means += approximate(columns) @ pairs.weights[columns]
        errors = np.empty((len(candidates), 0))
        size = 16
        while len(candidates) > max(best, 4) and 4 * size <= reference_count:
            columns = random.choice(reference_count, size - errors.shape[1], p=pairs.weights)
            errors = np.concatenate([errors, pairs.scores(candidates, columns) - approximate(columns)], axis=1)
            estimates = pairs.sign * (means + errors.mean(axis=1))
            last_best = rank_candidates(estimates, 1)[best - 1]
            deviations = (errors - errors[last_best]).std(axis=1, ddof=1) / np.sqrt(size)
            tolerance = TIE_TOLERANCE * float(np.abs(estimates).max())
            is_possible = estimates - estimates[last_best] + (2.5 + 6 / size) * deviations >= -tolerance
            candidates, means, errors = candidates[is_possible], means[is_possible], errors[is_possible]
            size *= 2
        return candidates


def _spread_scores(candidates: Integers, expected: Floats, count: int) -> Floats:
    """Return the expected scores of all candidates, with NaN for candidates that were ruled out."""
    scores = np.full(count, np.nan)
    scores[candidates] = expected
    return scores
