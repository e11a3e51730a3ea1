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
