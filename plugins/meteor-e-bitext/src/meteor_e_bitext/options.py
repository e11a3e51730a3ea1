"""Everything that decides what a pack made of bitext holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from meteor_e.api import Meta
from meteor_e_bitext.alignment import AlignmentOptions
from meteor_e_bitext.pivot import PivotOptions


@dataclass(frozen=True)
class BitextOptions:
    """How a pack is made of bitext.

    Attributes:
        alignment: how words are aligned.
        pivot: filters and thresholds of the paraphrases.
        longest_sentence: lines with more words are left out.
        longest_phrase: words of the longest phrase.
        least_count: phrases that occur less often have no paraphrases and are none.
        table_first: the pack's language is the first column of a phrase table; METEOR's is the second.
        sample: paraphrases that the report shows.
        seed: of their choice.
        encoding: of the text files.
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
