"""The metrics ``caption-light`` and ``caption-context``."""

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
from meteor_e_captions.explain import CaptionReport, describe_captions, describe_difference
from meteor_e_captions.features import Encoding, context_features, light_features
from meteor_e_captions.lexicon import CaptionLexicon
from meteor_e_captions.model import load_detector, load_model

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.base.array_cache import Floats


class CaptionLight(SegmentMetric):
    """Captions of images and sounds compared with references by their words (English).

    The metric is a linear model. Its features are METEOR, words by kind, contradictions, and whether the caption is a
    complete sentence. It does not use an encoder or the image. The mean score is 0 for captions of a different image
    and 1 for captions of the image by people. Scores can be lower than 0 and higher than 1.
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
        """The signature of the weights, the word frequencies and METEOR."""
        return f"{self.short_signature}|{self._meteor.signature}"

    @property
    def short_signature(self) -> str:
        """The signature without METEOR's."""
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
        """Return the features by name, each an array ``(captions,)``; higher values are better."""
        return light_features(self._meteor, self._lexicon, self._detector, hypotheses, references)

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return one score per caption; for the arguments, see :meth:`SegmentMetric.score_segments`."""
        columns = self.features(hypotheses, references)
        scores = np.full(len(hypotheses), self._model.intercept)
        for name, weight in zip(self._model.features, self._model.weights.tolist(), strict=True):
            scores += weight * columns[name]
        return scores

    def reports(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> list[CaptionReport]:
        """Return for each caption what is missing, what was invented, and whether the caption is broken."""
        return describe_captions(self._lexicon, self._detector, hypotheses, references)

    def details(self, statistics: Any, batch: Batch | None = None) -> list[Mapping[str, Any]]:
        """Return the reports on the captions, for JSON: see :class:`~meteor_e_captions.explain.CaptionReport`."""
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
        """Explain the difference between two systems; for the arguments, see :meth:`Metric.explain`."""
        first_features, second_features = (self.features(texts, references) for texts in (first, second))
        contributions = {
            name: weight * float(np.mean(second_features[name] - first_features[name]))
            for name, weight in zip(self._model.features, self._model.weights.tolist(), strict=True)
        }
        total = sum(contributions.values())
        lines = [f"{self.label}: {names[1]} is {abs(total):.4f} {'above' if total >= 0 else 'below'} {names[0]}."]
        largest = sorted(contributions.items(), key=lambda item: -abs(item[1]))[:5]
        summary = ", ".join(f"{name} {value:+.4f}" for name, value in largest if abs(value) >= 5e-5)
        if summary:
            lines.append(f"Of this: {summary}.")
        first_reports, second_reports = (self.reports(texts, references) for texts in (first, second))
        return "\n".join([*lines, *describe_difference(first_reports, second_reports, names)])


class CaptionContext(CaptionLight):
    """Captions of images and sounds compared with references by words and by a sentence encoder (English).

    It uses fewer features of words than ``caption-light``, and the cosines of the encoder's vectors of the captions.
    """

    name: ClassVar[str] = "caption-context"
    requires: ClassVar[tuple[str, ...]] = (*CaptionLight.requires, "the encoder minilm")

    class Options(ComponentOptions):
        """Options of the encoder."""

        encoder: Annotated[str, Meta(description="An installed encoder; the weights were fitted with minilm.")] = (
            "minilm"
        )

    options: Options

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        contextual = require("meteor_e_vectors.contextual", f"metric {self.name!r}", "context", "meteor-e-captions")
        self._encoder = contextual.open_encoder(self.options.encoder)
        self._encoding = Encoding(self._encoder)

    @property
    def short_signature(self) -> str:
        """The signature without METEOR's."""
        return f"{super().short_signature}|encoder:{self._encoder.digest}"

    def features(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, Floats]:
        """Return the features by name, each an array ``(captions,)``; higher values are better."""
        return super().features(hypotheses, references) | context_features(self._encoding, hypotheses, references)
