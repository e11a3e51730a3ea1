"""Ragas: a numeric metric without a language model as a judge.

uv run --with ragas --with "langchain-community<0.4" python ragas_metric.py

Ragas 0.4 imports a module that later releases of langchain-community do not have.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")

from ragas.metrics import MetricResult, numeric_metric

from meteor_e import load_metric

metric = load_metric("answer-light")


@numeric_metric(name="answer_light", allowed_values=(0.0, 1.0))
def answer_light(user_input: str, response: str, references: list[str]) -> MetricResult:
    """Return the probability that an answer is correct."""
    probability = metric.score(response, references, user_input).score
    return MetricResult(value=probability, reason=f"correct with a probability of {probability:.2f}")


rows = [json.loads(line) for line in Path(__file__).with_name("answers.jsonl").read_text().splitlines()]
results = [
    answer_light.score(user_input=row["question"], response=row["answer"], references=row["references"]) for row in rows
]
print(json.dumps([result.value for result in results]))
