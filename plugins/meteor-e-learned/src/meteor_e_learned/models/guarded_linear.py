"""A linear model that learns from comparisons and ratings, and falls back to METEOR outside its training domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from msgspec import field
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Examples, InputError, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import near_miss
from meteor_e_learned.models.base import measure_taus
from meteor_e_learned.models.judged_examples import (
    find_compared_pairs,
    find_judged,
    find_rated_rows,
    find_synthetic_pairs,
    year_of,
)
from meteor_e_learned.models.linear import LinearEstimator, disable_constants
from meteor_e_learned.scale import Scale, check_levels

BLOCK = 1024
"""Number of rows that are processed at a time, to limit memory."""
COMPARISON_BLOCK = 32 * BLOCK
"""Number of comparisons in a term of the loss. Another number would change the last digits of the weights."""
MIN_BASE_SHARE = 0.005
"""Minimum share of the base in the scores for which :meth:`GuardedLinear.note` mentions the base."""
MIN_DEVIATION = 1e-12
"""Minimum standard deviation by which numbers are divided."""
SLOPE_STEP = 0.05
"""Distance between a raw score and the two points from which the slope of the scale is computed."""
Strength = Annotated[float, Meta(ge=0)]
Range = Annotated[list[float], Meta(min_length=3, max_length=3)]


class _LossTerm(NamedTuple):
    """A term of the loss: the weighted mean squared error of some training examples.

    Attributes:
        rows: differences of standardized features or, for ratings, centered features, ``(examples, features)``.
        targets: the target of the weighted sum of each row.
        weight: the weight of the term in the loss.
    """

    rows: NDArray[np.float32]
    targets: Floats
    weight: float


class GuardedLinear(LinearEstimator):
    """A weighted sum of features, which ridge regression learns from comparisons and ratings.

    The loss is the sum of these terms:

    - for each year of comparisons, the mean of (1 - difference of the sums)²;
    - for ratings, the mean of (standardized rating - centered sum)², averaged over language pairs;
    - for each kind of synthetic comparisons, the mean of (margin - difference of the sums)²;
    - a penalty that pulls the weights toward 0, or the weights of ``prior_feature`` toward ``prior_weight``.

    The weights solve one system of linear equations, so training is deterministic.

    The guard limits the sum to the training domain. It sets a range for some features of the references, such as
    their length. Inside the ranges, the score is the sum. Outside, the distance from a range is divided by the width
    that its third number sets, and the squared distances of all ranges are added up. The sum then has the weight
    (1 - distance²)², which is 0 if the distance is 1 or more. The remaining weight goes to the base: METEOR, on the
    scale of the sum.

    Deviations are ranges for features of the hypothesis, such as its length compared with the reference. Outside these
    ranges, the base is reduced by ``out_of_domain_penalty``. The weight of the sum is the product of the weights from
    the guard and from the deviations.

    The final score is the percentage of the training outputs that have a lower score than the hypothesis.
    """

    name: ClassVar[str] = "guarded-linear"
    points: ClassVar[float] = 1
    learned: ClassVar[tuple[str, ...]] = (*LinearEstimator.learned, "offset", "base", "range_columns", "levels")

    offset_: Floats  # The mean of the sums.
    base_: Floats  # The mean of the base, and the slope of the map from the base to the scale of the sum.
    range_columns_: Floats  # Column indexes of the guard's features, of the deviations, and of the base.
    levels_: Floats  # The scale that maps sums to percentages.

    class Options(ComponentOptions):
        """Weights in the loss function, permitted ranges of features, and the clipping of extreme values."""

        ratings: Annotated[
            Strength, Meta(description="Weight of the ratings; the comparisons of all years together have 1.")
        ] = 0.5
        rating_scale: Annotated[
            float, Meta(gt=0, description="Difference of sums per standard deviation of the ratings.")
        ] = 1.0
        shares: Annotated[
            dict[str, Strength],
            Meta(description="Factor of that weight, by prefix of a test set's title; 1 by default."),
        ] = field(default_factory=dict)
        penalty: Annotated[float, Meta(gt=0, description="Strength of the ridge penalty.")] = 0.1
        penalties: Annotated[
            dict[str, Annotated[float, Meta(gt=0)]],
            Meta(description="Strength of the penalty by prefix of feature names, for many weak features."),
        ] = field(default_factory=dict)
        prior_feature: Annotated[
            tuple[str, ...],
            Meta(
                description="Full names of the features whose weights the penalty pulls to prior_weight and not to 0."
            ),
        ] = ()
        prior_weight: Annotated[float, Meta(description="See prior_feature; features have standard deviation 1.")] = (
            0.15
        )
        kinds: Annotated[
            dict[str, Strength], Meta(description="Weights of kinds of synthetic comparisons; 0 by default.")
        ] = field(default_factory=dict)
        margin: Annotated[float, Meta(gt=0, description="Target difference of sums in synthetic comparisons.")] = 0.4
        min_clip: Annotated[
            dict[str, float], Meta(description="Minimum of the upper clipping bound, by prefix of feature names.")
        ] = field(default_factory=dict)
        guard: Annotated[
            dict[str, Range],
            Meta(description="Range in which the sum has full weight, by feature: minimum, maximum, transition width."),
        ] = field(default_factory=dict)
        deviations: Annotated[
            dict[str, Range],
            Meta(description="The same for features that compare a hypothesis with its reference."),
        ] = field(default_factory=dict)
        out_of_domain_penalty: Annotated[
            Strength, Meta(description="Reduction of the base if a hypothesis is outside the ranges of the deviations.")
        ] = 0.0
        base: Annotated[str, Meta(description="The feature that replaces the sum outside the ranges.")] = "meteor.score"
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Quantile of the training features beyond which values are clipped."),
        ] = 0.001
        clip_scores: Annotated[
            float, Meta(ge=0, lt=0.5, description="Quantile of human scores beyond which they are clipped.")
        ] = 0.02
        seed: Annotated[int, Meta(description="Unused, because training is deterministic.")] = 1

    def learn(self, examples: Examples, validation: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn the feature weights from comparisons and ratings of hypotheses.

        The result contains Kendall's τ for each test set with comparisons.
        """
        columns = list(run.columns)
        is_judged = find_judged(examples)
        judged_features = examples.features[is_judged]
        self.range_columns_ = self._find_range_columns(columns)
        self._fit_clipping(judged_features, columns)
        standardized = self._standardize_blocks(examples.features)
        self.weights_ = self._solve(examples, standardized, columns)
        judged_sums = self._apply_weights(standardized[is_judged].astype(float))
        self.offset_ = np.array([judged_sums.mean()])
        self.base_ = self._fit_base(judged_features, judged_sums)
        # The scale is fitted last, because the raw scores depend on all other learned arrays.
        raw_scores = self.raw(judged_features)
        self.levels_ = Scale.fit(raw_scores, examples.hypothesis_part[is_judged]).levels
        return {f"training tau {title}": tau for title, tau in measure_taus(self, examples).items()}

    def _find_range_columns(self, columns: Sequence[str]) -> Floats:
        """Return the column indexes of all features that have a range, followed by the column index of the base score.

        The array is empty if the options do not specify ranges.
        """
        names = [*self.options.guard, *self.options.deviations]
        if names:
            names.append(self.options.base)
        return np.array([_column_index(name, columns) for name in names], float)

    def _fit_clipping(self, features: Floats, columns: Sequence[str]) -> None:
        """Learn the clipping bounds and the scale of each feature.

        Args:
            features: the features of the judged hypotheses.
            columns: the names of the columns.
        """
        low, high = np.quantile(features, [self.options.clip, 1 - self.options.clip], axis=0)
        raised_high = high.copy()
        for prefix, minimum in self.options.min_clip.items():
            indexes = _prefix_indexes(prefix, columns)
            raised_high[indexes] = np.maximum(raised_high[indexes], minimum)
        self.low_, self.high_ = low, raised_high
        # The option min_clip changes the standard deviations, but not the means.
        self.mean_ = features.clip(low, high).mean(axis=0)
        self.scale_ = disable_constants(features.clip(low, raised_high).std(axis=0))

    def _standardize_blocks(self, features: Floats) -> NDArray[np.float32]:
        """Standardize the features block by block, and convert them to single precision to save memory."""
        rows = np.empty(features.shape, np.float32)
        for start in range(0, len(rows), BLOCK):
            rows[start : start + BLOCK] = self._standardize(features[start : start + BLOCK])
        return rows

    def _prior_and_penalty(self, columns: Sequence[str]) -> tuple[Floats, Floats]:
        """Return the value toward which each weight is regularized, and the strength of the regularization."""
        prior, penalty = np.zeros(len(columns)), np.full(len(columns), self.options.penalty)
        for name in self.options.prior_feature:
            prior[_column_index(name, columns)] = self.options.prior_weight
        for prefix, strength in self.options.penalties.items():
            penalty[_prefix_indexes(prefix, columns)] = strength
        return prior, penalty

    def _solve(self, examples: Examples, rows: NDArray[np.float32], columns: Sequence[str]) -> Floats:
        """Solve the normal equations, and return the weights with the lowest loss.

        Args:
            examples: the comparisons and ratings.
            rows: the standardized features of the examples.
            columns: the names of the columns.
        """
        prior, penalty = self._prior_and_penalty(columns)
        matrix = np.diag(penalty)  # (features, features)
        vector = penalty * prior  # (features,)
        terms = [
            *self._synthetic_terms(examples, rows),
            *self._comparison_terms(examples, rows),
            *self._rating_terms(examples, rows),
        ]
        if not terms:
            raise InputError("there are neither comparisons nor human scores of segments to learn from")
        for term in terms:
            block = term.rows.astype(float)
            weight = term.weight / len(block)
            # Unlike a matrix product, einsum adds numbers in the same order for any number of threads.
            matrix += weight * np.einsum("ij,ik->jk", block, block)
            vector += weight * np.einsum("ij,i->j", block, term.targets)
        # The last digits of the weights depend on the processor, so the weights are rounded.
        return np.linalg.solve(matrix, vector).astype(float).round(8)

    def _fit_base(self, features: Floats, sums: Floats) -> Floats:
        """Fit a linear map that converts base scores, by default METEOR's, to the scale of the weighted sums.

        For the judged hypotheses, the converted scores have the mean 0 and the same standard deviation as the weighted
        sums.

        Args:
            features: the features of the judged hypotheses.
            sums: the weighted sums of the standardized features of these hypotheses.

        Returns:
            The mean of the base scores, and the slope of the map. If the options do not specify ranges, the base scores
            are not used, and both values are 0.
        """
        if not len(self.range_columns_):
            return np.zeros(2)
        base_scores = features[:, self._base_column]
        slope = sums.std() / max(float(base_scores.std()), MIN_DEVIATION)
        return np.array([base_scores.mean(), slope])

    def _synthetic_terms(self, examples: Examples, rows: NDArray[np.float32]) -> Iterator[_LossTerm]:
        """Yield one loss term for each set of synthetic comparisons. Kinds of comparisons without a weight are skipped.

        Args:
            examples: the training examples.
            rows: the standardized features of the examples.
        """
        for kind, pairs in find_synthetic_pairs(examples):
            weight = self.options.kinds.get(kind, 0.0)
            if weight:
                differences = rows[examples.better[pairs]] - rows[examples.worse[pairs]]
                yield _LossTerm(differences, np.full(len(pairs), self.options.margin), weight)

    def _comparison_terms(self, examples: Examples, rows: NDArray[np.float32]) -> Iterator[_LossTerm]:
        """Yield the loss terms for human comparisons. A year's weight does not depend on its number of comparisons.

        Args:
            examples: the training examples.
            rows: the standardized features of the examples.
        """
        pairs_by_year = find_compared_pairs(examples)
        for pairs in pairs_by_year.values():
            year_weight = float(examples.weight[pairs].mean()) / len(pairs_by_year)
            for block in np.split(pairs, range(COMPARISON_BLOCK, len(pairs), COMPARISON_BLOCK)):
                differences = rows[examples.better[block]] - rows[examples.worse[block]]
                # Blocks are weighted by their size, so that all comparisons of a year have equal weight.
                block_weight = year_weight * len(block) / len(pairs)
                yield _LossTerm(differences, np.ones(len(block)), block_weight)

    def _rating_terms(self, examples: Examples, rows: NDArray[np.float32]) -> Iterator[_LossTerm]:
        """Yield one term of the loss for each language pair with human ratings.

        Args:
            examples: the training examples.
            rows: the standardized features of the examples.
        """
        rated_rows = find_rated_rows(examples)
        language_pair_counts = Counter(year_of(title) for title, _ in rated_rows)
        for title, indexes in rated_rows:
            features = rows[indexes]
            centered_features = features - features.mean(axis=0)
            targets = self._standardize_ratings(examples.scores[indexes])
            year_weight = self.options.ratings * self._find_rating_factor(title)
            # The weight of a year's ratings is split equally among the language pairs of that year.
            weight = year_weight / language_pair_counts[year_of(title)]
            yield _LossTerm(centered_features, targets, weight)

    def _standardize_ratings(self, ratings: Floats) -> Floats:
        """Clip extreme ratings, and scale the ratings to mean 0 and standard deviation ``rating_scale``."""
        limits = np.quantile(ratings, [self.options.clip_scores, 1 - self.options.clip_scores])
        clipped = ratings.clip(*limits)
        standardized: Floats = (
            self.options.rating_scale * (clipped - clipped.mean()) / max(float(clipped.std()), MIN_DEVIATION)
        )
        return standardized

    def _find_rating_factor(self, title: str) -> float:
        """Return the factor for the weight of a test set's ratings. The option ``shares`` sets this factor."""
        for prefix, factor in self.options.shares.items():
            if title.startswith(prefix):
                return float(factor)
        return 1.0

    def shares(self, features: Floats) -> tuple[Floats, Floats]:
        """Return two factors between 0 and 1 for each hypothesis. Each factor reduces the weight of the learned score.

        The options ``guard`` and ``deviations`` set ranges for some features. The first factor is below 1 if a feature
        is outside its ``guard`` range. The second factor is below 1 if a feature is outside its ``deviations`` range.
        """
        range_columns, n_guards = self._range_columns, len(self.options.guard)
        guard_shares = _domain_share(features[:, range_columns[:n_guards]], self.options.guard)
        deviation_shares = _domain_share(features[:, range_columns[n_guards:]], self.options.deviations)
        return guard_shares, deviation_shares

    @property
    def _range_columns(self) -> NDArray[np.int64]:
        """The column indexes of the features in the option ``guard``, followed by the features in ``deviations``."""
        return self.range_columns_[:-1].astype(np.int64)

    @property
    def _base_column(self) -> int:
        """The index of the column with the base score, by default METEOR's score."""
        return int(self.range_columns_[-1])

    def contributions(self, features: Floats) -> Floats:
        """Return an array of shape ``(hypotheses, features)`` with the contributions to the raw score.

        The raw score is ``share * (sum - offset) + (1 - share) * base - penalty``. Here, ``sum`` is the weighted sum of
        the features. The base score, by default METEOR's score, is converted to the scale of the weighted sum. The
        converted base score is ``base``. Terms that do not belong to a feature are added to the base score's column.
        """
        rows = np.asarray(features, float)
        sum_contributions: Floats = self._standardize(rows) * self.weights_
        if not len(self.range_columns_):
            return sum_contributions
        guard_shares, deviation_shares = self.shares(rows)
        shares = guard_shares * deviation_shares  # (hypotheses,)
        base_mean, base_slope = self.base_
        base_scores = (rows[:, self._base_column] - base_mean) * base_slope
        base_terms = (1 - shares) * base_scores - shares * self.offset_
        penalties = self.options.out_of_domain_penalty * guard_shares * (1 - deviation_shares)
        contributions = sum_contributions * shares[:, None]
        contributions[:, self._base_column] += base_terms
        contributions[:, self._base_column] -= penalties
        return contributions

    def raw(self, features: Floats) -> Floats:
        """Return the raw score of each hypothesis, before scores are mapped to percentages."""
        starts = range(0, max(1, len(features)), BLOCK)
        blocks = (self.contributions(features[start : start + BLOCK]) for start in starts)
        # NumPy's order of additions depends on the memory layout, so all blocks are converted to the same layout.
        return np.concatenate([np.ascontiguousarray(block).sum(axis=1) for block in blocks])

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return the raw score of the first hypothesis minus the raw score of the second hypothesis of each pair."""
        X = np.asarray(X, float)  # noqa: N806
        size = len(self.low_)
        if X.ndim != 2 or X.shape[1] != 2 * size:
            raise ConfigError(f"{X.shape[-1]} numbers per pair; the model has {size} features per hypothesis")
        return self.raw(X[:, :size]) - self.raw(X[:, size:])

    def decisions(self, examples: Examples) -> Floats:
        """Return the raw score of the better hypothesis minus that of the worse hypothesis in each comparison."""
        sums = self.raw(examples.features)
        return sums[examples.better] - sums[examples.worse]

    def score_segments(self, features: Floats) -> Floats:
        """Return, for each hypothesis, the percentage of training outputs that have a lower score."""
        return Scale(self.levels_).of(self.raw(features))

    def slope(self, raw: float) -> float:
        """Return the derivative of the final score with respect to the raw score at the point ``raw``."""
        low, high = Scale(self.levels_).of(np.array([raw - SLOPE_STEP, raw + SLOPE_STEP]))
        return float(high - low) / (2 * SLOPE_STEP)

    def note(self, features: Floats) -> str:
        """Return a note on how much of the score comes from METEOR, and which features are out of range."""
        if not len(self.range_columns_):
            return ""
        guard_shares, deviation_shares = self.shares(features)
        base_share = 1 - float((guard_shares * deviation_shares).mean())
        if base_share < MIN_BASE_SHARE:
            return "learned in full"
        reasons = "; ".join(self._list_values_out_of_range(features))
        return f"{100 * base_share:.0f} % of the score is METEOR's order: {reasons}"

    def _list_values_out_of_range(self, features: Floats) -> list[str]:
        """Return one message for each feature with out-of-range values. The message gives the number of such values."""
        messages = []
        ranges = [*self.options.guard.items(), *self.options.deviations.items()]
        for column, (name, (low, high, _)) in zip(self._range_columns, ranges, strict=True):
            values = features[:, column]
            n_outside = int(((values < low) | (values > high)).sum())
            if n_outside:
                messages.append(f"{name} is outside {low:g} to {high:g} in {n_outside} of {len(values)}")
        return messages

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Set the learned parameters to the arrays from a model file.

        Raises:
            ValueError: if an array has a wrong shape, or a column index that does not exist.
        """
        super().restore(arrays)
        is_column_index = (self.range_columns_ >= 0) & (self.range_columns_ < len(self.low_))
        if not is_column_index.all():
            raise ValueError("range_columns contains indexes of features that do not exist")
        check_levels(self.levels_)

    def _list_shapes(self, n_features: int) -> dict[str, tuple[int]]:
        n_ranges = len(self.options.guard) + len(self.options.deviations)
        # If the options specify ranges, the array "range_columns" ends with the column index of the base score.
        n_range_columns = n_ranges + 1 if n_ranges else 0
        return {**super()._list_shapes(n_features), "offset": (1,), "base": (2,), "range_columns": (n_range_columns,)}


def _domain_share(values: Floats, ranges: Mapping[str, Sequence[float]]) -> Floats:
    """Return a weight between 0 and 1 for each hypothesis. The weight is 1 if all features are inside their ranges.

    Args:
        values: the values of the features that have a range, ``(hypotheses, features)``.
        ranges: the minimum, the maximum and the transition width of each of these features.
    """
    low, high, width = np.array([*ranges.values()], float).reshape(-1, 3).T
    distance = np.maximum(np.maximum(low - values, values - high), 0) / width
    share: Floats = np.maximum(1 - (distance**2).sum(axis=1), 0) ** 2
    return share


def _column_index(name: str, columns: Sequence[str]) -> int:
    """Return the index of the column with the given name.

    Raises:
        ConfigError: if the feature does not exist.
    """
    if name not in columns:
        raise ConfigError(f"guarded-linear: there is no feature {name!r}{near_miss(name, columns)}")
    return list(columns).index(name)


def _prefix_indexes(prefix: str, columns: Sequence[str]) -> list[int]:
    """Return the indexes of the columns whose names begin with the given prefix.

    Raises:
        ConfigError: if there is no such feature.
    """
    indexes = [index for index, name in enumerate(columns) if name.startswith(prefix)]
    if not indexes:
        raise ConfigError(f"guarded-linear: no feature begins with {prefix!r}{near_miss(prefix, columns)}")
    return indexes
