"""The hooks."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return commands by name."""
    return {"serve": "meteor_e_server.cli:serve"}
