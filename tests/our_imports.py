"""Find the names that programs import from this project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator


def imports(code: str) -> Iterator[tuple[str, str]]:
    """Yield the modules of this project that a program imports, with the imported name or ``""``."""
    for node in ast.walk(ast.parse(code)):
        found: list[tuple[str, str]] = []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            found = [(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [(alias.name, "") for alias in node.names]
        yield from (each for each in found if re.match(r"meteor_e(_[a-z_]+)?(\.|$)", each[0]))
