"""The house: every import goes down, so that no two modules need each other.

``lint-imports`` (tox -e lint) holds the order of the floors in pyproject.toml; here single modules are looked at.
"""

from __future__ import annotations

import ast
import graphlib
import re
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


def test_a_circle_would_be_found():
    modules = graph()
    modules["meteor_e.base.errors"] = {"meteor_e.meteor"}
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(modules).prepare()


def test_every_floor_is_in_the_contract():
    contract = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    for entry in PACKAGE.iterdir():
        if (entry.suffix == ".py" and entry.stem != "__init__") or (entry / "__init__.py").is_file():
            assert f'"{entry.stem}' in contract or f"| {entry.stem}" in contract, entry.stem


def test_one_verb_for_one_thing():
    """``make`` makes an object, ``build`` writes files of data; ``create``, a third verb, would not be called."""
    sources = (path for folder in ("meteor_e", "plugins", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
    assert not [path for path in sources if re.search(r"^    def create\(cls", path.read_text("utf-8"), re.M)]


def test_the_walk_names_files_that_exist():
    named = re.findall(r"`(meteor_e/[\w/.]+)`", (ROOT / "docs" / "architecture.md").read_text("utf-8"))
    assert len(named) > 20
    pages = [ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    named += [file for page in pages for file in re.findall(r"meteor_e/[\w/]+\.(?:py|cpp)", page.read_text("utf-8"))]
    assert [name for name in named if not (ROOT / name).exists()] == []
