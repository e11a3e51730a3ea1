"""Inspect AI: a scorer of answers.

uv run --with inspect-ai python inspect_ai_scorer.py
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from meteor_e import load_metric


@scorer(metrics=[mean(), stderr()])
def answer_light() -> Scorer:
    """Return a scorer that estimates the probability that an answer is correct."""
    metric = load_metric("answer-light")

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        return Score(value=metric.score(answer, list(target), state.input_text).score, answer=answer)

    return score


@solver
def answer_from_file() -> Solver:
    """Return a solver that reads the answers from a file. With a language model, use `generate()` instead."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("recorded", state.metadata["answer"])
        return state

    return solve


rows = [json.loads(line) for line in Path(__file__).with_name("answers.jsonl").read_text().splitlines()]
task = Task(
    dataset=[
        Sample(id=row["id"], input=row["question"], target=row["references"], metadata={"answer": row["answer"]})
        for row in rows
    ],
    solver=answer_from_file(),
    scorer=answer_light(),
)
with tempfile.TemporaryDirectory() as folder:
    (log,) = eval(task, model="mockllm/model", display="none", log_dir=folder)
    samples = sorted(log.samples or [], key=lambda sample: sample.id)
    print(json.dumps([sample.scores["answer_light"].value for sample in samples if sample.scores]))
