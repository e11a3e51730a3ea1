"""MLflow: a scorer of `mlflow.genai.evaluate`.

uv run --with mlflow python mlflow_scorer.py
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")

import mlflow
from mlflow.genai.scorers import scorer

from meteor_e import load_metric

metric = load_metric("answer-light")


@scorer
def answer_light(inputs: dict[str, Any], outputs: str, expectations: dict[str, Any]) -> float:
    """Return the probability that an answer is correct."""
    return metric.score(outputs, expectations["references"], inputs["question"]).score


rows = [json.loads(line) for line in Path(__file__).with_name("answers.jsonl").read_text().splitlines()]
with tempfile.TemporaryDirectory() as folder:
    mlflow.set_tracking_uri(f"sqlite:///{folder}/runs.db")
    mlflow.create_experiment("answers", artifact_location=Path(folder).as_uri())
    mlflow.set_experiment("answers")
    result = mlflow.genai.evaluate(
        data=[
            {
                "inputs": {"question": row["question"], "id": row["id"]},
                "outputs": row["answer"],
                "expectations": {"references": row["references"]},
            }
            for row in rows
        ],
        scorers=[answer_light],
    )
    table = result.result_df
scores = {request["id"]: score for request, score in zip(table["request"], table["answer_light/value"], strict=True)}
print(json.dumps([scores[row["id"]] for row in rows]))
