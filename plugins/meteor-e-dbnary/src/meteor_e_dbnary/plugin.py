"""The hooks."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """Return the matcher."""
    return {"dbnary": "meteor_e_dbnary.matcher:DbnaryMatcher"}
