"""The hook. Nothing here imports numpy, jinja2 or rich."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the commands."""
    return {"align": "meteor_e_report.align:align", "report": "meteor_e_report.cli:report"}
