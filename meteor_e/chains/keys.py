"""The keys of a chain, each in one place.

The schema that checks chain files, the reader of files, the arguments of :class:`~meteor_e.Meteor`, the options of the
metric ``meteor``, the command line and the signature are made from :data:`KEYS`. A new key whose value no language and
no task decides is an entry of :data:`KEYS`, a field of :class:`PlainKeys` and one of :class:`ChainArguments`. A chain
then has it as an attribute, for the code that acts on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypedDict

from meteor_e.base.files import named_digest
from meteor_e.base.yamlfile import is_path
from meteor_e.engine.search import DEFAULT_BEAM


class ChainKey(NamedTuple):
    """A key of a chain.

    Attributes:
        help: what it says, in a sentence.
        type: of its values.
        schema: name of a type in :mod:`meteor_e.chains.schemas`, where the type alone does not say what is allowed.
        least: the lowest number that is allowed.
        is_path: whether a value is a path; paths are seen from the chain's file.
        signature: what the signature calls it. The signature names a key without one where its value is not the
            default.
        spell: makes the signature's text of a value.
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
    """The keys whose values no language and no task decides, with their defaults."""

    beam: int = DEFAULT_BEAM
    character_mode: bool = False
    equal_segments: bool = False
    idf: str | None = None
    segmenter: str | None = None


class ChainArguments(TypedDict, total=False):
    """Keys of a chain as :class:`~meteor_e.Meteor` takes them; ``None`` is the same as leaving one out.

    Attributes:
        task: what the parameters were tuned for (``rank``, ``adq``, ``hter``, ``util``, ``li``, ``tune``,
            ``universal``); by default the language's.
        matchers: the chain: names, or mappings such as ``{"use": "stem", "weight": 0.6}``; by default the
            task's.
        parameters: single values of ``alpha``, ``beta``, ``gamma``, ``delta`` that replace the task's.
        normalization: ``none``, ``lower``, ``full`` or ``no-punctuation``; by default ``full`` where the
            language has it, else ``lower``.
        beam: number of paths of the alignment search.
        character_mode: count lengths and matches in characters.
        equal_segments: a system's score counts each segment the same; by default, long ones count more.
        idf: a text, one segment per line, by which words count: the rarer, the more; by default all count alike.
        segmenter: name of the segmenter that finds the words of raw text, in place of the language's.
        pack: resource pack: the name of an installed one, or a folder (a path, or a text with a slash in it);
            by default the language's.
        function_words: pack whose function words count; ``own`` for those of the chain's pack.
        lemmatizer: name of a lemmatizer, or a mapping with its options.
    """

    task: str | None
    matchers: Sequence[str | Mapping[str, Any]] | None
    parameters: Mapping[str, float] | None
    normalization: str | None
    beam: int | None
    character_mode: bool | None
    equal_segments: bool | None
    idf: str | os.PathLike[str] | None
    segmenter: str | None
    pack: str | os.PathLike[str] | None
    function_words: str | os.PathLike[str] | None
    lemmatizer: str | Mapping[str, Any] | None


class ChainOverrides(ChainArguments, total=False):
    """Keys that replace those of a chain.

    Attributes:
        language: ISO 639-1 code.
    """

    language: str | None


KEYS = {
    "name": ChainKey("What to call the chain; by default the file's name."),
    "description": ChainKey("What the chain is for, in a line.", schema="Text"),
    "language": ChainKey(
        "Language of the text: a code (ISO 639, BCP 47), its English name, or the path of a language file.",
        is_path=is_path,
    ),
    "task": ChainKey("What the parameters were tuned for, such as rank, adq, hter, li."),
    "normalization": ChainKey(
        "How text becomes words.",
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
    "beam": ChainKey(
        "Beam width of the alignment search: the number of partial alignments that it keeps.",
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
    "equal_segments": ChainKey(
        "A system's score counts each segment the same, whatever its length.",
        bool,
        spell=lambda equal: str(equal).lower(),
    ),
    "idf": ChainKey(
        "A text, one segment per line: words count by their inverse document frequency in it; goes with delta 0.5.",
        is_path=bool,
        spell=named_digest,
    ),
    "segmenter": ChainKey(
        "Segmenter that finds the words of raw text.",
        schema="Name",
    ),
    "pack": ChainKey(
        "Resource pack: the name of an installed one, or a folder; 'none' for no pack.",
        is_path=is_path,
    ),
    "function_words": ChainKey(
        "Pack (a name or a folder) whose function words count; 'own': those of the chain's pack.",
        schema="Name",
        is_path=is_path,
    ),
    "lemmatizer": ChainKey("What gives words their lemmas and tags.", dict, "Lemmatizer"),
}
"""The keys by name."""

PLAIN: Mapping[str, Any] = {field.name: field.default for field in fields(PlainKeys)}
"""The defaults of the plain keys."""
