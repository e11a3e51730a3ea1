"""The environment variable with which users forbid downloads."""

from __future__ import annotations

import os

VARIABLE = "METEOR_E_OFFLINE"
"""The environment variable that forbids downloads. ``meteor-e --offline`` sets it."""


def is_offline() -> bool:
    """Return whether the user has forbidden downloads."""
    return os.environ.get(VARIABLE, "") not in ("", "0")
