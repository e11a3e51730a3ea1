"""Explains which features of a model cause the difference between the scores of two systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from meteor_e.api import ConfigError, FeatureBatch, InputError
from meteor_e.base.array_cache import Floats
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import LearnedModel
from meteor_e_learned.models.linear import LinearEstimator

_GROUP_BY_PREFIX: dict[str, str] = {
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
    """Protocol of estimators whose score is a function of a weighted sum of features.

    Attributes:
        points: the number of points per unit of the score.
    """

    points: ClassVar[float]

    def contributions(self, features: Floats) -> Floats:
        """Return the contribution of each feature to the weighted sum of each hypothesis's features.

        The result is an array of shape ``(hypotheses, features)``.
        """
        ...

    def score_segments(self, features: Floats) -> Floats:
        """Return the score of each hypothesis."""
        ...

    def raw(self, features: Floats) -> Floats:
        """Return the weighted sum of the features for each hypothesis."""
        ...

    def slope(self, raw: float) -> float:
        """Return the derivative of the score with respect to the weighted sum at the point ``raw``."""
        ...

    def note(self, features: Floats) -> str:
        """Return a note that explains the scores to the user, or an empty string."""
        ...


ROUNDING_ERROR = 1e-9
"""Differences in points up to this value are not explained."""
MEANS_NOTE = "The values in parentheses are means over the segments, not corpus scores."
"""A remark in every explanation, because the mean of METEOR's segment scores differs from its corpus score."""


@dataclass(frozen=True)
class Reason:
    """A group of features, and how much the group contributes to the score difference between two systems.

    Attributes:
        description: the description of the group.
        points: the contribution in points. A positive contribution favors the first system.
        feature: the feature with the largest contribution in the group.
        first, second: the mean values of this feature in the two systems.
    """

    description: str
    points: float
    feature: str
    first: float
    second: float


@dataclass(frozen=True)
class Explanation:
    """The scores of two systems, and the reasons for their difference.

    Attributes:
        model: the name of the model.
        first, second: the scores of the two systems.
        reasons: the reasons, sorted by descending contribution. The contributions add up to the difference of the
            scores.
        notes: remarks of the estimator about the scores.
        names: the default names of the two systems.
    """

    model: str
    first: float
    second: float
    reasons: tuple[Reason, ...]
    notes: tuple[str, ...] = ()
    names: tuple[str, str] = ("the first", "the second")

    def text(self, names: tuple[str, str] | None = None, max_reasons: int = 5) -> str:
        """Return the explanation as text, with one line per reason.

        Args:
            names: the names of the two systems; by default, :attr:`names`.
            max_reasons: the maximum number of reasons.
        """
        names = names or self.names
        if self.first == self.second:
            return f"{self.model}: {names[0]} and {names[1]} have the same score, {self.first:.2f}."
        lines = [self._describe_difference(names)]
        for reason in self.reasons[:max_reasons]:
            lines.append(
                f"  {_format_points(reason.points, names)}: {reason.description}; most by {reason.feature} "
                f"({reason.first:.4g} and {reason.second:.4g})"
            )
        remaining_reasons = self.reasons[max_reasons:]
        if remaining_reasons:
            remaining_points = sum(reason.points for reason in remaining_reasons)
            lines.append(f"  {_format_points(remaining_points, names)}: all else")
        lines.append(f"  {MEANS_NOTE}")
        lines += [f"  {note}" for note in self.notes]
        return "\n".join(lines)

    def _describe_difference(self, names: tuple[str, str]) -> str:
        """Return a sentence that states which system has the higher score, and by how many points."""
        scores = zip((self.first, self.second), names, strict=True)
        (low_score, low_name), (high_score, high_name) = sorted(scores, key=lambda item: item[0])
        return (
            f"{self.model}: {high_name} ({high_score:.2f}) is {high_score - low_score:.2f} points above "
            f"{low_name} ({low_score:.2f})."
        )


def _format_points(points: float, names: tuple[str, str]) -> str:
    """Return a feature's contribution in score points, followed by the name of the system that the feature favors."""
    favored_name = names[0] if points > 0 else names[1]
    return f"{abs(points):5.2f} for {favored_name}"


def explain(
    model: LearnedModel,
    first: Sequence[str],
    second: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None = None,
) -> Explanation:
    """Explain which features of a model cause the difference between the scores of two systems.

    Args:
        model: a model whose estimator is an :class:`ExplainableEstimator`.
        first, second: the hypotheses of the two systems; at least one each.
        references: the references of each segment.
        sources: the source of each segment, for features that read it.

    Raises:
        ConfigError: if the estimator of the model is not explainable.
        InputError: if the lists differ in length, or are empty.
    """
    estimator = _check_explainable(model)
    if not len(first) == len(second) == len(references):
        raise InputError(f"there are {len(first)} and {len(second)} segments, and references of {len(references)}")
    first_features = _extract_features(model, first, references, sources)
    second_features = _extract_features(model, second, references, sources)
    return _explain_difference(model, estimator, [first_features, second_features])


def explain_system(
    model: LearnedModel,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None = None,
    name: str = "the system",
) -> Explanation:
    """Explain how the high-scoring segments of a system differ from its low-scoring segments.

    A segment is high-scoring if its score is above the mean. If all scores are equal, the explanation compares the
    system with the average of the training data.

    Args:
        model: a model whose estimator is a linear :class:`ExplainableEstimator`.
        hypotheses: the hypotheses; at least one.
        references: the references of each segment.
        sources: the source of each segment, for features that read it.
        name: the name of the system.

    Raises:
        ConfigError: if the estimator of the model is not explainable.
        InputError: if the lists differ in length, or are empty.
    """
    estimator = _check_explainable(model)
    if len(hypotheses) != len(references):
        raise InputError(f"there are {len(hypotheses)} segments, and references of {len(references)}")
    features = _extract_features(model, hypotheses, references, sources)  # (segments, features)
    scores = model.estimator.score_segments(features)
    is_high = scores > scores.mean()
    if not is_high.any():
        explanation = _explain_difference(model, estimator, [features, _find_training_means(model)])
        return replace(explanation, names=(name, "the average of the training data"))
    explanation = _explain_difference(model, estimator, [features[is_high], features[~is_high]])
    return replace(explanation, names=(f"the high-scoring part of {name}", "the low-scoring part"))


def _find_training_means(model: LearnedModel) -> Floats:
    """Return the mean of each feature in the training data as a matrix with one row, ``(1, features)``.

    Raises:
        ConfigError: if the model does not contain the means.
    """
    if not isinstance(model.estimator, LinearEstimator):
        raise ConfigError(f"model {model.recipe.name!r} cannot explain equal scores; give two or more systems")
    return model.estimator.mean_[None]


def _check_explainable(model: LearnedModel) -> ExplainableEstimator:
    """Return the estimator of a model, or raise an error if the model's scores cannot be explained.

    Raises:
        ConfigError: if the estimator is not explainable.
    """
    if not isinstance(model.estimator, ExplainableEstimator):
        raise ConfigError(
            f"model {model.recipe.name!r} is of the estimator {model.recipe.estimator!r}; only models of "
            "'guarded-linear' and 'logistic-regression' can be explained"
        )
    return model.estimator


def _extract_features(
    model: LearnedModel,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
) -> Floats:
    """Compute the feature matrix of a system's hypotheses.

    Raises:
        InputError: if there are no segments.
    """
    if not len(hypotheses):
        raise InputError("there is nothing to explain: the outputs are empty")
    return model.features.extract(FeatureBatch(hypotheses, references, sources), FeatureStore(enabled=False))


def _explain_difference(
    model: LearnedModel, estimator: ExplainableEstimator, matrices: Sequence[Floats]
) -> Explanation:
    """Explain the difference between the scores of two systems.

    Args:
        model: the model.
        estimator: the estimator of the model.
        matrices: the feature matrix of each of the two systems, ``(segments, features)``.
    """
    first_score, second_score = [
        float(estimator.score_segments(matrix).mean()) * estimator.points for matrix in matrices
    ]
    score_difference = first_score - second_score
    reasons = _list_reasons(model.features.columns, estimator, matrices, score_difference)
    # The score is not a linear function of the features, so the contributions may not add up to the difference.
    residual = score_difference - sum(reason.points for reason in reasons)
    if abs(residual) > ROUNDING_ERROR:
        reasons.append(Reason("how scores are spread over the scale", residual, "score", first_score, second_score))
    return Explanation(
        model=model.recipe.name,
        first=first_score,
        second=second_score,
        reasons=_sort_reasons(reasons),
        notes=_list_notes(estimator, matrices),
    )


def _sort_reasons(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Sort reasons by descending contribution, and omit reasons without a contribution."""
    contributing_reasons = [reason for reason in reasons if reason.points]
    return tuple(sorted(contributing_reasons, key=lambda reason: -abs(reason.points)))


def _list_notes(estimator: ExplainableEstimator, matrices: Sequence[Floats]) -> tuple[str, ...]:
    """Return the estimator's notes about the scores of two systems, without duplicates."""
    notes = [estimator.note(matrix) for matrix in matrices]
    return tuple(note for note in dict.fromkeys(notes) if note)


def _list_reasons(
    columns: Sequence[str], estimator: ExplainableEstimator, matrices: Sequence[Floats], score_difference: float
) -> list[Reason]:
    """Return how many points each group of related features contributes to a difference of scores.

    Args:
        columns: the names of the features.
        estimator: the estimator.
        matrices: the feature matrix of each of the two systems, ``(segments, features)``.
        score_difference: the difference between the scores of the two systems, in points.
    """
    # Each array holds every feature's contribution to the weighted sum, averaged over the segments.
    first_contributions, second_contributions = [estimator.contributions(matrix).mean(axis=0) for matrix in matrices]
    differences: Floats = first_contributions - second_contributions
    points_per_unit = _measure_points_per_unit(estimator, score_difference, float(differences.sum()), matrices)
    reasons = []
    for description, indexes in _group_columns(columns).items():
        points = float(differences[indexes].sum()) * points_per_unit
        main_index = max(indexes, key=lambda index: abs(differences[index]))
        first_mean, second_mean = [float(matrix[:, main_index].mean()) for matrix in matrices]
        reasons.append(Reason(description, points, columns[main_index], first_mean, second_mean))
    return reasons


def _group_columns(columns: Sequence[str]) -> dict[str, list[int]]:
    """Return a mapping from the description of each feature group to the group's column indexes."""
    indexes_by_group: dict[str, list[int]] = {}
    for index, column in enumerate(columns):
        indexes_by_group.setdefault(_describe_group(column), []).append(index)
    return indexes_by_group


def _measure_points_per_unit(
    estimator: ExplainableEstimator, score_difference: float, sum_difference: float, matrices: Sequence[Floats]
) -> float:
    """Return how many score points correspond to one unit of the weighted sum of features.

    The function divides the difference between the two scores by the difference between the two weighted sums. If the
    quotient is undefined or not positive, the function returns the slope of the score at the mean weighted sum instead.

    Args:
        estimator: the estimator.
        score_difference: the difference between the scores of the two systems, in points.
        sum_difference: the difference between the mean weighted sums of the two systems.
        matrices: the feature matrix of each of the two systems, ``(segments, features)``.
    """
    have_same_sign = sum_difference * score_difference > 0
    if have_same_sign:
        return score_difference / sum_difference
    mean_sum = float(np.mean([estimator.raw(matrix).mean() for matrix in matrices]))
    return estimator.slope(mean_sum) * estimator.points


def _describe_group(column: str) -> str:
    """Return the description of the feature group that a column belongs to.

    A column without a group is described by the name of its feature.
    """
    for prefix, description in _GROUP_BY_PREFIX.items():
        if column.startswith(prefix):
            return description
    return column.partition(".")[0]
