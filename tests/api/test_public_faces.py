"""The imports of plugins: the stable modules provide all public names, and our plugins import no private names."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from project_imports import find_imports

ROOT = Path(__file__).parents[2]
STABLE_MODULES = ("meteor_e", "meteor_e.api", "meteor_e.testing")
"""The modules that every plugin may import."""
PUBLIC_NAMES = {name: set(importlib.import_module(name).__all__) for name in STABLE_MODULES}


@pytest.mark.parametrize("module_name", STABLE_MODULES)
def test_stable_modules_provide_all_public_names(module_name):
    module = importlib.import_module(module_name)
    for name in PUBLIC_NAMES[module_name]:
        getattr(module, name)


def test_our_plugins_import_no_private_names():
    private_imports = [
        f"{path.relative_to(ROOT)}: {module} {name}"
        for path in sorted((ROOT / "plugins").glob("*/src/**/*.py"))
        for module, name in find_imports(path.read_text(encoding="utf-8"))
        if re.match(r"meteor_e\.(.*\.)?_(?!_)", f"{module}.{name}")
    ]
    assert not private_imports
