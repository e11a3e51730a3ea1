"""Why a model holds one output for better than another: which features moved the scores apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from meteor_e.api import ConfigError, FeatureBatch, InputError
from meteor_e.base.array_cache import Floats
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import LearnedModel

_GROUPS: dict[str, str] = {
    **dict.fromkeys(
        ("answer.contains", "answer.recall", "answer.content", "answer.new_recall", "answer.rare", "answer.contained"),
        "words of an acceptable answer",
    ),
    **dict.fromkeys(
        ("answer.trigram", "answer.passage", "answer.similarity"), "letters in common with an acceptable answer"
    ),
    **dict.fromkeys(("answer.has_number", "answer.number"), "numbers"),
    **dict.fromkeys(("answer.position", "answer.first", "answer.span"), "where the acceptable answer stands"),
    **dict.fromkeys(("answer.length", "answer.new", "answer.precision"), "other words and names"),
    **dict.fromkeys(("answer.refusal", "answer.negation"), "refusals and negations"),
    "answer.missing": "words of an acceptable answer that are missing",
    "answer.": "how easy the question is",
    "meteor.": "words, stems, synonyms and paraphrases that match, and their order (METEOR)",
    **dict.fromkeys(("text.chrf", "text.precision", "text.recall", "text.edit"), "sequences of letters in common"),
    **dict.fromkeys(("text.length", "text.words_difference", "text.abs_log", "text.reference"), "length"),
    **dict.fromkeys(("text.capitals", "text.digits", "text.non_ascii", "text.first"), "capitals and digits"),
    **dict.fromkeys(("text.unknown", "text.rare"), "unknown and rare words"),
    **dict.fromkeys(("text.repeated", "text.doubled"), "words said twice"),
    **dict.fromkeys(("text.negation", "text.denials", "text.polarity"), "negations too many or too few"),
    "text.pairs": "usual pairs of words",
    "text.": "function words, content words, numbers and marks",
    "encoder.difference": "wording that an encoder knows from systems, or from people",
    "encoder.": "sentences that an encoder holds for alike",
}


@runtime_checkable
class ExplainableEstimator(Protocol):
    """An estimator whose score is a function of a sum over the features.

    Attributes:
        points: points per unit of the score.
    """

    points: ClassVar[float]

    def contributions(self, features: Floats) -> Floats:
        """Return what each feature adds to the sum, ``(hypotheses, features)``."""
        ...

    def raw(self, features: Floats) -> Floats:
        """Return the sums, ``(hypotheses,)``."""
        ...

    def slope(self, raw: float) -> float:
        """Return how much the score rises per unit of the sum."""
        ...

    def note(self, features: Floats) -> str:
        """Return what else there is to say of the scores; may be empty."""
        ...


@dataclass(frozen=True)
class Reason:
    """A group of features, and how far it moves the scores apart.

    Attributes:
        what: the group, in words.
        points: of the difference of the scores, in points; above 0 in favor of the first output.
        feature: the feature of the group that moves most.
        first, second: its means over both outputs.
    """

    what: str
    points: float
    feature: str
    first: float
    second: float


@dataclass(frozen=True)
class Explanation:
    """Two scores, and the reasons for their difference, the largest first; the reasons add up to the difference.

    Attributes:
        notes: how much of the scores is learned, and why not all, for models that say so.
    """

    model: str
    first: float
    second: float
    reasons: tuple[Reason, ...]
    notes: tuple[str, ...] = ()

    def text(self, names: tuple[str, str] = ("the first", "the second"), most: int = 5) -> str:
        """Return the explanation in words, one line for each reason.

        Args:
            names: what to call the outputs.
            most: largest number of reasons.
        """
        apart = self.first - self.second
        if not apart:
            return f"{self.model}: {names[0]} and {names[1]} have the same score, {self.first:.2f}."
        higher, lower = names if apart > 0 else names[::-1]
        lines = [
            (
                f"{self.model}: {higher} ({max(self.first, self.second):.2f}) is {abs(apart):.2f} points above {lower} "
                f"({min(self.first, self.second):.2f})."
            )
        ]
        for reason in self.reasons[:most]:
            ahead = higher if (reason.points > 0) == (apart > 0) else lower
            lines.append(
                f"  {abs(reason.points):5.2f} for {ahead}: {reason.what}; most by {reason.feature} "
                f"({reason.first:.4g} and {reason.second:.4g})"
            )
        rest = sum(reason.points for reason in self.reasons[most:])
        if self.reasons[most:]:
            lines.append(f"  {abs(rest):5.2f} for {names[0] if rest > 0 else names[1]}: all else")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def explain(
    model: LearnedModel,
    first: Sequence[str],
    second: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None = None,
) -> Explanation:
    """Say which features move the scores of two outputs apart.

    Args:
        model: a model whose estimator is an :class:`ExplainableEstimator`.
        first, second: the segments of two systems; lists of one for a single segment.
        references: for each segment its references.
        sources: the source of each segment, for features that read it.

    Raises:
        ConfigError: for a model of another estimator.
        InputError: if the outputs differ in length, or are empty.
    """
    estimator = model.estimator
    if not isinstance(estimator, ExplainableEstimator):
        raise ConfigError(
            f"model {model.recipe.name!r} is of the estimator {model.recipe.estimator!r}; only models of "
            "'guarded-linear' and 'logistic-regression' can be explained"
        )
    if not len(first) == len(second) == len(references):
        raise InputError(f"there are {len(first)} and {len(second)} segments, and references of {len(references)}")
    if not len(first):
        raise InputError("there is nothing to explain: the outputs are empty")
    store = FeatureStore(enabled=False)
    rows = [model.features.extract(FeatureBatch(side, references, sources), store) for side in (first, second)]
    scores = [float(model.estimator.score_segments(side).mean()) * estimator.points for side in rows]
    brought = [estimator.contributions(side).mean(axis=0) for side in rows]
    difference: Floats = brought[0] - brought[1]
    total = float(difference.sum())
    apart = scores[0] - scores[1]
    # Points that a unit of the weighted sum is worth here; of means of curved scores, their sign may differ.
    worth = (
        apart / total
        if total * apart > 0
        else estimator.slope(float(np.mean([estimator.raw(side).mean() for side in rows]))) * estimator.points
    )
    columns = model.features.columns
    groups: dict[str, list[int]] = {}
    for place, column in enumerate(columns):
        what = next((words for start, words in _GROUPS.items() if column.startswith(start)), column.partition(".")[0])
        groups.setdefault(what, []).append(place)
    reasons = []
    for what, places in groups.items():
        top = max(places, key=lambda place: abs(difference[place]))
        means = [float(side[:, top].mean()) for side in rows]
        reasons.append(Reason(what, float(difference[places].sum()) * worth, columns[top], *means))
    reasons.sort(key=lambda reason: -abs(reason.points))
    left = apart - sum(reason.points for reason in reasons)
    if abs(left) > 1e-9:
        reasons.append(Reason("how scores are spread over the scale", left, "score", *scores))
        reasons.sort(key=lambda reason: -abs(reason.points))
    notes = tuple(filter(None, dict.fromkeys(estimator.note(side) for side in rows)))
    return Explanation(model.recipe.name, scores[0], scores[1], tuple(r for r in reasons if r.points), notes)
