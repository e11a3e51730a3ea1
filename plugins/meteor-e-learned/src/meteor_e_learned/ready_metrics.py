"""The models that come with the plugin, as metrics: one class for each name."""

from __future__ import annotations

from typing import ClassVar

from meteor_e_learned.prediction import ReadyMetric


class EnLight(ReadyMetric):
    """English, systems of any kind; quick."""

    name: ClassVar[str] = "en-light"


class EnLightContext(ReadyMetric):
    """English, translations and captions with one reference; with a sentence encoder, and slow."""

    name: ClassVar[str] = "en-light-context"


class EnRanker(ReadyMetric):
    """English, ranking outputs of the same segment."""

    name: ClassVar[str] = "en-ranker"


class FrRanker(ReadyMetric):
    """French, ranking outputs of the same segment."""

    name: ClassVar[str] = "fr-ranker"


class DeRanker(ReadyMetric):
    """German, ranking outputs of the same segment."""

    name: ClassVar[str] = "de-ranker"


class EsRanker(ReadyMetric):
    """Spanish, ranking outputs of the same segment."""

    name: ClassVar[str] = "es-ranker"


class CsRanker(ReadyMetric):
    """Czech, ranking outputs of the same segment."""

    name: ClassVar[str] = "cs-ranker"
