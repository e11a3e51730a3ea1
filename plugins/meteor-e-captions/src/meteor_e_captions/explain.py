"""Scores of captions in words: what is missing, what was invented, what contradicts, and whether it is broken."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from meteor_e_captions.broken import repetitions
from meteor_e_captions.features import compare_words
from meteor_e_captions.lexicon import KINDS, split

if TYPE_CHECKING:
    from meteor_e_captions.broken import BrokenDetector
    from meteor_e_captions.lexicon import CaptionLexicon

_NAMED = ("object", "attribute", "action", "number", "color")
_AGREED = 0.5
"""Share of the references that have a word which a caption should have."""


@dataclass(frozen=True)
class CaptionReport:
    """An explanation of a caption's score: what is right, and what is wrong.

    Attributes:
        caption: the text.
        missing: words by kind that at least half of the references have, and the caption has not; synonyms count.
        invented: words by kind that no reference has.
        broken: the probability that the caption is not a whole sentence.
        reasons: why it is taken for broken; empty if it is not.
    """

    caption: str
    missing: dict[str, list[str]]
    invented: dict[str, list[str]]
    broken: float
    reasons: list[str]

    def __str__(self) -> str:
        """Say it in a line."""
        said = []
        for name, words in (("missing", self.missing), ("not in any reference", self.invented)):
            listed = [f"{kind}s {', '.join(each)}" for kind, each in words.items()]
            if listed:
                said.append(f"{name}: {'; '.join(listed)}")
        if self.reasons:
            said.append(f"probably broken ({', '.join(self.reasons)})")
        return ". ".join(said) if said else "nothing is missing, and nothing was invented"

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold; ``said`` is the report in words."""
        return {**asdict(self), "said": str(self)}


def describe_captions(
    lexicon: CaptionLexicon, detector: BrokenDetector, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> list[CaptionReport]:
    """Return a report for each caption."""
    compared = compare_words(lexicon, hypotheses, references)
    kinds = lexicon.columns.kind
    needed = _AGREED * np.array([len(texts) for texts in references])[compared.theirs.segment]
    missing: list[dict[str, list[str]]] = [{} for _ in hypotheses]
    invented: list[dict[str, list[str]]] = [{} for _ in hypotheses]
    has = {(int(segment), int(stem)) for segment, stem in zip(compared.own.segment, compared.own.stem, strict=True)}
    for side, lists, wrong in (
        (compared.own, invented, (compared.own.support == 0) & ~compared.own.synonym),
        (compared.theirs, missing, (compared.theirs.support >= needed) & ~compared.theirs.synonym),
    ):
        for at in wrong.nonzero()[0].tolist():
            segment, stem, word = int(side.segment[at]), int(side.stem[at]), int(side.word[at])
            kind = KINDS[kinds[word]]
            if kind in _NAMED and (lists is invented or (segment, stem) not in has):
                lists[segment].setdefault(kind, []).append(lexicon.words[word])
    reports = []
    logits = detector.logits(lexicon, compared.captions).tolist()
    repeats = repetitions(lexicon.columns, compared.captions)[:, :5].max(axis=1).tolist()
    for number, (text, logit) in enumerate(zip(hypotheses, logits, strict=True)):
        reasons = detector.reasons(split(text), repeats=repeats[number] > 0) if logit > 0 else []
        broken = 1 / (1 + math.exp(-max(logit, -500.0)))
        reports.append(CaptionReport(text, missing[number], invented[number], broken, reasons))
    return reports


def describe_difference(
    first: Sequence[CaptionReport], second: Sequence[CaptionReport], names: tuple[str, str]
) -> list[str]:
    """Say in lines what two systems leave out and invent, and how many of their captions are broken."""
    lines = []
    for name, reports in zip(names, (first, second), strict=True):
        if len(reports) == 1:
            lines.append(f"{name}: {reports[0]}.")
            continue
        for title, which in (("leaves out most often", "missing"), ("invents most often", "invented")):
            counts = Counter(word for report in reports for words in getattr(report, which).values() for word in words)
            if counts:
                listed = ", ".join(f"{word} ({count})" for word, count in counts.most_common(8))
                lines.append(f"{name} {title}: {listed}.")
        broken = [report for report in reports if report.broken > 0.8]
        line = f"{name}: {len(broken)} of {len(reports)} captions are probably broken"
        if broken:
            worst = max(broken, key=lambda report: report.broken)
            line += f", such as '{worst.caption}' ({', '.join(worst.reasons)})"
        lines.append(line + ".")
    return lines
