"""Use of a trained model: scores of segments, decisions between hypotheses, rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from meteor_e_learned.explain import explain
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.libraries import guarded_estimator
from meteor_e_learned.metric import signature_of
from meteor_e_learned.modelfile import LearnedModel, load_model
from meteor_e_learned.scoring import has_scale, has_scores, score_segments

if TYPE_CHECKING:
    from meteor_e.base.array_cache import ArrayCache, Cells


def pairwise_advantages(
    model: LearnedModel,
    systems: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    store: FeatureStore,
    *,
    names: Sequence[str] | None = None,
    wanted: NDArray[np.bool_] | None = None,
    jobs: int = 1,
    progress: Progress = silent,
) -> Floats:
    """Return by how much a model holds each hypothesis for better than each other one.

    Args:
        model: a model that compares, or that scores.
        systems: the systems' hypotheses, one list of segments each.
        references: for each segment its references.
        store: where features are kept.
        names: of the systems, for features that look up what another program computed.
        wanted: which hypotheses to compare, ``(systems, segments)``; by default all.
        jobs: number of processes.
        progress: told about the features.

    Returns:
        ``(systems, systems, segments)``: above 0 where the first is better; NaN where it was not asked for.
    """
    count, length = len(systems), len(references)
    wanted = np.ones((count, length), bool) if wanted is None else wanted
    which, segments = (positions.tolist() for positions in wanted.nonzero())
    hypotheses = [systems[system][segment] for system, segment in zip(which, segments, strict=True)]
    its_references = [list(references[segment]) for segment in segments]
    labels = [str(place) for place in range(count)] if names is None else list(names)
    batch = FeatureBatch(
        hypotheses, its_references, None, [labels[place] for place in which], [str(at + 1) for at in segments]
    )
    place = np.full(wanted.shape, -1, np.int64)
    place[which, segments] = np.arange(len(which))
    result = np.full((count, count, length), np.nan)
    if model.estimator.needs_texts or model.estimator.task != "pairs":
        scores = np.full(wanted.shape, np.nan)
        scores[which, segments] = score_segments(model, batch, store, jobs=jobs, progress=progress)
        differences: Floats = scores[:, None] - scores[None]
        differences[np.arange(count), np.arange(count)] = np.nan
        return differences
    from meteor_e_learned.data import sentence_vectors

    rows = model.features.extract(batch, store, jobs=jobs, progress=progress)
    left, right = sentence_vectors(hypotheses, its_references, model.vectors, store, jobs=jobs, progress=progress)
    for one, other in combinations(range(count), 2):
        both = np.flatnonzero(wanted[one] & wanted[other])
        first, second = place[one, both], place[other, both]
        blocks = [rows[first], rows[second], left[first], left[second], right[first]]
        if len(both):
            with guarded_estimator(f"model {model.recipe.name!r}"):
                compares: Any = model.estimator
                result[one, other, both] = compares.decision_function(np.hstack(blocks))
            result[other, one, both] = -result[one, other, both]
    return result


@dataclass(frozen=True)
class PairwiseComparison:
    """Decisions of a model between every two systems on every segment.

    Attributes:
        systems: names.
        decisions: ``(systems, systems, segments)``: 1 if the first system's hypothesis is better, -1 if the second's
            is, and 0 if the model does not prefer one, as for equal texts.
    """

    systems: tuple[str, ...]
    decisions: NDArray[np.int8]

    @property
    def segment_shares(self) -> Floats:
        """Share of the other systems that each system beats, ``(systems, segments)``; ties count half."""
        others = len(self.systems) - 1
        won: Floats = (self.decisions.sum(axis=1) / others + 1) / 2
        return won

    @property
    def shares(self) -> Floats:
        """Share of its decisions that each system wins, ``(systems,)``; ties count half."""
        shares: Floats = self.segment_shares.mean(axis=1)
        return shares

    def shares_by_pair(self) -> dict[str, dict[str, float]]:
        """Return for each system the share of its decisions that it wins against each other system."""
        won = (self.decisions.mean(axis=2) + 1) / 2
        return {
            name: {other: float(won[row, column]) for column, other in enumerate(self.systems) if column != row}
            for row, name in enumerate(self.systems)
        }

    def segment_decisions(self, system: str) -> list[dict[str, dict[str, int]]]:
        """Return for each segment the decisions between a system and each other one, under ``decisions``."""
        row = self.systems.index(system)
        others = [(column, name) for column, name in enumerate(self.systems) if column != row]
        return [
            {"decisions": {name: int(self.decisions[row, column, segment]) for column, name in others}}
            for segment in range(self.decisions.shape[2])
        ]


def check_language(model: LearnedModel, language: str) -> None:
    """Raise if texts are in another language than a model's.

    Raises:
        ConfigError: saying what to use instead.
    """
    if language != model.recipe.language:
        raise ConfigError(
            f"model {model.recipe.name!r} scores language {model.recipe.language!r}, not {language!r}; "
            "use -M any, or train a model for the language"
        )


class ModelMetric(SystemsMetric):
    """A trained model as a metric of an evaluation.

    A model that scores single hypotheses is taken by its scores, before they are mapped to shares: the order is the
    same, and correlations are those of the model. A model that only compares is turned into scores:
    a hypothesis's mean advantage over the other judged ones of its segment. Pairwise decisions of such a model may be
    cyclic, and scores cannot, so that its τ by scores differs a little from the one by decisions.
    """

    name: ClassVar[str] = "model"

    class Options(ComponentOptions):
        """The model."""

        path: Annotated[FilePath, Meta(description="A model file, or the name of a model that comes with the plugin.")]

    def __init__(self, model: LearnedModel, *, name: str | None = None, jobs: int = 1) -> None:
        self.model = model
        self.label = name or model.recipe.name
        self._jobs = jobs
        self.language = model.recipe.language
        self.signature = signature_of(model)
        self.scores_segments = has_scores(model)
        self.compares_systems = not self.scores_segments

    @property
    def additive(self) -> bool:
        """Whether a system's score is the mean of its segments: not if decisions are compared, or by another mean."""
        return self.scores_segments and type(self.model.estimator).system_score is Estimator.system_score

    def system_scores(self, statistics: Floats, weights: Floats | None = None) -> Floats:
        """Return scores of a system, or of samples of its segments, by the estimator's own mean."""
        return self.model.estimator.system_score(statistics[:, 0], weights)

    def compare(
        self,
        outputs: Mapping[str, Sequence[str]],
        references: Sequence[str | Sequence[str]],
        *,
        progress: Progress = silent,
    ) -> PairwiseComparison:
        """Decide between every two systems on every segment.

        Args:
            outputs: the segments of each system, by its name; at least two systems.
            references: for each segment its reference, or a sequence of references.
            progress: told about the features.

        Raises:
            InputError: for fewer than two systems, or lists of different lengths.
        """
        if len(outputs) < 2:
            raise InputError(
                f"model {self.model.recipe.name!r} decides between systems; give two or more, and their references"
            )
        texts = check_items(**{"references": references})["references"]
        lists = [[each] if isinstance(each, str) else list(each) for each in texts]
        for name, segments in outputs.items():
            if len(segments) != len(lists):
                raise InputError(f"{name} has {len(segments)} segments, and there are {len(lists)} references")
        if not lists:
            raise InputError("there are no segments to compare")
        store = FeatureStore(enabled=False)
        names = tuple(outputs)
        advantages = pairwise_advantages(
            self.model, list(outputs.values()), lists, store, names=names, jobs=self._jobs, progress=progress
        )
        return PairwiseComparison(names, np.sign(np.nan_to_num(advantages)).astype(np.int8))

    def score_shown_systems(self, test: SystemOutputs, *, progress: Progress = silent) -> Scores:
        """Return each system's share of won decisions, with the shares by pair and the decisions as details.

        Raises:
            InputError: for fewer than two systems.
        """
        references = [list(each) for each in zip(*test.references, strict=True)]
        comparison = self.compare(dict(zip(test.systems, test.outputs, strict=True)), references, progress=progress)
        return Scores(
            self.label,
            self.signature,
            comparison.segment_shares,
            comparison.shares,
            details=[{"won": shares} for shares in comparison.shares_by_pair().values()],
            segment_details=[comparison.segment_decisions(name) for name in test.systems],
        )

    @property
    def decimals(self) -> int:  # type: ignore[override]
        """Decimals that tables show: as many as for chrF and BLEU if scores range from 0 to 100."""
        return 2 if has_scale(self.model) else 4

    def score_systems(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress = silent
    ) -> Scores:
        """Score cells, before scores are mapped to shares; features come from their own store.

        Raises:
            ConfigError: for a test set in another language than the model's.
        """
        check_language(self.model, test.language)
        wanted = np.ones_like(cells) if systems else cells
        store = FeatureStore(cache.folder.parent / "features", enabled=cache.enabled)
        references = [list(each) for each in zip(*test.references, strict=True)]
        values = np.full(wanted.shape, np.nan)
        if has_scores(self.model):
            which, segments = wanted.nonzero()
            batch = FeatureBatch(
                [test.outputs[system][at] for system, at in zip(which, segments, strict=True)],
                [references[at] for at in segments],
                None if test.source is None else [test.source[at] for at in segments],
                [test.systems[system] for system in which],
                [str(at + 1) for at in segments],
            )
            values[which, segments] = score_segments(
                self.model, batch, store, raw=True, jobs=self._jobs, progress=progress
            )
        else:
            found = pairwise_advantages(
                self.model, test.outputs, references, store, names=test.systems, wanted=wanted, jobs=self._jobs,
                progress=progress,
            )  # fmt: skip
            known = ~np.isnan(found)
            values = np.where(wanted, np.where(known, found, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1), np.nan)
        mean = self.model.estimator.system_score
        whole = np.array([mean(row)[0] for row in values]) if systems else np.full(len(values), np.nan)
        signature = self.signature + ("|scale:none" if has_scale(self.model) else "")
        return Scores(self.label, signature, values, whole, lambda system, weights: mean(values[system], weights))

    @classmethod
    def from_options(cls, context: MetricContext, options: Any) -> ModelMetric:
        """Load the model.

        Raises:
            InputError: if there is no such model.
        """
        metric = cls(load_model(options.path), jobs=context.jobs)
        if context.language:
            check_language(metric.model, context.language)
        return metric

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
        """Return scores and how many they are.

        Raises:
            ConfigError: for a model that only compares hypotheses.
        """
        segments = FeatureBatch(batch.hypotheses, batch.references, batch.sources)
        scores = score_segments(self.model, segments, FeatureStore(enabled=False), jobs=self._jobs)
        return np.stack([scores, np.ones(len(scores))], axis=1)

    def scores(self, sums: Floats) -> Floats:
        """Return means."""
        means: Floats = sums[:, 0] / sums[:, 1]
        return means

    def explain(
        self,
        first: Sequence[str],
        second: Sequence[str],
        references: Sequence[Sequence[str]],
        names: tuple[str, str] = ("the first", "the second"),
        sources: Sequence[str] | None = None,
    ) -> str:
        """Say which features move the scores of two systems apart; see :func:`meteor_e_learned.explain.explain`.

        Raises:
            ConfigError: for a model whose scores are no sum of features.
            InputError: for other things than texts, or lists of different lengths.
        """
        optional = {} if sources is None else {"sources": sources}
        texts = check_items(first=first, second=second, references=references, **optional)
        lists = [[reference] if isinstance(reference, str) else reference for reference in texts["references"]]
        return explain(self.model, texts["first"], texts["second"], lists, texts.get("sources")).text(names)


class ReadyMetric(ModelMetric):
    """Base of the models that come with the plugin; the name of the metric is that of the model."""

    Options: ClassVar[Any] = None

    @classmethod
    def from_options(cls, context: MetricContext, options: None) -> ReadyMetric:
        """Load the model.

        Raises:
            ConfigError: for another language than the model's.
        """
        metric = cls(load_model(cls.name), jobs=context.jobs)
        if context.language:
            check_language(metric.model, context.language)
        return metric

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
        """Refuse options."""
        raise ConfigError(f"metric {cls.name!r} has no options; write -M {cls.name}")
