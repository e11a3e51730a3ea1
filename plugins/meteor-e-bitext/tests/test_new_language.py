"""Test the steps of docs/new-language.md, which define and tune a metric for a new language."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from artificial_bitext import ADJECTIVES, NOUNS, VERBS, generate_sentence_pairs

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

SYNONYMS: dict[str, str] = {}
"""For each English-like noun, verb and adjective, the other translation of the same French-like word."""
for dictionary in (NOUNS, VERBS, ADJECTIVES):
    for first, second in dictionary.values():
        SYNONYMS[first] = second
        SYNONYMS[second] = first


@pytest.fixture
def folder(bitext, tmp_path) -> Path:
    """Write a language file, a bitext and judgments, which prefer the words of the reference in the wrong order."""
    for path, name in zip(bitext, ("corpus.hsb", "corpus.de"), strict=True):
        path.rename(tmp_path / name)
    (tmp_path / "hsb.yaml").write_text(LANGUAGE)
    (tmp_path / "index.yaml").write_text(INDEX)
    (tmp_path / "outputs").mkdir()
    references = [" ".join(pair.english) for pair in generate_sentence_pairs(12, seed=8)]
    # The system "other" uses synonyms in the same order, and the system "scrambled" changes the order of the words.
    paraphrased = [" ".join(SYNONYMS.get(word, word) for word in line.split()) for line in references]
    scrambled = [" ".join(line.split()[1::2] + line.split()[0::2]) for line in references]
    for name, lines in (
        ("reference.hsb", references),
        ("outputs/de-hsb.other", paraphrased),
        ("outputs/de-hsb.scrambled", scrambled),
    ):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    judgments = [f"{number}\tde-hsb\tscrambled\tde-hsb\tother\n" for number in range(1, 13)]
    (tmp_path / "judgements.rank").write_text("".join(judgments))
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    """Run meteor-e in a folder, and return its standard output."""
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


def test_tune_command_tunes_a_metric_for_a_new_language(folder):
    pytest.importorskip("scipy")
    assert "OK: Upper Sorbian (hsb)" in run(folder, "config", "check", "--language", "hsb.yaml")
    command = ["pack", "build", "-l", "./hsb.yaml", "--bitext", "corpus.hsb", "corpus.de", "--set", "common=0.1"]
    assert run(folder, *command, "--pivot-language", "de").startswith("built hsb-bitext (2 function words")
    language = str(folder / "packs" / "hsb-bitext" / "language.yaml")

    # Without judgments, the parameters are the universal ones.
    output = run(folder, "score", "outputs/de-hsb.other", "reference.hsb", "--language", language)
    assert "|a:0.7|b:1.4|g:0.3|d:0.7|match:exact=1.0+paraphrase=0.6|" in output
    assert "|pack:hsb-bitext@" in output

    report = run(folder, "tune", "index.yaml", "--language", language, "--starts", "1", "-o", "tuned.yaml")
    parameter_rows = [line.split() for line in report.splitlines() if " alpha=" in line]
    agreement = {row[0]: float(row[1]) for row in parameter_rows}
    assert agreement == {"default": -1.0, "tuned": 1.0}
    meteor = Meteor.from_config(str(folder / "tuned.yaml"))
    assert meteor.chain.pack == str(folder / "packs" / "hsb-bitext")


def test_language_file_of_a_pack_has_universal_parameters(folder):
    """The language file of a pack does not contain METEOR's French parameters, which were tuned with another table."""
    run(folder, "pack", "build", "-l", "fr", "--bitext", "corpus.hsb", "corpus.de", "-o", "packs/own")
    meteor = Meteor(str(folder / "packs" / "own" / "language.yaml"))
    assert "|lang:fr(" in meteor.signature
    assert "|task:universal|" in meteor.signature
