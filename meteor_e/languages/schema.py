"""The types of language files. They are used for checks and for the JSON schema.

This module is imported only when a file or a mapping is checked, because msgspec loads slowly.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from meteor_e.api.languages import MAX_WEIGHT, Normalization

Name = Annotated[str, Meta(min_length=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0, le=MAX_WEIGHT, description="Weight of the matcher in the score.")]

Alpha = Annotated[Share, Meta(description="Balance of precision and recall; the higher, the more recall counts.")]
Beta = Annotated[float, Meta(ge=0, description="Exponent of the fragmentation.")]
Gamma = Annotated[Share, Meta(description="Largest share of the score that the fragmentation penalty takes.")]
Delta = Annotated[Share, Meta(description="Weight of content words; function words weigh 1 - delta.")]

FunctionWords = Annotated[
    Name, Meta(description="Pack (a name or a folder) whose function words count; 'own': those of the chain's pack.")
]


class TaskValues(Struct, kw_only=True, forbid_unknown_fields=True):
    """A set of parameters, and matchers with their weights, in chain order."""

    alpha: Alpha
    beta: Beta
    gamma: Gamma
    delta: Delta
    weights: Annotated[dict[Name, Weight], Meta(min_length=1, description="Matchers and their weights.")]


Code = Annotated[str, Meta(pattern="^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$")]
LanguageNormalization = Annotated[
    Normalization, Meta(description="How text is normalized where nothing else is asked for; by default lower.")
]
Apostrophes = Annotated[
    Literal["apart", "english", "french"],
    Meta(description="How full normalization treats apostrophes; by default apart."),
]
Tasks = Annotated[dict[Name, TaskValues], Meta(description="Tasks of its own, beside those that all have.")]


class EvidenceValues(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a resource changed in the agreement with human judgments."""

    change: Annotated[float, Meta(ge=-1, le=1, description="Difference of Kendall's tau inside a segment.")]
    low: Annotated[float, Meta(ge=-1, le=1, description="Lower end of its 95 % interval.")]
    high: Annotated[float, Meta(ge=-1, le=1, description="Upper end of its 95 % interval.")]
    data: Annotated[Name, Meta(description="The judgments.")]


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
    lemmatizer: (
        Annotated[Name, Meta(description="Lemmatizer of chains with the matcher lemma that name none.")] | UnsetType
    ) = UNSET
    resources: (
        Annotated[
            list[Literal["simplemma", "omw", "dbnary"]],
            Meta(description="What can be had by name beside its stems."),
        ]
        | UnsetType
    ) = UNSET
    evidence: (
        Annotated[dict[Name, EvidenceValues], Meta(description="What resources changed in the agreement with people.")]
        | UnsetType
    ) = UNSET
    pack: Annotated[Name, Meta(description="Resource pack that the language needs.")] | UnsetType = UNSET
    function_words: FunctionWords | UnsetType = UNSET
    aliases: Annotated[list[Code], Meta(description="Other codes that it answers to.")] | UnsetType = UNSET
    meteor_code: Annotated[Code, Meta(description="The Java program's code.")] | UnsetType = UNSET
