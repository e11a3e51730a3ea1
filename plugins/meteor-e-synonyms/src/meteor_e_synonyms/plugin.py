"""The hooks."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """Return the matchers; their libraries are imported when they are used."""
    return {
        "dbnary": "meteor_e_synonyms.dbnary.matcher:DbnaryMatcher",
        "wordnet": "meteor_e_synonyms.wordnet.matcher:WordnetMatcher",
    }


@hookimpl
def meteor_e_java_modules() -> dict[str, str]:
    """Return what METEOR-E added to the Java program."""
    return {"synonym": "meteor_e_synonyms.dbnary.java_module:SynonymModule"}


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return ``meteor-e dbnary``."""
    return {"dbnary": "meteor_e_synonyms.dbnary.command:dbnary"}
