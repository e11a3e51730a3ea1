"""Metrics for pretrained models, with one class per model."""

from __future__ import annotations

from typing import ClassVar

from meteor_e.api import MetricColumn
from meteor_e_learned.prediction import ReadyMetric


class AnswerLight(ReadyMetric):
    """The probability that an answer of a language model is correct. The answers and questions are in English."""

    name: ClassVar[str] = "answer-light"
    decimals: ClassVar[int] = 4

    @property
    def headings(self) -> tuple[MetricColumn, ...]:
        """The score column. Each score is a proportion of correct answers, so the column has a confidence interval."""
        return tuple(column._replace(has_interval=True) for column in super().headings)


class EnLight(ReadyMetric):
    """The quality of an English translation, estimated from the words of the texts."""

    name: ClassVar[str] = "en-light"


class EnLightContext(ReadyMetric):
    """The quality of an English translation, estimated with a sentence encoder.

    This metric is slower than ``en-light``.
    """

    name: ClassVar[str] = "en-light-context"
