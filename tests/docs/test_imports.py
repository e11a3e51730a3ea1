"""Programs of the docs, examples and benchmarks import names that exist, whether or not their libraries are here."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
ROOTS = [REPOSITORY, *REPOSITORY.glob("plugins/*/src"), REPOSITORY / "benchmarks/papers/src"]
PAGES = [REPOSITORY / "README.md", *sorted(REPOSITORY.glob("docs/**/*.md"))]
PROGRAMS = sorted({*REPOSITORY.glob("benchmarks/**/*.py"), *REPOSITORY.glob("examples/**/*.py")})
BLOCK = re.compile(r"^( *)```python[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def imports(code: str) -> Iterator[tuple[str, str]]:
    """Yield each of our modules that a program imports, with the name it takes from it or ``""``."""
    for node in ast.walk(ast.parse(code)):
        found: list[tuple[str, str]] = []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            found = [(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [(alias.name, "") for alias in node.names]
        yield from (each for each in found if re.match(r"meteor_e(_[a-z_]+)?(\.|$)", each[0]))


def module_file(name: str) -> Path | None:
    """Return the source of one of our modules."""
    path = name.replace(".", "/")
    files = (root / f"{path}{end}" for root in ROOTS for end in ("/__init__.pyi", "/__init__.py", ".pyi", ".py"))
    return next((file for file in files if file.is_file()), None)


def defines(file: Path, name: str) -> bool:
    """Tell whether a module's source has a name, itself or through ``import *``."""
    source = file.read_text(encoding="utf-8")
    others = map(module_file, re.findall(r"^from (\S+) import \*", source, re.MULTILINE))
    return bool(re.search(rf"\b{name}\b", source)) or any(other and defines(other, name) for other in others)


def missing(code: str) -> list[str]:
    """Return what a program imports from us that does not exist."""
    found = []
    for module, name in imports(code):
        file = module_file(module)
        if file is None:
            found.append(module)
        elif name and not module_file(f"{module}.{name}") and not defines(file, name):
            found.append(f"{module}.{name}")
    return found


def test_what_does_not_exist_is_found():
    code = "import meteor_e.nowhere\nfrom meteor_e import Meteor, Nothing\nfrom meteor_e.chains import keys\nimport os"
    assert missing(code) == ["meteor_e.nowhere", "meteor_e.Nothing"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_page(page):
    for _, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        assert not missing(textwrap.dedent(block))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_program(program):
    assert not missing(program.read_text(encoding="utf-8"))
