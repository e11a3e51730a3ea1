"""Packages that import their public names on demand."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_ONLY_AST = 1 << 10
"""The value of ``ast.PyCF_ONLY_AST``. Importing ``ast`` for this constant would take time."""


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package that imports its public names on demand.

    The stub of the package, ``__init__.pyi``, lists the names and their modules. Type checkers use the same list::

        from meteor_e.base.atomic import atomic_file as atomic_file
        from meteor_e.api import *

    ``__all__`` is created from the stub, too.

    Args:
        package: the ``__name__`` of the package.
    """
    module = sys.modules[package]

    def get_attribute(name: str) -> Any:
        # Python looks up special names, such as __path__, in every module. The stub is not read for these names.
        is_special = name.startswith("__") and name not in ("__all__", "__version__")
        if name == "__all__":
            attribute: Any = sorted(_read_stub(package))
        elif not is_special and name in _read_stub(package):
            source_module, source_name = _read_stub(package)[name]
            attribute = getattr(import_module(source_module), source_name)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(module, name, attribute)
        return attribute

    def list_names() -> list[str]:
        return sorted(module.__all__)

    return get_attribute, list_names


@functools.cache
def _read_stub(package: str) -> dict[str, tuple[str, str]]:
    """Read the stub of a package. Return the source module and the original name of each public name."""
    spec: Any = sys.modules[package].__spec__
    # The stub is read by the loader of the package, because the package may be in a ZIP archive.
    tree: Any = compile(spec.loader.get_data(f"{spec.origin}i"), package, "exec", _ONLY_AST)
    sources: dict[str, tuple[str, str]] = {}
    for statement in tree.body:
        for alias in statement.names:
            if alias.name == "*":
                for name in import_module(statement.module).__all__:
                    sources[name] = (statement.module, name)
            else:
                sources[alias.asname or alias.name] = (statement.module, alias.name)
    return sources
