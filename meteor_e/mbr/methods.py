"""Speed up minimum Bayes risk decoding by scoring only some pairs of a candidate and a reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from meteor_e.api import ConfigError, Metric
from meteor_e.api.metrics import AggregatesReferences
from meteor_e.api.pair_scores import score_pairs
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.nbest import Source

if TYPE_CHECKING:
    from meteor_e.engine.aggregation import Aggregated

BLOCK = 1 << 19
"""The maximum number of pairs of a candidate and a reference that are scored at the same time."""

FIRST_SAMPLE_SIZE = 16
"""The number of references in the first sample of :class:`Aggregation`."""

FEW_CANDIDATES = 4
"""The number of candidates up to which scoring all of them is faster than ruling out some of them."""

TIE_TOLERANCE = 1e-12
"""The relative difference below which two expected scores count as equal, because it may be due to rounding."""


def rank_candidates(expected: Floats, sign: int) -> Integers:
    """Return the indexes of the candidates from best to worst score. Candidates with equal scores keep their order.

    Args:
        expected: the expected scores of the candidates. Candidates with NaN come last.
        sign: 1 if high scores are good, or -1 if low scores are good.
    """
    quality = np.where(np.isnan(expected), -np.inf, sign * expected)  # High values are good.
    order = np.argsort(-quality, kind="stable")
    ranks = np.empty(len(order), np.int64)
    ranks[order] = _number_ties(quality[order])
    return np.argsort(ranks, kind="stable")


def _number_ties(sorted_values: Floats) -> Integers:
    """Rank values sorted in descending order. A value nearly equal to the previous one gets the same rank.

    The ranks begin with 0.
    """
    finite_values = sorted_values[np.isfinite(sorted_values)]
    tolerance = TIE_TOLERANCE * np.abs(finite_values).max(initial=0.0)
    # The difference of two infinite values is NaN, so the comparison is false, and both values get the same rank.
    with np.errstate(invalid="ignore"):
        is_lower = sorted_values[:-1] - sorted_values[1:] > tolerance
    return np.concatenate([[0], np.cumsum(is_lower)])


@dataclass(frozen=True)
class Pairs:
    """Score the candidates of one source against its references.

    Attributes:
        metric: the metric that scores a candidate against a reference.
        number: the number of the source, starting at 1.
        source: the source as it was read.
        candidates: the distinct candidates.
        references: the references.
        weights: the weights of the references, which sum to 1, or ``None`` for equal weights.
    """

    metric: Metric
    number: int
    source: Source
    candidates: Sequence[str]
    references: Sequence[str]
    weights: Floats | None

    def scores(self, rows: Iterable[int], columns: Integers) -> Floats:
        """Score some candidates against some references, and return a matrix of scores.

        Args:
            rows: the indexes of the candidates.
            columns: the indexes of the references. Repeated references are scored only once.
        """
        distinct_columns, inverse = np.unique(columns, return_inverse=True)
        hypotheses = [self.candidates[row] for row in rows]
        references = [self.references[column] for column in distinct_columns]
        matrix = next(score_pairs(self.metric, [hypotheses], [references]))
        # The columns keep the given order, because the order of a sum affects its rounding error.
        return np.take(matrix, inverse.ravel(), axis=1)

    def average(self, matrix: Floats) -> Floats:
        """Compute the expected score of each candidate as the weighted mean of its scores.

        Args:
            matrix: the scores of candidates against the first references, ``(candidates, references)``.
        """
        if self.weights is None:
            return np.asarray(matrix.mean(axis=1))
        weights = self.weights[: matrix.shape[1]]
        # The rounding errors of a matrix product would depend on the number of rows, so it is not used here.
        return np.asarray((matrix * (weights / weights.sum())).sum(axis=1))

    def compute_expected(self, rows: Sequence[int], progress: Progress = silent) -> Floats:
        """Score some candidates against all references in blocks, and return the expected score of each candidate.

        Args:
            rows: the indexes of the candidates.
            progress: a callback that receives the number of scored candidates.
        """
        blocks: list[Floats] = []
        step = max(1, BLOCK // len(self.references))
        for start in range(0, len(rows), step):
            scores = self.scores(rows[start : start + step], np.arange(len(self.references)))
            blocks.append(self.average(scores))
            progress(f"source {self.number}", min(start + step, len(rows)), len(rows))
        return np.concatenate(blocks)

    @property
    def pair_count(self) -> int:
        """The number of pairs of a candidate and a reference."""
        return len(self.candidates) * len(self.references)

    @property
    def sign(self) -> int:
        """Return 1 if high scores are good, and -1 if low scores are good."""
        return 1 if self.metric.higher_is_better else -1


class Method(Protocol):
    """Find the best candidates of a source."""

    def __call__(self, pairs: Pairs, n_best: int) -> Floats:
        """Return the expected score of each candidate, or NaN if the candidate has been ruled out.

        Args:
            pairs: the candidates and references of a source.
            n_best: the minimum number of candidates that are not ruled out.
        """


@dataclass(frozen=True)
class Pruning:
    """Find the best candidates by confidence-based pruning, which is algorithm 1 of Cheng and Vlachos (2023).

    Each step scores the remaining candidates against more references, and draws bootstrap samples of these references.
    A candidate wins a sample if its mean score is at least as good as the mean score of the best candidate. Only
    candidates that win more than the fraction ``1 - confidence`` of the samples remain.

    Pruning removes candidates in several steps. The expected score of a remaining candidate is its mean score against
    the references of the last completed step.

    With the same settings and the same seed, the Python library mbrs chooses the same candidates, except if several
    candidates have equal scores.

    Attributes:
        confidence: the confidence level.
        sizes: the number of references in each step, in increasing order.
        samples: the number of bootstrap samples.
        seed: the seed of the samples, which must be below 2³². Samples are drawn in the same way as by PyTorch.
    """

    confidence: float = 0.99
    sizes: tuple[int, ...] = (8, 16, 32, 64, 128, 256)
    samples: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the sizes."""
        if not self.sizes or min(self.sizes) < 1:
            raise ConfigError(f"pruning needs at least one size, and positive sizes, not {self.sizes}")

    def __call__(self, pairs: Pairs, n_best: int) -> Floats:
        """Return the expected score of each candidate, or NaN if the candidate has been ruled out."""
        random = np.random.RandomState(self.seed)
        n_candidates = len(pairs.candidates)
        remaining = _ScoredCandidates(np.arange(n_candidates), scores=np.empty((n_candidates, 0)))
        reference_counts = sorted({min(size, len(pairs.references)) for size in self.sizes})
        for reference_count in reference_counts:
            scored = remaining.add_references(pairs, reference_count)
            sample_weights = self._draw_weights(random, pairs.weights, reference_count)
            winners = self._find_winners(pairs, scored.scores, sample_weights)
            if len(winners) < n_best:
                # Too few candidates would remain, so the previous result is kept. The first step keeps all candidates.
                is_first_step = reference_count == reference_counts[0]
                return scored.average(pairs) if is_first_step else remaining.average(pairs)
            remaining = scored.select(winners)
        return remaining.average(pairs)

    def _find_winners(self, pairs: Pairs, scores: Floats, sample_weights: Floats) -> Integers:
        """Return the indexes of candidates that are at least as good as the best one in enough bootstrap samples.

        Args:
            pairs: the candidates and references of a source.
            scores: the scores of the remaining candidates, ``(candidates, references)``.
            sample_weights: the weights of the references in each sample, ``(samples, references)``.
        """
        signed_scores = pairs.sign * scores  # High values are good.
        sample_means = signed_scores @ sample_weights.T  # (candidates, samples)
        best_candidate = rank_candidates(pairs.average(scores), pairs.sign)[0]
        # Equal rows can have slightly different means because of rounding errors, so a tolerance is needed.
        wins = sample_means >= sample_means[best_candidate] - 1e-9
        win_rates = wins.mean(axis=1)
        # Like PyTorch, this code compares in single precision, in which 1 - 0.9 is equal to 0.1.
        return np.flatnonzero(np.float32(win_rates) > np.float32(1 - self.confidence))

    def _draw_weights(self, random: np.random.RandomState, weights: Floats | None, size: int) -> Floats:
        """Draw bootstrap samples of the references, and return the weight of each reference in each sample."""
        drawn_references = random.randint(0, 1 << 32, (self.samples, size), np.uint32) % size
        # Each sample gets its own range of indexes, so one call of bincount counts the references of all samples.
        first_indexes = size * np.arange(self.samples)[:, None]
        flat_counts = np.bincount((drawn_references + first_indexes).ravel(), minlength=self.samples * size)
        sample_weights = flat_counts.reshape(self.samples, size) * (1.0 if weights is None else weights[:size])
        return np.asarray(sample_weights / sample_weights.sum(axis=1, keepdims=True))


class _ScoredCandidates(NamedTuple):
    """The candidates that have not been ruled out, and their scores against the references used so far.

    Attributes:
        indexes: the indexes of the candidates.
        scores: the scores, ``(candidates, references)``.
    """

    indexes: Integers
    scores: Floats

    def add_references(self, pairs: Pairs, reference_count: int) -> _ScoredCandidates:
        """Score each candidate against further references, up to a total of ``reference_count`` references."""
        new_references = np.arange(self.scores.shape[1], reference_count)
        new_scores = pairs.scores(self.indexes, new_references)
        return self._replace(scores=np.hstack([self.scores, new_scores]))

    def select(self, rows: Integers) -> _ScoredCandidates:
        """Return only the candidates in some rows."""
        return _ScoredCandidates(self.indexes[rows], self.scores[rows])

    def average(self, pairs: Pairs) -> Floats:
        """Return the mean score of each candidate, or NaN if the candidate has been ruled out."""
        return _spread_scores(self.indexes, pairs.average(self.scores), len(pairs.candidates))


@dataclass(frozen=True)
class Aggregation:
    """Select promising candidates by reference aggregation, and compute their exact scores.

    The ``top`` candidates are selected by approximate expected scores (see :mod:`meteor_e.engine.aggregation`). They
    are scored against increasing samples of references, and candidates are ruled out if they are significantly worse
    than the best candidate. The remaining candidates are scored against all references.

    Some metrics can also approximate the score of a candidate against a single reference. For these metrics, the
    samples are only used to estimate the errors of the approximations. This technique is known as control variates.

    Attributes:
        top: the number of candidates that are scored exactly, or 0 to choose by approximate scores.
        seed: the seed of the samples of references.
    """

    top: int = 256
    seed: int = 0

    def __call__(self, pairs: Pairs, n_best: int) -> Floats:
        """Return the exact expected score of each selected candidate, and NaN for all other candidates."""
        if not isinstance(pairs.metric, AggregatesReferences):
            raise ConfigError(f"metric {pairs.metric.label} cannot aggregate references; use pruning")
        references, weights = _merge_references(pairs)
        aggregated: Aggregated = pairs.metric.expected_scores(pairs.candidates, references, weights)
        if not self.top:
            return aggregated.expected
        top_candidates = rank_candidates(aggregated.expected, pairs.sign)[: max(self.top, n_best)]
        distinct_pairs = replace(pairs, references=references, weights=weights)
        candidates = self._rule_out(distinct_pairs, aggregated, top_candidates, n_best)
        expected = pairs.compute_expected(candidates.tolist())
        return _spread_scores(candidates, expected, len(pairs.candidates))

    def _rule_out(self, pairs: Pairs, aggregated: Aggregated, candidates: Integers, n_best: int) -> Integers:
        """Rule out candidates that are significantly worse than the best candidates, and return the other candidates.

        The candidates are scored against a random sample of the references, which grows with each step. Sampling ends
        when few candidates remain.

        Args:
            pairs: the distinct candidates and references of a source.
            aggregated: the approximate scores.
            candidates: the indexes of the candidates.
            n_best: the minimum number of candidates that remain.
        """
        assert pairs.weights is not None
        approximate_means = _average_approximations(aggregated, candidates, pairs.weights)
        remaining = _SampledCandidates(candidates, approximate_means, errors=np.empty((len(candidates), 0)))
        for drawn_references in _draw_references(pairs, self.seed):
            if len(remaining.indexes) <= max(n_best, FEW_CANDIDATES):
                break
            sampled = remaining.add_sample(pairs, aggregated, drawn_references)
            remaining = sampled.remove_worse(pairs.sign, n_best)
        return remaining.indexes


def _draw_references(pairs: Pairs, seed: int) -> Iterator[Integers]:
    """Draw references at random, with the probabilities given by their weights, and yield their indexes.

    Each draw after the first draw doubles the total number of drawn references. Drawing ends before this total would
    exceed a quarter of the references.
    """
    random = np.random.default_rng(seed)
    sample_size = FIRST_SAMPLE_SIZE
    draw_count = FIRST_SAMPLE_SIZE
    while sample_size <= len(pairs.references) // 4:
        yield random.choice(len(pairs.references), draw_count, p=pairs.weights)
        draw_count = sample_size
        sample_size *= 2


class _SampledCandidates(NamedTuple):
    """Store candidates with approximate expected scores, and the approximation errors for a sample of references.

    Attributes:
        indexes: the indexes of the candidates.
        means: the approximate expected score of each candidate.
        errors: the exact scores minus the approximate scores, ``(candidates, sampled references)``.
    """

    indexes: Integers
    means: Floats
    errors: Floats

    def add_sample(self, pairs: Pairs, aggregated: Aggregated, references: Integers) -> _SampledCandidates:
        """Add references to the sample, and compute how much the approximate scores differ from the exact scores."""
        exact_scores = pairs.scores(self.indexes, references)
        new_errors = exact_scores - _approximate_scores(aggregated, self.indexes, references)
        return self._replace(errors=np.hstack([self.errors, new_errors]))

    def remove_worse(self, sign: int, n_best: int) -> _SampledCandidates:
        """Remove the candidates that are significantly worse than the best candidates.

        Args:
            sign: 1 if high scores are good, or -1 if low scores are good.
            n_best: the number of candidates that count as the best candidates.
        """
        estimates = self.means + self.errors.mean(axis=1)
        last_best = rank_candidates(estimates, sign)[n_best - 1]
        advantages = sign * (estimates - estimates[last_best])
        tolerance = TIE_TOLERANCE * float(np.abs(estimates).max())
        is_possible = advantages + self._compute_margins(last_best) >= -tolerance
        return _SampledCandidates(self.indexes[is_possible], self.means[is_possible], self.errors[is_possible])

    def _compute_margins(self, row: int) -> Floats:
        """Return the margin of error of the difference between each candidate's estimate and one candidate's estimate.

        Args:
            row: the row of the candidate that all candidates are compared with.
        """
        error_differences = self.errors - self.errors[row]  # (candidates, sampled references)
        sample_size = self.errors.shape[1]
        standard_errors = error_differences.std(axis=1, ddof=1) / np.sqrt(sample_size)
        # Small samples need a larger critical value, because their standard errors are less reliable.
        critical_value = 2.5 + 6 / sample_size
        return np.asarray(critical_value * standard_errors)


def _merge_references(pairs: Pairs) -> tuple[list[str], Floats]:
    """Merge equal references of a source sentence, add up their weights, and scale the weights to a sum of 1."""
    distinct_references = list(dict.fromkeys(pairs.references))
    index_of = {text: index for index, text in enumerate(distinct_references)}
    indexes = [index_of[text] for text in pairs.references]
    weights = np.bincount(indexes, pairs.weights, len(distinct_references))
    return distinct_references, weights / weights.sum()


def _approximate_scores(aggregated: Aggregated, candidates: Integers, references: Integers) -> Floats:
    """Return approximate scores of candidates against references, or zeros if the metric has no approximation."""
    if aggregated.pairs is None:
        return np.zeros((len(candidates), len(references)))
    return aggregated.pairs(candidates, references)


def _average_approximations(aggregated: Aggregated, candidates: Integers, weights: Floats) -> Floats:
    """Compute approximate scores in blocks, and return the weighted mean of each candidate's scores."""
    means = np.zeros(len(candidates))
    step = max(1, BLOCK // len(candidates))
    for start in range(0, len(weights), step):
        references = np.arange(start, min(start + step, len(weights)))
        means += _approximate_scores(aggregated, candidates, references) @ weights[references]
    return means


def _spread_scores(candidates: Integers, expected: Floats, count: int) -> Floats:
    """Return the expected scores of all candidates. The scores of candidates that have been ruled out are NaN.

    Args:
        candidates: the indexes of the candidates that have not been ruled out.
        expected: the expected scores of these candidates.
        count: the number of all candidates.
    """
    scores = np.full(count, np.nan)
    scores[candidates] = expected
    return scores
