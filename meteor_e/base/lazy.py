"""Define packages whose public names are imported when they are used for the first time."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

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
    return functools.partial(_import_attribute, package), functools.partial(_list_names, package)


def _import_attribute(package: str, name: str) -> Any:
    """Import a public name of a package, and store it as an attribute of the package. Return the attribute."""
    # Python looks up special names, such as __path__, in every module. The stub is not read for these names.
    is_special = name.startswith("__") and name not in ("__all__", "__version__")
    if name == "__all__":
        attribute: Any = _list_names(package)
    elif not is_special and name in _read_stub(package):
        source = _read_stub(package)[name]
        attribute = getattr(import_module(source.module), source.name)
    else:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    setattr(sys.modules[package], name, attribute)
    return attribute


def _list_names(package: str) -> list[str]:
    """Return the sorted public names of a package."""
    return sorted(_read_stub(package))


class _ImportSource(NamedTuple):
    """The origin of an imported name: the module of the import statement, and the original name in that module."""

    module: str
    name: str


@functools.cache
def _read_stub(package: str) -> dict[str, _ImportSource]:
    """Read the stub of a package, which consists of imports, and return the source of each public name."""
    spec: Any = sys.modules[package].__spec__
    # The stub is read by the loader of the package, because the package may be in a ZIP archive.
    stub_code = spec.loader.get_data(f"{spec.origin}i")
    stub: Any = compile(stub_code, package, "exec", _ONLY_AST)
    sources: dict[str, _ImportSource] = {}
    for statement in stub.body:
        sources |= _read_import(statement)
    return sources


def _read_import(statement: Any) -> dict[str, _ImportSource]:
    """For each name that a ``from … import …`` statement defines, return the module and the original name."""
    module = statement.module
    if statement.names[0].name == "*":
        return {name: _ImportSource(module, name) for name in import_module(module).__all__}
    return {alias.asname or alias.name: _ImportSource(module, alias.name) for alias in statement.names}
