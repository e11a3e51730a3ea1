"""Linear scores for several situations, and METEOR wherever a segment is like nothing that was learned from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import field
from numpy.typing import NDArray

from meteor_e.api import ConfigError, InputError, Meta, near_miss
from meteor_e_learned.examples import Examples
from meteor_e_learned.made import MADE
from meteor_e_learned.models.base import Floats, Run, pair_taus, pearsons
from meteor_e_learned.models.joint_linear import Assessed, Block, JointLinear
from meteor_e_learned.scale import Scale

__all__ = ["GuardedLinear"]

Ramp = Annotated[list[float], Meta(min_length=4, max_length=4)]


class GuardedLinear(JointLinear):
    """A weighted sum of features for each situation, and a metric that is known to be sound for all others.

    A situation is described by ranges of features, such as the number of references. Within a range the sum of the
    situation counts fully, outside of it not at all, and between the two numbers at either end in part. What is
    missing to 1 goes to the base, METEOR, on the same scale. So scores pass into METEOR's order without a step.

    Every sum is learned as by ``joint-linear``, from the data that ``data`` names. Beside judgments, it learns from
    comparisons that are made: a text against the same text with an error. Features with one right sign keep it.
    """

    name: ClassVar[str] = "guarded-linear"
    learned: ClassVar[tuple[str, ...]] = (*JointLinear.learned, "offsets", "base", "places", "steady")

    offsets_: Floats
    base_: Floats  # Its mean, and points a unit.
    places_: Floats  # Columns of the ranges, one after the other, and last that of the base.
    steady_: Floats  # 1 for a feature that counts in the base.

    class Options(JointLinear.Options):
        """Beside those of ``joint-linear``: situations, made comparisons, and signs."""

        situations: Annotated[
            dict[str, dict[str, Ramp]],
            Meta(description="Ranges of features by situation: nothing, all, all, nothing."),
        ] = field(default_factory=dict)
        data: Annotated[
            dict[str, list[str]],
            Meta(description="What the titles of each situation's training data begin with; by default all data."),
        ] = field(default_factory=dict)
        strengths: Annotated[
            dict[str, dict[str, float]],
            Meta(description="assessments and penalty of a situation, where they differ."),
        ] = field(default_factory=dict)
        negative: Annotated[
            tuple[str, ...], Meta(description="Features, by their beginnings, whose weights are at most 0.")
        ] = ()
        reach: Annotated[
            dict[str, float], Meta(description="How far features, by their beginnings, are at least taken as they are.")
        ] = field(default_factory=dict)
        steady: Annotated[
            tuple[str, ...], Meta(description="Features, by their beginnings, that count in the base, too.")
        ] = ()
        kinds: Annotated[
            dict[str, float], Meta(description="Weights of kinds of made comparisons among each other; else 1.")
        ] = field(default_factory=dict)
        sharpness: Annotated[
            float, Meta(gt=0, description="How small a difference is enough in made comparisons: its inverse.")
        ] = 8.0
        base: Annotated[str, Meta(description="The feature that is the base.")] = "meteor.score"
        base_slope: Annotated[
            float, Meta(gt=0, description="Spread of the base, relative to that of the first situation's sum.")
        ] = 1.3

    def learn(self, examples: Examples, held: Examples | None, run: Run) -> dict[str, Any]:
        """Learn the sum of each situation."""
        columns = list(run.columns)
        options = self.options
        if not options.situations:
            raise ConfigError("guarded-linear: there are no situations")
        self._prepare(columns)
        limits = [(None, 0.0 if name.startswith(options.negative) else None) for name in columns]
        start = self._start(columns)
        found: dict[str, list[Floats]] = {name: [] for name in ("low", "high", "mean", "scale", "weights")}
        offsets, anchor = [], columns.index(options.base)
        for number, name in enumerate(options.situations):
            parts = [
                place
                for place, title in enumerate(examples.title)
                if title.startswith(tuple(options.data.get(name, [""])))
            ]
            own = np.isin(examples.hypothesis_part, parts) & _judged(examples)
            if not own.any():
                raise InputError(f"there are no judgments to learn situation {name!r} from; see the option 'data'")
            self._fit_bounds(examples.features[own], options.clip)
            for place, column in enumerate(columns):
                for beginning, reach in options.reach.items():
                    if column.startswith(beginning):
                        self.high_[place] = max(self.high_[place], reach)
            self.mean_ = examples.features[own].clip(self.low_, self.high_).mean(axis=0)
            self._fit_scale(examples.features[own].clip(self.low_, self.high_).std(axis=0))
            rows = self._of(examples.features, self.low_, self.high_, self.mean_, self.scale_).astype(np.float32)
            strengths = {"assessments": options.assessments, "penalty": options.penalty, **options.strengths.get(name, {})}
            weights = self._descend(
                start,
                self._penalty(columns) * (strengths["penalty"] / max(options.penalty, 1e-12)),
                self._blocks(examples, rows, parts),
                self._rated(examples, rows, parts),
                limits=limits,
                assessments=strengths["assessments"],
            )
            sums = (rows[own] @ weights.astype(np.float32)).astype(float)
            base = examples.features[own, anchor]
            if number == 0:
                self.base_ = np.array([base.mean(), options.base_slope * sums.std() / max(float(base.std()), 1e-12)])
                offsets.append(-float(sums.mean()))
            else:
                # Sums of other situations are spread as the base is there, so that a blend has no step.
                factor = self.base_[1] / options.base_slope * base.std() / max(float(sums.std()), 1e-12)
                weights = weights * factor
                offsets.append(float(self.base_[1] * (base.mean() - self.base_[0]) - factor * sums.mean()))
            for key, value in zip(found, (self.low_, self.high_, self.mean_, self.scale_, weights), strict=True):
                found[key].append(value)
        for key, values in found.items():
            setattr(self, f"{key}_", np.stack(values))
        self.offsets_ = np.array(offsets)
        first = next(iter(options.situations))
        of_first = [title.startswith(tuple(options.data.get(first, [""]))) for title in examples.title]
        own = np.array(of_first)[examples.hypothesis_part] & _judged(examples)
        self.levels_ = Scale.fit(self.raw(examples.features[own]), examples.hypothesis_part[own]).levels
        figures: dict[str, Any] = {
            f"training tau {title}": tau for title, tau in pair_taus(self, examples).items() if not np.isnan(tau)
        }
        if held is not None:
            taus = pair_taus(self, held)
            figures |= {f"validation tau {title}": tau for title, tau in taus.items() if not np.isnan(tau)}
            figures |= pearsons(self, held)
        return figures

    def _prepare(self, columns: Sequence[str]) -> None:
        """Find the places of the features that options name.

        Raises:
            ConfigError: for one that is not there, or a range whose numbers do not increase.
        """
        options = self.options

        def place(name: str) -> int:
            if name not in columns:
                raise ConfigError(f"guarded-linear: there is no feature {name!r}{near_miss(name, columns)}")
            return list(columns).index(name)

        for ranges in options.situations.values():
            for name, ramp in ranges.items():
                place(name)
                if list(ramp) != sorted(ramp):
                    raise ConfigError(f"guarded-linear: situations: {name}: {ramp} does not increase")
        place(options.base)
        for beginning in (*options.negative, *options.steady, *options.reach):
            if not any(name.startswith(beginning) for name in columns):
                raise ConfigError(f"guarded-linear: no feature begins with {beginning!r}{near_miss(beginning, columns)}")
        ranges = [place(name) for situation in options.situations.values() for name in situation]
        self.places_ = np.array([*ranges, place(options.base)], float)
        self.steady_ = np.array([float(name.startswith(options.steady)) for name in columns])

    def _blocks(self, examples: Examples, rows: NDArray[np.float32], parts: Sequence[int]) -> list[Block]:
        """Return the differences of comparisons: of people's by year, of made ones by kind, with their weights."""
        years: dict[str, list[int]] = {}
        made: dict[str, list[int]] = {}
        scored = set(examples.hypothesis_part[~np.isnan(examples.scores)].tolist())
        for part in parts:
            title = examples.title[part]
            if title.startswith(f"{MADE} "):
                made.setdefault(title.rpartition(" ")[0], []).append(part)
            elif part not in scored:
                years.setdefault(title.rpartition(" ")[0], []).append(part)

        def block(chosen: NDArray[np.bool_], share: float, sharpness: float = 1.0) -> Block:
            difference = rows[examples.better[chosen]] - rows[examples.worse[chosen]]
            return np.float32(sharpness) * difference, share * float(examples.weight[chosen].mean())

        blocks = []
        for of_year in years.values():
            chosen = np.isin(examples.part, of_year)
            if chosen.any():
                blocks.append(block(chosen, 1 / len(years)))
        for of_family in made.values():
            weights = [self.options.kinds.get(examples.title[part].rpartition(" ")[2], 1.0) for part in of_family]
            for part, weight in zip(of_family, weights, strict=True):
                chosen = examples.part == part
                if chosen.any() and weight:
                    blocks.append(block(chosen, weight / sum(weights), self.options.sharpness))
        return blocks

    def _rated(self, examples: Examples, rows: NDArray[np.float32], parts: Sequence[int]) -> list[Assessed]:
        """Return features and standardized scores of each part that has some."""
        own = np.isin(examples.hypothesis_part, parts)
        kept = {"features": examples.features[own], "scores": examples.scores[own]}
        return self._assessed(replace(examples, hypothesis_part=examples.hypothesis_part[own], **kept), rows[own])

    @staticmethod
    def _of(features: Floats, low: Floats, high: Floats, mean: Floats, scale: Floats) -> Floats:
        result: Floats = (features.clip(low, high) - mean) / scale
        return result

    def shares(self, features: Floats) -> Floats:
        """Return the share of each situation in each score, ``(hypotheses, situations)``; the rest is the base's."""
        result = np.ones((len(features), len(self.offsets_)))
        for number, _, ramp, place in self._ranges():
            result[:, number] *= np.interp(features[:, place], ramp, [0.0, 1.0, 1.0, 0.0])
        total = result.sum(axis=1, keepdims=True)
        return result / np.maximum(total, 1.0)

    def _ranges(self) -> Iterator[tuple[int, str, Ramp, int]]:
        """Yield the number of the situation, the name of the feature, the range, and the feature's place."""
        places = iter(self.places_.astype(int).tolist())
        for number, ranges in enumerate(self.options.situations.values()):
            for name, ramp in ranges.items():
                yield number, name, ramp, next(places)

    def contributions(self, features: Floats) -> Floats:
        """Return what each feature brings to the score before it is mapped to a share, ``(hypotheses, features)``."""
        features = np.asarray(features, float)
        if features.shape[-1] != self.low_.shape[1]:
            raise InputError(f"there are {features.shape[-1]} features, and the model has {self.low_.shape[1]}")
        shares = self.shares(features)
        rest = 1 - shares.sum(axis=1)
        anchor = int(self.places_[-1])
        result = np.zeros_like(features)
        for number, share in enumerate(shares.T):
            learned = (each[number] for each in (self.low_, self.high_, self.mean_, self.scale_))
            result += share[:, None] * (self._of(features, *learned) * self.weights_[number])
        steady = np.flatnonzero(self.steady_)
        error = features[:, steady].clip(self.low_[0, steady], self.high_[0, steady]) / self.scale_[0, steady]
        result[:, steady] += rest[:, None] * error * self.weights_[0, steady]
        base = (features[:, anchor] - self.base_[0]) * self.base_[1]
        constant = np.zeros(len(features))
        for share, offset in zip(shares.T, self.offsets_, strict=True):
            constant += share * offset
        result[:, anchor] += rest * base + constant
        return result

    def raw(self, features: Floats) -> Floats:
        """Return the scores before they are mapped to shares, ``(hypotheses,)``."""
        result: Floats = np.ascontiguousarray(self.contributions(features)).sum(axis=1)
        return result

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return by how much the score of the first hypothesis of each pair is greater, before mapping."""
        X = np.asarray(X, float)  # noqa: N806
        size = self.low_.shape[1]
        if X.ndim != 2 or X.shape[1] != 2 * size:
            raise ConfigError(f"{X.shape[-1]} numbers a pair; the model has {size} features a hypothesis")
        return self.raw(X[:, :size]) - self.raw(X[:, size:])

    def importance(self) -> Floats:
        """Return the weight of each feature in the first situation, for features scaled to size 1."""
        result: Floats = self.weights_[0]
        return result

    def note(self, features: Floats) -> str:
        """Say how much of the scores is learned, and what lies outside the ranges that were learned from."""
        shares = self.shares(features)
        parts = [
            f"{100 * share:.0f} % {name}"
            for name, share in zip(self.options.situations, shares.mean(axis=0).tolist(), strict=True)
            if share >= 0.005
        ]
        rest = 1 - float(shares.sum(axis=1).mean())
        if rest < 0.005:
            return f"learned for: {', '.join(parts)}"
        nearest, outside = int(shares.mean(axis=0).argmax()), []
        for number, name, ramp, place in self._ranges():
            values = features[:, place]
            far = int(((values < ramp[1]) | (values > ramp[2])).sum())
            if number == nearest and far:
                outside.append(
                    f"{name} is outside {ramp[1]:g} to {ramp[2]:g} in {far} of {len(values)} (mean {values.mean():.2f})"
                )
        learned = f"learned for: {', '.join(parts)}; " if parts else ""
        return f"{learned}{100 * rest:.0f} % of the score is METEOR's order: {'; '.join(outside)}"

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what was learned."""
        super().restore(arrays)
        if self.low_.ndim != 2 or len(self.low_) != len(self.options.situations):
            raise ValueError("arrays do not fit the situations")
        ranges = sum(map(len, self.options.situations.values()))
        expected = [(len(self.low_),), (2,), (ranges + 1,), self.low_[0].shape]
        if [array.shape for array in (self.offsets_, self.base_, self.places_, self.steady_)] != expected:
            raise ValueError("arrays differ in shape")
        if not ((self.places_ >= 0) & (self.places_ < self.low_.shape[1])).all():
            raise ValueError("places of features are not those of any")


def _judged(examples: Examples) -> NDArray[np.bool_]:
    """Return which texts are judged, or rated: not those that were only made to be worse."""
    made = np.array([title.startswith(f"{MADE} ") for title in examples.title])
    result: NDArray[np.bool_] = ~made[examples.hypothesis_part] | ~np.isnan(examples.scores)
    return result
