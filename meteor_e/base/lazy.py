"""Packages whose names are imported when they are used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_ONLY_TREE = 1 << 10
"""``ast.PyCF_ONLY_AST``, without the time that importing ``ast`` takes."""


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package that imports its public names on demand.

    The package's stub, ``__init__.pyi``, lists the names and where they come from, once, for us and for type checkers::

        from meteor_e.base.files import whole_file as whole_file
        from meteor_e.api import *

    ``__all__`` is made from it, too.

    Args:
        package: the package's ``__name__``.
    """
    homes: dict[str, tuple[str, str]] = {}

    def home_of(name: str) -> tuple[str, str] | None:
        if not homes:
            homes.update(_listed(package))
        return homes.get(name)

    def getattribute(name: str) -> Any:
        module = sys.modules[package]
        if name == "__all__":
            home_of(name)
            value: Any = sorted(homes)
        else:
            # Other names with underscores are what the interpreter asks every module for.
            home = None if name.startswith("__") and name != "__version__" else home_of(name)
            if home is None:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            value = getattr(import_module(home[0]), home[1])
        setattr(module, name, value)
        return value

    return getattribute, lambda: sorted(sys.modules[package].__all__)


def _listed(package: str) -> dict[str, tuple[str, str]]:
    """Return the names that a package's stub lists, each with its module and its name there."""
    spec = sys.modules[package].__spec__
    assert spec is not None
    stub = f"{spec.origin}i"
    # By the loader, so that it is found in an archive, too.
    tree: Any = compile(spec.loader.get_data(stub), stub, "exec", _ONLY_TREE)  # type: ignore[union-attr]
    homes: dict[str, tuple[str, str]] = {}
    for statement in tree.body:
        for name in statement.names:
            if name.name == "*":
                homes |= {each: (statement.module, each) for each in import_module(statement.module).__all__}
            else:
                homes[name.asname or name.name] = (statement.module, name.name)
    return homes
