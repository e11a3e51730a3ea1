from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from meteor_e.base.errors import ConfigError
from meteor_e.cli.new_plugin import write_plugin
from meteor_e.cli.program import cli


@pytest.mark.slow
def test_its_tests_pass_at_once(tmp_path):
    """The distribution is installed as it is, beside this meteor_e, and its tests are run."""
    folder = write_plugin("my-class", tmp_path / "plugin")
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
        write_plugin(name, tmp_path / "plugin")
    assert not list(tmp_path.iterdir())


def test_an_existing_folder_is_left_alone(tmp_path):
    with pytest.raises(ConfigError, match="exists"):
        write_plugin("good", tmp_path)


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["plugins", "new", "soundalike"], catch_exceptions=False)
    assert result.exit_code == 0
    assert (tmp_path / "meteor-e-soundalike" / "src/meteor_e_soundalike/soundalike.yaml").is_file()
