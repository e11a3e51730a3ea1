"""What a trained model is good for: scores of segments, decisions between hypotheses, rankings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, FeatureBatch, Metric, MetricContext, Scores, SystemOutputs, guarded
from meteor_e.features import FeatureStore
from meteor_e_learned.data import sentence_vectors
from meteor_e_learned.modelfile import LearnedModel, load_model
from meteor_e_learned.models.texts import Texts

if TYPE_CHECKING:
    from meteor_e.base import ArrayCache
    from meteor_e.evaluation import Cells, Progress

__all__ = ["ModelMetric", "Ranking", "pairwise_advantages", "rank", "rank_systems", "score_segments"]

Floats = NDArray[np.float64]
Tell = Callable[[int, int], object]


def has_scores(model: LearnedModel) -> bool:
    """Return whether a model gives a score of a single hypothesis."""
    return model.estimator.needs_texts or hasattr(model.estimator, "score_segments")


def score_segments(
    model: LearnedModel, batch: FeatureBatch, store: FeatureStore, *, jobs: int = 1, progress: Tell | None = None
) -> Floats:
    """Return a score of each hypothesis; the higher, the better.

    Raises:
        ConfigError: for a model that only compares hypotheses.
    """
    if not has_scores(model):
        raise ConfigError(
            f"model {model.recipe.name!r} compares hypotheses and has no score of a single one; "
            "give several hypotheses to 'meteor-e rank'"
        )
    features = model.features.extract(batch, store, jobs=jobs, progress=progress)
    result: Floats
    with guarded(f"model {model.recipe.name!r}"):
        if model.estimator.needs_texts:
            result = model.estimator.score_texts(Texts(batch.hypotheses, batch.references, features))
        else:
            result = model.estimator.score_segments(features)
    return result


def pairwise_advantages(
    model: LearnedModel,
    systems: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    store: FeatureStore,
    *,
    names: Sequence[str] | None = None,
    wanted: NDArray[np.bool_] | None = None,
    jobs: int = 1,
    progress: Tell | None = None,
) -> Floats:
    """Return by how much a pairwise model holds each hypothesis for better than each other one.

    Args:
        model: a model that compares.
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
    if model.estimator.task != "pairs":
        raise ConfigError(f"model {model.recipe.name!r} does not compare hypotheses")
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
    if model.estimator.needs_texts:
        scores = np.full(wanted.shape, np.nan)
        scores[which, segments] = score_segments(model, batch, store, jobs=jobs, progress=progress)
        differences: Floats = scores[:, None] - scores[None]
        differences[np.arange(count), np.arange(count)] = np.nan
        return differences
    rows = model.features.extract(batch, store, jobs=jobs, progress=progress)
    left, right = sentence_vectors(hypotheses, its_references, model.vectors, store, jobs=jobs, progress=progress)
    for one, other in combinations(range(count), 2):
        both = np.flatnonzero(wanted[one] & wanted[other])
        first, second = place[one, both], place[other, both]
        blocks = [rows[first], rows[second]]
        if model.estimator.needs_vectors:
            blocks += [left[first], left[second], right[first]]
        if len(both):
            with guarded(f"model {model.recipe.name!r}"):
                result[one, other, both] = model.estimator.decision_function(np.hstack(blocks))
            result[other, one, both] = -result[one, other, both]
    return result


@dataclass(frozen=True)
class Ranking:
    """Hypotheses of a segment, or systems, in order.

    Attributes:
        ranks: for each its rank, from 1; equal ones share a rank.
        wins: for each the share of comparisons that it won; a tie is half a win.
    """

    ranks: tuple[int, ...]
    wins: tuple[float, ...]


def rank(advantages: Floats) -> tuple[list[Ranking], Ranking]:
    """Turn comparisons into rankings: of two, the one with more wins stands higher.

    Args:
        advantages: of :func:`pairwise_advantages`.

    Returns:
        A ranking of each segment, and one of the systems by their wins on all segments.
    """
    won = _won(advantages)
    return [_ranking(np.nanmean(won[:, :, at], axis=1)) for at in range(won.shape[2])], rank_systems(advantages)


def rank_systems(advantages: Floats) -> Ranking:
    """Rank systems by their wins over all segments; some hypotheses may not have been compared (NaN)."""
    won = _won(advantages)
    known = ~np.isnan(won)
    return _ranking(np.where(known, won, 0).sum(axis=(1, 2)) / np.maximum(known.sum(axis=(1, 2)), 1))


def _won(advantages: Floats) -> Floats:
    """Return 1 for a win, 0 for a loss, and half for a tie: equal texts, or what a model cannot tell apart."""
    result: Floats = np.where(np.isnan(advantages), np.nan, (np.sign(advantages) + 1) / 2)
    return result


def _ranking(wins: Floats) -> Ranking:
    ordered = sorted(-value for value in wins.tolist())
    return Ranking(tuple(ordered.index(-value) + 1 for value in wins.tolist()), tuple(wins.tolist()))


class ModelMetric(Metric):
    """A trained model as a metric of an evaluation.

    A model that scores single hypotheses is taken by its scores. A model that only compares is turned into scores:
    a hypothesis's mean advantage over the other judged ones of its segment. Pairwise decisions of such a model may be
    cyclic, and scores cannot, so that its τ by scores differs a little from the one by decisions.
    """

    name: ClassVar[str] = "model"

    def __init__(self, model: LearnedModel, *, name: str | None = None, jobs: int = 1) -> None:
        self.model = model
        self.label = name or model.recipe.name
        self._jobs = jobs
        arrays = model.estimator.arrays()
        from meteor_e.base import digest

        learned = digest(f"{key}:{value.tobytes().hex()}" for key, value in sorted(arrays.items()))[:16]
        options = digest(f"{key}={value!r}" for key, value in sorted(model.estimator.get_params().items()))[:8]
        self.signature = f"model:{model.recipe.name}|{model.recipe.estimator}|options:{options}|learned:{learned}"

    def score_outputs(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress | None = None
    ) -> Scores:
        """Score cells; features come from their own store."""
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
            values[which, segments] = score_segments(self.model, batch, store, jobs=self._jobs, progress=progress)
        else:
            found = pairwise_advantages(
                self.model, test.outputs, references, store, names=test.systems, wanted=wanted, jobs=self._jobs,
                progress=progress,
            )  # fmt: skip
            known = ~np.isnan(found)
            values = np.where(wanted, np.where(known, found, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1), np.nan)
        mean = self.model.estimator.system_score
        whole = np.array([mean(row)[0] for row in values]) if systems else np.full(len(values), np.nan)
        return Scores(self.label, self.signature, values, whole, lambda system, weights: mean(values[system], weights))

    @classmethod
    def create(cls, context: MetricContext, **options: Any) -> ModelMetric:
        """Load the model of the option ``path``.

        Raises:
            InputError: if there is no such model.
        """
        path = options.pop("path", "")
        if options or not path:
            raise ConfigError("metric 'model' needs a file and nothing else: model:FILE")
        model = load_model(path)
        metric = cls(model, jobs=context.jobs)
        metric.language = model.recipe.language
        return metric

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read the path of a model."""
        return {"path": text}

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return scores and how many they are.

        Raises:
            ConfigError: for a model that only compares hypotheses.
        """
        batch = FeatureBatch(hypotheses, references, sources)
        scores = score_segments(self.model, batch, FeatureStore(enabled=False), jobs=self._jobs)
        return np.stack([scores, np.ones(len(scores))], axis=1)

    def corpus_scores(self, sums: Floats) -> Floats:
        """Return means."""
        means: Floats = sums[:, 0] / sums[:, 1]
        return means
