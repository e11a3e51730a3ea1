"""The hook. Nothing here imports numpy or the extension."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the commands of ``meteor-e pack``."""
    return {
        "pack build": "meteor_e_bitext.cli:build",
        "pack info": "meteor_e_bitext.pack_info:info",
    }
