"""Opik: the chain `answer` in the metric METEOR of Opik, and a new metric from BaseMetric.

uv run --with opik python opik_metrics.py
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPIK_TRACK_DISABLE", "true")

from opik.evaluation.metrics import METEOR, BaseMetric
from opik.evaluation.metrics.score_result import ScoreResult

from meteor_e import load_metric

chain = load_metric("answer")


def meteor_fn(references: Sequence[str], hypothesis: str) -> float:
    """Score an answer with METEOR's chain ``answer``, as a replacement for METEOR in nltk."""
    return chain.score(hypothesis, list(references)).score


class AnswerLight(BaseMetric):
    """Metric that estimates the probability that an answer is correct."""

    def __init__(self, name: str = "answer_light") -> None:
        super().__init__(name=name, track=False)
        self._metric = load_metric("answer-light")

    def score(self, input: str, output: str, reference: list[str], **options: Any) -> ScoreResult:
        """Score the answer ``output`` to the question ``input``."""
        return ScoreResult(value=self._metric.score(output, reference, input).score, name=self.name)


rows = [json.loads(line) for line in Path(__file__).with_name("answers.jsonl").read_text().splitlines()]
meteor = METEOR(meteor_fn=meteor_fn, track=False)
for row in rows:
    result = meteor.score(output=row["answer"], reference=row["references"])
    print(f"METEOR {result.value:.4f}")
metric = AnswerLight()
print(json.dumps([metric.score(row["question"], row["answer"], row["references"]).value for row in rows]))
