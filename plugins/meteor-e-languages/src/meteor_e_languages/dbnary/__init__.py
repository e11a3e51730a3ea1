"""Synonyms from DBnary for meteor_e.

:func:`load_synsets` reads METEOR-E's synset files, :class:`~meteor_e_languages.dbnary.matcher.DbnaryMatcher` matches
words by what they hold. The other modules make such synsets: from the SPARQL endpoint, a Turtle dump, or METEOR-E's
files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meteor_e_languages.dbnary.matcher import DbnaryMatcher
    from meteor_e_languages.dbnary.synsets import Synsets, load_synsets, synset_file

__all__ = ["DbnaryMatcher", "Synsets", "load_synsets", "synset_file"]

_LATER = {"DbnaryMatcher": "matcher", "Synsets": "synsets", "load_synsets": "synsets", "synset_file": "synsets"}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
