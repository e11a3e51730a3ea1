"""What chain and language files may hold, as types; checks and JSON schemas come from these.

Only imported when a file or a mapping is checked: msgspec takes a while to import.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.json import schema

from meteor_e.text.normalization import Normalization

__all__ = ["ChainFile", "CommonTasks", "LanguageFile", "json_schema"]

Name = Annotated[str, Meta(min_length=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0, description="Weight of the matcher in the score.")]

Alpha = Annotated[Share, Meta(description="Balance of precision and recall; the higher, the more recall counts.")]
Beta = Annotated[float, Meta(ge=0, description="Exponent of the fragmentation.")]
Gamma = Annotated[Share, Meta(description="Largest share of the score that the fragmentation penalty takes.")]
Delta = Annotated[Share, Meta(description="Weight of content words; function words weigh 1 - delta.")]


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
    """A lemmatiser; all other keys are its options."""

    use: Annotated[Name, Meta(description="The lemmatiser's name.")]


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
FunctionWords = Annotated[
    Name, Meta(description="Pack (a name or a folder) whose function words count; 'own': those of the chain's pack.")
]
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


class TaskValues(Struct, kw_only=True, forbid_unknown_fields=True):
    """A set of parameters, and matchers with their weights, in chain order."""

    alpha: Alpha
    beta: Beta
    gamma: Gamma
    delta: Delta
    weights: Annotated[dict[Name, Weight], Meta(min_length=1, description="Matchers and their weights.")]


Code = Annotated[str, Meta(pattern="^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$")]
LanguageNormalization = Annotated[
    Normalization, Meta(description="How text is normalised where nothing else is asked for; by default lower.")
]
Apostrophes = Annotated[
    Literal["apart", "english", "french"],
    Meta(description="How full normalisation treats apostrophes; by default apart."),
]
Tasks = Annotated[dict[Name, TaskValues], Meta(description="Tasks of its own, beside those that all have.")]


class LanguageFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """What METEOR knows of a language."""

    code: Annotated[Code, Meta(description="ISO 639-1 code.")]
    name: Annotated[Name, Meta(description="English name.")]
    matchers: Annotated[list[Name], Meta(min_length=1, description="The language's modules, in chain order.")]
    default_task: Annotated[Name, Meta(description="The task used where none is named.")]
    tasks: Tasks | UnsetType = UNSET
    normalization: LanguageNormalization | UnsetType = UNSET
    apostrophes: Apostrophes | UnsetType = UNSET
    stemmer: Annotated[Name, Meta(description="Snowball stemmer.")] | UnsetType = UNSET
    segmenter: Annotated[Name, Meta(description="Segmenter that finds the words of raw text.")] | UnsetType = UNSET
    pack: Annotated[Name, Meta(description="Resource pack that the language needs.")] | UnsetType = UNSET
    function_words: FunctionWords | UnsetType = UNSET
    aliases: Annotated[list[Code], Meta(description="Other codes that it answers to.")] | UnsetType = UNSET
    meteor_code: Annotated[Code, Meta(description="The Java program's code.")] | UnsetType = UNSET


class CommonTask(Struct, kw_only=True, forbid_unknown_fields=True):
    """A task of every language; a list of weights goes to the language's own modules, by position."""

    alpha: Alpha
    beta: Beta
    gamma: Gamma
    delta: Delta
    weights: dict[Name, Weight] | list[Weight]


CommonTasks = dict[Name, CommonTask]

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
