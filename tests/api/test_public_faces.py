"""What plugins import: the stable contract, and ours the toolkit, too."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import meteor_e

ROOT = Path(__file__).parents[2]


STABLE = ("meteor_e", "meteor_e.api", "meteor_e.testing")
"""What any plugin may import."""
FACES = {name: set(importlib.import_module(name).__all__) for name in (*STABLE, "meteor_e.toolkit")}
"""And what the plugins of this repository import beside it."""


def test_the_contract_is_small():
    assert len(set().union(*(FACES[name] for name in STABLE))) <= 90


@pytest.mark.parametrize("face", FACES)
def test_every_name_of_a_face_is_there(face):
    module = importlib.import_module(face)
    assert FACES[face]
    for name in FACES[face]:
        getattr(module, name)


@pytest.mark.parametrize("face", FACES)
def test_no_name_of_a_face_is_a_module_within_it(face):
    """Whichever was imported first would decide which of the two one gets."""
    folder = Path(importlib.import_module(face).__file__).parent
    modules = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not FACES[face] & modules


def floors():
    """The packages from top to bottom, as import-linter has them; those on one floor have one number."""
    contract = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("layers = [")[2].partition("]")[0]
    lines = re.findall(r'"(.*)"', contract)
    return {name: -number for number, line in enumerate(lines) for name in line.split(" | ")}


@pytest.mark.parametrize("face", sorted({*FACES} - {"meteor_e"}))
def test_what_a_face_lists_lies_in_it_or_on_a_floor_below(face):
    """import-linter does not read stubs."""
    stub = Path(importlib.import_module(face).__file__).with_suffix(".pyi")
    own, height = face.partition(".")[2], floors()
    for statement in ast.parse(stub.read_text(encoding="utf-8")).body if stub.is_file() else ():
        home = statement.module.split(".")[1]
        assert home == own or height[home] < height[own], statement.module


def plugin_files():
    return sorted((ROOT / "plugins").glob("*/src/**/*.py"))


def behind_the_faces(tree):
    """Yield the imports of meteor_e in a file that are no names of a face."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "meteor_e":
            for alias in node.names:
                if alias.name not in FACES.get(node.module, ()):
                    yield f"from {node.module} import {alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("meteor_e."):
                    yield f"import {alias.name}"


@pytest.mark.skipif(not plugin_files(), reason="the plugins are not beside the tests")
def test_plugins_import_public_faces_only():
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in plugin_files()
        for line in behind_the_faces(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found


@pytest.mark.parametrize(
    ("line", "is_behind"),
    [
        ("from meteor_e.api import KeyMatcher", False),
        ("from meteor_e import Meteor", False),
        ("from meteor_e.api.matchers import KeyMatcher", True),
        ("def f():\n    from meteor_e.base.errors import near_miss", True),
        ("import meteor_e.api.matchers", True),
        ("from meteor_e.significance import resampling", True),
        ("from meteor_e_learned import train", False),
    ],
)
def test_the_check_sees_what_is_behind_a_face(line, is_behind):
    assert bool(list(behind_the_faces(ast.parse(line)))) == is_behind


def table():
    """The rows of the manual's table: for each face the version of the API in which each name came."""
    text = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(meteor_e[.\w]*)` \| (\d+) \| (.*) \|$", text, re.MULTILINE)
    return [(face, int(version), re.findall(r"`(\w+)`", names)) for face, version, names in rows]


def test_the_manual_lists_every_name_with_its_version():
    listed = {face: set() for face in STABLE}
    for face, version, names in table():
        assert 1 <= version <= meteor_e.api.API_VERSION
        assert not listed[face] & set(names)
        listed[face] |= set(names)
    # The names of meteor_e.api are also at the top, where they are not listed again.
    assert listed.pop("meteor_e") == FACES["meteor_e"] - FACES["meteor_e.api"]
    assert listed == {face: FACES[face] for face in STABLE if face != "meteor_e"}
