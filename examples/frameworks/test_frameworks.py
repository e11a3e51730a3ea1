"""Tests that each example prints the scores of meteor_e, in an environment without network and without API keys.

`tox -e frameworks` runs these tests. They run the assertion for promptfoo, but not promptfoo, which is a Node program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from meteor_e import load_metric

FOLDER = Path(__file__).parent
LIBRARIES = {
    "lm_evaluation_harness.py": ["lm-eval"],
    "inspect_ai_scorer.py": ["inspect-ai"],
    "opik_metrics.py": ["opik"],
    "deepeval_metric.py": ["deepeval"],
    "ragas_metric.py": ["ragas", "langchain-community<0.4"],
    "mlflow_scorer.py": ["mlflow"],
    "promptfoo_assertion.py": [],
    # The PyTorch releases on PyPI are built for GPUs and take several gigabytes.
    "trl_reward.py": ["trl", "torch==2.13.0"],
}
"""The libraries that each recipe needs besides meteor_e."""

OFFLINE = """
import runpy, socket, sys

resolve = socket.getaddrinfo

def resolve_local(host, *arguments, **options):
    if host not in (None, "", "localhost", "127.0.0.1", "::1"):
        raise OSError(f"the recipe asked for {host}; recipes run without network")
    return resolve(host, *arguments, **options)

socket.getaddrinfo = resolve_local
sys.argv = sys.argv[1:]
sys.path.insert(0, ".")
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_libraries_list_all_recipes():
    """The tests run all recipes."""
    recipes = {path.name for path in FOLDER.glob("*.py")}
    assert recipes - {Path(__file__).name, "lm_eval_functions.py"} == LIBRARIES.keys()


@pytest.mark.parametrize("recipe", LIBRARIES)
def test_recipe_prints_the_scores_of_meteor_e(recipe, tmp_path):
    """The last line that an example prints contains the scores of the three answers."""
    rows = [json.loads(line) for line in (FOLDER / "answers.jsonl").read_text().splitlines()]
    metric = load_metric("answer-light")
    expected = [metric.score(row["answer"], row["references"], row["question"]).score for row in rows]
    libraries = [argument for library in LIBRARIES[recipe] for argument in ("--with", library)]
    command = ["uv", "run", "--quiet", "--no-project", "--python", sys.executable, *libraries, "python", "-c", OFFLINE]
    # Remove the API keys, and use a cache of Hugging Face that is empty.
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environment |= {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "HOME": str(tmp_path)}
    environment |= {"UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR") or str(Path.home() / ".cache/uv")}
    result = subprocess.run(
        [*command, recipe], cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert result.returncode == 0, result.stderr[-3000:]
    assert json.loads(result.stdout.splitlines()[-1]) == pytest.approx(expected, abs=1e-12)
