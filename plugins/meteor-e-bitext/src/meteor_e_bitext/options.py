"""Everything that decides what a pack made of bitext holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from meteor_e.api import ConfigError
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
        target_lines: paraphrases are for phrases in so many lines of the bitext, as in METEOR (10,000); 0: in all.
        sample: paraphrases that the report shows.
        seed: of their choice.
        encoding: of the text files.
    """

    alignment: AlignmentOptions = field(default_factory=AlignmentOptions)
    pivot: PivotOptions = field(default_factory=PivotOptions)
    longest_sentence: int = 100
    longest_phrase: int = 7
    least_count: int = 2
    table_first: bool = False
    target_lines: int = 0
    sample: int = 100
    seed: int = 1
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        bounds = {"longest_sentence": (1, 1000), "longest_phrase": (1, 20), "least_count": (1, 1 << 30)}
        for name, (least, most) in bounds.items():
            if not least <= getattr(self, name) <= most:
                raise ConfigError(f"{name.replace('_', ' ')} is {getattr(self, name)}; it can be {least} to {most}")
