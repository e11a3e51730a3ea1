"""Tests that cached results of an editable plugin are computed again after its code is edited."""

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
    """Add a plugin to the task, as if by ``pip install --editable``; return the folder of the task."""
    dist_info = task / "site" / "under_development-1.0.dist-info"
    dist_info.mkdir(parents=True)
    (dist_info / "METADATA").write_text("Metadata-Version: 2.1\nName: under-development\nVersion: 1.0\n")
    (dist_info / "entry_points.txt").write_text("[meteor_e]\nunder_development = under_development\n")
    (dist_info / "direct_url.json").write_text(json.dumps({"url": task.as_uri(), "dir_info": {"editable": True}}))
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
def test_cache_ignores_results_of_edited_plugins(plugin, packs, command):
    output = run_with_key_length(plugin, 1, command)
    edited_output = run_with_key_length(plugin, 9, command)
    assert edited_output != output
    assert run_with_key_length(plugin, 1, command) == output
