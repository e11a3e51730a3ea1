"""Estimators, which learn a metric from features and human judgments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.component import Component
from meteor_e.base.array_cache import Floats, Integers
from meteor_e.base.errors import ConfigError, InputError

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class Examples:
    """Training examples for an estimator, which consist of hypotheses, features and human judgments.

    The examples are grouped by test set and language pair. Each group is called a part.

    Attributes:
        title: name of each part.
        features: features of the hypotheses, ``(hypotheses, features)``.
        vectors: vectors of the hypotheses, ``(hypotheses, dimension)``; without columns if there are no vectors.
        reference_vectors: vectors of the references, in the shape of ``vectors``.
        better, worse: for each comparison, the rows of the better and of the worse hypothesis. Ties are left out.
        part: for each comparison, the index of its part.
        group: for each comparison, the id of its segment. The same text has different ids in different language pairs.
        weight: weight of each comparison.
        scores: human score of each hypothesis; NaN if it has not been rated.
        hypothesis_part: for each hypothesis, the index of its part.
        hypotheses, references: raw hypotheses with their raw references, for estimators that read texts.
    """

    title: tuple[str, ...]
    features: Floats
    vectors: Floats
    reference_vectors: Floats
    better: Integers
    worse: Integers
    part: Integers
    group: Integers
    weight: Floats
    scores: Floats
    hypothesis_part: Integers
    hypotheses: tuple[str, ...] = ()
    references: tuple[tuple[str, ...], ...] = ()

    def check_comparisons(self, validation: Examples | None) -> None:
        """Check that the examples contain comparisons of hypotheses.

        Args:
            validation: the validation examples, which are checked, too; ``None`` without validation.

        Raises:
            InputError: if there are no comparisons.
        """
        if not len(self.better):
            raise InputError("there are no comparisons to learn from")
        if validation is not None and not len(validation.better):
            raise InputError("there are no comparisons to validate with")

    def pairs(self, first: Integers, second: Integers) -> Floats:
        """Return a matrix of numbers with one row per pair of hypotheses.

        A row concatenates the features of both hypotheses, the vectors of both hypotheses, and the vector of the
        reference.

        Args:
            first: index of the first hypothesis of each pair.
            second: index of the second hypothesis of each pair.
        """
        vectors = [self.vectors[first], self.vectors[second], self.reference_vectors[first]]
        return np.hstack([self.features[first], self.features[second], *vectors])

    def draw_pairs(self, seed: int) -> tuple[Floats, Integers]:
        """Convert comparisons of hypotheses to training data for a binary classifier.

        The label is 1 if the first hypothesis is better, otherwise 0. The two hypotheses are in random order, so that
        about half of the labels are 1.

        Args:
            seed: seed of the random order.
        """
        is_swapped = np.random.default_rng(seed).integers(2, size=len(self.better)).astype(bool)
        first = np.where(is_swapped, self.worse, self.better)
        second = np.where(is_swapped, self.better, self.worse)
        labels = (~is_swapped).astype(np.int64)
        return self.pairs(first, second), labels


@dataclass(frozen=True)
class TrainingRun:
    """The settings of a training run, and the functions that report its progress.

    Attributes:
        seed: seed of random choices, except for those of the estimator's own options.
        columns: names of the features.
        report: function that receives the figures of each epoch or fold, and writes them to the log.
        checkpoint: function that receives the state after each epoch, and saves it.
        resume: saved state from which the training continues.
        vectors: word vectors, for estimators that read texts.
    """

    seed: int = 1
    columns: Sequence[str] = ()
    report: Callable[[Mapping[str, Any]], object] | None = None
    checkpoint: Callable[[Any], object] | None = None
    resume: Any = None
    vectors: Any = None


class Estimator(Component):
    """Base class of all estimators. The method ``fit`` has the same arguments as in scikit-learn.

    A subclass defines :meth:`fit`, :meth:`score_segments`, :meth:`arrays` and :meth:`restore`. An estimator that needs
    more than one matrix defines :meth:`learn` instead of ``fit``. An estimator that can only compare two hypotheses
    sets ``compares_only`` and defines :meth:`decision_function` instead of ``score_segments``.

    All options of an estimator must have defaults. The learned parameters are saved as arrays in the model file.

    Class attributes
    ----------------
    name
        Name in recipes and model files; lower case, unique among all installed plugins.
    task : str
        ``pairs`` if the estimator learns from comparisons of hypotheses, ``scores`` if it learns from ratings.
    compares_only : bool
        Whether the estimator cannot score a single hypothesis.
    needs_vectors : bool
        Whether the estimator uses vectors of segments in addition to the features.
    needs_texts : bool
        Whether the estimator uses hypotheses and references in addition to the features.
    """

    kind: ClassVar[str] = "estimator"
    task: ClassVar[str] = "pairs"
    compares_only: ClassVar[bool] = False
    needs_vectors: ClassVar[bool] = False
    needs_texts: ClassVar[bool] = False

    def learn(self, examples: Examples, validation: Examples | None, run: TrainingRun) -> Mapping[str, Any]:
        """Fit the estimator to examples. By default, this method converts the examples to a matrix for :meth:`fit`.

        Args:
            examples: the training examples.
            validation: the validation examples, or ``None``.
            run: settings of the training run.

        Returns:
            Figures for the model card, in addition to the correlation with the judgments.

        Raises:
            InputError: if there are no examples of the estimator's task.
        """
        if self.task == "scores":
            self._fit_scores(examples)
        else:
            examples.check_comparisons(validation)
            pairs, labels = examples.draw_pairs(run.seed)
            self.fit(pairs, labels, groups=examples.group, sample_weight=examples.weight)
        return {}

    def _fit_scores(self, examples: Examples) -> None:
        """Learn from the human scores of hypotheses.

        Raises:
            InputError: if there are no human scores.
        """
        is_rated = ~np.isnan(examples.scores)
        if not is_rated.any():
            raise InputError("there are no human scores of segments to learn from")
        groups = examples.hypothesis_part[is_rated]
        self.fit(examples.features[is_rated], examples.scores[is_rated], groups=groups)

    def fit(
        self,
        X: Floats,  # noqa: N803
        y: NDArray[Any],
        *,
        groups: NDArray[Any] | None = None,
        sample_weight: Floats | None = None,
    ) -> Self:
        """Learn from a matrix.

        Args:
            X: for the task ``scores``, the features, ``(hypotheses, features)``. For the task ``pairs``, a row for
                each comparison: the features of the first and of the second hypothesis; and with ``needs_vectors``,
                also the vectors of both hypotheses and of the reference.
            y: for the task ``scores``, the ratings. For the task ``pairs``, 1 if the first hypothesis is better,
                otherwise 0.
            groups: for each row, the id of a group that must not be divided between folds: the language pair of a
                rating, or the segment of a comparison.
            sample_weight: weight of each comparison.
        """
        raise NotImplementedError(f"{type(self).__name__} defines neither fit nor learn")

    def score_segments(self, features: Floats) -> Floats:
        """Return one score per hypothesis as an array ``(hypotheses,)``. Higher scores are better.

        Args:
            features: features of the hypotheses, ``(hypotheses, features)``.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define score_segments")

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Predict for each pair of hypotheses how much better the first hypothesis is.

        By default, the prediction is the difference between the scores of the two hypotheses.

        Args:
            X: rows of pairs, as for :meth:`fit`.

        Raises:
            ConfigError: if the rows cannot consist of the features of two hypotheses.
        """
        column_count = X.shape[1]
        if column_count % 2:
            raise ConfigError(f"{column_count} numbers per pair; they are not the features of two hypotheses")
        feature_count = column_count // 2
        first_scores = self.score_segments(X[:, :feature_count])
        second_scores = self.score_segments(X[:, feature_count:])
        return first_scores - second_scores

    def decisions(self, examples: Examples) -> Floats:
        """Measure how strongly the estimator agrees with each human comparison of two hypotheses.

        A number is positive if the estimator prefers the hypothesis that humans judged to be better.
        """
        if self.task == "scores":
            scores = self.score_segments(examples.features)
            return scores[examples.better] - scores[examples.worse]
        return self.decision_function(examples.pairs(examples.better, examples.worse))

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the learned parameters by name. A model file stores them, and :meth:`restore` loads them again."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Load parameters that were returned by :meth:`arrays` of an estimator with equal options.

        Raises:
            KeyError: if an array is missing.
            ValueError: if an array has the wrong shape or type.
        """

    def system_score(self, segments: Floats, weights: Floats | None = None) -> Floats:
        """Return a system's score on each bootstrap sample. By default, a score is the mean of the segment scores.

        Args:
            segments: scores of the segments, ``(segments,)``.
            weights: number of times that each sample contains each segment, ``(samples, segments)``. By default, there
                is one sample that contains each segment once.

        Returns:
            The score of each sample, ``(samples,)``.

        Raises:
            InputError: if there are no segments.
        """
        if not len(segments):
            raise InputError("there are no segments to take the mean of")
        counts = np.ones((1, len(segments))) if weights is None else np.asarray(weights, float)  # (samples, segments)
        normalized_weights = counts / counts.sum(axis=1, keepdims=True)
        sample_means: Floats = normalized_weights @ segments
        return sample_means
