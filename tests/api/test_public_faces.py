"""Imports of plugins: third parties use stable names, and our plugins can use packages of the core."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from our_imports import imports

ROOT = Path(__file__).parents[2]
STABLE = ("meteor_e", "meteor_e.api", "meteor_e.testing")
"""What any plugin may import."""
FACES = {name: set(importlib.import_module(name).__all__) for name in STABLE}


@pytest.mark.parametrize("face", STABLE)
def test_public_names_are_available(face):
    module = importlib.import_module(face)
    for name in FACES[face]:
        getattr(module, name)


def test_our_plugins_import_nothing_private():
    found = [
        f"{path.relative_to(ROOT)}: {module} {name}"
        for path in sorted((ROOT / "plugins").glob("*/src/**/*.py"))
        for module, name in imports(path.read_text(encoding="utf-8"))
        if re.match(r"meteor_e\.(.*\.)?_(?!_)", f"{module}.{name}")
    ]
    assert not found
