"""The function that the task answers.yaml of lm-evaluation-harness names."""

from __future__ import annotations

from functools import cache
from typing import Any

from meteor_e import load_metric

load = cache(load_metric)


def grade(document: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Return the metrics of one answer: the probability that it is correct, and METEOR's recall-oriented chain."""
    answer, references, question = results[0], document["references"], document["question"]
    return {
        "answer_light": load("answer-light").score(answer, references, question).score,
        "answer_meteor": load("answer").score(answer, references).score,
    }
