"""The hooks. meteor_e calls each once, when it looks for a name that is not its own."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from meteor_e import hookimpl

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """Return matchers by name; the module of each is imported when a chain uses it.

    A plugin whose imports are cheap may return a list of classes: ``return [Soundex, Compounds]``.
    """
    return {
        "soundex": "meteor_e_example.soundex:Soundex",
        "ngrams": "meteor_e_example.ngrams:CharacterNgrams",
        "abbreviations": "meteor_e_example.abbreviations:Abbreviations",
        "compounds": "meteor_e_example.compounds:Compounds",
        "same-lemma": "meteor_e_example.contractions:SameLemma",
    }


@hookimpl
def meteor_e_lemmatizers() -> dict[str, str]:
    """Return lemmatizers."""
    return {"contractions": "meteor_e_example.contractions:Contractions"}


@hookimpl
def meteor_e_features() -> dict[str, str]:
    """Return features."""
    return {"length-ratio": "meteor_e_example.lengths:LengthRatio"}


@hookimpl
def meteor_e_languages() -> list[Traversable]:
    """Return languages: a YAML file for each."""
    return [files("meteor_e_example") / "data" / "co.yaml"]


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return commands; one of a group begins with the group's name."""
    return {"plugins new": "meteor_e_example.new_plugin:new"}


@hookimpl
def meteor_e_chains() -> list[Traversable]:
    """Return named chains: a YAML file for each, named like the chain."""
    return [files("meteor_e_example") / "data" / "example-co.yaml"]
