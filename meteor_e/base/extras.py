"""Libraries that need not be installed."""

from __future__ import annotations

from typing import Any

from meteor_e.base.errors import ConfigError

__all__ = ["require"]


def require(module: str, what: str, extra: str) -> Any:
    """Import a module that one of meteor_e's extras brings.

    Args:
        module: its name.
        what: what needs it, for the message.
        extra: the extra.

    Raises:
        ConfigError: if it is not installed.
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{what} needs {error.name}, which is not installed; run: pip install 'meteor_e[{extra}]'"
        ) from error
