"""What programs import from us."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator


def imports(code: str) -> Iterator[tuple[str, str]]:
    """Yield each of our modules that a program imports, wherever, with the name it takes from it or ``""``."""
    for node in ast.walk(ast.parse(code)):
        found: list[tuple[str, str]] = []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            found = [(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [(alias.name, "") for alias in node.names]
        yield from (each for each in found if re.match(r"meteor_e(_[a-z_]+)?(\.|$)", each[0]))
