"""Defines the metrics ``caption-light`` and ``caption-context``, which compare captions with their references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from meteor_e import Meteor
from meteor_e.api import Batch, ComponentOptions, Meta, MetricContext, SegmentMetric
from meteor_e.base.array_cache import digest
from meteor_e.base.extras import require
from meteor_e_captions.coco_metric import check_english
from meteor_e_captions.context_features import CachedEncoder, context_features
from meteor_e_captions.explain import CaptionReport, describe_captions, describe_difference
from meteor_e_captions.features import light_features
from meteor_e_captions.lexicon import CaptionLexicon
from meteor_e_captions.model import load_detector, load_model

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.base.array_cache import Floats

_MAX_CONTRIBUTIONS = 5
_MIN_CONTRIBUTION = 5e-5
"""The smallest contribution of a feature that is not rounded to 0 in an explanation."""


class CaptionLight(SegmentMetric):
    """A metric for English image and audio captions. It compares the words of a caption with those of its references.

    The metric is a linear model. Its features are METEOR, the overlap of words by kind, contradictions, and whether the
    caption is a complete sentence. It uses neither the image nor a neural network.

    The mean score is 0 for captions of a different image and 1 for human captions of the image. Scores can be lower
    than 0 and higher than 1.
    """

    name: ClassVar[str] = "caption-light"
    language: str = "en"
    requires: ClassVar[tuple[str, ...]] = ("METEOR's English pack", "wordfreq", "safetensors")

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        self._model = load_model(self.name)
        self._detector = load_detector()
        self._meteor = Meteor("en", normalization="full")
        self._lexicon = CaptionLexicon(self._meteor)

    @property
    def signature(self) -> str:  # type: ignore[override]
        """The signature. It identifies the weights of the model, the word frequencies and the settings of METEOR."""
        return f"{self.short_signature}|{self._meteor.signature}"

    @property
    def short_signature(self) -> str:
        """The metric's signature, without the part that describes METEOR."""
        model_digest = digest(
            [",".join(self._model.features), self._model.weights.tobytes().hex(), str(self._model.intercept)]
        )
        return f"{self.name}|version:1|weights:{model_digest[:8]}|idf:wordfreq-{version('wordfreq')}"

    @classmethod
    def from_options(cls, context: MetricContext | None, options: Any) -> Self:
        """Create the metric.

        Raises:
            ConfigError: if the language is not English.
        """
        check_english(cls.name, context)
        return cls(options)

    def features(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, Floats]:
        """Compute the features whose weighted sum is the score.

        Args:
            hypotheses: the captions.
            references: the references of each caption.

        Returns:
            The features by name, each as an array ``(captions,)``. Higher values are better.
        """
        return light_features(self._meteor, self._lexicon, self._detector, hypotheses, references)

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return the score of each caption, ``(captions,)``.

        Args:
            hypotheses: the captions.
            references: the references of each caption.
            sources: ignored.
        """
        features = self.features(hypotheses, references)
        scores = np.full(len(hypotheses), self._model.intercept)
        for name, weight in zip(self._model.features, self._model.weights.tolist(), strict=True):
            scores += weight * features[name]
        return scores

    def reports(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> list[CaptionReport]:
        """Report missing words, invented words and signs of a broken sentence for each caption.

        Args:
            hypotheses: the captions.
            references: the references of each caption.
        """
        return describe_captions(self._lexicon, self._detector, hypotheses, references)

    def details(self, statistics: Any, batch: Batch | None = None) -> list[Mapping[str, Any]]:
        """Return the :class:`~meteor_e_captions.explain.CaptionReport` of each caption as a dictionary for JSON."""
        if batch is None:
            return []
        return [report.to_dict() for report in self.reports(batch.hypotheses, batch.references)]

    def explain(
        self,
        first: Sequence[str],
        second: Sequence[str],
        references: Sequence[Sequence[str]],
        names: tuple[str, str] = ("the first", "the second"),
        sources: Sequence[str] | None = None,
    ) -> str:
        """Explain the difference between the scores of two systems.

        Args:
            first: the captions of the first system.
            second: the captions of the second system.
            references: the references of each caption.
            names: the names of the two systems.
            sources: ignored.
        """
        contributions = self._compare_features(first, second, references)
        score_difference = sum(contributions.values())
        lines = [self._describe_score_difference(score_difference, names)]
        summary = _format_contributions(contributions)
        if summary:
            lines.append(f"Of this: {summary}.")
        first_reports = self.reports(first, references)
        second_reports = self.reports(second, references)
        lines += describe_difference(first_reports, second_reports, names)
        return "\n".join(lines)

    def _describe_score_difference(self, difference: float, names: tuple[str, str]) -> str:
        """Return a sentence that states how much better or worse the second of two systems is."""
        first_name, second_name = names
        direction = "above" if difference >= 0 else "below"
        return f"{self.label}: {second_name} is {abs(difference):.4f} {direction} {first_name}."

    def _compare_features(
        self, first: Sequence[str], second: Sequence[str], references: Sequence[Sequence[str]]
    ) -> dict[str, float]:
        """Compute the contribution of each feature to the difference between the mean scores of two systems."""
        first_features = self.features(first, references)
        second_features = self.features(second, references)
        contributions = {}
        for name, weight in zip(self._model.features, self._model.weights.tolist(), strict=True):
            contributions[name] = weight * float(np.mean(second_features[name] - first_features[name]))
        return contributions


def _format_contributions(contributions: Mapping[str, float]) -> str:
    """Format the largest contributions of features as a string. Contributions close to 0 are omitted."""
    ranked_contributions = sorted(contributions.items(), key=lambda item: -abs(item[1]))
    largest_contributions = ranked_contributions[:_MAX_CONTRIBUTIONS]
    return ", ".join(f"{name} {value:+.4f}" for name, value in largest_contributions if abs(value) >= _MIN_CONTRIBUTION)


class CaptionContext(CaptionLight):
    """A metric of English captions that compares words as well as the sentence vectors of an encoder.

    The metric uses some features of ``caption-light`` and the cosines between the vectors of captions and references.
    """

    name: ClassVar[str] = "caption-context"
    requires: ClassVar[tuple[str, ...]] = (*CaptionLight.requires, "the encoder minilm")

    class Options(ComponentOptions):
        """The options of the metric."""

        encoder: Annotated[str, Meta(description="An installed encoder; the weights were fitted with minilm.")] = (
            "minilm"
        )

    options: Options

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        contextual = require("meteor_e_vectors.contextual", f"metric {self.name!r}", "context", "meteor-e-captions")
        self._encoder = contextual.open_encoder(self.options.encoder)
        self._cached_encoder = CachedEncoder(self._encoder)

    @property
    def short_signature(self) -> str:
        """The metric's signature, without the part that describes METEOR."""
        return f"{super().short_signature}|encoder:{self._encoder.digest}"

    def features(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, Floats]:
        """Return a dictionary from feature names to arrays with one value per caption. Higher values are better."""
        return super().features(hypotheses, references) | context_features(self._cached_encoder, hypotheses, references)
