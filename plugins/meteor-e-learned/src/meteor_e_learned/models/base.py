"""What the estimators share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Estimator, InputError
from meteor_e_learned.examples import Examples, pair_matrix, pair_rows
from meteor_e_learned.means import system_mean

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e_learned.extraction import FeatureSet
    from meteor_e_learned.models.state import TrainingState

__all__ = [
    "Floats",
    "LearnedEstimator",
    "PairEstimator",
    "Report",
    "Run",
    "ScoreEstimator",
    "check_comparisons",
    "pair_taus",
    "pearson",
    "pearsons",
    "strict_tau",
]

Floats = NDArray[np.float64]

Report = Callable[[Mapping[str, Any]], object]
"""Told what happened in an epoch or a fold; what goes to the log."""


def strict_tau(differences: Floats) -> float:
    """Return Kendall's τ of pairs, of which each has the better hypothesis first; ties are wrong (WMT12).

    Args:
        differences: score of the better less score of the worse, ``(pairs,)``.
    """
    if not len(differences):
        return float("nan")
    return float(2 * np.mean(differences > 0) - 1)


@dataclass(frozen=True)
class Run:
    """What goes with a training beside its examples.

    Attributes:
        seed: of what is drawn that is not the estimator's own.
        columns: names of the features.
        report: told about each epoch or fold.
        checkpoint: given the state after each epoch, to keep it.
        resume: the state to go on from.
        vectors: of words, for estimators that read texts.
    """

    seed: int = 1
    columns: Sequence[str] = field(default=())
    report: Report | None = None
    checkpoint: Callable[[TrainingState], object] | None = None
    resume: TrainingState | None = None
    vectors: Any = None


class LearnedEstimator(Estimator):
    """Base of the estimators: learns from examples, and can be put into a model file and taken out of it.

    An estimator is one class: what differs between estimators is a method here.

    Class attributes:
        name: what recipes and model files call it.
        task: ``pairs`` if it compares hypotheses, ``scores`` if it only scores them.
        needs_vectors: whether it reads vectors of segments beside the features.
        needs_texts: whether it reads hypotheses and references beside the features, with vectors of words; it has
            ``score_texts`` then.
    """

    name: ClassVar[str] = ""
    task: ClassVar[str] = "pairs"
    needs_vectors: ClassVar[bool] = False
    needs_texts: ClassVar[bool] = False

    @classmethod
    def made(cls, options: Mapping[str, Any], features: FeatureSet, vectors: FeatureSet) -> Self:
        """Return an estimator for a recipe's features.

        Args:
            options: by name.
            features: of hypotheses.
            vectors: of single segments.

        Raises:
            ConfigError: for vectors that the estimator does not read.
        """
        if vectors.features and not cls.needs_vectors:
            raise ConfigError(f"estimator {cls.name!r} has no use for 'vectors'")
        return cls(**options)

    @abstractmethod
    def learn(self, examples: Examples, held: Examples | None, run: Run) -> dict[str, Any]:
        """Learn from examples.

        Args:
            examples: to learn from.
            held: to validate with; ``None`` for none.
            run: what goes with the training.

        Returns:
            Figures for the model card.

        Raises:
            InputError: if there is nothing to learn from.
        """

    @abstractmethod
    def decisions(self, examples: Examples) -> Floats:
        """Return for each comparison how much better the better hypothesis is to this estimator."""

    def system_score(self, segments: Floats, weights: Floats | None = None) -> Floats:
        """Return the scores of a system on samples of its segments: their means, unless an estimator says otherwise.

        Args:
            segments: scores of its segments, ``(segments,)``.
            weights: how often each segment is in each sample, ``(samples, segments)``; by default one sample of all.

        Returns:
            ``(samples,)``.
        """
        return system_mean("arithmetic", segments, weights)

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, by name; all that :meth:`restore` needs."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what another estimator with the same parameters learned.

        Raises:
            KeyError, ValueError: if arrays are missing or do not fit.
        """


class PairEstimator(LearnedEstimator):
    """Base of what learns from comparisons of two hypotheses."""

    @abstractmethod
    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return how much better the first hypothesis of each pair is."""

    def decisions(self, examples: Examples) -> Floats:
        """Return how much better the better hypotheses are."""
        return self.decision_function(self._pairs(pair_rows(examples, examples.better, examples.worse), examples))

    def drawn(self, examples: Examples, seed: int) -> tuple[Floats, NDArray[np.int64]]:
        """Return pairs and labels as ``fit`` takes them; which hypothesis comes first is drawn."""
        X, y = pair_matrix(examples, seed)  # noqa: N806
        return self._pairs(X, examples), y

    def _pairs(self, X: Floats, examples: Examples) -> Floats:  # noqa: N803
        return X if self.needs_vectors else X[:, : 2 * examples.features.shape[1]]


def check_comparisons(examples: Examples, held: Examples | None) -> None:
    """Raise what keeps an estimator from learning from comparisons.

    Raises:
        InputError: if there are none.
    """
    if not len(examples.better):
        raise InputError("there are no comparisons to learn from")
    if held is not None and not len(held.better):
        raise InputError("there are no comparisons to validate with")


def pair_taus(estimator: LearnedEstimator, examples: Examples) -> dict[str, float]:
    """Return the strict τ of an estimator's decisions on each test set."""
    found = estimator.decisions(examples)
    return {title: strict_tau(found[examples.part == place]) for place, title in enumerate(examples.title)}


class ScoreEstimator(LearnedEstimator):
    """Base of what learns scores of single hypotheses.

    Attributes:
        folds_: what cross-validation found for each choice, by name; empty where nothing was to be chosen.
    """

    task: ClassVar[str] = "scores"
    folds_: Mapping[str, float] = MappingProxyType({})

    @abstractmethod
    def fit(self, X: Floats, y: Floats, *, groups: NDArray[Any] | None = None) -> LearnedEstimator:  # noqa: N803
        """Learn.

        Args:
            X: features, ``(hypotheses, features)``.
            y: scores, ``(hypotheses,)``.
            groups: of hypotheses that must not be torn apart by folds, such as those of one language pair.
        """

    @abstractmethod
    def predict(self, X: Floats) -> Floats:  # noqa: N803
        """Return scores, ``(hypotheses,)``."""

    def score_segments(self, features: Floats) -> Floats:
        """Return scores; the same as :meth:`predict`."""
        return self.predict(features)

    def score(self, X: Floats, y: Floats) -> float:  # noqa: N803
        """Return Pearson's correlation with scores; NaN where one side does not vary."""
        return pearson(self.predict(X), np.asarray(y, float))

    def learn(self, examples: Examples, held: Examples | None, run: Run) -> dict[str, Any]:
        """Learn the human scores of segments."""
        rows = ~np.isnan(examples.scores)
        if not rows.any():
            raise InputError("there are no human scores of segments to learn from")
        self.fit(examples.features[rows], examples.scores[rows], groups=examples.hypothesis_part[rows])
        figures = {f"folds, {name}": value for name, value in self.folds_.items()}
        return figures | (pearsons(self, held) if held is not None else {})

    def decisions(self, examples: Examples) -> Floats:
        """Return the differences of the scores."""
        scores = self.predict(examples.features)
        result: Floats = scores[examples.better] - scores[examples.worse]
        return result


def pearsons(estimator: Any, held: Examples) -> dict[str, float]:
    """Return the correlation of an estimator's scores with human ones on each test set that has such."""
    figures = {}
    scores = estimator.score_segments(held.features)
    for place, title in enumerate(held.title):
        rows = (held.hypothesis_part == place) & ~np.isnan(held.scores)
        if rows.any():
            figures[f"validation pearson {title}"] = pearson(scores[rows], held.scores[rows])
    return figures


def pearson(one: Floats, other: Floats) -> float:
    """Return Pearson's correlation; NaN where one side does not vary."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])
