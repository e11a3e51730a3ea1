"""The hook. Nothing here imports numpy or the extension."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the command ``meteor-e pack build``."""
    return {"pack build": "meteor_e_bitext.cli:build"}
