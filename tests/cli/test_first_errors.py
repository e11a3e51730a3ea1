"""Frequent mistakes of new users are answered by one line that contains the correct form."""

from __future__ import annotations

import subprocess
import sys

import pytest

from meteor_e.packs.build import build_pack


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METEOR_E_OFFLINE", "1")
    monkeypatch.setenv("METEOR_E_PACKS", str(tmp_path / "packs"))
    for name in ("hypothesis", "reference"):
        (tmp_path / name).write_text("le chat dort\n", encoding="utf-8")
    return tmp_path


def score(*options: str) -> subprocess.CompletedProcess[str]:
    """Run ``meteor-e score`` with the program's own handling of warnings and errors."""
    command = [sys.executable, "-m", "meteor_e", "score", "hypothesis", "reference", *options]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def error_of(*options: str) -> str:
    done = score(*options)
    assert done.returncode != 0
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr.strip()


def test_chain_file_without_its_suffix_is_suggested(files):
    (files / "mine.yaml").write_text("language: other\n", encoding="utf-8")
    assert error_of("--chain", "mine").endswith("(did you mean the file mine.yaml?)")


def test_missing_pack_is_explained(files):
    assert error_of("--language", "kv", "--set", "pack=kv-bitext").endswith(
        "The pack 'kv-bitext', which could define it, is not installed; build it first: "
        "meteor-e pack build --language kv --bitext TEXT TRANSLATION"
    )


def test_pack_without_a_language_file_is_explained(files, french):
    message = error_of("--language", "kv", "--set", "pack=fr")
    assert message.endswith("The pack 'fr', which could define it, has no language.yaml")


@pytest.fixture
def french(files):
    """Packs of French and English without paraphrases."""
    (files / "words").write_text("le\n", encoding="utf-8")
    for code in ("fr", "en"):
        build_pack(files / "packs" / code, language=code, function_words=files / "words")


def test_french_without_paraphrases(files, french):
    done = score("--language", "fr", "--metric", "meteor", "--quiet")
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        (
            "meteor-e: note: scores for French do not use paraphrases, because its pack has no paraphrase table. "
            "`meteor-e pack install fr --from meteor-1.5.tar.gz` installs METEOR's table; "
            "`meteor-e pack build` builds one from bitext"
        )
    ]


def test_note_is_omitted_if_the_chain_has_no_paraphrases(files, french):
    done = score("--language", "fr", "--matchers", "exact,stem", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
