"""A trained model as a metric: scores of segments and of systems from texts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meteor_e.api import ConfigError, FeatureBatch, InputError
from meteor_e.base import digest
from meteor_e.features import FeatureStore
from meteor_e_learned.modelfile import LearnedModel, load_model
from meteor_e_learned.scoring import has_scores, score_segments

__all__ = ["LearnedMetric", "SystemScore", "load_metric", "signature_of"]

CHUNK = 2048
"""Segments that are scored at once, so that memory stays flat however many there are."""


@dataclass(frozen=True)
class SystemScore:
    """A system's score and its 95 % bootstrap interval over segments."""

    score: float
    low: float
    high: float


class LearnedMetric:
    """A model that scores single hypotheses, as a metric.

    Attributes:
        name: of the model.
        language: of hypotheses and references.
        signature: what must be the same for scores to be the same.
        higher_is_better: true.

    Args:
        model: the model.
        name: what to call it; by default the model's own name.

    Raises:
        ConfigError: for a model that only compares hypotheses.
    """

    higher_is_better = True

    def __init__(self, model: LearnedModel, *, name: str | None = None) -> None:
        if not has_scores(model):
            raise ConfigError(f"model {model.recipe.name!r} compares hypotheses and has no score of a single one")
        self.model = model
        self.name = name or model.recipe.name
        self.language = model.recipe.language
        self.signature = signature_of(model)

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> list[float]:
        """Return a score of each segment; the higher, the better.

        Args:
            hypotheses: one for each segment.
            references: for each segment its references.
            sources: not used by the models that come with the plugin.

        Raises:
            InputError: if the lists differ in length, or a segment has no reference.
            ConfigError: if a feature gives other numbers than those that the model learned from.
        """
        if len(hypotheses) != len(references):
            raise InputError(f"there are {len(hypotheses)} hypotheses but {len(references)} references")
        store = FeatureStore(enabled=False)
        scores: list[float] = []
        for start in range(0, len(hypotheses), CHUNK):
            part = slice(start, start + CHUNK)
            batch = FeatureBatch(hypotheses[part], references[part], None if sources is None else sources[part])
            scores += score_segments(self.model, batch, store).tolist()
        return scores

    def system_score(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, samples: int = 1000, seed: int = 1
    ) -> SystemScore:
        """Return a system's score with a 95 % bootstrap interval over its segments.

        Args:
            hypotheses: one for each segment.
            references: for each segment its references.
            samples: of the bootstrap.
            seed: of the samples.

        Raises:
            InputError: if there are no segments; else as :meth:`score_segments`.
        """
        if not len(hypotheses):
            raise InputError("there are no segments to score")
        segments = np.array(self.score_segments(hypotheses, references))
        mean = self.model.estimator.system_score
        draw = np.random.default_rng(seed)
        drawn = np.array([mean(segments[draw.integers(len(segments), size=len(segments))])[0] for _ in range(samples)])
        low, high = np.quantile(drawn, [0.025, 0.975]) if samples else (np.nan, np.nan)
        return SystemScore(float(mean(segments)[0]), float(low), float(high))


def signature_of(model: LearnedModel) -> str:
    """Return what must be the same for a model's scores to be the same."""
    arrays = model.estimator.arrays()
    learned = digest(f"{key}:{value.tobytes().hex()}" for key, value in sorted(arrays.items()))[:16]
    options = digest(f"{key}={value!r}" for key, value in sorted(model.estimator.get_params().items()))[:8]
    return f"model:{model.recipe.name}|{model.recipe.estimator}|options:{options}|learned:{learned}"


def load_metric(model: str | os.PathLike[str], *, name: str | None = None) -> LearnedMetric:
    """Return a model as a metric.

    Args:
        model: the name of a model that comes with the plugin (``meteor-e model list``), or a model file.
        name: what to call the metric; by default the model's own name.

    Raises:
        ConfigError: for an unknown name, or a model that has no score of a single hypothesis.
        InputError: for a file that is not a model.
    """
    return LearnedMetric(load_model(model), name=name)
