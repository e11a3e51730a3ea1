"""Ways to find the candidates with the best expected scores without scoring all pairs."""

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
"""Pairs of a source that are scored, or approximated, at once."""

TIE_TOLERANCE = 1e-12
"""Relative difference below which two expected scores are equal.

Candidates whose scores are the same numbers in another order have means that differ by rounding errors.
"""


def rank_candidates(expected: Floats, sign: int) -> Integers:
    """Return the indices of candidates, the best first; tied candidates keep their order.

    Args:
        expected: expected scores; candidates with NaN come last.
        sign: 1 if the highest score is best, else -1.
    """
    quality = np.where(np.isnan(expected), -np.inf, sign * expected)
    order = np.argsort(-quality, kind="stable")
    finite = quality[np.isfinite(quality)]
    tolerance = TIE_TOLERANCE * float(np.abs(finite).max(initial=0.0))
    with np.errstate(invalid="ignore"):  # Two candidates with NaN: their difference is NaN, which starts no new rank.
        starts_rank = quality[order[:-1]] - quality[order[1:]] > tolerance
    ranks = np.concatenate([[0], np.cumsum(starts_rank)])
    return np.asarray(order[np.lexsort((order, ranks))])


@dataclass(frozen=True)
class Pairs:
    """The pairs of a source, scored where a method asks for them.

    Attributes:
        metric: what scores.
        number: of the source, from 1.
        source: where they come from.
        candidates: distinct texts to choose from.
        references: the texts to score them against.
        weights: of the references, with a sum of 1; ``None`` for equal ones.
    """

    metric: Metric
    number: int
    source: Source
    candidates: Sequence[str]
    references: Sequence[str]
    weights: Floats | None

    def scores(self, rows: Iterable[int], columns: Integers) -> Floats:
        """Return the scores of some candidates against some references; a reference that comes twice is scored once."""
        distinct, again = np.unique(columns, return_inverse=True)
        sides = [[self.candidates[row] for row in rows]], [[self.references[column] for column in distinct]]
        matrix = next(score_pairs(self.metric, *sides))
        return np.take(matrix, again.ravel(), axis=1)  # In the order of rows, which sums depend on.

    def expected(self, matrix: Floats) -> Floats:
        """Return expected scores from scores against the first references."""
        if self.weights is None:
            return np.asarray(matrix.mean(axis=1))
        weights = self.weights[: matrix.shape[1]]
        # Not a product of matrices: its last digits depend on how many rows there are.
        return np.asarray((matrix * (weights / weights.sum())).sum(axis=1))

    def expected_of(self, rows: Sequence[int], progress: Progress = silent) -> Floats:
        """Return expected scores of some candidates over all references; a block of scores is in memory at once."""
        parts: list[Floats] = []
        step = max(1, BLOCK // len(self.references))
        for first in range(0, len(rows), step):
            scores = self.scores(rows[first : first + step], np.arange(len(self.references)))
            parts.append(self.expected(scores))
            progress(f"source {self.number}", min(first + step, len(rows)), len(rows))
        return np.concatenate(parts)

    @property
    def sign(self) -> int:
        """1 where the highest score is best, else -1."""
        return 1 if self.metric.higher_is_better else -1


class Method(Protocol):
    """A way to find the best candidates."""

    def __call__(self, pairs: Pairs, best: int) -> Floats:
        """Return expected scores of the candidates, NaN for those that were ruled out; ``best`` are not."""


@dataclass(frozen=True)
class Pruning:
    """Confidence-based pruning: Cheng and Vlachos (2023), "Faster Minimum Bayes Risk Decoding …", algorithm 1.

    Candidates are scored against the first few references, then more. At each step those are ruled out that win against
    the best so far in at most ``1 - confidence`` of the bootstrap samples of references. Expected scores are over the
    references of the last step. Without a tie, the choices are those of mbrs, with the same settings and seed.

    Attributes:
        confidence: α.
        sizes: numbers of references, increasing.
        samples: bootstrap samples.
        seed: of the samples, below 2³²; they are drawn from MT19937 as PyTorch draws them.
    """

    confidence: float = 0.99
    sizes: tuple[int, ...] = (8, 16, 32, 64, 128, 256)
    samples: int = 500
    seed: int = 0

    def __call__(self, pairs: Pairs, best: int) -> Floats:
        """Prune; see :class:`Method`."""
        sign, random = pairs.sign, np.random.RandomState(self.seed)
        kept = np.arange(len(pairs.candidates))
        matrix = np.empty((len(kept), 0))
        expected = np.zeros(len(kept))
        for size in self.sizes:
            size, before = min(size, len(pairs.references)), matrix.shape[1]
            if size <= before:
                break
            wider = np.concatenate([matrix, pairs.scores(kept, np.arange(before, size))], axis=1)
            drawn = random.randint(0, 1 << 32, (self.samples, size), np.uint32) % size
            cells = drawn + size * np.arange(self.samples)[:, None]
            counts = np.bincount(cells.ravel(), minlength=self.samples * size).reshape(self.samples, size)
            drawn_weights = counts * (1.0 if pairs.weights is None else pairs.weights[:size])
            drawn_weights /= drawn_weights.sum(axis=1, keepdims=True)
            means = sign * wider @ drawn_weights.T
            # Equal rows of a product can differ in the last bits.
            wins = means >= means[rank_candidates(pairs.expected(wider), sign)[0]] - 1e-9
            # In single precision, where 1 - 0.9 is 0.1.
            winners = np.flatnonzero(np.float32(wins.mean(axis=1)) > np.float32(1 - self.confidence))
            if len(winners) < best:
                expected = expected if before else pairs.expected(wider)
                break
            kept, matrix = kept[winners], wider[winners]
            expected = pairs.expected(matrix)
        return _only(kept, expected, len(pairs.candidates))


@dataclass(frozen=True)
class Aggregation:
    """Reference aggregation, then exact scores for the candidates that may be the best.

    Aggregated references give approximate expected scores (:mod:`meteor_e.engine.aggregation`), which choose the
    ``top`` candidates. Those are scored against 16, 32, … sampled references, and ruled out where the best so far is
    better by more than 2.5 + 6 / references standard errors. Approximate scores of pairs, where the metric has them,
    are a control variate: only their errors are sampled. What is left is scored against all references.

    Attributes:
        top: candidates that are scored; 0 for none: the approximate scores decide.
        seed: of the sampled references.
    """

    top: int = 256
    seed: int = 0

    def __call__(self, pairs: Pairs, best: int) -> Floats:
        """Aggregate, and score the best; see :class:`Method`."""
        others = list(dict.fromkeys(pairs.references))
        at = {text: place for place, text in enumerate(others)}
        shares = np.bincount([at[text] for text in pairs.references], pairs.weights, len(others))
        shares = shares / shares.sum()
        if not isinstance(pairs.metric, AggregatesReferences):
            raise ConfigError(f"metric {pairs.metric.label} cannot aggregate references; take pruning")
        found: Aggregated = pairs.metric.expected_scores(pairs.candidates, others, shares)
        if not self.top:
            return found.expected
        kept = rank_candidates(found.expected, pairs.sign)[: max(self.top, best)]
        kept = self._sampled(replace(pairs, references=others, weights=shares), found, kept, best)
        return _only(kept, pairs.expected_of(kept.tolist()), len(pairs.candidates))

    def _sampled(self, pairs: Pairs, found: Aggregated, kept: Integers, best: int) -> Integers:
        """Return the candidates that samples of references leave."""
        assert pairs.weights is not None
        random, count = np.random.default_rng(self.seed), len(pairs.references)

        def approximate(columns: Integers) -> Floats:
            return np.zeros((len(kept), len(columns))) if found.pairs is None else found.pairs(kept, columns)

        means = np.zeros(len(kept))
        step = max(1, BLOCK // len(kept))
        for start in range(0, count, step):
            columns = np.arange(start, min(start + step, count))
            means += approximate(columns) @ pairs.weights[columns]
        errors = np.empty((len(kept), 0))
        size = 16
        while len(kept) > max(best, 4) and 4 * size <= count:
            columns = random.choice(count, size - errors.shape[1], p=pairs.weights)
            errors = np.concatenate([errors, pairs.scores(kept, columns) - approximate(columns)], axis=1)
            estimates = pairs.sign * (means + errors.mean(axis=1))
            worst = rank_candidates(estimates, 1)[best - 1]
            deviations = (errors - errors[worst]).std(axis=1, ddof=1) / np.sqrt(size)
            tolerance = TIE_TOLERANCE * float(np.abs(estimates).max())
            left = estimates - estimates[worst] + (2.5 + 6 / size) * deviations >= -tolerance
            kept, means, errors = kept[left], means[left], errors[left]
            size *= 2
        return kept


def _only(kept: Integers, expected: Floats, count: int) -> Floats:
    """Return the scores of all candidates, NaN for those that were not kept."""
    scores = np.full(count, np.nan)
    scores[kept] = expected
    return scores
