"""What chain and language files may hold, as types; checks and JSON schemas come from these.

Only imported when a file or a mapping is checked: msgspec takes a while to import.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.json import schema

from meteor_e.api.languages import Normalization
from meteor_e.languages.schema import Alpha, Beta, Delta, FunctionWords, Gamma, LanguageFile, Name, Weight

__all__ = ["ChainFile", "json_schema"]


class ParameterValues(Struct, kw_only=True, forbid_unknown_fields=True):
    """Parameters of the formula that replace those of the task."""

    alpha: Alpha | UnsetType = UNSET
    beta: Beta | UnsetType = UNSET
    gamma: Gamma | UnsetType = UNSET
    delta: Delta | UnsetType = UNSET


class MatcherEntry(Struct, kw_only=True):
    """A matcher with its weight; all other keys are the matcher's options."""

    use: Annotated[Name, Meta(description="The matcher's name.")]
    weight: Weight | UnsetType = UNSET
    optional: (
        Annotated[bool, Meta(description="Go without the matcher's resource where it is not installed.")] | UnsetType
    ) = UNSET


class LemmatizerEntry(Struct, kw_only=True):
    """A lemmatizer; all other keys are its options."""

    use: Annotated[Name, Meta(description="The lemmatizer's name.")]


ChainName = Annotated[Name, Meta(description="What to call the chain; by default the file's name.")]
Purpose = Annotated[str, Meta(description="What the chain is for, in a line.")]
LanguageChoice = Annotated[
    Name, Meta(description="ISO 639-1 code, 'other' for any language, or the path of a language file.")
]
TaskChoice = Annotated[Name, Meta(description="What the parameters were tuned for.")]
Matchers = Annotated[list[Name | MatcherEntry], Meta(min_length=1, description="The matchers, in order.")]
Beam = Annotated[int, Meta(ge=1, description="Paths that survive a position of the alignment search.")]
CharacterMode = Annotated[bool, Meta(description="Count lengths and matches in characters.")]
Pack = Annotated[Name, Meta(description="Resource pack: the name of an installed one, or a folder.")]
Lemmatizer = Annotated[Name | LemmatizerEntry, Meta(description="What gives words their lemmas and tags.")]


class ChainFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """A chain: everything that decides a METEOR score. What is left out comes from language and task."""

    name: ChainName | UnsetType = UNSET
    description: Purpose | UnsetType = UNSET
    language: LanguageChoice | UnsetType = UNSET
    task: TaskChoice | UnsetType = UNSET
    normalization: Normalization | UnsetType = UNSET
    parameters: ParameterValues | UnsetType = UNSET
    matchers: Matchers | UnsetType = UNSET
    beam: Beam | UnsetType = UNSET
    character_mode: CharacterMode | UnsetType = UNSET
    pack: Pack | UnsetType = UNSET
    function_words: FunctionWords | UnsetType = UNSET
    lemmatizer: Lemmatizer | UnsetType = UNSET


FILES: dict[str, Any] = {"chain": ChainFile, "language": LanguageFile}
"""The kinds of files that have a JSON schema."""


def json_schema(kind: str) -> str:
    """Return the JSON schema (draft 2020-12) of a kind of file, as text."""
    described = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"meteor_e {kind} file",
        **schema(FILES[kind]),
    }
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"
