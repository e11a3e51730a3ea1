from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from meteor_e.base.errors import ConfigError
from meteor_e.cli.new_plugin import FAMILIES, write_plugin
from meteor_e.cli.program import cli

_NEEDS = {"measure": "meteor_e_evaluation", "estimator": "meteor_e_learned"}


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_its_tests_pass_at_once(family, tmp_path):
    """The distribution is installed as it is, beside this meteor_e, and its tests are run."""
    if family in _NEEDS:
        pytest.importorskip(_NEEDS[family], reason=f"{_NEEDS[family]} is not installed")
    name = "sc" if family == "language" else f"my-{family}"
    folder = write_plugin(name, family, tmp_path / "plugin")
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", site]
    subprocess.run([*install, folder], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["", "Two Words", "../up", "a--b", "1st", "a/b"])
def test_bad_names(name, tmp_path):
    with pytest.raises(ConfigError, match="cannot be called"):
        write_plugin(name, "key", tmp_path / "plugin")
    assert not list(tmp_path.iterdir())


def test_an_existing_folder_is_left_alone(tmp_path):
    with pytest.raises(ConfigError, match="exists"):
        write_plugin("good", "key", tmp_path)


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["plugins", "new", "soundalike"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "meteor-e-soundalike" in result.output
    assert (tmp_path / "meteor-e-soundalike" / "pyproject.toml").is_file()


def test_the_files_of_a_plugin(tmp_path):
    folder = write_plugin("class", "key", tmp_path / "plugin")
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {
        "README.md",
        "pyproject.toml",
        "tox.ini",
        "src/meteor_e_class_/__init__.py",
        "src/meteor_e_class_/class_.py",
        "src/meteor_e_class_/plugin.py",
        "tests/test_class_.py",
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plugin"]
