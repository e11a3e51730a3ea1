"""The architecture: imports between modules have no cycles, and the documentation names existing files and names.

``lint-imports`` (tox -e lint) checks the order of the layers, which pyproject.toml defines. These tests check single
modules.
"""

from __future__ import annotations

import graphlib
import re
from pathlib import Path

import pytest
from project_imports import find_imports

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "meteor_e"

pytestmark = pytest.mark.skipif(not PACKAGE.is_dir(), reason="the source files are not next to the tests")


def module_name(path: Path, folder: Path) -> str:
    """Return the dotted name of the module in a source file. The folder contains the package."""
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def build_import_graph() -> dict[str, set[str]]:
    """Map each module of the core and of the plugins to the modules that it imports.

    Imports in functions and imports for types are included.
    """
    files = {module_name(path, ROOT): path for path in PACKAGE.rglob("*.py")}
    for folder in ROOT.glob("plugins/*/src"):
        files.update({module_name(path, folder): path for path in folder.rglob("*.py")})
    graph = {}
    for importer, path in files.items():
        targets = set()
        for module, name in find_imports(path.read_text(encoding="utf-8")):
            submodule = f"{module}.{name}"
            targets.add(submodule if submodule in files else module)
        graph[importer] = (targets & files.keys()) - {importer}
    return graph


def test_module_imports_have_no_cycles():
    try:
        graphlib.TopologicalSorter(build_import_graph()).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"these modules import each other: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_page_mentions_only_existing_files(page):
    if not (ROOT / page).is_file():
        pytest.skip("the documentation is not next to the tests")
    mentioned_files = re.findall(r"`((?:meteor_e|tests)/[^`*]+)`", (ROOT / page).read_text(encoding="utf-8"))
    assert len(mentioned_files) > 10
    assert not [file for file in mentioned_files if not (ROOT / file).exists()]


def test_architecture_page_mentions_only_existing_names():
    page = ROOT / "docs/architecture.md"
    if not page.is_file():
        pytest.skip("the documentation is not next to the tests")
    section = re.search(r"## The path of a sentence.*?(?=\n## )", page.read_text(encoding="utf-8"), re.DOTALL).group()
    steps = re.findall(r"^\d+\. ", section, re.MULTILINE)
    assert len(steps) <= 15
    mentions = re.findall(r"`([A-Za-z_.]+?)(?:\([a-z]*\))?`", section)
    names = {mention.rpartition(".")[2] for mention in mentions if "/" not in mention}
    sources = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    commands = {"compat", "report", "score", "evaluate"}
    undefined_names = {name for name in names - commands if not re.search(rf"(class|def) {re.escape(name)}\b", sources)}
    assert len(names) > 15
    assert not undefined_names
