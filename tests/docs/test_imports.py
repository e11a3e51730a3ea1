"""Test that the programs in the documentation, examples and benchmarks import names that exist.

The tests read the source files and do not import them, so that third-party libraries need not be installed.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from project_imports import find_imports

REPOSITORY = Path(__file__).parents[2]
SOURCE_FOLDERS = [REPOSITORY, *REPOSITORY.glob("plugins/*/src")]
PAGES = [REPOSITORY / "README.md", *sorted(REPOSITORY.glob("docs/**/*.md"))]
PROGRAMS = sorted({*REPOSITORY.glob("benchmarks/**/*.py"), *REPOSITORY.glob("examples/**/*.py")})
PYTHON_BLOCK = re.compile(r"^( *)```python[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def find_module_file(name: str) -> Path | None:
    """Return the source file of a module of this project, or None if the module does not exist."""
    path = name.replace(".", "/")
    for folder in SOURCE_FOLDERS:
        for suffix in ("/__init__.pyi", "/__init__.py", ".pyi", ".py"):
            file = folder / f"{path}{suffix}"
            if file.is_file():
                return file
    return None


def defines(file: Path, name: str) -> bool:
    """Return whether a module's source contains a name, either itself or through ``import *``."""
    source = file.read_text(encoding="utf-8")
    if re.search(rf"\b{name}\b", source):
        return True
    for module in re.findall(r"^from (\S+) import \*", source, re.MULTILINE):
        module_file = find_module_file(module)
        if module_file is not None and defines(module_file, name):
            return True
    return False


def find_missing_imports(code: str) -> list[str]:
    """Return the names that a program imports from this project although they do not exist."""
    missing_imports = []
    for module, name in find_imports(code):
        file = find_module_file(module)
        if file is None:
            missing_imports.append(module)
        elif name and not find_module_file(f"{module}.{name}") and not defines(file, name):
            missing_imports.append(f"{module}.{name}")
    return missing_imports


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(REPOSITORY).as_posix())
def test_page_imports_only_names_that_exist(page):
    for _, block in PYTHON_BLOCK.findall(page.read_text(encoding="utf-8")):
        assert not find_missing_imports(textwrap.dedent(block))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_program_imports_only_names_that_exist(program):
    assert not find_missing_imports(program.read_text(encoding="utf-8"))
