"""The hook. Nothing here imports numpy or jinja2."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the command ``meteor-e report``."""
    return {"report": "meteor_e_report.cli:report"}
