"""Packages whose names are imported when they are used."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_ONLY_TREE = 1 << 10
"""``ast.PyCF_ONLY_AST``, without the time that importing ``ast`` takes."""


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package that imports its public names on demand.

    The package's stub, ``__init__.pyi``, lists the names and where they come from, once, for us and for type checkers::

        from meteor_e.base.atomic import atomic_file as atomic_file
        from meteor_e.api import *

    ``__all__`` is made from it, too.

    Args:
        package: the package's ``__name__``.
    """
    module = sys.modules[package]

    @functools.cache
    def homes() -> dict[str, tuple[str, str]]:
        """Return the names that the stub lists, each with its module and its name there."""
        spec: Any = module.__spec__
        # By the loader, so that it is found in an archive, too.
        tree: Any = compile(spec.loader.get_data(f"{spec.origin}i"), package, "exec", _ONLY_TREE)
        found: dict[str, tuple[str, str]] = {}
        for statement in tree.body:
            for name in statement.names:
                if name.name == "*":
                    found |= {each: (statement.module, each) for each in import_module(statement.module).__all__}
                else:
                    found[name.asname or name.name] = (statement.module, name.name)
        return found

    def getattribute(name: str) -> Any:
        # Other names with underscores are what the interpreter asks every module for.
        if name != "__all__" and ((name.startswith("__") and name != "__version__") or name not in homes()):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if name == "__all__":
            value: Any = sorted(homes())
        else:
            home, own = homes()[name]
            value = getattr(import_module(home), own)
        setattr(module, name, value)
        return value

    return getattribute, lambda: sorted(module.__all__)
