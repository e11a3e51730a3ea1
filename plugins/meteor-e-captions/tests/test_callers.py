"""Programs that start ``java`` by name, unchanged, with the program of ``meteor-e java-shim`` first on the path."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the program called java is a shell script")

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


def captions_scores() -> tuple[float, list[float]]:
    """Score with pycocoevalcap's class, and whatever program is called java."""
    from pycocoevalcap.meteor.meteor import Meteor

    meteor = Meteor()
    try:
        return meteor.compute_score(CAPTIONS, RESULTS)
    finally:
        # The class leaves these open.
        meteor.meteor_p.stdout.close()
        meteor.meteor_p.stderr.close()


@pytest.fixture
def java_is_meteor_e(tmp_path, monkeypatch):
    """Put a program called java first on the path that runs meteor-e."""
    folder = tmp_path / "bin"
    subprocess.run([sys.executable, "-m", "meteor_e", "java-shim", str(folder)], check=True, capture_output=True)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_pycocoevalcap_s_meteor(packs, java_is_meteor_e):
    pytest.importorskip("pycocoevalcap", reason="pycocoevalcap is not installed")
    assert captions_scores() == JAVA_SCORES


@pytest.mark.java
def test_pycocoevalcap_s_meteor_on_java(java):
    pytest.importorskip("pycocoevalcap", reason="pycocoevalcap is not installed")
    assert captions_scores() == JAVA_SCORES


@pytest.mark.java
def test_pycocoevalcap_s_tokenizer(java, request):
    module = pytest.importorskip("pycocoevalcap.tokenizer.ptbtokenizer", reason="pycocoevalcap is not installed")
    captions = {1: [{"caption": "A man's dog (old)."}, {"caption": "Inc."}], 2: [{"caption": "The end"}]}
    with_java = module.PTBTokenizer().tokenize(captions)
    request.getfixturevalue("java_is_meteor_e")
    assert module.PTBTokenizer().tokenize(captions) == with_java
    version = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True)
    assert "version" in version.stderr
