"""Programs that start ``java`` by name, unchanged, with the script of docs/captioning.md first on the path."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the program called java is a shell script")

PAGE = Path(__file__).parents[3] / "docs" / "captioning.md"
CAPTIONS = {
    "harbour": ["a man paints an old boat in the harbour", "an old man is painting his boat", "painting a boat."],
    "kitchen": ["two children bake a cake", "kids are baking bread in the kitchen"],
    "meadow": ["a brown horse runs across the meadow", "the horse gallops over green grass", "horses don't sleep here"],
}
RESULTS = {
    "harbour": ["a man painting a boat  in the port"],
    "kitchen": ["two kids make a cake ||| in the kitchen"],
    "meadow": ["The horse is running through a field, quickly."],
}
JAVA_SCORES = 0.27325336806958606, [0.3944005913703295, 0.30083025523108164, 0.20434442965431499]
"""What pycocoevalcap's class returns on top of the Java program."""


@pytest.fixture
def java_is_meteor_e(tmp_path, monkeypatch):
    """Put the page's script first on the path, before another java that prints its arguments."""
    if not PAGE.is_file():
        pytest.skip("the page is not part of this installation")
    script = re.search(r"```sh\n(#!/bin/sh\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]
    other = '#!/bin/sh\nfor argument in "$@"; do printf "<%s>" "$argument"; done\nexit 7\n'
    for folder, text in (("real", other), ("ours", script.replace("/usr/bin/java", str(tmp_path / "real" / "java")))):
        path = tmp_path / folder / "java"
        path.parent.mkdir()
        path.write_text(text)
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'ours'}{os.pathsep}{os.environ['PATH']}")


def test_pycocoevalcap_s_meteor(packs, java_is_meteor_e):
    module = pytest.importorskip("pycocoevalcap.meteor.meteor", reason="pycocoevalcap is not installed")
    meteor = module.Meteor()
    try:
        assert meteor.compute_score(CAPTIONS, RESULTS) == JAVA_SCORES
    finally:
        # The class leaves these open.
        meteor.meteor_p.stdout.close()
        meteor.meteor_p.stderr.close()


def test_other_calls_go_to_the_real_java(java_is_meteor_e):
    done = subprocess.run(["java", "-jar", "a b.jar", "", "*"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (7, "<-jar><a b.jar><><*>")
