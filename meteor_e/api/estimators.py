"""Estimators: what learns a metric from features and judgments."""

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
    """Judged hypotheses and their judgments.

    Attributes:
        title: test set and language pair of each part, in order.
        features: ``(hypotheses, features)``.
        vectors, reference_vectors: ``(hypotheses, numbers)``; without columns where there are none.
        better, worse: rows of the hypotheses of each comparison without ties.
        part: for each comparison, the position of its test set in ``title``.
        group: for each comparison, a number of its segment; the same text in several pairs has several.
        weight: of each comparison.
        scores: human score of each hypothesis; NaN where there is none.
        hypothesis_part: for each hypothesis, the position of its test set.
        hypotheses, references: raw hypotheses and the raw references of each, for estimators that read texts.
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

    def check_comparisons(self, held: Examples | None) -> None:
        """Check that there are comparisons, also among the examples to validate with, if there are such.

        Raises:
            InputError: if there are none.
        """
        for purpose, given in (("learn from", self), ("validate with", held)):
            if given is not None and not len(given.better):
                raise InputError(f"there are no comparisons to {purpose}")

    def pairs(self, first: Integers, second: Integers) -> Floats:
        """Return a row for each pair of hypotheses: the features of both; then both vectors and the reference's."""
        vectors = [self.vectors[first], self.vectors[second], self.reference_vectors[first]]
        return np.hstack([self.features[first], self.features[second], *vectors])

    def drawn_pairs(self, seed: int) -> tuple[Floats, Integers]:
        """Return rows of the comparisons, and 1 where the first hypothesis is better, else 0.

        Which hypothesis comes first is drawn, so that about half of the labels are 1.
        """
        swap = np.random.default_rng(seed).integers(2, size=len(self.better)).astype(bool)
        first, second = np.where(swap, self.worse, self.better), np.where(swap, self.better, self.worse)
        return self.pairs(first, second), (~swap).astype(np.int64)


@dataclass(frozen=True)
class TrainingRun:
    """What goes with a training beside its examples.

    Attributes:
        seed: of what is drawn that is not the estimator's own.
        columns: names of the features.
        report: told about each epoch or fold; what it is told goes to the log.
        checkpoint: given the state after each epoch, to keep it.
        resume: the state to go on from.
        vectors: of words, for estimators that read texts.
    """

    seed: int = 1
    columns: Sequence[str] = ()
    report: Callable[[Mapping[str, Any]], object] | None = None
    checkpoint: Callable[[Any], object] | None = None
    resume: Any = None
    vectors: Any = None


class Estimator(Component):
    """Base of all estimators; ``fit`` is as in scikit-learn.

    A subclass defines :meth:`fit`, :meth:`score_segments`, :meth:`arrays` and :meth:`restore`. One that learns from
    more than one matrix defines :meth:`learn` instead of ``fit``. One that only compares sets ``compares_only`` and
    defines :meth:`decision_function` instead of ``score_segments``.

    Every option has a default. What was learned goes into a model file as arrays.

    Class attributes:
        name: what recipes and model files call it; lower case, unique among all installed plugins.
        task: ``pairs`` if it learns from comparisons of two hypotheses, ``scores`` if from scores of segments.
        compares_only: whether it has no score of a single hypothesis.
        needs_vectors: whether it reads vectors of segments beside the features.
        needs_texts: whether it reads hypotheses and references beside the features.
    """

    kind: ClassVar[str] = "estimator"
    task: ClassVar[str] = "pairs"
    compares_only: ClassVar[bool] = False
    needs_vectors: ClassVar[bool] = False
    needs_texts: ClassVar[bool] = False

    def learn(self, examples: Examples, held: Examples | None, run: TrainingRun) -> Mapping[str, Any]:
        """Learn from examples; this is what training calls. By default it calls :meth:`fit`, as ``task`` says.

        Args:
            examples: to learn from.
            held: to validate with; ``None`` for none.
            run: what goes with the training.

        Returns:
            Figures of its own for the model card. Training adds how well its decisions agree with people's.

        Raises:
            InputError: if there is nothing to learn from.
        """
        if self.task == "scores":
            rows = ~np.isnan(examples.scores)
            if not rows.any():
                raise InputError("there are no human scores of segments to learn from")
            self.fit(examples.features[rows], examples.scores[rows], groups=examples.hypothesis_part[rows])
            return {}
        examples.check_comparisons(held)
        X, y = examples.drawn_pairs(run.seed)  # noqa: N806
        self.fit(X, y, groups=examples.group, sample_weight=examples.weight)
        return {}

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
            X: with the task ``scores`` the features, ``(hypotheses, features)``. With ``pairs`` a row for each
                comparison: the features of the first hypothesis, then those of the second; with ``needs_vectors``
                the vectors of both and of the reference, too.
            y: scores; with ``pairs`` 1 where the first hypothesis is better, else 0.
            groups: of rows that no fold must tear apart: language pairs of scores, segments of comparisons.
            sample_weight: of the comparisons.
        """
        raise NotImplementedError(f"{type(self).__name__} defines neither fit nor learn")

    def score_segments(self, features: Floats) -> Floats:
        """Return a score of each hypothesis, ``(hypotheses,)``; the higher, the better.

        Args:
            features: ``(hypotheses, features)``.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define score_segments")

    def decision_function(self, X: Floats) -> Floats:  # noqa: N803
        """Return how much better the first hypothesis of each pair is; by default the difference of the scores.

        Args:
            X: rows of pairs, as for :meth:`fit`.

        Raises:
            ConfigError: if a row cannot be that of a pair.
        """
        first, rest = divmod(X.shape[1], 2)
        if rest:
            raise ConfigError(f"{X.shape[1]} numbers per pair; they are not the features of two hypotheses")
        return self.score_segments(X[:, :first]) - self.score_segments(X[:, first:])

    def decisions(self, examples: Examples) -> Floats:
        """Return for each comparison how much better the better hypothesis is to this estimator."""
        if self.task == "scores":
            scores = self.score_segments(examples.features)
            return scores[examples.better] - scores[examples.worse]
        return self.decision_function(examples.pairs(examples.better, examples.worse))

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, by name; all that :meth:`restore` needs."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what another estimator with the same options learned.

        Raises:
            KeyError, ValueError: if arrays are missing or do not fit.
        """

    def system_score(self, segments: Floats, weights: Floats | None = None) -> Floats:
        """Return the scores of a system on samples of its segments: their means, unless an estimator says otherwise.

        Args:
            segments: scores of its segments, ``(segments,)``.
            weights: how often each segment is in each sample, ``(samples, segments)``; by default one sample of all.

        Returns:
            ``(samples,)``.

        Raises:
            InputError: if there are no segments.
        """
        if not len(segments):
            raise InputError("there are no segments to take the mean of")
        shares = np.ones((1, len(segments))) if weights is None else np.asarray(weights, float)
        result: Floats = (shares / shares.sum(axis=1, keepdims=True)) @ segments
        return result
