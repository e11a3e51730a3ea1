"""Libraries and plugins that need not be installed."""

from __future__ import annotations

from typing import Any

from meteor_e.base.errors import ConfigError

__all__ = ["how_to_install", "require", "require_plugin"]


def require(module: str, what: str, extra: str) -> Any:
    """Import a module that one of meteor_e's extras brings.

    Args:
        module: its name.
        what: what needs it, for the message.
        extra: the extra.

    Raises:
        ConfigError: if it is not installed.
    """
    return _imported(module, what, f"run: pip install 'meteor_e[{extra}]'")


def require_plugin(module: str, what: str, distribution: str) -> Any:
    """Import the package of a distribution of ours.

    Args:
        module: the package's name.
        what: what needs it, for the message.
        distribution: the distribution, such as ``meteor-e-evaluation``.

    Raises:
        ConfigError: if it is not installed.
    """
    return _imported(module, what, how_to_install(distribution))


def how_to_install(distribution: str) -> str:
    """Return what to run where a distribution of ours is missing."""
    return f"pip install {distribution}, or in a clone of meteor_e: pip install ./plugins/{distribution}"


def _imported(module: str, what: str, advice: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(f"{what} needs {error.name}, which is not installed; {advice}") from error
