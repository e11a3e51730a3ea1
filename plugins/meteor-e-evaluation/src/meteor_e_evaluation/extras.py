"""Libraries that need not be installed: those of the extra ``evaluation``."""

from __future__ import annotations

from typing import Any

from meteor_e.base import extras

__all__ = ["require"]


def require(module: str, what: str) -> Any:
    """Import a module of the ``evaluation`` extra.

    Raises:
        ConfigError: if it is not installed.
    """
    return extras.require(module, what, "evaluation")
