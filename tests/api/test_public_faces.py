"""What plugins import: a third party the stable contract, ours the core's packages, but nothing private."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

from meteor_e.api.hooks import API_VERSION

ROOT = Path(__file__).parents[2]
STABLE = ("meteor_e", "meteor_e.api", "meteor_e.testing")
"""What any plugin may import."""
FACES = {name: set(importlib.import_module(name).__all__) for name in STABLE}


def test_the_contract_is_small():
    assert len(FACES["meteor_e.api"]) <= 45


@pytest.mark.parametrize("face", STABLE)
def test_every_name_of_a_face_is_there(face):
    module = importlib.import_module(face)
    for name in FACES[face]:
        getattr(module, name)


def imported(path):
    """Yield module and name of each thing that a file imports from meteor_e."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "meteor_e":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] == "meteor_e")


def test_our_plugins_import_nothing_private():
    found = [
        f"{path.relative_to(ROOT)}: {module} {name}"
        for path in sorted((ROOT / "plugins").glob("*/src/**/*.py"))
        for module, name in imported(path)
        if re.search(r"(^|\.)_(?!_)", f"{module}.{name}")
    ]
    assert not found


def table():
    """The rows of the manual's table: for each face the version of the API in which each name came."""
    text = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(meteor_e[.\w]*)` \| (\d+) \| (.*) \|$", text, re.MULTILINE)
    return [(face, int(version), re.findall(r"`(\w+)`", names)) for face, version, names in rows]


def test_the_manual_lists_every_name_with_its_version():
    listed = {face: set() for face in STABLE}
    for face, version, names in table():
        assert 1 <= version <= API_VERSION
        listed[face] |= set(names)
    # The names of meteor_e.api are also at the top, where they are not listed again.
    assert listed.pop("meteor_e") == FACES["meteor_e"] - FACES["meteor_e.api"]
    assert listed == {face: FACES[face] for face in STABLE if face != "meteor_e"}
