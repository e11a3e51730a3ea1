"""The hooks."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """Return the matcher."""
    return {"dbnary": "meteor_e_dbnary.matcher:DbnaryMatcher"}


@hookimpl
def meteor_e_java_modules() -> dict[str, str]:
    """Return what METEOR-E added to the Java program."""
    return {"synonym": "meteor_e_dbnary.java_module:SynonymModule"}


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return ``meteor-e dbnary``."""
    return {"dbnary": "meteor_e_dbnary.command:dbnary"}
