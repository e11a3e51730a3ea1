"""Tests the steps of docs/new-language.md, which define and tune a metric for a new language."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from made_up_bitext import ADJECTIVES, NOUNS, VERBS, sentences

from meteor_e import Meteor

LANGUAGE = """\
code: hsb
name: Upper Sorbian
normalization: full
matchers: [exact, paraphrase]
default_task: universal
"""

INDEX = """\
name: Own
pairs: [de-hsb]
references: reference.{target}
outputs: outputs/{pair}.{system}
judgments:
  - {file: judgements.rank, format: rank}
measures: [tau-strict]
"""

OTHER_WORD = {
    one: other for words in (NOUNS, VERBS, ADJECTIVES) for pair in words.values() for one, other in (pair, pair[::-1])
}


@pytest.fixture
def folder(bitext, tmp_path) -> Path:
    """A folder with a definition, a bitext, and judgements that prefer the right words in any order."""
    for path, name in zip(bitext, ("corpus.hsb", "corpus.de"), strict=True):
        path.rename(tmp_path / name)
    (tmp_path / "hsb.yaml").write_text(LANGUAGE)
    (tmp_path / "index.yaml").write_text(INDEX)
    (tmp_path / "outputs").mkdir()
    references = [" ".join(row[1]) for row in sentences(12, seed=8)]
    # One system uses other words in the same order, and the other system scrambles the words of the reference.
    other = [" ".join(OTHER_WORD.get(word, word) for word in line.split()) for line in references]
    scrambled = [" ".join(line.split()[1::2] + line.split()[0::2]) for line in references]
    for name, lines in (
        ("reference.hsb", references),
        ("outputs/de-hsb.other", other),
        ("outputs/de-hsb.scrambled", scrambled),
    ):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    rows = [f"{number}\tde-hsb\tscrambled\tde-hsb\tother\n" for number in range(1, 13)]
    (tmp_path / "judgements.rank").write_text("".join(rows))
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "METEOR_E_CACHE": str(folder / "cache"), "METEOR_E_PACKS": str(folder / "packs")}
    result = subprocess.run(
        [sys.executable, "-m", "meteor_e", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_language_without_data_gets_a_tuned_metric(folder):
    pytest.importorskip("scipy")
    assert "OK: Upper Sorbian (hsb)" in run(folder, "config", "check", "--language", "hsb.yaml")
    command = ["pack", "build", "-l", "./hsb.yaml", "--bitext", "corpus.hsb", "corpus.de", "--set", "common=0.1"]
    assert run(folder, *command, "--pivot-language", "de").startswith("built hsb-bitext (2 function words")
    language = str(folder / "packs" / "hsb-bitext" / "language.yaml")

    # Without judgements, the parameters are the universal ones.
    printed = run(folder, "score", "outputs/de-hsb.other", "reference.hsb", "--language", language)
    assert "|a:0.7|b:1.4|g:0.3|d:0.7|match:exact=1.0+paraphrase=0.6|" in printed
    assert "|pack:hsb-bitext@" in printed

    report = run(folder, "tune", "index.yaml", "--language", language, "--starts", "1", "-o", "tuned.yaml")
    values = {line.split()[0]: float(line.split()[1]) for line in report.splitlines() if " alpha=" in line}
    assert values == {"default": -1.0, "tuned": 1.0}
    meteor = Meteor.from_config(str(folder / "tuned.yaml"))
    assert meteor.chain.pack == str(folder / "packs" / "hsb-bitext")


def test_language_file_of_a_pack_has_universal_parameters(folder):
    """The language file of a pack does not contain METEOR's French parameters, which were tuned with another table."""
    run(folder, "pack", "build", "-l", "fr", "--bitext", "corpus.hsb", "corpus.de", "-o", "packs/own")
    own = Meteor(str(folder / "packs" / "own" / "language.yaml"))
    assert "|lang:fr(" in own.signature
    assert "|task:universal|" in own.signature
