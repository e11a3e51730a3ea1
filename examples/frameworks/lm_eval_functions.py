"""A function for the task lm_eval_task.yaml of lm-evaluation-harness."""

from __future__ import annotations

from functools import cache
from typing import Any

from meteor_e import load_metric

load = cache(load_metric)


def grade(document: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Return the probability that an answer is correct, and a METEOR score that favors recall."""
    answer, references, question = results[0], document["references"], document["question"]
    return {
        "answer_light": load("answer-light").score(answer, references, question).score,
        "answer_meteor": load("answer").score(answer, references).score,
    }
