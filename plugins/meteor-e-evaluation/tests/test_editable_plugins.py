"""Results of a plugin that is installed editable are computed again after its code was edited."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

MODULE = """\
from meteor_e import hookimpl
from meteor_e.api import KeyMatcher


class Prefix(KeyMatcher):
    \"\"\"Words with the same first letters match.\"\"\"

    name = "under-development"

    def keys(self, token):
        return {token.form[:LENGTH]}


@hookimpl
def meteor_e_matchers():
    return [Prefix]
"""
CHAIN = "language: en\nnormalization: lower\nmatchers: [under-development]\n"
COMMANDS = {
    "evaluate": ("evaluate", "index.yaml", "-M", "chain.yaml", "-f", "json"),
    "tune": ("tune", "index.yaml", "-c", "chain.yaml", "--starts", "0", "--trials", "1", "--json"),
    "stress": ("stress", "-M", "chain.yaml", "--only", "word-dropped", "-f", "json"),
}


@pytest.fixture
def plugin(task):
    """Folder of the task with a plugin that is installed as by ``pip install --editable``."""
    information = task / "site" / "under_development-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: under-development\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[meteor_e]\nunder_development = under_development\n")
    (information / "direct_url.json").write_text(json.dumps({"url": task.as_uri(), "dir_info": {"editable": True}}))
    (task / "chain.yaml").write_text(CHAIN, encoding="utf-8")
    return task


def run_with_key_length(folder, length, command):
    """Set the length of the matcher's keys, run a command in a new process, and return its output."""
    (folder / "site" / "under_development.py").write_text(MODULE.replace("LENGTH", str(length)), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {
        "METEOR_E_CACHE": str(folder / "cache"),
        "METEOR_E_PLUGINS": "under-development,meteor-e-evaluation",
    }
    return subprocess.run(
        [sys.executable, "-m", "meteor_e", *command],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_cache_ignores_results_of_other_code(plugin, packs, command):
    first = run_with_key_length(plugin, 1, command)
    edited = run_with_key_length(plugin, 9, command)
    assert edited != first
    assert run_with_key_length(plugin, 1, command) == first
