"""Linear scores for several situations, and METEOR wherever a segment is like nothing that was learned from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import field
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Examples, InputError, Meta
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.errors import near_miss
from meteor_e_learned.made import MADE
from meteor_e_learned.models.base import Floats
from meteor_e_learned.models.joint_linear import Block, JointLinear
from meteor_e_learned.scale import Scale

BLOCK = 1024
"""Rows of features that are in memory twice."""
Ramp = Annotated[list[float], Meta(min_length=4, max_length=4)]
Rise = Annotated[list[float], Meta(min_length=2, max_length=2)]


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
    places_: Floats  # Columns of the ranges, one after the other, of steady_from, and last that of the base.
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
        steady_from: Annotated[
            dict[str, Rise],
            Meta(
                description="Features below whose first number steady features do not count, and fully above the last."
            ),
        ] = field(default_factory=dict)
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

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> dict[str, Any]:
        """Learn the sum of each situation."""
        columns, options = list(run.columns), self.options
        self._prepare(columns)
        limits = [(None, 0.0 if name.startswith(options.negative) else None) for name in columns]
        start, anchor = self._start(columns), int(self.places_[-1])
        found: dict[str, list[Floats]] = {name: [] for name in ("low", "high", "mean", "scale", "weights")}
        offsets: list[float] = []
        for name in options.situations:
            own = _chosen(examples, tuple(options.data.get(name, [""])))
            judged = _judged(own)
            if not judged.any():
                raise InputError(f"there are no judgments to learn situation {name!r} from; see the option 'data'")
            self._fit_bounds(own.features[judged], options.clip)
            for beginning, reach in options.reach.items():
                chosen = [place for place, column in enumerate(columns) if column.startswith(beginning)]
                self.high_[chosen] = np.maximum(self.high_[chosen], reach)
            clipped = own.features[judged].clip(self.low_, self.high_)
            self.mean_ = clipped.mean(axis=0)
            self._fit_scale(clipped.std(axis=0))
            del clipped
            rows = np.empty(own.features.shape, np.float32)
            for at in range(0, len(rows), BLOCK):
                rows[at : at + BLOCK] = self._standardized(own.features[at : at + BLOCK])
            strengths = options.strengths.get(name, {})
            weights = self._descend(
                start,
                self._penalty(columns) * (strengths.get("penalty", options.penalty) / max(options.penalty, 1e-12)),
                self._blocks(own, rows),
                self._assessed(own, rows),
                limits=limits,
                assessments=strengths.get("assessments", options.assessments),
            )
            sums = (rows[judged] @ weights.astype(np.float32)).astype(float)
            base = own.features[judged, anchor]
            spread = max(float(base.std()), 1e-12)
            if not offsets:
                self.base_ = np.array([base.mean(), options.base_slope * sums.std() / spread])
                offsets.append(-float(sums.mean()))
            else:
                # Sums of other situations are spread as the base is there, so that a blend has no step.
                factor = self.base_[1] / options.base_slope * spread / max(float(sums.std()), 1e-12)
                weights = weights * factor
                offsets.append(float(self.base_[1] * (base.mean() - self.base_[0]) - factor * sums.mean()))
            for key, value in zip(found, (self.low_, self.high_, self.mean_, self.scale_, weights), strict=True):
                found[key].append(value)
        for key, values in found.items():
            setattr(self, f"{key}_", np.stack(values))
        self.offsets_ = np.array(offsets)
        own = _chosen(examples, tuple(options.data.get(next(iter(options.situations)), [""])))
        judged = _judged(own)
        self.levels_ = Scale.fit(self.raw(own.features)[judged], own.hypothesis_part[judged]).levels
        return {}

    def _prepare(self, columns: Sequence[str]) -> None:
        """Find the places of the features that options name.

        Raises:
            ConfigError: for one that is not there, or a range whose numbers do not increase.
        """
        options = self.options
        if not options.situations:
            raise ConfigError("guarded-linear: there are no situations")

        def place(name: str) -> int:
            if name not in columns:
                raise ConfigError(f"guarded-linear: there is no feature {name!r}{near_miss(name, columns)}")
            return list(columns).index(name)

        for ranges in (*options.situations.values(), options.steady_from):
            for name, ramp in ranges.items():
                place(name)
                if list(ramp) != sorted(ramp):
                    raise ConfigError(f"guarded-linear: situations: {name}: {ramp} does not increase")
        place(options.base)
        for beginning in (*options.negative, *options.steady, *options.reach):
            if not any(name.startswith(beginning) for name in columns):
                raise ConfigError(f"guarded-linear: no feature begins with {beginning!r}")
        ranges = [place(name) for situation in options.situations.values() for name in situation]
        self.places_ = np.array([*ranges, *map(place, options.steady_from), place(options.base)], float)
        self.steady_ = np.array([float(name.startswith(options.steady)) for name in columns])

    def _blocks(self, examples: Examples, rows: NDArray[np.float32]) -> list[Block]:
        """Return the differences of comparisons: of people's by year, of made ones by kind, with their weights."""
        families: dict[str, list[int]] = {}
        scored = set(examples.hypothesis_part[~np.isnan(examples.scores)].tolist())
        for part, title in enumerate(examples.title):
            if (title.startswith(f"{MADE} ") or part not in scored) and (examples.part == part).any():
                families.setdefault(title.rpartition(" ")[0], []).append(part)
        years = sum(not family.startswith(f"{MADE} ") for family in families)

        def block(chosen: NDArray[np.bool_], share: float, sharpness: float = 1.0) -> Block:
            difference = rows[examples.better[chosen]] - rows[examples.worse[chosen]]
            difference *= np.float32(sharpness)
            return difference, share * float(examples.weight[chosen].mean())

        blocks = []
        for family, parts in families.items():
            if not family.startswith(f"{MADE} "):
                blocks.append(block(np.isin(examples.part, parts), 1 / years))
                continue
            weights = [self.options.kinds.get(examples.title[part].rpartition(" ")[2], 1.0) for part in parts]
            for part, weight in zip(parts, weights, strict=True):
                blocks.append(block(examples.part == part, weight / sum(weights), self.options.sharpness))
        return blocks

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
        shares: Floats = result / np.maximum(total, 1.0)
        return shares

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
            if not share.any():
                continue
            learned = (each[number] for each in (self.low_, self.high_, self.mean_, self.scale_))
            result += share[:, None] * (self._of(features, *learned) * self.weights_[number])
        steady = np.flatnonzero(self.steady_)
        error = features[:, steady].clip(self.low_[0, steady], self.high_[0, steady]) / self.scale_[0, steady]
        certain = rest.copy()
        for (low, high), place in zip(
            self.options.steady_from.values(),
            self.places_[-1 - len(self.options.steady_from) : -1].astype(int).tolist(),
            strict=True,
        ):
            certain *= np.interp(features[:, place], [low, high], [0.0, 1.0])
        result[:, steady] += certain[:, None] * error * self.weights_[0, steady]
        base = (features[:, anchor] - self.base_[0]) * self.base_[1]
        constant = np.zeros(len(features))
        for share, offset in zip(shares.T, self.offsets_, strict=True):
            constant += share * offset
        result[:, anchor] += rest * base + constant
        return result

    def raw(self, features: Floats) -> Floats:
        """Return the scores before they are mapped to shares, ``(hypotheses,)``."""
        starts = range(0, max(1, len(features)), BLOCK)
        return np.concatenate([self.contributions(features[at : at + BLOCK]).sum(axis=1) for at in starts])

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
        ranges = sum(map(len, self.options.situations.values())) + len(self.options.steady_from)
        expected = [(len(self.low_),), (2,), (ranges + 1,), self.low_[0].shape]
        if [array.shape for array in (self.offsets_, self.base_, self.places_, self.steady_)] != expected:
            raise ValueError("arrays differ in shape")
        if not ((self.places_ >= 0) & (self.places_ < self.low_.shape[1])).all():
            raise ValueError("places of features are not those of any")


def _chosen(examples: Examples, beginnings: tuple[str, ...]) -> Examples:
    """Return the parts of examples whose titles begin so."""
    wanted = np.array([title.startswith(beginnings) for title in examples.title], bool)
    kept, compared = wanted[examples.hypothesis_part], wanted[examples.part]
    # Made texts are all in the first part of their family, comparisons in the part of their kind.
    place = np.cumsum(kept) - 1
    number = np.cumsum(wanted) - 1
    return replace(
        examples,
        title=tuple(title for title, use in zip(examples.title, wanted.tolist(), strict=True) if use),
        features=examples.features if kept.all() else examples.features[kept],
        better=place[examples.better[compared]],
        worse=place[examples.worse[compared]],
        part=number[examples.part[compared]],
        weight=examples.weight[compared],
        scores=examples.scores[kept],
        hypothesis_part=number[examples.hypothesis_part[kept]],
        hypotheses=(),
        references=(),
    )


def _judged(examples: Examples) -> NDArray[np.bool_]:
    """Return which texts are judged, or rated: not those that were only made to be worse."""
    made = np.array([title.startswith(f"{MADE} ") for title in examples.title], bool)
    result: NDArray[np.bool_] = ~made[examples.hypothesis_part] | ~np.isnan(examples.scores)
    return result
