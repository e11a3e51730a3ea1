"""Define the options that affect the content of a pack that is built from bitext."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from meteor_e.api import Meta
from meteor_e_bitext.alignment import AlignmentOptions
from meteor_e_bitext.pivot import PivotOptions


@dataclass(frozen=True)
class BitextOptions:
    """Store the options that determine the content of a pack built from bitext.

    Attributes:
        alignment: the options of the word alignment.
        pivot: filters and thresholds for paraphrases.
        longest_sentence: maximum number of words of a sentence. Longer lines are left out.
        longest_phrase: maximum number of words of a phrase.
        least_count: minimum frequency of a phrase. Rarer phrases do not take part in paraphrases.
        table_first: whether the language of the pack is in the first column of the phrase table. By default it is in
            the second column, as in METEOR's tables.
        sample: number of paraphrases in the report.
        seed: seed for the choice of these paraphrases.
        encoding: encoding of the text files.
    """

    alignment: AlignmentOptions = field(default_factory=AlignmentOptions)
    pivot: PivotOptions = field(default_factory=PivotOptions)
    longest_sentence: Annotated[int, Meta(ge=1, le=1000)] = 100
    longest_phrase: Annotated[int, Meta(ge=1, le=20)] = 7
    least_count: Annotated[int, Meta(ge=1, le=1 << 30)] = 2
    table_first: bool = False
    sample: int = 100
    seed: int = 1
    encoding: str = "utf-8"
