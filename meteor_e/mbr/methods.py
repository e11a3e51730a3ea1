"""Ways to find the candidates with the best expected scores without scoring all pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from meteor_e.api import Metric
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.metrics.outputs import pairwise_batches

if TYPE_CHECKING:
    from meteor_e.metrics.aggregation import Aggregated

CELLS = 1 << 23
"""Pairs of a source whose scores a matrix is completed for, at most."""

BLOCK = 1 << 19
"""Pairs of a source that are scored, or approximated, at once."""


@dataclass(frozen=True)
class Pairs:
    """The pairs of a source, scored where a method asks for them.

    Attributes:
        metric: what scores.
        language: ISO code of the text.
        candidates, references: the texts.
        weights: of the references, with a sum of 1; ``None`` for equal ones.
    """

    metric: Metric
    language: str
    candidates: Sequence[str]
    references: Sequence[str]
    weights: Floats | None

    def scores(self, rows: Sequence[int] | Integers, columns: Sequence[int] | Integers) -> Floats:
        """Return the scores of some candidates against some references; texts that come twice are scored once."""
        left, right = [self.candidates[row] for row in rows], [self.references[column] for column in columns]
        texts, others = list(dict.fromkeys(left)), list(dict.fromkeys(right))
        matrix = next(pairwise_batches(self.metric, [texts], self.language, [others]))
        places = ({text: place for place, text in enumerate(side)} for side in (texts, others))
        return matrix[np.ix_(*([at[text] for text in side] for at, side in zip(places, (left, right), strict=True)))]

    def expected(self, matrix: Floats) -> Floats:
        """Return expected scores from scores against the first references."""
        if self.weights is None:
            return np.asarray(matrix.mean(axis=1))
        weights = self.weights[: matrix.shape[1]]
        # Not a product of matrices: its last digits depend on how many rows there are.
        return np.asarray((matrix * (weights / weights.sum())).sum(axis=1))

    def expected_of(self, rows: Integers) -> Floats:
        """Return expected scores of some candidates over all references."""
        step = max(1, BLOCK // len(self.references))
        every = np.arange(len(self.references))
        parts = [self.expected(self.scores(rows[at : at + step], every)) for at in range(0, len(rows), step)]
        return np.concatenate(parts)

    @property
    def sign(self) -> int:
        """1 where the highest score is best, else -1."""
        return 1 if self.metric.higher_is_better else -1


class Method(Protocol):
    """A way to find the best candidates."""

    @property
    def complete(self) -> bool:
        """Whether it gives all candidates a score."""

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
    complete: ClassVar[bool] = False

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
            wider = np.concatenate([matrix, pairs.scores(kept, range(before, size))], axis=1)
            drawn = random.randint(0, 1 << 32, (self.samples, size), np.uint32) % size
            cells = drawn + size * np.arange(self.samples)[:, None]
            counts = np.bincount(cells.ravel(), minlength=self.samples * size).reshape(self.samples, size)
            drawn_weights = counts * (1.0 if pairs.weights is None else pairs.weights[:size])
            drawn_weights /= drawn_weights.sum(axis=1, keepdims=True)
            means = sign * wider @ drawn_weights.T
            # Equal rows of a product can differ in the last bits.
            wins = means >= means[(sign * pairs.expected(wider)).argmax()] - 1e-9
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

    Aggregated references give approximate expected scores (:mod:`meteor_e.metrics.aggregation`), which choose the
    ``top`` candidates. Those are scored against 16, 32, … sampled references, and ruled out where the best so far is
    better by more than 2.5 + 6 / references standard errors. Approximate scores of pairs, where the metric has them,
    are a control variate: only their errors are sampled. What is left is scored against all references.

    Attributes:
        top: candidates that are scored; 0 for none: the approximate scores decide.
        seed: of the sampled references.
    """

    top: int = 256
    seed: int = 0

    @property
    def complete(self) -> bool:
        """Whether no candidate is scored."""
        return not self.top

    def __call__(self, pairs: Pairs, best: int) -> Floats:
        """Aggregate, and score the best; see :class:`Method`."""
        aggregate = getattr(pairs.metric, "aggregated", None)
        if aggregate is None:
            raise ConfigError(f"metric {pairs.metric.label} cannot aggregate references; take pruning")
        first = {text: place for place, text in reversed(list(enumerate(pairs.candidates)))}
        texts, others = list(dict.fromkeys(pairs.candidates)), list(dict.fromkeys(pairs.references))
        places = np.array([first[text] for text in texts])
        at = {text: place for place, text in enumerate(others)}
        shares = np.bincount([at[text] for text in pairs.references], pairs.weights, len(others))
        shares = shares / shares.sum()
        found: Aggregated = aggregate(texts, others, shares, pairs.language)
        if not self.top:
            expected = dict(zip(texts, found.expected.tolist(), strict=True))
            return np.array([expected[text] for text in pairs.candidates])
        kept = np.argsort(-pairs.sign * found.expected, kind="stable")[: max(self.top, best)]
        kept = self._sampled(replace(pairs, candidates=texts, references=others, weights=shares), found, kept, best)
        scores = dict(zip([texts[place] for place in kept], pairs.expected_of(places[kept]).tolist(), strict=True))
        return np.array([scores.get(text, np.nan) for text in pairs.candidates])

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
            worst = np.argsort(-estimates, kind="stable")[best - 1]
            deviations = (errors - errors[worst]).std(axis=1, ddof=1) / np.sqrt(size)
            left = estimates - estimates[worst] + (2.5 + 6 / size) * deviations >= 0
            kept, means, errors = kept[left], means[left], errors[left]
            size *= 2
        return kept


@dataclass(frozen=True)
class Completion:
    """Probabilistic MBR: Trabelsi et al. (2024), "Efficient MBR Decoding using Low-Rank Matrix Completion Algorithms".

    Some pairs are scored. Alternating least squares completes the matrix as a product of two of low rank.

    Attributes:
        share: of the pairs that is scored.
        rank: of the completed matrix.
        regularization: weight of the factors' squares.
        iterations: steps, at most.
        seed: of the pairs and of the factors that the steps start with.
    """

    share: float = 1 / 8
    rank: int = 8
    regularization: float = 0.1
    iterations: int = 10
    seed: int = 0
    complete: ClassVar[bool] = True

    def __call__(self, pairs: Pairs, best: int) -> Floats:
        """Complete the matrix; see :class:`Method`."""
        shape = len(pairs.candidates), len(pairs.references)
        cells = shape[0] * shape[1]
        if cells > CELLS:
            raise InputError(f"{cells:,} pairs are more than the {CELLS:,} of a matrix that is completed; take pruning")
        random = np.random.default_rng(self.seed)
        known = np.zeros(shape)
        known.ravel()[random.choice(cells, math.ceil(cells * self.share), replace=False)] = 1
        rows = np.flatnonzero(known.any(axis=1))
        columns = [np.flatnonzero(known[row]) for row in rows]
        scores = pairwise_batches(
            pairs.metric,
            ([pairs.candidates[row]] for row in rows.tolist()),
            pairs.language,
            ([pairs.references[column] for column in some.tolist()] for some in columns),
        )
        matrix = np.zeros(shape)
        for row, some, found in zip(rows, columns, scores, strict=True):
            matrix[row, some] = found[0]
        right: Floats = random.random((shape[1], self.rank)) / math.sqrt(shape[1] * self.rank)
        before = math.inf
        for _ in range(self.iterations):
            left = self._solved(matrix, known, right)
            right = self._solved(matrix.T, known.T, left)
            loss = (known * (matrix - left @ right.T) ** 2).sum()
            loss += self.regularization * ((left**2).sum() + (right**2).sum())
            if before - loss <= 1e-4:
                break
            before = loss
        return pairs.expected(left @ right.T)

    def _solved(self, matrix: Floats, known: Floats, other: Floats) -> Floats:
        """Return one factor for the other: a regression for each row."""
        squares = (other[:, :, None] * other[:, None, :]).reshape(len(other), -1)
        sides = (known @ squares).reshape(-1, self.rank, self.rank) + self.regularization * np.eye(self.rank)
        return np.asarray(np.linalg.solve(sides, (matrix @ other)[:, :, None])[:, :, 0], float)


def diverse(pairs: Pairs, expected: Floats, best: int, weight: float) -> list[int]:
    """Choose candidates that are good and differ, one after the other.

    Jinnai et al. (2024), "Generating Diverse and High-Quality Texts by Minimum Bayes Risk Decoding": each choice
    adds most to the mean expected score plus ``weight`` times the mean of the pairs' dissimilarity. Two texts are as
    similar as their mean score against one another, in both directions.

    Args:
        pairs: the texts.
        expected: scores of the candidates.
        best: how many to choose.
        weight: of diversity; 0 chooses the best.

    Returns:
        Places of candidates, in the order of the choices.
    """
    every = np.arange(len(pairs.candidates))
    itself = replace(pairs, references=pairs.candidates, weights=None)
    similar = np.zeros(len(every))
    chosen: list[int] = []
    while len(chosen) < best:
        gain = pairs.sign * (expected - weight * similar / max(1, len(chosen)))
        gain[chosen] = -np.inf
        chosen.append(int(gain.argmax()))
        if len(chosen) < best:
            similar += (itself.scores(every, chosen[-1:])[:, 0] + itself.scores(chosen[-1:], every)[0]) / 2
    return chosen


def _only(kept: Integers, expected: Floats, count: int) -> Floats:
    """Return the scores of all candidates, NaN for those that were not kept."""
    scores = np.full(count, np.nan)
    scores[kept] = expected
    return scores
