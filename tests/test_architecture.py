"""The house: every import goes down, so that no two modules need each other.

``lint-imports`` (tox -e lint) holds the order of the floors in pyproject.toml; here single modules are looked at.
"""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "meteor_e"

pytestmark = pytest.mark.skipif(not PACKAGE.is_dir(), reason="needs the sources beside the tests")


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """Yield the modules that a file imports, wherever the import stands: in functions and for types, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in known else str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def graph() -> dict[str, set[str]]:
    files = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    known = set(files)
    return {
        name: {target for target in imported(ast.parse(path.read_text(encoding="utf-8")), known) if target in known}
        - {name}
        for name, path in files.items()
    }


def test_no_circles():
    try:
        graphlib.TopologicalSorter(graph()).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"modules that import each other: {' -> '.join(error.args[1])}")
