"""Programs of the docs, examples and benchmarks import existing names, even if their libraries are not installed."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from project_imports import find_imports

REPOSITORY = Path(__file__).parents[2]
ROOTS = [REPOSITORY, *REPOSITORY.glob("plugins/*/src")]
PAGES = [REPOSITORY / "README.md", *sorted(REPOSITORY.glob("docs/**/*.md"))]
PROGRAMS = sorted({*REPOSITORY.glob("benchmarks/**/*.py"), *REPOSITORY.glob("examples/**/*.py")})
BLOCK = re.compile(r"^( *)```python[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def module_file(name: str) -> Path | None:
    """Return the source file of a module of this project."""
    path = name.replace(".", "/")
    files = (root / f"{path}{end}" for root in ROOTS for end in ("/__init__.pyi", "/__init__.py", ".pyi", ".py"))
    return next((file for file in files if file.is_file()), None)


def defines(file: Path, name: str) -> bool:
    """Return whether a module's source defines a name, also through ``import *``."""
    source = file.read_text(encoding="utf-8")
    others = map(module_file, re.findall(r"^from (\S+) import \*", source, re.MULTILINE))
    return bool(re.search(rf"\b{name}\b", source)) or any(other and defines(other, name) for other in others)


def missing(code: str) -> list[str]:
    """Return the names that a program imports from this project and that do not exist."""
    found = []
    for module, name in find_imports(code):
        file = module_file(module)
        if file is None:
            found.append(module)
        elif name and not module_file(f"{module}.{name}") and not defines(file, name):
            found.append(f"{module}.{name}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_page(page):
    for _, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        assert not missing(textwrap.dedent(block))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_program(program):
    assert not missing(program.read_text(encoding="utf-8"))
