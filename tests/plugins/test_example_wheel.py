"""The example plugin as a stranger meets it: built, installed in a fresh environment, scored with; and its README."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from filelock import FileLock

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]
README = REPOSITORY / "plugins" / "meteor-e-example" / "README.md"
BIN = "Scripts" if os.name == "nt" else "bin"

CHAIN = """\
language: other
lemmatizer: contractions
matchers:
  - exact
  - {use: compounds, weight: 0.8}
  - {use: abbreviations, weight: 0.6, file: own.tsv}
  - {use: same-lemma, weight: 0.9}
  - {use: soundex, weight: 0.3, shortest: 5}
  - {use: ngrams, weight: 0.5, threshold: 0.75}
"""
HYPOTHESIS = "mr smyth will not open the data base of colours for the un"
REFERENCE = "mr smith won 't open the database of a colour for the united nations"
EXPECTED = [
    ["mr", "mr", "exact"],
    ["smyth", "smith", "soundex"],
    ["will", "won", "same-lemma"],
    ["not", "'t", "same-lemma"],
    ["open", "open", "exact"],
    ["the", "the", "exact"],
    ["data base", "database", "compounds"],
    ["of", "of", "exact"],
    ["colours", "colour", "ngrams"],
    ["for", "for", "exact"],
    ["the", "the", "exact"],
    ["un", "united nations", "abbreviations"],
]


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    # Nothing of the environment that runs the tests: no path, no virtual environment.
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        env={**kept, **environment},
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Our wheel and the plugin's, built once for all processes that run tests."""
    pytest.importorskip("build", reason="the package 'build' is not installed (pip install build)")
    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent
    folder /= "wheels"
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            build_wheels(tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")).rename(folder)
    (core,) = folder.glob("meteor_e-*.whl")
    (plugin,) = folder.glob("meteor_e_example-*.whl")
    return core, plugin


def build_wheels(source: Path, folder: Path) -> Path:
    """Build both wheels from what git has, in a copy of it."""
    files = subprocess.run(
        ["git", "-C", REPOSITORY, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    ).stdout.split(b"\0")
    for name in filter(None, map(os.fsdecode, files)):
        if (REPOSITORY / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((REPOSITORY / name).read_bytes())
    for part in (source, source / "plugins" / "meteor-e-example"):
        run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, part)
    return folder


@pytest.fixture(scope="module")
def installed(wheels, tmp_path_factory):
    """The scripts' folder of a fresh environment with both wheels."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=True)
    run(folder / BIN / "python", "-m", "pip", "install", "--quiet", *wheels)
    return folder / BIN


@pytest.fixture
def files(tmp_path):
    # The table lies beside the chain, and the program runs elsewhere.
    (tmp_path / "chains").mkdir()
    (tmp_path / "chains" / "chain.yaml").write_text(CHAIN, encoding="utf-8")
    (tmp_path / "chains" / "own.tsv").write_text("un\tunited nations\n", encoding="utf-8")
    (tmp_path / "hypothesis.txt").write_text(f"{HYPOTHESIS}\n{REFERENCE}\n", encoding="utf-8")
    (tmp_path / "reference.txt").write_text(f"{REFERENCE}\n{REFERENCE}\n", encoding="utf-8")
    return tmp_path


def test_wheel_holds_its_data(wheels):
    names = zipfile.ZipFile(wheels[1]).namelist()
    for name in ("data/co.yaml", "data/example-co.yaml", "data/abbreviations.en.tsv", "py.typed", "plugin.py"):
        assert f"meteor_e_example/{name}" in names
    assert not [name for name in names if "test" in name and "/templates/" not in name]
    assert "meteor_e_example/templates/plugin.py.txt" in names


def test_it_is_listed(installed, tmp_path):
    rows = json.loads(run(installed / "meteor-e", "plugins", "--json", cwd=tmp_path))
    assert {row["kind"] for row in rows if row["distribution"] == "meteor-e-example"} == {
        *("matcher", "feature", "language", "lemmatizer", "chain", "command")
    }
    assert all(row["status"] == "ok" for row in rows)
    (soundex,) = [row for row in rows if row["name"] == "soundex"]
    assert soundex["version"] == "0.1.0"


def test_scores_on_the_command_line(installed, files):
    output = run(
        *(installed / "meteor-e", "score", "hypothesis.txt", "reference.txt"),
        *("--chain", "chains/chain.yaml", "--segments", "--alignments", "--json"),
        cwd=files,
        PYTHONHASHSEED="3",
    )
    result = json.loads(output)
    first, second = (segment["scores"]["METEOR"] for segment in result["systems"][0]["segments"])
    alignment = first["details"]["alignment"]
    words = alignment["hypothesis"], alignment["reference"]
    pairs = [
        [
            " ".join(side[match[f"{name}_start"] :][: match[f"{name}_length"]])
            for name, side in zip(("hypothesis", "reference"), words, strict=True)
        ]
        + [match["matcher"]]
        for match in alignment["matches"]
    ]
    assert pairs == EXPECTED
    assert 0.7 < first["score"] < 1
    assert second["score"] == 1.0
    assert result["metrics"]["METEOR"]["signature"].endswith("|lemmas:contractions|plugins:meteor-e-example@0.1.0")


def test_scores_in_python(installed, files):
    code = (
        "import json, sys; from meteor_e import Meteor\n"
        "meteor = Meteor.from_config('chains/chain.yaml')\n"
        "hypothesis, reference = (open(name, encoding='utf-8').readline() for name in sys.argv[1:])\n"
        "scored = meteor.score(hypothesis, [reference])\n"
        "print(json.dumps([scored.score, scored.alignment.pairs(), scored.signature]))"
    )
    outputs = {
        run(installed / "python", "-c", code, "hypothesis.txt", "reference.txt", cwd=files, PYTHONHASHSEED=seed)
        for seed in ("1", "2")
    }
    (output,) = outputs  # the same in every process
    score, pairs, signature = json.loads(output)
    assert pairs == EXPECTED
    assert 0.7 < score < 1
    assert re.search(r"abbreviations=0\.6\(own\.tsv@[0-9a-f]{12}\)", signature)


def test_its_language_and_chain(installed, files):
    output = run(
        *(installed / "meteor-e", "score", "hypothesis.txt", "reference.txt", "--chain", "example-co", "--json"),
        cwd=files,
    )
    assert "lang:co|task:untuned" in output


def blocks() -> list[tuple[str, str, str]]:
    """Return language, file name and content of the README's code blocks, from "Write your own" on."""
    text = README.read_text(encoding="utf-8").partition("## Write your own")[2]
    return re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def timeless(line: str) -> str:
    return re.sub(r"in [\d.]+s$", "in a moment", line)


@pytest.mark.skipif(os.name == "nt", reason="the README's commands are those of a POSIX shell")
def test_readme_from_an_empty_folder(wheels, tmp_path):
    """Every file of the README written, every command run in order, every output compared."""
    folder, activate = tmp_path, "true"
    for language, name, content in blocks():
        if name:
            (folder / name).write_text(content, encoding="utf-8")
            continue
        assert language == "console"
        lines = content.splitlines()
        commands = [line[2:].replace("~/meteor_e", str(wheels[0])) for line in lines if line.startswith("$ ")]
        expected = [line for line in lines if not line.startswith("$ ")]
        output = run("sh", "-ec", "\n".join([activate, *commands]), cwd=folder).splitlines()
        assert [timeless(line) for line in output] == [timeless(line) for line in expected]
        if commands[0] == "mkdir consonants && cd consonants":
            # The commands that follow are typed in the same shell; each block here has one of its own.
            folder, activate = folder / "consonants", ". .venv/bin/activate"
    assert folder.name == "consonants"
