"""Libraries that need not be installed."""

from __future__ import annotations

from typing import Any

from meteor_e.base.extras import require as require_of


def require(module: str, what: str, extra: str = "") -> Any:
    """Import a module that an extra of meteor-e-tables brings, or the distribution itself.

    Raises:
        ConfigError: if it is not installed.
    """
    return require_of(module, what, extra, "meteor-e-tables")
