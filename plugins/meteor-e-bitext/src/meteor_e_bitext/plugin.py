"""Register the commands of the plugin without importing NumPy or the extension module."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the commands that the plugin adds to ``meteor-e pack``."""
    return {
        "pack build": "meteor_e_bitext.cli:build",
        "pack info": "meteor_e_bitext.pack_info:info",
    }
