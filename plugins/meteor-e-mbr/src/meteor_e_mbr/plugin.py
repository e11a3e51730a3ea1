"""The hook. Nothing here imports numpy."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the command ``meteor-e mbr``."""
    return {"mbr": "meteor_e_mbr.cli:mbr"}
