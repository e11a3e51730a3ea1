"""Vectors from packages; what a chain lacks is said at once."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from meteor_e_vectors import install, open_vectors
from meteor_e_vectors.places import find_vectors, installed_path

from meteor_e import ConfigError, Meteor, MeteorError
from meteor_e.base.files import sha256_of
from meteor_e.cli.program import cli


@pytest.fixture
def wheel(tmp_path, monkeypatch) -> Path:
    """A package that holds three vectors as that on PyPI holds GloVe's."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows, words = io.BytesIO(), io.BytesIO()
    np.save(rows, np.eye(3, dtype=np.float64))
    parquet.write_table(pyarrow.table({"index": ["the", "cat", "dog"]}), words)
    path = tmp_path / "glove.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("rows.npy", rows.getvalue())
        archive.writestr("words.parquet", words.getvalue())
    pin(monkeypatch, path)
    return path


def pin(monkeypatch, path: Path) -> None:
    pinned = install.Wheel("glove==1.0", sha256_of(path), path.stat().st_size)
    package = install.Package(pinned, "rows.npy", "words.parquet", "index", "en", "a test")
    monkeypatch.setattr(install, "PACKAGES", {"glove": package})


def run(*arguments: str):
    return CliRunner().invoke(cli, ["vectors", "install", *arguments])


def test_from_a_wheel(wheel):
    done = run("glove", "--from", str(wheel), "--words", "2")
    assert done.exit_code == 0, done.output
    assert "installed glove (2 words)" in done.output
    vectors = open_vectors(find_vectors("en"))
    assert list(vectors.words) == ["the", "cat"]
    assert vectors.metadata["language"] == "en"


def test_what_is_missing_or_another_is_refused(wheel, monkeypatch, tmp_path):
    def error(*arguments: str) -> str:
        done = run(*arguments)
        assert isinstance(done.exception, MeteorError), done.output
        assert not installed_path("en").exists()
        return str(done.exception)

    assert "there are no vectors 'fr' to install; there are: glove; train others with" in error("fr")
    monkeypatch.setenv("METEOR_E_OFFLINE", "1")
    assert "meteor-e vectors install glove --from FILE" in error("glove")
    assert "cannot read" in error("glove", "--from", str(tmp_path / "none"))
    monkeypatch.setattr(install, "MAX_MEMBER", 100)
    assert "larger than 100 bytes" in error("glove", "--from", str(wheel))
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("rows.npy", b"\x93NUMPY\x01\x00")
    assert "has SHA-256" in error("glove", "--from", str(wheel))
    pin(monkeypatch, wheel)
    monkeypatch.setattr(install, "MAX_MEMBER", 1 << 20)
    assert "cannot be read" in error("glove", "--from", str(wheel))


def test_vectors_of_another_language(wheel):
    run("glove", "--from", str(wheel))
    file = str(installed_path("en"))
    with pytest.raises(ConfigError, match=r"the vectors en\.vectors are of 'en', and the chain is for 'other'"):
        Meteor("other", matchers=["exact", {"use": "vector", "file": file}])


@pytest.mark.parametrize("name", ["cc.fr.300.vec", "wiki.fr.vec"])
def test_published_vectors_have_their_language_in_their_name(tmp_path, name):
    file = tmp_path / name
    file.write_text("2 2\nchat 1 0\nchien 0 1\n", encoding="utf-8")
    matchers = ["exact", {"use": "vector", "file": str(file)}]
    with pytest.raises(ConfigError, match=f"the vectors {name} are of 'fr', and the chain is for 'no'"):
        Meteor("no", matchers=matchers)
    Meteor("other", matchers=matchers)
    plain = tmp_path / "chats.fr.vec"
    plain.write_bytes(file.read_bytes())
    Meteor("no", matchers=["exact", {"use": "vector", "file": str(plain)}])
