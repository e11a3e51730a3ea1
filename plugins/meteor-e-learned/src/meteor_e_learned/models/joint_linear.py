"""One linear score, learned from comparisons and from direct assessments together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import field
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Examples, InputError, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.errors import near_miss
from meteor_e_learned.models.base import Floats, pair_taus
from meteor_e_learned.models.linear import LinearEstimator
from meteor_e_learned.scale import Scale

Block = tuple[NDArray[np.float32], float]
Assessed = tuple[NDArray[np.float32], Floats]


class JointLinear(LinearEstimator):
    """A weighted sum of features that orders hypotheses as comparisons do, and correlates with assessments.

    The loss has three parts. For each year of comparisons: the mean logistic loss of the differences. For the
    assessments: 1 - Pearson's correlation of scores and human scores, the mean over the language pairs. A ridge
    penalty draws the weights toward metrics that are known to be sound. Every year counts alike, however many
    comparisons it has.

    Scores are shares: 0 to 100, how much of the training's system outputs a hypothesis beats.
    """

    name: ClassVar[str] = "joint-linear"
    learned: ClassVar[tuple[str, ...]] = (*LinearEstimator.learned, "levels")

    levels_: Floats

    class Options(ComponentOptions):
        """Weights of the loss's parts, and what is cut off."""

        assessments: Annotated[
            float, Meta(ge=0, description="Weight of the assessments; the comparisons of all years have 1.")
        ] = 0.3
        penalty: Annotated[float, Meta(ge=0, description="Strength of the ridge penalty.")] = 0.03
        penalties: Annotated[
            dict[str, Annotated[float, Meta(ge=0)]],
            Meta(description="Its strength for features whose full names begin so: many that tell little each."),
        ] = field(default_factory=dict)
        toward: Annotated[
            tuple[str, ...],
            Meta(description="Features, in full, whose weights are drawn to toward_weight and not to 0."),
        ] = ("meteor.score", "chrf.score")
        toward_weight: Annotated[float, Meta(description="See toward; features have a standard deviation of 1.")] = 0.3
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Quantile of the training's features beyond which values are cut off."),
        ] = 0.001
        clip_scores: Annotated[
            float, Meta(ge=0, lt=0.5, description="Quantile of human scores beyond which they are cut off.")
        ] = 0.02
        iterations: Annotated[int, Meta(ge=1, description="Of L-BFGS, at most.")] = 100
        seed: Annotated[int, Meta(description="Nothing is drawn; every estimator has one.")] = 1

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn from all comparisons and all human scores that the examples have."""
        start = self._start(run.columns)
        self._fit_bounds(examples.features, self.options.clip)
        self._fit_scale(self._clipped(examples.features).std(axis=0))
        rows = self._standardized(examples.features).astype(np.float32)
        comparisons, assessed = self._comparisons(examples, rows), self._assessed(examples, rows)
        if not comparisons and not assessed:
            raise InputError("there are neither comparisons nor human scores of segments to learn from")
        self.weights_ = self._descend(start, self._penalty(run.columns), comparisons, assessed)
        self.levels_ = Scale.fit(rows @ self.weights_, examples.hypothesis_part).levels
        taus = pair_taus(self, examples)
        return {f"training tau {title}": tau for title, tau in taus.items() if not np.isnan(tau)}

    def _start(self, columns: Sequence[str]) -> Floats:
        """Return the weights that the penalty draws to; features with one are what all begins with."""
        start = np.zeros(len(columns))
        for name in self.options.toward:
            if name not in columns:
                raise ConfigError(f"joint-linear: toward: there is no feature {name!r}{near_miss(name, columns)}")
            start[list(columns).index(name)] = self.options.toward_weight
        return start

    def _penalty(self, columns: Sequence[str]) -> Floats:
        """Return the strength of the penalty for each feature."""
        penalty = np.full(len(columns), self.options.penalty)
        for beginning, strength in self.options.penalties.items():
            chosen = [name.startswith(beginning) for name in columns]
            if not any(chosen):
                raise ConfigError(
                    f"joint-linear: penalties: no feature begins with {beginning!r}{near_miss(beginning, columns)}"
                )
            penalty[chosen] = strength
        return penalty

    @staticmethod
    def _comparisons(examples: Examples, rows: NDArray[np.float32]) -> list[Block]:
        """Return the differences of each year's comparisons; the weights of all years come to 1.

        Comparisons that follow from human scores are left out: the scores say it already.
        """
        years = [title.rpartition(" ")[0] for title in examples.title]
        year = np.array([years.index(name) for name in years], np.int64)[examples.part]
        scored = np.unique(examples.hypothesis_part[~np.isnan(examples.scores)])
        year[np.isin(examples.part, scored)] = -1
        blocks = []
        for place in np.unique(year[year >= 0]).tolist():
            chosen = year == place
            difference = rows[examples.better[chosen]] - rows[examples.worse[chosen]]
            blocks.append((difference, float(examples.weight[chosen].mean())))
        total = sum(weight for _, weight in blocks)
        return [(difference, weight / total) for difference, weight in blocks]

    def _assessed(self, examples: Examples, rows: NDArray[np.float32]) -> list[Assessed]:
        """Return features and standardized human scores of each language pair."""
        blocks = []
        for part in range(len(examples.title)):
            chosen = (examples.hypothesis_part == part) & ~np.isnan(examples.scores)
            scores = examples.scores[chosen]
            if len(scores) < 2 or not np.ptp(scores):
                continue
            scores = scores.clip(*np.quantile(scores, [self.options.clip_scores, 1 - self.options.clip_scores]))
            blocks.append((rows[chosen], (scores - scores.mean()) / max(float(scores.std()), 1e-12)))
        return blocks

    def _descend(
        self,
        start: Floats,
        penalty: Floats,
        comparisons: Sequence[Block],
        assessed: Sequence[Assessed],
        *,
        limits: Sequence[tuple[float | None, float | None]] | None = None,
        assessments: float | None = None,
    ) -> Floats:
        from scipy.optimize import minimize

        strength = self.options.assessments if assessments is None else assessments

        def loss(weights: Floats) -> tuple[float, Floats]:
            away = weights - start
            value, gradient = float(penalty @ away**2), 2 * penalty * away
            for difference, share in comparisons:
                margin = difference @ weights.astype(np.float32)
                value += share * float(np.logaddexp(0, -margin).mean())
                gradient = gradient - share * (difference.T @ _sigmoid(-margin)) / len(margin)
            for rows, human in assessed:
                score = (rows @ weights.astype(np.float32)).astype(float)
                score -= score.mean()
                deviation = max(float(score.std()), 1e-12)
                r = float((score * human).mean()) / deviation
                share = strength / len(assessed)
                value += share * (1 - r)
                slope = (human / deviation - r * score / deviation**2) / len(score)
                gradient = gradient - share * (rows.T @ slope.astype(np.float32))
            return value, np.asarray(gradient, float)

        # Where nothing draws the weights, the correlation needs scores that vary to begin with.
        first = start if start.any() else np.full(len(start), 0.01)
        found = minimize(
            loss, first, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": self.options.iterations}
        )
        result: Floats = found.x
        return result

    def raw(self, features: Floats) -> Floats:
        """Return the weighted sums, ``(hypotheses,)``: 0 for the training's mean features."""
        return self._weighted(self._standardized(features))

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return by how much the weighted sum of the first hypothesis of each pair is greater."""
        X = np.asarray(X, float)  # noqa: N806
        size = len(self.low_)
        if X.ndim != 2 or X.shape[1] != 2 * size:
            raise ConfigError(f"{X.shape[-1]} numbers a pair; the model has {size} features a hypothesis")
        return self.raw(X[:, :size]) - self.raw(X[:, size:])

    def decisions(self, examples: Examples) -> Floats:
        """Return by how much the sums of the better hypotheses are greater; each hypothesis is added up once."""
        sums = self.raw(examples.features)
        result: Floats = sums[examples.better] - sums[examples.worse]
        return result

    def score_segments(self, features: Floats) -> Floats:
        """Return the share of the training's system outputs that each hypothesis beats, in percent."""
        return Scale(self.levels_).of(self.raw(features))

    def contributions(self, features: Floats) -> Floats:
        """Return what each feature brings to the weighted sum, ``(hypotheses, features)``."""
        result: Floats = self._standardized(features) * self.weights_
        return result

    def slope(self, raw: float) -> float:
        """Return by how many points the score rises with a unit of the weighted sum, at a value of it."""
        low, high = Scale(self.levels_).of(np.array([raw - 0.05, raw + 0.05]))
        return float(high - low) / 0.1

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what was learned."""
        super().restore(arrays)
        if self.weights_.shape != self.low_.shape:
            raise ValueError("arrays differ in shape")
        Scale(self.levels_)


def _sigmoid(values: NDArray[np.float32]) -> NDArray[np.float32]:
    result: NDArray[np.float32] = (1 / (1 + np.exp(-np.clip(values, -60, 60)))).astype(np.float32)
    return result
