"""Packages whose names are imported when they are used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(
    package: str, homes: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package that imports its public names on demand.

    The package lists the same names in ``__all__`` and, for type checkers, imports them under ``TYPE_CHECKING``.

    Args:
        package: the package's ``__name__``.
        homes: for each module the names that come from it. Modules are named within the package; a dot in front means
            within meteor_e.
    """
    home_of = {
        name: f"meteor_e{module}" if module.startswith(".") else f"{package}.{module}"
        for module, names in homes.items()
        for name in names
    }

    def getattribute(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return getattribute, lambda: sorted(sys.modules[package].__all__)
