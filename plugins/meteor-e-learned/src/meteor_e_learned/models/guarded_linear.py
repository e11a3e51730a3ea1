"""One linear score, learned from comparisons and ratings together, and METEOR far from what was learned from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import field
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Examples, InputError, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import near_miss
from meteor_e_learned.models.base import SYNTHETIC, pair_taus
from meteor_e_learned.models.linear import LinearEstimator
from meteor_e_learned.scale import Scale

BLOCK = 1024
"""Rows of features that are in memory twice."""
Strength = Annotated[float, Meta(ge=0)]
Range = Annotated[list[float], Meta(min_length=3, max_length=3)]


class GuardedLinear(LinearEstimator):
    """A weighted sum of features that orders hypotheses as comparisons do, and follows ratings (ridge regression).

    The loss is a sum of squares. Of each year of comparisons, the mean of (1 - difference of the sums)². Of the
    ratings, the mean over language pairs of (standardized rating - centered sum)². Of synthetic comparisons, the mean
    over each kind of (margin - difference)². A penalty draws the weights toward metrics that are known to be sound.
    The solution is one system of linear equations, so training twice gives the same weights.

    The guard: features of the references, such as their length, have a range in which the sum counts in full. Beyond
    it, the distance from the range, in units of the width, is squared and added up over the features. The sum's share
    is (1 - distance²)², and 0 from a distance of 1 on. The rest of the score is the base, METEOR, on the same scale.
    Deviations are features of the hypothesis with such ranges, as its length beside the reference's. There the base
    lies lower, because the sum does, too. The sum's share is the product of both.

    Scores are shares: 0 to 100, how much of the training's system outputs a hypothesis beats.
    """

    name: ClassVar[str] = "guarded-linear"
    points: ClassVar[float] = 1
    learned: ClassVar[tuple[str, ...]] = (*LinearEstimator.learned, "offset", "base", "places", "levels")

    offset_: Floats  # The mean sum.
    base_: Floats  # The base's mean, and points per unit.
    places_: Floats  # Columns of the guard's features, of the deviations, and last that of the base.
    levels_: Floats

    class Options(ComponentOptions):
        """Weights of the parts of the loss, the guard, and clipping."""

        ratings: Annotated[
            Strength, Meta(description="Weight of the ratings; the comparisons of all years have 1.")
        ] = 0.5
        rating_scale: Annotated[
            float, Meta(gt=0, description="Difference of sums per standard deviation of the ratings.")
        ] = 1.0
        shares: Annotated[
            dict[str, Strength],
            Meta(description="Factor of that weight, by the beginnings of test sets' titles; else 1."),
        ] = field(default_factory=dict)
        penalty: Annotated[float, Meta(gt=0, description="Strength of the ridge penalty.")] = 0.1
        penalties: Annotated[
            dict[str, Annotated[float, Meta(gt=0)]],
            Meta(description="Its strength by the beginnings of features' names, for many weak features."),
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
            dict[str, Strength], Meta(description="Weights of kinds of synthetic comparisons; else 0.")
        ] = field(default_factory=dict)
        margin: Annotated[float, Meta(gt=0, description="Difference of sums to reach in synthetic comparisons.")] = 0.4
        min_clip: Annotated[
            dict[str, float], Meta(description="Minimum of the upper clipping bound, by prefixes of features' names.")
        ] = field(default_factory=dict)
        guard: Annotated[
            dict[str, Range],
            Meta(description="Range of each feature in which the sum counts in full: lowest, highest, width beyond."),
        ] = field(default_factory=dict)
        deviations: Annotated[
            dict[str, Range],
            Meta(description="The same for features in which a hypothesis differs from its reference."),
        ] = field(default_factory=dict)
        out_of_domain_penalty: Annotated[
            Strength, Meta(description="Reduction of the base where a hypothesis leaves the deviations' ranges.")
        ] = 0.0
        base: Annotated[str, Meta(description="The feature that scores outside the guard.")] = "meteor.score"
        clip: Annotated[
            float,
            Meta(ge=0, lt=0.5, description="Quantile of the training's features beyond which values are clipped."),
        ] = 0.001
        clip_scores: Annotated[
            float, Meta(ge=0, lt=0.5, description="Quantile of human scores beyond which they are clipped.")
        ] = 0.02
        seed: Annotated[int, Meta(description="Unused, for nothing is random.")] = 1

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn from all comparisons and all human scores that the examples have."""
        columns, options = list(run.columns), self.options
        start, penalty = np.zeros(len(columns)), np.full(len(columns), options.penalty)
        for name in options.prior_feature:
            start[_place(name, columns)] = options.prior_weight
        for beginning, strength in options.penalties.items():
            penalty[_beginning(beginning, columns)] = strength
        guarded = [*options.guard, *options.deviations]
        self.places_ = np.array([_place(name, columns) for name in guarded + [options.base] * bool(guarded)], float)
        synthetic = np.array([title.startswith(f"{SYNTHETIC} ") for title in examples.title], bool)
        judged = ~synthetic[examples.hypothesis_part]
        if not judged.any():
            raise InputError("there are neither comparisons nor human scores of segments to learn from")
        self._fit_bounds(examples.features[judged], options.clip)
        for prefix, minimum in options.min_clip.items():
            chosen = _beginning(prefix, columns)
            self.high_[chosen] = np.maximum(self.high_[chosen], minimum)
        self._fit_scale(self._clipped(examples.features[judged]).std(axis=0))
        rows = np.empty(examples.features.shape, np.float32)
        for at in range(0, len(rows), BLOCK):
            rows[at : at + BLOCK] = self._standardized(examples.features[at : at + BLOCK])
        matrix, vector, parts = np.diag(penalty), penalty * start, 0
        for differences, wanted, share in (*self._comparisons(examples, rows), *self._ratings(examples, rows)):
            block = differences.astype(float)
            # A product of matrices would be added up in another order with another number of threads.
            matrix += share / len(block) * np.einsum("ij,ik->jk", block, block)
            vector += share / len(block) * np.einsum("ij,i->j", block, wanted)
            parts += 1
        if not parts:
            raise InputError("there are neither comparisons nor human scores of segments to learn from")
        # The last digits of a solution depend on the processor.
        self.weights_ = np.linalg.solve(matrix, vector).astype(float).round(8)
        sums = self._weighted(rows[judged].astype(float))
        self.offset_ = np.array([sums.mean()])
        self.base_ = np.zeros(2)
        if len(self.places_):
            base = examples.features[judged, int(self.places_[-1])]
            self.base_ = np.array([base.mean(), sums.std() / max(float(base.std()), 1e-12)])
        part = np.unique(examples.hypothesis_part[judged], return_inverse=True)[1]
        self.levels_ = Scale.fit(self.raw(examples.features[judged]), part).levels
        taus = pair_taus(self, examples)
        return {f"training tau {title}": tau for title, tau in taus.items() if not np.isnan(tau)}

    def _comparisons(
        self, examples: Examples, rows: NDArray[np.float32]
    ) -> Iterator[tuple[NDArray[np.float32], Floats, float]]:
        """Yield the differences of comparisons, what they should be, and their share of the loss.

        Comparisons that follow from human scores are left out: the scores say it already.
        """
        scored = set(examples.hypothesis_part[~np.isnan(examples.scores)].tolist())
        years: dict[str, list[int]] = {}
        for part, title in enumerate(examples.title):
            if title.startswith(f"{SYNTHETIC} "):
                weight = self.options.kinds.get(title.rpartition(" ")[2], 0.0)
                chosen = np.flatnonzero(examples.part == part)
                if weight and len(chosen):
                    block = rows[examples.better[chosen]] - rows[examples.worse[chosen]]
                    yield block, np.full(len(block), self.options.margin), weight
            elif part not in scored and (examples.part == part).any():
                years.setdefault(title.rpartition(" ")[0], []).append(part)
        for parts in years.values():
            chosen = np.flatnonzero(np.isin(examples.part, parts))
            weight = float(examples.weight[chosen].mean()) / len(years)
            for at in range(0, len(chosen), 32 * BLOCK):
                some = chosen[at : at + 32 * BLOCK]
                block = rows[examples.better[some]] - rows[examples.worse[some]]
                yield block, np.ones(len(some)), weight * len(some) / len(chosen)

    def _ratings(
        self, examples: Examples, rows: NDArray[np.float32]
    ) -> Iterator[tuple[NDArray[np.float32], Floats, float]]:
        """Yield centered features and standardized ratings of each language pair, and their share of the loss."""
        found: list[tuple[int, NDArray[np.intp], float]] = []
        names = [title.rpartition(" ")[0] for title in examples.title]
        for part, title in enumerate(examples.title):
            chosen = np.flatnonzero((examples.hypothesis_part == part) & ~np.isnan(examples.scores))
            weight = next((value for start, value in self.options.shares.items() if title.startswith(start)), 1.0)
            if len(chosen) > 1 and np.ptp(examples.scores[chosen]) and not title.startswith(f"{SYNTHETIC} "):
                found.append((part, chosen, weight))
        sizes = {name: sum(names[part] == name for part, _, _ in found) for name in names}
        for part, chosen, weight in found:
            scores = examples.scores[chosen]
            scores = scores.clip(*np.quantile(scores, [self.options.clip_scores, 1 - self.options.clip_scores]))
            wanted = self.options.rating_scale * (scores - scores.mean()) / max(float(scores.std()), 1e-12)
            block = rows[chosen]
            yield block - block.mean(axis=0), wanted, self.options.ratings * weight / sizes[names[part]]

    def shares(self, features: Floats) -> tuple[Floats, Floats]:
        """Return the shares of the sum by the guard and by the deviations, ``(hypotheses,)`` each."""
        places, guards = self.places_.astype(int), len(self.options.guard)
        return (
            _share(features[:, places[:guards]], self.options.guard),
            _share(features[:, places[guards:-1]], self.options.deviations),
        )

    def contributions(self, features: Floats) -> Floats:
        """Return what each feature brings to the score before it is mapped to a share, ``(hypotheses, features)``."""
        features = np.asarray(features, float)
        result: Floats = self._standardized(features) * self.weights_
        if len(self.places_):
            (typical, near), anchor = self.shares(features), int(self.places_[-1])
            share = typical * near
            base = (features[:, anchor] - self.base_[0]) * self.base_[1]
            result *= share[:, None]
            # Where the guard's share is 0, the score is the base's and nothing else.
            result[:, anchor] += (1 - share) * base - share * self.offset_[0]
            result[:, anchor] -= self.options.out_of_domain_penalty * typical * (1 - near)
        return result

    def raw(self, features: Floats) -> Floats:
        """Return the scores before they are mapped to shares, ``(hypotheses,)``."""
        starts = range(0, max(1, len(features)), BLOCK)
        parts = (self.contributions(features[at : at + BLOCK]) for at in starts)
        # Added up in one order, however the array lies in memory.
        return np.concatenate([np.ascontiguousarray(part).sum(axis=1) for part in parts])

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return by how much the score of the first hypothesis of each pair is greater, before mapping."""
        X = np.asarray(X, float)  # noqa: N806
        size = len(self.low_)
        if X.ndim != 2 or X.shape[1] != 2 * size:
            raise ConfigError(f"{X.shape[-1]} numbers per pair; the model has {size} features per hypothesis")
        return self.raw(X[:, :size]) - self.raw(X[:, size:])

    def decisions(self, examples: Examples) -> Floats:
        """Return by how much the scores of the better hypotheses are greater; each hypothesis is scored once."""
        sums = self.raw(examples.features)
        result: Floats = sums[examples.better] - sums[examples.worse]
        return result

    def score_segments(self, features: Floats) -> Floats:
        """Return the share of the training's system outputs that each hypothesis beats, in percent."""
        return Scale(self.levels_).of(self.raw(features))

    def slope(self, raw: float) -> float:
        """Return by how many points the score rises with a unit of the weighted sum, at a value of it."""
        low, high = Scale(self.levels_).of(np.array([raw - 0.05, raw + 0.05]))
        return float(high - low) / 0.1

    def note(self, features: Floats) -> str:
        """Say how much of the scores is learned, and what lies outside the ranges that were learned from."""
        if not len(self.places_):
            return ""
        rest = 1 - float(np.prod(self.shares(features), axis=0).mean())
        if rest < 0.005:
            return "learned in full"
        outside = []
        ranges = [*self.options.guard.items(), *self.options.deviations.items()]
        for place, (name, (low, high, _)) in zip(self.places_.astype(int), ranges, strict=False):
            values = features[:, place]
            far = int(((values < low) | (values > high)).sum())
            if far:
                outside.append(f"{name} is outside {low:g} to {high:g} in {far} of {len(values)}")
        return f"{100 * rest:.0f} % of the score is METEOR's order: {'; '.join(outside)}"

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what was learned."""
        super().restore(arrays)
        guarded = len(self.options.guard) + len(self.options.deviations)
        if (
            self.weights_.shape != self.low_.shape
            or self.places_.shape != (guarded + bool(guarded),)
            or self.base_.shape != (2,)
        ):
            raise ValueError("arrays differ in shape")
        if not ((self.places_ >= 0) & (self.places_ < len(self.low_))).all():
            raise ValueError("places of features are not those of any")
        Scale(self.levels_)


def _share(values: Floats, ranges: Mapping[str, Sequence[float]]) -> Floats:
    """Return the share of the sum, 1 where all values are in their ranges, ``(hypotheses,)``."""
    low, high, width = np.array([*ranges.values()], float).reshape(-1, 3).T
    distance = np.maximum(np.maximum(low - values, values - high), 0) / width
    result: Floats = np.maximum(1 - (distance**2).sum(axis=1), 0) ** 2
    return result


def _place(name: str, columns: Sequence[str]) -> int:
    if name not in columns:
        raise ConfigError(f"guarded-linear: there is no feature {name!r}{near_miss(name, columns)}")
    return list(columns).index(name)


def _beginning(beginning: str, columns: Sequence[str]) -> list[int]:
    """Return the places of the columns that begin so."""
    found = [place for place, name in enumerate(columns) if name.startswith(beginning)]
    if not found:
        raise ConfigError(f"guarded-linear: no feature begins with {beginning!r}{near_miss(beginning, columns)}")
    return found
