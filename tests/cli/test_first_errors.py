"""Tests of the errors for frequent mistakes of new users. Each error is one line that contains the correct form."""

from __future__ import annotations

import subprocess
import sys

import pytest

from meteor_e.packs.build import build_pack


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Change to a folder with a hypothesis file and a reference file. No packs are installed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METEOR_E_OFFLINE", "1")
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    for name in ("hypothesis", "reference"):
        (tmp_path / name).write_text("le chat dort\n", encoding="utf-8")
    return tmp_path


def run_score(*options: str) -> subprocess.CompletedProcess[str]:
    """Run ``meteor-e score`` in a separate process, so that the program itself handles warnings and errors."""
    command = [sys.executable, "-m", "meteor_e", "score", "hypothesis", "reference", *options]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def read_error(*options: str) -> str:
    """Run ``meteor-e score``, check that it fails with one line of output, and return this line."""
    process = run_score(*options)
    assert process.returncode != 0
    assert process.stdout == ""
    assert len(process.stderr.splitlines()) == 1, process.stderr
    return process.stderr.strip()


def test_chain_option_suggests_the_file_with_its_suffix(folder):
    (folder / "mine.yaml").write_text("language: other\n", encoding="utf-8")
    assert read_error("--chain", "mine").endswith("(did you mean the file mine.yaml?)")


@pytest.mark.usefixtures("folder")
def test_missing_pack_error_names_the_build_command():
    assert read_error("--language", "kv", "--set", "pack=kv-bitext").endswith(
        "The pack 'kv-bitext', which could define it, is not installed; build it first: "
        "meteor-e pack build --language kv --bitext TEXT TRANSLATION"
    )


@pytest.mark.usefixtures("packs_without_paraphrases")
def test_pack_error_names_the_missing_language_file():
    message = read_error("--language", "kv", "--set", "pack=fr")
    assert message.endswith("The pack 'fr', which could define it, has no language.yaml")


@pytest.fixture
def packs_without_paraphrases(folder):
    """Build packs for French and English that do not contain paraphrases."""
    function_words = folder / "words"
    function_words.write_text("le\n", encoding="utf-8")
    for code in ("fr", "en"):
        build_pack(folder / "packs" / code, language=code, function_words=function_words)


@pytest.mark.usefixtures("packs_without_paraphrases")
def test_score_notes_that_french_lacks_paraphrases():
    process = run_score("--language", "fr", "--metric", "meteor", "--quiet")
    assert process.returncode == 0
    assert process.stderr.splitlines() == [
        (
            "meteor-e: note: scores for French do not use paraphrases, because its pack has no paraphrase table. "
            "`meteor-e pack install fr --from meteor-1.5.tar.gz` installs METEOR's table; "
            "`meteor-e pack build` builds one from bitext"
        )
    ]


@pytest.mark.usefixtures("packs_without_paraphrases")
def test_score_omits_the_note_if_the_chain_uses_no_paraphrases():
    process = run_score("--language", "fr", "--matchers", "exact,stem", "--quiet")
    assert (process.returncode, process.stderr) == (0, "")
