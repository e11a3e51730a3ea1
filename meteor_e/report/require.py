"""Libraries that need not be installed: those of the extra ``report``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from meteor_e.errors import ConfigError

__all__ = ["require"]


def require(module: str, what: str) -> Any:
    """Import a module of the ``report`` extra.

    Raises:
        ConfigError: if it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{what} needs {error.name}, which is not installed; run: pip install 'meteor_e[report]'"
        ) from error
