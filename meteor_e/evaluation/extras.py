"""Libraries that need not be installed: those of the extra ``evaluation``."""

from __future__ import annotations

from typing import Any

from meteor_e.errors import ConfigError

__all__ = ["require"]


def require(module: str, what: str) -> Any:
    """Import a module of the ``evaluation`` extra.

    Raises:
        ConfigError: if it is not installed.
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{what} needs {error.name}, which is not installed; run: pip install 'meteor_e[evaluation]'"
        ) from error
