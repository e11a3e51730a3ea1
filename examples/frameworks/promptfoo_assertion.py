"""promptfoo: a Python assertion.

    tests:
      - vars: {question: Who wrote the opera A Masked Ball?, references: [Giuseppe Verdi, G. Verdi]}
        assert:
          - {type: python, value: file://promptfoo_assertion.py}

promptfoo is a Node program that calls `get_assert` in a Python process. PROMPTFOO_PYTHON is the path of Python.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from meteor_e import load_metric

load = cache(load_metric)


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """Grade an output. It passes if it is correct with a probability of at least 0.5."""
    variables = context["vars"]
    probability = load("answer-light").score(output, variables["references"], variables["question"]).score
    return {
        "pass": probability >= 0.5,
        "score": probability,
        "reason": f"the answer is correct with a probability of {probability:.2f}",
    }


if __name__ == "__main__":
    rows = [json.loads(line) for line in Path(__file__).with_name("answers.jsonl").read_text().splitlines()]
    print(json.dumps([get_assert(row["answer"], {"vars": row})["score"] for row in rows]))
