"""Metrics that use trained models to score texts or to compare pairs of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import (
    Batch,
    ComponentOptions,
    ConfigError,
    Estimator,
    FeatureBatch,
    FilePath,
    InputError,
    Meta,
    MetricContext,
    SystemOutputs,
    SystemsMetric,
)
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import check_items
from meteor_e_learned.explain import explain, explain_system
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.inputs import EstimatorInputs, InputExtractor, index_selected, select_hypotheses
from meteor_e_learned.libraries import estimator_errors
from meteor_e_learned.metric import signature_of
from meteor_e_learned.modelfile import LearnedModel, load_model
from meteor_e_learned.scoring import has_scale, score_segments

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.base.array_cache import ArrayCache, Cells


def pairwise_advantages(
    model: LearnedModel,
    outputs: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    store: FeatureStore,
    *,
    mask: NDArray[np.bool_] | None = None,
    jobs: int = 1,
    progress: Progress = silent,
) -> Floats:
    """Use a model to compare each hypothesis with every other hypothesis of the same segment.

    Args:
        model: a model that compares pairs of hypotheses, or scores single hypotheses.
        outputs: the hypotheses of each system, by system name.
        references: the references of each segment.
        store: the cache of features.
        mask: whether to compare each hypothesis, ``(systems, segments)``. By default, all hypotheses are compared.
        jobs: the number of processes.
        progress: receives the progress of the feature extraction.

    Returns:
        The advantages, ``(systems, systems, segments)``. An advantage is positive if the hypothesis of the first system
        is better, and NaN if ``mask`` excludes one of the two hypotheses.
    """
    if mask is None:
        mask = np.ones((len(outputs), len(references)), bool)
    batch = select_hypotheses(list(outputs.values()), references, list(outputs), mask)
    compares_pairs = model.estimator.task == "pairs" and not model.estimator.needs_texts
    if compares_pairs:
        inputs = InputExtractor(model.features, model.vectors, store, jobs, progress).extract(batch)
        return _compare_pairs(model, inputs, mask)
    # The estimator cannot read the features of a pair, so each hypothesis is scored by itself.
    scores = np.full(mask.shape, np.nan)
    scores[mask] = score_segments(model, batch, store, jobs=jobs, progress=progress)
    return _subtract_scores(scores)


def _subtract_scores(scores: Floats) -> Floats:
    """Return the score differences for all pairs of systems as an array ``(systems, systems, segments)``.

    Args:
        scores: the score of each hypothesis, ``(systems, segments)``.
    """
    differences: Floats = scores[:, None] - scores[None]
    # A system is not compared with itself.
    system_indexes = np.arange(len(scores))
    differences[system_indexes, system_indexes] = np.nan
    return differences


def _check_lengths(outputs: Mapping[str, Sequence[str]], n_references: int) -> None:
    """Check that the outputs of all systems have the same length as the references, and are not empty.

    Raises:
        InputError: if this is not the case.
    """
    for name, hypotheses in outputs.items():
        if len(hypotheses) != n_references:
            raise InputError(f"{name} has {len(hypotheses)} segments, and there are {n_references} references")
    if not n_references:
        raise InputError("there are no segments to compare")


def _compare_pairs(model: LearnedModel, inputs: EstimatorInputs, mask: NDArray[np.bool_]) -> Floats:
    """Return how much a model prefers each hypothesis to every other hypothesis of the same segment.

    Args:
        model: a model that compares pairs of hypotheses.
        inputs: the inputs of the estimator, with one row per selected hypothesis.
        mask: whether each hypothesis is selected, ``(systems, segments)``.

    Returns:
        The advantages, ``(systems, systems, segments)``. Pairs with a hypothesis that is not selected are NaN.
    """
    estimator: Any = model.estimator
    n_systems, n_segments = mask.shape
    row_indexes = index_selected(mask)
    advantages = np.full((n_systems, n_systems, n_segments), np.nan)
    for first, second in combinations(range(n_systems), 2):
        segments = np.flatnonzero(mask[first] & mask[second])
        if not len(segments):
            continue
        pairs = inputs.join_pairs(row_indexes[first, segments], row_indexes[second, segments])
        with estimator_errors(f"model {model.recipe.name!r}"):
            decision_values = estimator.decision_function(pairs)
        advantages[first, second, segments] = decision_values
        advantages[second, first, segments] = -decision_values
    return advantages


@dataclass(frozen=True)
class PairwiseComparison:
    """Pairwise decisions of a model: for each segment, which of two systems is better.

    Attributes:
        systems: the names of the systems.
        decisions: the decisions, ``(systems, systems, segments)``. If the hypothesis of the first system is better, the
            decision is 1. If the hypothesis of the second system is better, the decision is -1. If the model prefers
            neither, for example because the texts are equal, the decision is 0.
    """

    systems: tuple[str, ...]
    decisions: NDArray[np.int8]

    @property
    def segment_shares(self) -> Floats:
        """The fraction of opponents that each system beats on each segment. A tie counts as half a win."""
        n_opponents = len(self.systems) - 1
        shares: Floats = (self.decisions.sum(axis=1) / n_opponents + 1) / 2
        return shares

    @property
    def shares(self) -> Floats:
        """The fraction of comparisons that each system wins. A tie counts as half a win."""
        shares: Floats = self.segment_shares.mean(axis=1)
        return shares

    def shares_by_pair(self) -> dict[str, dict[str, float]]:
        """Return the fraction of segments on which each system beats each opponent. A tie counts as half a win."""
        shares = (self.decisions.mean(axis=2) + 1) / 2
        shares_by_system: dict[str, dict[str, float]] = {}
        for row, system in enumerate(self.systems):
            shares_by_system[system] = {}
            for column, opponent in enumerate(self.systems):
                if opponent != system:
                    shares_by_system[system][opponent] = float(shares[row, column])
        return shares_by_system

    def segment_decisions(self, system: str) -> list[dict[str, dict[str, int]]]:
        """Return a dictionary for each segment with the results of comparing a system with all other systems."""
        row = self.systems.index(system)
        opponents = [(column, name) for column, name in enumerate(self.systems) if column != row]
        segment_details = []
        for segment in range(self.decisions.shape[2]):
            decisions = {name: int(self.decisions[row, column, segment]) for column, name in opponents}
            segment_details.append({"decisions": decisions})
        return segment_details


def check_language(model: LearnedModel, language: str) -> None:
    """Check that a model was trained for the given language.

    Raises:
        ConfigError: if the model was trained for another language.
    """
    if language != model.recipe.language:
        raise ConfigError(
            f"model {model.recipe.name!r} scores language {model.recipe.language!r}, not {language!r}; "
            "use -M any, or train a model for the language"
        )


def _check_texts(sources: Sequence[str] | None, **texts: Sequence[Any]) -> dict[str, list[Any]]:
    """Check that texts, and the optional sources, are lists of equal length, and return the lists by name.

    The references of a segment may be a single string or a sequence of strings. They are returned as a list.
    """
    lists = check_items(**texts) if sources is None else check_items(**texts, sources=sources)
    lists["references"] = _list_references(lists["references"])
    return lists


def _list_references(references: Sequence[str | Sequence[str]]) -> list[list[str]]:
    """Return the references of each segment as a list, even if a segment has a single string."""
    return [[item] if isinstance(item, str) else list(item) for item in references]


def _segment_references(test: SystemOutputs) -> list[list[str]]:
    """Return a list of references for each segment of a test set."""
    return [list(references) for references in zip(*test.references, strict=True)]


class ModelMetric(SystemsMetric):
    """A metric that scores texts with a trained model.

    In an evaluation, the metric uses the raw scores of the model, before the model maps them to percentages. If the
    model only compares pairs of hypotheses, the score of a hypothesis is its mean advantage over the other judged
    hypotheses of the segment. Decisions can be cyclic, but scores cannot. Therefore, Kendall's τ of these scores
    differs slightly from Kendall's τ of the decisions.
    """

    name: ClassVar[str] = "model"

    class Options(ComponentOptions):
        """The path of the model."""

        path: Annotated[FilePath, Meta(description="A model file, or the name of a model that comes with the plugin.")]

    def __init__(self, model: LearnedModel, *, name: str | None = None, jobs: int = 1) -> None:
        self.model = model
        self.label = name or model.recipe.name
        self._jobs = jobs
        self.language = model.recipe.language
        self.signature = signature_of(model)
        self.scores_segments = not model.estimator.compares_only
        self.compares_systems = not self.scores_segments
        # The score of an additive metric for a system is the mean of the segment scores.
        # A model is not additive if it does not score segments, or if its estimator overrides system_score.
        self.additive = self.scores_segments and type(model.estimator).system_score is Estimator.system_score

    def system_scores(self, statistics: Floats, weights: Floats | None = None) -> Floats:
        """Return a system's score. If weights are given, return one score for each weighted sample of segments."""
        return self.model.estimator.system_score(statistics[:, 0], weights)

    def compare(
        self,
        outputs: Mapping[str, Sequence[str]],
        references: Sequence[str | Sequence[str]],
        *,
        progress: Progress = silent,
    ) -> PairwiseComparison:
        """Decide for every pair of systems which system is better on each segment.

        Args:
            outputs: the hypotheses of each system, by system name; at least two systems.
            references: the reference of each segment, or a sequence of references.
            progress: receives the progress of the feature extraction.

        Raises:
            InputError: if there are fewer than two systems, or if the lists differ in length.
        """
        if len(outputs) < 2:
            raise InputError(
                f"model {self.model.recipe.name!r} decides between systems; give two or more, and their references"
            )
        reference_lists = _list_references(check_items(references=references)["references"])
        _check_lengths(outputs, len(reference_lists))
        store = FeatureStore(enabled=False)
        advantages = pairwise_advantages(
            self.model, outputs, reference_lists, store, jobs=self._jobs, progress=progress
        )
        # The advantage of a system over itself is NaN. The decision is 0 in this case.
        decisions = np.sign(np.nan_to_num(advantages)).astype(np.int8)
        return PairwiseComparison(tuple(outputs), decisions)

    def score_shown_systems(self, test: SystemOutputs, *, progress: Progress = silent) -> Scores:
        """Return the fraction of comparisons that each system wins. The result also contains each decision.

        Raises:
            InputError: if there are fewer than two systems.
        """
        outputs = dict(zip(test.systems, test.outputs, strict=True))
        comparison = self.compare(outputs, _segment_references(test), progress=progress)
        return Scores(
            name=self.label,
            signature=self.signature,
            segments=comparison.segment_shares,
            systems=comparison.shares,
            details=[{"win_rates": win_shares} for win_shares in comparison.shares_by_pair().values()],
            segment_details=[comparison.segment_decisions(name) for name in test.systems],
        )

    @property
    def decimals(self) -> int:  # type: ignore[override]
        """The number of decimals in tables, which is two for percentages and four for other scores."""
        return 2 if has_scale(self.model) else 4

    def score_systems(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress = silent
    ) -> Scores:
        """Return the raw scores of system outputs, before the model maps the scores to percentages.

        Feature values are cached in the folder ``features``, next to the folder of the score cache.

        Raises:
            ConfigError: if the language of the test set is not the model's.
        """
        check_language(self.model, test.language)
        store = FeatureStore(cache.folder.parent / "features", enabled=cache.enabled)
        # The score of a system requires the scores of all its segments.
        mask = np.ones_like(cells) if systems else cells
        if self.scores_segments:
            segment_scores = self._score_cells(test, mask, store, progress)  # (systems, segments)
        else:
            segment_scores = self._average_advantages(test, mask, store, progress)
        system_scores = np.full(len(segment_scores), np.nan)
        if systems:
            system_scores[:] = [self.model.estimator.system_score(scores)[0] for scores in segment_scores]
        return Scores(
            name=self.label,
            signature=f"{self.signature}|scale:none" if has_scale(self.model) else self.signature,
            segments=segment_scores,
            systems=system_scores,
            resample=partial(self._resample, segment_scores),
        )

    def _resample(self, segment_scores: Floats, system: int, weights: Floats) -> Floats:
        """Return a system's score on each weighted sample of the segments, ``(samples,)``."""
        return self.model.estimator.system_score(segment_scores[system], weights)

    def _score_cells(self, test: SystemOutputs, mask: Cells, store: FeatureStore, progress: Progress) -> Floats:
        """Return the raw scores of the hypotheses that a mask selects. The scores of other hypotheses are NaN."""
        batch = select_hypotheses(test.outputs, _segment_references(test), test.systems, mask, test.source)
        values = np.full(mask.shape, np.nan)
        values[mask] = score_segments(self.model, batch, store, raw=True, jobs=self._jobs, progress=progress)
        return values

    def _average_advantages(self, test: SystemOutputs, mask: Cells, store: FeatureStore, progress: Progress) -> Floats:
        """Return how much better each selected hypothesis is, on average, than the others of the same segment.

        Hypotheses that the mask does not select have the value NaN.
        """
        outputs = dict(zip(test.systems, test.outputs, strict=True))
        references = _segment_references(test)
        # (systems, opponents, segments)
        advantages = pairwise_advantages(
            self.model, outputs, references, store, mask=mask, jobs=self._jobs, progress=progress
        )
        is_compared = ~np.isnan(advantages)
        sums = np.where(is_compared, advantages, 0).sum(axis=1)
        opponent_counts = is_compared.sum(axis=1)
        return np.where(mask, sums / np.maximum(opponent_counts, 1), np.nan)

    @classmethod
    def from_options(cls, context: MetricContext, options: Any) -> ModelMetric:
        """Load the model.

        Raises:
            ConfigError: if the language of the context is not the model's.
            InputError: if the model does not exist.
        """
        return cls._make(load_model(options.path), context)

    @classmethod
    def _make(cls, model: LearnedModel, context: MetricContext) -> Self:
        """Create the metric, and check that the model supports the language of the context."""
        if context.language:
            check_language(model, context.language)
        return cls(model, jobs=context.jobs)

    @classmethod
    def label_for(cls, options: Mapping[str, Any]) -> str:
        """Return the name of the model."""
        return load_model(options["path"]).recipe.name

    @classmethod
    def language_for(cls, options: Mapping[str, Any]) -> str:
        """Return the language of the model."""
        return load_model(options["path"]).recipe.language

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read the path of a model."""
        return {"path": text}

    def statistics(self, batch: Batch) -> Floats:
        """Return one row per segment with two values: the score, and the segment count 1.

        Raises:
            ConfigError: if the model only compares hypotheses.
        """
        segments = FeatureBatch(batch.hypotheses, batch.references, batch.sources)
        scores = score_segments(self.model, segments, FeatureStore(enabled=False), jobs=self._jobs)
        return np.stack([scores, np.ones(len(scores))], axis=1)

    def explain(
        self,
        first: Sequence[str],
        second: Sequence[str],
        references: Sequence[Sequence[str]],
        names: tuple[str, str] = ("the first", "the second"),
        sources: Sequence[str] | None = None,
    ) -> str:
        """Explain which features cause the difference between the scores of two systems.

        See :func:`meteor_e_learned.explain.explain`.

        Raises:
            ConfigError: if the model's scores are not computed from a sum of features.
            InputError: if an argument is not a list of texts, or if the lists differ in length.
        """
        texts = _check_texts(sources, first=first, second=second, references=references)
        return explain(self.model, **texts).text(names)

    def explain_system(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        name: str = "the system",
        sources: Sequence[str] | None = None,
    ) -> str:
        """Explain which features distinguish the high-scoring segments of a system from its other segments.

        See :func:`meteor_e_learned.explain.explain_system`.

        Raises:
            ConfigError: if the model's scores are not computed from a weighted sum of features.
            InputError: if an argument is not a list of texts, or if the lists differ in length.
        """
        texts = _check_texts(sources, hypotheses=hypotheses, references=references)
        return explain_system(self.model, **texts, name=name).text()


class ReadyMetric(ModelMetric):
    """Base class of the metrics for pretrained models. Each metric has the same name as its model."""

    Options: ClassVar[Any] = None

    @classmethod
    def from_options(cls, context: MetricContext, options: None) -> ReadyMetric:
        """Load the model.

        Raises:
            ConfigError: if the language of the context is not the model's.
        """
        return cls._make(load_model(cls.name), context)

    @classmethod
    def label_for(cls, options: Mapping[str, Any]) -> str:
        """Return the name of the model."""
        return cls.name

    @classmethod
    def language_for(cls, options: Mapping[str, Any]) -> str:
        """Return the language of the model."""
        return load_model(cls.name).recipe.language

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Raise ConfigError, because the metric does not have any options."""
        raise ConfigError(f"metric {cls.name!r} has no options; write -M {cls.name}")
