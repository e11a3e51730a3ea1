"""The house: every import goes down, so that no two modules need each other.

``lint-imports`` (tox -e lint) holds the order of the floors in pyproject.toml; here single modules are looked at.
"""

from __future__ import annotations

import graphlib
import re
from pathlib import Path

import pytest
from our_imports import imports

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "meteor_e"

pytestmark = pytest.mark.skipif(not PACKAGE.is_dir(), reason="needs the sources beside the tests")


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def graph() -> dict[str, set[str]]:
    """Return which modules each of ours imports: in functions and for types, too."""
    files = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    found = {}
    for name, path in files.items():
        pairs = imports(path.read_text(encoding="utf-8"))
        targets = {whole if (whole := f"{module}.{part}") in files else module for module, part in pairs}
        found[name] = (targets & files.keys()) - {name}
    return found


def test_imports_have_no_cycles():
    try:
        graphlib.TopologicalSorter(graph()).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"modules that import each other: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_files_that_a_page_names_exist(page):
    if not (ROOT / page).is_file():
        pytest.skip("the pages are not beside the tests")
    named = re.findall(r"`((?:meteor_e|tests)/[^`*]+)`", (ROOT / page).read_text(encoding="utf-8"))
    assert len(named) > 10
    assert not [name for name in named if not (ROOT / name).exists()]


def test_names_that_the_walk_mentions_exist():
    page = ROOT / "docs/architecture.md"
    if not page.is_file():
        pytest.skip("the pages are not beside the tests")
    walk = re.search(r"## The path of a sentence.*?(?=\n## )", page.read_text(encoding="utf-8"), re.DOTALL).group()
    assert len(re.findall(r"^\d+\. ", walk, re.MULTILINE)) <= 15
    named = {
        name.rpartition(".")[2] for name in re.findall(r"`([A-Za-z_.]+?)(?:\([a-z]*\))?`", walk) if "/" not in name
    }
    sources = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    commands = {"compat", "report", "score", "evaluate"}
    missing = {name for name in named - commands if not re.search(rf"(class|def) {re.escape(name)}\b", sources)}
    assert len(named) > 15
    assert not missing
