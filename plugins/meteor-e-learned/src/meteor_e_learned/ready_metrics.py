"""The models that come with the plugin, as metrics: one class for each name."""

from __future__ import annotations

from typing import ClassVar

from meteor_e_learned.prediction import ReadyMetric


class AnswerLight(ReadyMetric):
    """The probability that an answer of a language model is correct; sources are the questions (English)."""

    name: ClassVar[str] = "answer-light"
    decimals: ClassVar[int] = 4


class EnLight(ReadyMetric):
    """English translations; quick."""

    name: ClassVar[str] = "en-light"


class EnLightContext(ReadyMetric):
    """English translations, with a sentence encoder; slow."""

    name: ClassVar[str] = "en-light-context"
