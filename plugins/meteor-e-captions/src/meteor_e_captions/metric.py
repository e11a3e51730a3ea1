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
    """Captions of images and sounds beside references, by words: no encoder, no image (English).

    A linear model of METEOR, of words by kind, of contradictions, and of whether the caption is a whole sentence. 0 is
    the mean of captions of other images, 1 that of captions that people wrote of the image. Scores may be lower and
    higher.
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
        """Weights, words' weights, and METEOR's own signature."""
        return f"{self.short_signature}|{self._meteor.signature}"

    @property
    def short_signature(self) -> str:
        """The signature without METEOR's."""
        learned = digest(
            [",".join(self._model.features), self._model.weights.tobytes().hex(), str(self._model.intercept)]
        )
        return f"{self.name}|version:1|weights:{learned[:8]}|idf:wordfreq-{version('wordfreq')}"

    @classmethod
    def from_options(cls, context: MetricContext | None, options: Any) -> Self:
        """Make the metric.

        Raises:
            ConfigError: for another language than English.
        """
        check_english(cls.name, context)
        return cls(options)

    def features(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, Floats]:
        """Return the numbers that the score is made of, by name, ``(captions,)`` each; the higher the better."""
        return light_features(self._meteor, self._lexicon, self._detector, hypotheses, references)

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return one score per caption; arguments are those of :meth:`SegmentMetric.score_segments`."""
        columns = self.features(hypotheses, references)
        scores = np.full(len(hypotheses), self._model.intercept)
        for name, weight in zip(self._model.features, self._model.weights.tolist(), strict=True):
            scores += weight * columns[name]
        return scores

    def reports(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> list[CaptionReport]:
        """Say for each caption what is missing, what was invented, and whether it is broken."""
        return describe_captions(self._lexicon, self._detector, hypotheses, references)

    def details(self, statistics: Any, batch: Batch | None = None) -> list[Mapping[str, Any]]:
        """Return what JSON says of each caption: see :class:`~meteor_e_captions.explain.CaptionReport`."""
        return (
            [] if batch is None else [report.to_dict() for report in self.reports(batch.hypotheses, batch.references)]
        )

    def explain(
        self,
        first: Sequence[str],
        second: Sequence[str],
        references: Sequence[Sequence[str]],
        names: tuple[str, str] = ("the first", "the second"),
        sources: Sequence[str] | None = None,
    ) -> str:
        """Say in words what moves two systems apart; arguments are those of :meth:`Metric.explain`."""
        sides = [self.features(texts, references) for texts in (first, second)]
        weighted = {
            name: weight * float(np.mean(sides[1][name] - sides[0][name]))
            for name, weight in zip(self._model.features, self._model.weights.tolist(), strict=True)
        }
        total = sum(weighted.values())
        lines = [f"{self.label}: {names[1]} is {abs(total):.4f} {'above' if total >= 0 else 'below'} {names[0]}."]
        moved = sorted(weighted.items(), key=lambda item: -abs(item[1]))[:5]
        listed = ", ".join(f"{name} {value:+.4f}" for name, value in moved if abs(value) >= 5e-5)
        if listed:
            lines.append(f"Of this: {listed}.")
        found = [self.reports(texts, references) for texts in (first, second)]
        return "\n".join([*lines, *describe_difference(found[0], found[1], names)])


class CaptionContext(CaptionLight):
    """Captions of images and sounds beside references, by words and by a sentence encoder (English).

    Fewer numbers than ``caption-light`` has, and cosines of the encoder's vectors of whole captions.
    """

    name: ClassVar[str] = "caption-context"
    requires: ClassVar[tuple[str, ...]] = (*CaptionLight.requires, "the encoder minilm")

    class Options(ComponentOptions):
        """The encoder."""

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
        """Return the numbers that the score is made of, by name, ``(captions,)`` each; the higher the better."""
        return super().features(hypotheses, references) | context_features(self._encoding, hypotheses, references)
