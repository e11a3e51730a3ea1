"""DeepEval: a metric without a language model as a judge.

uv run --with deepeval python deepeval_metric.py
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from meteor_e import load_metric


class AnswerLight(BaseMetric):
    """Metric that estimates the probability that an answer is correct, given acceptable answers."""

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold
        self.async_mode = False
        self._metric = load_metric("answer-light")

    def measure(self, test_case: LLMTestCase, *arguments: Any, **options: Any) -> float:
        """Score a test case. The acceptable answers are in ``context`` or in ``expected_output``."""
        references = test_case.context or [test_case.expected_output or ""]
        self.score = self._metric.score(test_case.actual_output or "", references, test_case.input).score
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *arguments: Any, **options: Any) -> float:
        """Score a test case."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Return whether the last score reaches the threshold."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "answer-light"


rows = [json.loads(line) for line in Path(__file__).with_name("answers.jsonl").read_text().splitlines()]
cases = [LLMTestCase(input=row["question"], actual_output=row["answer"], context=row["references"]) for row in rows]
metric = AnswerLight()
print(json.dumps([metric.measure(case) for case in cases]))
