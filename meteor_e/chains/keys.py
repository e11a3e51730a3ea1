"""The definitions of the keys of chains.

The schema that checks chain files, the reader of files, the arguments of :class:`~meteor_e.Meteor`, the options of the
metric ``meteor``, the command line and the signature are derived from :data:`KEYS`. To add a key that does not depend
on the language or the task, add an entry to :data:`KEYS`, a field to :class:`PlainKeys` and a field to
:class:`ChainArguments`. The chain then has an attribute of that name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypedDict

from meteor_e.base.files import name_with_digest
from meteor_e.base.yamlfile import is_path
from meteor_e.engine.search import DEFAULT_BEAM


class ChainKey(NamedTuple):
    """A key of a chain.

    Attributes:
        help: the help text of the key, one sentence.
        type: the type of the key's values.
        schema: the name of a type in :mod:`meteor_e.chains.schemas` that is more specific than ``type``.
        least: the minimum value of a number.
        is_path: a function that returns whether a value is a path. Paths are relative to the chain's file.
        signature: the name of the key in the signature. If it is empty, the signature contains the key under its own
            name, and only if its value differs from the default.
        spell: a function that formats a value for the signature.
    """

    help: str
    type: type = str
    schema: str = ""
    least: int | None = None
    is_path: Callable[[str], bool] | None = None
    signature: str = ""
    spell: Callable[[Any], str] = str


@dataclass(frozen=True, kw_only=True)
class PlainKeys:
    """The settings of a chain whose defaults are the same for all languages and tasks."""

    beam: int = DEFAULT_BEAM
    character_mode: bool = False
    average: str = "micro"
    idf: str | None = None
    segmenter: str | None = None

    def plain_settings(self) -> dict[str, Any]:
        """Return a dictionary that maps the name of each field of :class:`PlainKeys` to its value."""
        return {name: getattr(self, name) for name in PLAIN_DEFAULTS}


class ChainArguments(TypedDict, total=False):
    """The settings of a chain as arguments of :class:`~meteor_e.Meteor`. The value ``None`` means the default.

    Attributes:
        task: the task that the parameters were tuned for (``rank``, ``adq``, ``hter``, ``util``, ``li``, ``tune``,
            ``universal``); by default the default task of the language.
        matchers: the matchers, in order: names, or mappings such as ``{"use": "stem", "weight": 0.6}``; by default the
            matchers of the task.
        parameters: values of ``alpha``, ``beta``, ``gamma`` or ``delta`` that replace the task's.
        normalization: ``none``, ``lower``, ``full`` or ``no-punctuation``; by default ``full`` if the language
            supports it, otherwise ``lower``.
        average: how segments are averaged in a system's score: ``micro``, so that long segments count more (the
            default), or ``macro``, so that all segments have the same weight.
        beam: the beam width of the alignment search.
        character_mode: count lengths and matches in characters.
        idf: a text file with one segment per line. Words are weighted by their inverse document frequency in it. By
            default, all words have the same weight.
        segmenter: the name of the segmenter to use instead of the language's.
        pack: the resource pack: the name of an installed pack, or a folder (a path, or a string with a slash); by
            default the pack of the language.
        function_words: the pack that supplies the function words; ``own`` for the chain's pack.
        lemmatizer: the name of a lemmatizer, or a mapping with its name and options.
    """

    task: str | None
    matchers: Sequence[str | Mapping[str, Any]] | None
    parameters: Mapping[str, float] | None
    normalization: str | None
    average: str | None
    beam: int | None
    character_mode: bool | None
    idf: str | os.PathLike[str] | None
    segmenter: str | None
    pack: str | os.PathLike[str] | None
    function_words: str | os.PathLike[str] | None
    lemmatizer: str | Mapping[str, Any] | None


class ChainOverrides(ChainArguments, total=False):
    """Settings that override the settings of an existing chain.

    Attributes:
        language: the ISO 639-1 code of the language.
    """

    language: str | None


KEYS = {
    "name": ChainKey("The name of the chain; by default the name of its file."),
    "description": ChainKey("The purpose of the chain, in one line.", schema="Text"),
    "language": ChainKey(
        "The language of the text: a code (ISO 639, BCP 47), its English name, or the path of a language file.",
        is_path=is_path,
    ),
    "task": ChainKey("The judgments that the parameters were tuned for, such as rank, adq, hter or li."),
    "normalization": ChainKey(
        "The normalization of the text before segmentation.",
        schema="Normalization",
    ),
    "parameters": ChainKey(
        "Parameters of the formula that replace those of the task.",
        dict,
        "ParameterValues",
    ),
    "matchers": ChainKey(
        "The matchers, in order.",
        list,
        "Matchers",
    ),
    "average": ChainKey(
        "The average of the segments in a corpus score: micro (long segments count more) or macro (all count equally).",
        schema="Average",
    ),
    "beam": ChainKey(
        "The beam width of the alignment search: the number of partial alignments that it keeps.",
        int,
        least=1,
        signature="beam",
    ),
    "character_mode": ChainKey(
        "Count lengths and matches in characters.",
        bool,
        signature="units",
        spell=lambda characters: "chars" if characters else "words",
    ),
    "idf": ChainKey(
        "A text file with one segment per line, for weighting words by inverse document frequency; requires delta 0.5.",
        is_path=bool,
        spell=name_with_digest,
    ),
    "segmenter": ChainKey(
        "The segmenter that splits text into tokens.",
        schema="Name",
    ),
    "pack": ChainKey(
        "The resource pack: the name of an installed pack, or a folder; 'none' for no pack.",
        is_path=is_path,
    ),
    "function_words": ChainKey(
        "The pack that supplies the function words: a name or a folder; 'own' for the chain's pack.",
        schema="Name",
        is_path=is_path,
    ),
    "lemmatizer": ChainKey("The lemmatizer, which supplies lemmas and tags of words.", dict, "Lemmatizer"),
}
"""The keys of a chain, by name."""

PLAIN_DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in fields(PlainKeys)}
"""The default values of :class:`PlainKeys`, by name."""
