"""Test programs that start ``java`` with the script in docs/captioning.md, which runs meteor-e.

The script is called ``java``, and its folder is the first folder of the search path.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
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
"""The scores that pycocoevalcap returns when it runs the Java program."""
PRINT_ARGUMENTS = '#!/bin/sh\nfor argument in "$@"; do printf "<%s>" "$argument"; done\nexit 7\n'
"""A program that prints its arguments and exits with 7."""


def write_program(path: Path, text: str) -> None:
    """Write an executable file."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def java_script(tmp_path, monkeypatch):
    """Put the script in docs/captioning.md on the search path, and return the folder of the programs.

    The next ``java`` on the search path is a program that prints its arguments.
    """
    if not PAGE.is_file():
        pytest.skip("the page is not part of this installation")
    script = re.search(r"```sh\n(#!/bin/sh\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]
    assert "/usr/bin/java" in script
    write_program(tmp_path / "real" / "java", PRINT_ARGUMENTS)
    write_program(tmp_path / "ours" / "java", script.replace("/usr/bin/java", str(tmp_path / "real" / "java")))
    programs = [tmp_path / "ours", Path(sys.executable).parent, os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, programs)))
    return tmp_path


def run_java(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script, and raise an error if it does not end within 20 seconds."""
    return subprocess.run(["java", *arguments], capture_output=True, text=True, timeout=20)


def test_pycocoevalcap_returns_the_scores_of_java(packs, java_script):
    module = pytest.importorskip("pycocoevalcap.meteor.meteor", reason="pycocoevalcap is not installed")
    meteor = module.Meteor()
    try:
        assert meteor.compute_score(CAPTIONS, RESULTS) == JAVA_SCORES
    finally:
        # pycocoevalcap does not close these streams.
        meteor.meteor_p.stdout.close()
        meteor.meteor_p.stderr.close()


@pytest.mark.parametrize(
    "arguments",
    [
        ["-jar", "a b.jar", "", "*"],
        ["-cp", "meteor-1.5.jar", "Matcher", "x", "y"],
        ["-Xmx2G", "-classpath", "lib/meteor-1.5.jar", "Matcher"],
        ["Main", "-jar", "meteor-1.5.jar"],
        ["-jar", "not-meteor-1.5.jar", "-"],
        ["-jar", "meteor-1.5.jar.old"],
        ["-jar", "spice-1.0.jar", "meteor-1.5.jar"],
        ["-cp", "-jar", "meteor-1.5.jar"],
        ["-version"],
        ["--version"],
        ["-jar"],
        ["-cp"],
        [],
    ],
)
def test_script_runs_java_for_other_programs(arguments, java_script):
    result = run_java(*arguments)
    assert (result.returncode, result.stdout) == (7, "".join(f"<{argument}>" for argument in arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ["-Xmx2G", "-Dfile.encoding=UTF-8", "-cp", "x", "-jar", "meteor-1.5.jar"],
        ["-jar", "-Xmx2G", "/some where/meteor-1.5.jar"],  # the arguments of pycocoevalcap
    ],
)
def test_script_runs_meteor_e_for_the_jar(arguments, java_script):
    write_program(java_script / "ours" / "meteor-e", PRINT_ARGUMENTS)
    result = run_java(*arguments, "-", "-", "-stdio", "-l", "en")
    assert result.stdout == "<compat><-><-><-stdio><-l><en><-coco>"


def test_script_prints_a_version_without_java(java_script):
    (java_script / "real" / "java").unlink()
    # Libraries such as nlg-eval and aac-metrics parse this output.
    result = run_java("-version")
    assert (result.returncode, result.stderr) == (0, 'openjdk version "11.0.0"\n')
    result = run_java("--version")
    assert (result.returncode, result.stdout) == (0, "openjdk 11.0.0\n")
    assert run_java("-jar", "spice-1.0.jar").returncode == 127
