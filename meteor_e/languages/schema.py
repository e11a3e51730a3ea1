"""Types that describe a language file in YAML. They are used to check files and to create a JSON schema.

This module is imported only when a file or a mapping is checked, because msgspec loads slowly.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from meteor_e.api.languages import MAX_WEIGHT, Normalization

Name = Annotated[str, Meta(min_length=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0, le=MAX_WEIGHT, description="Weight of the matcher in the score.")]

Alpha = Annotated[Share, Meta(description="Balance of precision and recall; a higher value gives recall more weight.")]
Beta = Annotated[float, Meta(ge=0, description="Exponent of the fragmentation.")]
Gamma = Annotated[Share, Meta(description="Maximum share of the score that the fragmentation penalty can remove.")]
Delta = Annotated[Share, Meta(description="Weight of content words; function words have the weight 1 - delta.")]

FunctionWords = Annotated[
    Name, Meta(description="Pack that supplies the function words: a name or a folder; 'own' for the chain's pack.")
]


class TaskValues(Struct, kw_only=True, forbid_unknown_fields=True):
    """The settings of a task: parameters of the score formula, and matchers with their weights, in chain order."""

    alpha: Alpha
    beta: Beta
    gamma: Gamma
    delta: Delta
    weights: Annotated[dict[Name, Weight], Meta(min_length=1, description="Matchers and their weights.")]


Code = Annotated[
    str, Meta(pattern="^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$", extra={"form": "letters and digits, joined by - or _"})
]
LanguageNormalization = Annotated[
    Normalization, Meta(description="Normalization of text if a chain does not specify it; by default lower.")
]
Apostrophes = Annotated[
    Literal["apart", "english", "french"],
    Meta(description="Treatment of apostrophes in full normalization; by default apart."),
]
Tasks = Annotated[
    dict[Name, TaskValues], Meta(description="Tasks of the language, in addition to the tasks that all languages have.")
]


class EvidenceValues(Struct, kw_only=True, forbid_unknown_fields=True):
    """The measured effect of a resource on the correlation with human judgments."""

    change: Annotated[float, Meta(ge=-1, le=1, description="Difference of Kendall's tau inside a segment.")]
    low: Annotated[float, Meta(ge=-1, le=1, description="Lower end of the 95% confidence interval.")]
    high: Annotated[float, Meta(ge=-1, le=1, description="Upper end of the 95% confidence interval.")]
    data: Annotated[Name, Meta(description="The judgments.")]


class LanguageFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """The definition of a language."""

    code: Annotated[Code, Meta(description="ISO 639-1 code.")]
    name: Annotated[Name, Meta(description="English name.")]
    matchers: Annotated[list[Name], Meta(min_length=1, description="The matchers of the language, in chain order.")]
    default_task: Annotated[Name, Meta(description="The task of chains that do not name a task.")]
    tasks: Tasks | UnsetType = UNSET
    normalization: LanguageNormalization | UnsetType = UNSET
    apostrophes: Apostrophes | UnsetType = UNSET
    stemmer: Annotated[Name, Meta(description="Snowball stemmer.")] | UnsetType = UNSET
    segmenter: Annotated[Name, Meta(description="Segmenter that splits text into tokens.")] | UnsetType = UNSET
    lemmatizer: (
        Annotated[Name, Meta(description="Lemmatizer of chains with the matcher lemma that do not name a lemmatizer.")]
        | UnsetType
    ) = UNSET
    resources: (
        Annotated[
            list[Literal["simplemma", "omw", "dbnary"]],
            Meta(description="Resources that can be installed by name, in addition to stems."),
        ]
        | UnsetType
    ) = UNSET
    evidence: (
        Annotated[
            dict[Name, EvidenceValues],
            Meta(description="Measured effect of resources on the agreement with human judgments."),
        ]
        | UnsetType
    ) = UNSET
    pack: Annotated[Name, Meta(description="Resource pack that the language needs.")] | UnsetType = UNSET
    function_words: FunctionWords | UnsetType = UNSET
    aliases: Annotated[list[Code], Meta(description="Other codes of the language.")] | UnsetType = UNSET
    meteor_code: Annotated[Code, Meta(description="Code of the language in the Java program.")] | UnsetType = UNSET
