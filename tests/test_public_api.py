from __future__ import annotations

import subprocess
import sys

import pytest

import meteor_e


def test_public_names_are_available():
    for name in meteor_e.__all__:
        assert getattr(meteor_e, name) is not None
    assert set(dir(meteor_e)) == set(meteor_e.__all__)


def loaded_after(code):
    """Return the names of the modules that a new interpreter has loaded after it ran some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_importing_the_package_imports_next_to_nothing():
    loaded = loaded_after("import meteor_e")
    assert {name for name in loaded if name.startswith("meteor_e")} <= {
        "meteor_e",
        "meteor_e._version",
        "meteor_e.api",
        "meteor_e.base",
        "meteor_e.base.lazy",
        "meteor_e.base.shielded_imports",
    }
    assert not loaded & {"numpy", "click", "msgspec", "yaml", "pluggy", "rich", "nltk", "Stemmer"}


def test_scoring_imports_neither_numpy_nor_rich(own_packs):
    loaded = loaded_after("from meteor_e import Meteor; Meteor('en').score('a cat', 'the cats')")
    assert "meteor_e.meteor" in loaded
    assert not loaded & {"numpy", "rich", "click", "nltk", "urllib.request"}


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        (["compat", "hyp", "ref", "-norm", "-q", "-m", "exact stem"], "meteor_e.java.program"),
        (["score", "hyp", "ref"], "meteor_e.evaluate"),
        (["score", "hyp", "ref", "-f", "json", "--segments"], "meteor_e.evaluate"),
    ],
)
def test_commands_start_light(command, needed, own_packs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("hyp", "ref"):
        (tmp_path / name).write_text("a cat\n")
    loaded = loaded_after(f"from meteor_e.cli.program import cli; cli.main({command!r}, standalone_mode=False)")
    assert needed in loaded
    assert not loaded & {"numpy", "rich", "msgspec"}
    assert command[0] == "score" or not loaded & {"decimal", "gzip", "urllib.request"}
