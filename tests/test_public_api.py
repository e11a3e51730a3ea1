"""The public names of the package, and the modules that its import and its commands load."""

from __future__ import annotations

import subprocess
import sys

import pytest

import meteor_e


def test_package_provides_all_public_names():
    for name in meteor_e.__all__:
        assert getattr(meteor_e, name) is not None
    assert set(dir(meteor_e)) == set(meteor_e.__all__)


def run_and_list_modules(code):
    """Run code in a new interpreter, and return the names of the modules that are loaded afterwards."""
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_package_import_loads_only_a_few_modules():
    modules = run_and_list_modules("import meteor_e")
    assert {name for name in modules if name.startswith("meteor_e")} <= {
        "meteor_e",
        "meteor_e._version",
        "meteor_e.api",
        "meteor_e.base",
        "meteor_e.base.lazy",
        "meteor_e.base.shielded_imports",
    }
    assert not modules & {"numpy", "click", "msgspec", "yaml", "pluggy", "rich", "nltk", "Stemmer"}


def test_score_loads_neither_numpy_nor_rich(own_packs):
    modules = run_and_list_modules("from meteor_e import Meteor; Meteor('en').score('a cat', 'the cats')")
    assert "meteor_e.meteor" in modules
    assert not modules & {"numpy", "rich", "click", "nltk", "urllib.request"}


@pytest.mark.parametrize(
    ("command", "expected_module"),
    [
        (["compat", "hyp", "ref", "-norm", "-q", "-m", "exact stem"], "meteor_e.java.program"),
        (["score", "hyp", "ref"], "meteor_e.evaluate"),
        (["score", "hyp", "ref", "-f", "json", "--segments"], "meteor_e.evaluate"),
    ],
)
def test_commands_load_no_heavy_modules(command, expected_module, own_packs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("hyp", "ref"):
        (tmp_path / name).write_text("a cat\n")
    modules = run_and_list_modules(
        f"from meteor_e.cli.program import cli; cli.main({command!r}, standalone_mode=False)"
    )
    assert expected_module in modules
    assert not modules & {"numpy", "rich", "msgspec"}
    if command[0] == "compat":
        assert not modules & {"decimal", "gzip", "urllib.request"}
