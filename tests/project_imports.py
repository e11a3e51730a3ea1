"""Find the names that a program imports from this project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator


def find_imports(code: str) -> Iterator[tuple[str, str]]:
    """Yield the modules of this project that a program imports, with the imported name or ``""``."""
    for node in ast.walk(ast.parse(code)):
        imports: list[tuple[str, str]] = []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            imports = [(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            imports = [(alias.name, "") for alias in node.names]
        for module, name in imports:
            if re.match(r"meteor_e(_[a-z_]+)?(\.|$)", module):
                yield module, name
