"""Programs that start ``java`` by name, unchanged, with the program of ``meteor-e java-shim`` first on the path."""

from __future__ import annotations

import os
import shutil
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


STDIO = ("-", "-", "-stdio", "-l", "en", "-norm")
SHAPES = {
    # pycocoevalcap 1.2, nlg-eval 2.4 and GEM-metrics, from the folder of their own meteor-1.5.jar
    "pycocoevalcap": ("-jar", "-Xmx2G", "meteor-1.5.jar", *STDIO),
    # aac-metrics 0.6
    "aac-metrics": (
        "-Duser.country=US",
        "-Duser.language=en",
        "-jar",
        "-Xmx8G",
        "/cache/meteor/meteor-1.5.jar",
        *STDIO,
    ),
    "aac-metrics with parameters and weights": (
        *("-Duser.country=US", "-Duser.language=en", "-jar", "-Xmx2G", "/cache/meteor/meteor-1.5.jar", *STDIO),
        *("-p", "0.85 0.2 0.6 0.75", "-w", "1.0 0.6 0.8 0.6"),
    ),
    "METEOR's own manual": ("-Xmx2G", "-jar", "meteor-1.5.jar", *STDIO),
    "memory, flags and properties": (
        *("-server", "-ea", "-Xms512m", "-Xss4m", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-jar", "-Xmx2G"),
        *("meteor-1.5.jar", *STDIO),
    ),
    "class path": ("-cp", ".:lib/*:/a b/meteor-1.5.jar", "-Xmx1G", "Meteor", *STDIO),
}


@pytest.mark.parametrize("arguments", SHAPES.values(), ids=SHAPES.keys())
def test_a_conversation_with_meteor(arguments, packs, java_is_meteor_e, tmp_path):
    """As the wrappers hold it: a line in, a line out, flushed; EVAL answers for each and for all; then it is killed."""
    with subprocess.Popen(
        ["java", *arguments], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:

        def ask(line: str, answers: int = 1) -> list[str]:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
            return [process.stdout.readline().decode().strip() for _ in range(answers)]

        statistics = []
        for key, references in CAPTIONS.items():
            result = RESULTS[key][0].replace("|||", "").replace("  ", " ")
            statistics += ask(" ||| ".join(["SCORE", *references, result]))
        answers = ask(" ||| ".join(["EVAL", *statistics]), len(statistics) + 1)
        assert [float(answer) for answer in answers] == [*JAVA_SCORES[1], JAVA_SCORES[0]]
        assert ask(f"EVAL ||| {statistics[0]}", 2) == [answers[0]] * 2
        process.kill()


def test_asking_for_the_version_is_for_the_real_java(java_is_meteor_e, tmp_path, monkeypatch):
    """As aac-metrics and GEM-metrics ask before they start."""
    real = tmp_path / "real"
    real.mkdir()
    (real / "java").write_text("#!/bin/sh\necho 'openjdk version \"17.0.15\" 2025-04-15' >&2\n")
    (real / "java").chmod(0o755)
    shim = str(tmp_path / "bin")
    monkeypatch.setenv("PATH", os.pathsep.join([shim, str(real), os.environ["PATH"]]))
    said = subprocess.check_output(["java", "-version"], stderr=subprocess.STDOUT, text=True)
    assert said == 'openjdk version "17.0.15" 2025-04-15\n'
    monkeypatch.setenv("PATH", os.pathsep.join([shim, "/none"]))
    done = subprocess.run([shutil.which("java") or "", "-version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


@pytest.mark.java
def test_aac_metrics(java, request, tmp_path, monkeypatch):
    """Its functions for METEOR and for tokens; both look for the jars, and for a Java no newer than 13."""
    functional = pytest.importorskip("aac_metrics.functional", reason="aac-metrics is not installed")
    from aac_metrics.utils.tokenization import ptb_tokenize_batch

    jars = {"meteor": java.jar, "stanford_nlp": java.jar.parents[1] / "tokenizer" / "stanford-corenlp-3.4.1.jar"}
    for name, jar in jars.items():
        (tmp_path / "aac-metrics" / name).mkdir(parents=True)
        (tmp_path / "aac-metrics" / name / jar.name).symlink_to(jar)
    (tmp_path / "aac-metrics" / "meteor" / "data").symlink_to(java.jar.parent / "data")
    old = tmp_path / "java"
    version = """echo 'openjdk version "11.0.20" 2023-07-18' >&2"""
    real = f"exec '{shutil.which('java')}'"
    old.write_text(f'#!/bin/sh\nif [ "$1" = -version ]; then {version}; else {real} "$@"; fi\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def run() -> list[object]:
        candidates = [result[0] for result in RESULTS.values()]
        references = list(CAPTIONS.values())
        found: list[object] = [ptb_tokenize_batch([*candidates, "A man's dog (old).", "Inc."], cache_path=tmp_path)]
        for options in ({}, {"params": [0.9, 0.3, 0.5, 0.7], "weights": [1.0, 0.5, 0.7, 0.4]}):
            corpus, sentences = functional.meteor(candidates, references, cache_path=tmp_path, **options)
            found += [corpus["meteor"].item(), sentences["meteor"].tolist()]
        return found

    with_java = run()
    request.getfixturevalue("java_is_meteor_e")
    assert run() == with_java
