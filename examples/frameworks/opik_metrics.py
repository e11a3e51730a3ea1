"""Opik: METEOR 1.5 in its own metric METEOR, and a metric of its BaseMetric.

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
    """Return METEOR's chain for answers, in the place of nltk's function."""
    return chain.score(hypothesis, list(references)).score


class AnswerLight(BaseMetric):
    """The probability that an answer is correct."""

    def __init__(self, name: str = "answer_light") -> None:
        super().__init__(name=name, track=False)
        self._metric = load_metric("answer-light")

    def score(self, input: str, output: str, reference: list[str], **ignored: Any) -> ScoreResult:
        """Score one answer to the question ``input``."""
        return ScoreResult(value=self._metric.score(output, reference, input).score, name=self.name)


rows = [json.loads(line) for line in Path(__file__).with_name("answers.jsonl").read_text().splitlines()]
meteor = METEOR(meteor_fn=meteor_fn, track=False)
for row in rows:
    result = meteor.score(output=row["answer"], reference=row["references"])
    print(f"METEOR {result.value:.4f}")
metric = AnswerLight()
print(json.dumps([metric.score(row["question"], row["answer"], row["references"]).value for row in rows]))
