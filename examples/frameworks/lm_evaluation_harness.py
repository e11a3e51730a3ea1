"""lm-evaluation-harness: grade answers with a task whose `process_results` is a Python function.

uv run --with lm-eval python lm_evaluation_harness.py
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager


class AnswersFromFile(LM):
    """A replacement for a language model that returns answers from a file."""

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        """Return the answer in the document of each request."""
        return [request.doc["answer"] for request in requests]

    def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """Raise an error, because the task only generates answers."""
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Any], disable_tqdm: bool = False) -> list[float]:
        """Raise an error, because the task only generates answers."""
        raise NotImplementedError


os.chdir(Path(__file__).parent)
results = lm_eval.simple_evaluate(
    model=AnswersFromFile(),
    tasks=["graded_answers"],
    task_manager=TaskManager(include_path=".", include_defaults=False),
    bootstrap_iters=0,
)
samples = results["samples"]["graded_answers"]
print(json.dumps([sample["answer_light"] for sample in samples]))
