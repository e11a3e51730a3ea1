"""Reports on captions: missing words, invented words, and whether the caption is broken."""

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
    from meteor_e.base.array_cache import Cells
    from meteor_e_captions.broken import BrokenDetector
    from meteor_e_captions.features import CaptionComparison, DistinctWords
    from meteor_e_captions.lexicon import CaptionLexicon

_LISTED_KINDS = ("object", "attribute", "action", "number", "color")
_MIN_SUPPORT = 0.5
"""The share of references that must contain a word for it to be reported as missing."""


@dataclass(frozen=True)
class CaptionReport:
    """An explanation of a caption's score: what is right, and what is wrong.

    Attributes:
        caption: the text.
        missing: the words, by kind, that at least half of the references contain, but not the caption. A word is not
            missing if the caption contains a synonym.
        invented: the words, by kind, that no reference contains.
        broken: the probability that the caption is not a complete sentence.
        reasons: the reasons why the caption is considered broken; empty if it is not.
    """

    caption: str
    missing: dict[str, list[str]]
    invented: dict[str, list[str]]
    broken: float
    reasons: list[str]

    def __str__(self) -> str:
        """Return the report as one line of text."""
        sentences = []
        for title, words_by_kind in (("missing", self.missing), ("not in any reference", self.invented)):
            lists = [f"{kind}s {', '.join(words)}" for kind, words in words_by_kind.items()]
            if lists:
                sentences.append(f"{title}: {'; '.join(lists)}")
        if self.reasons:
            sentences.append(f"probably broken ({', '.join(self.reasons)})")
        return ". ".join(sentences) if sentences else "nothing is missing, and nothing was invented"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a dictionary for JSON; ``said`` contains the text."""
        return {**asdict(self), "said": str(self)}


def describe_captions(
    lexicon: CaptionLexicon, detector: BrokenDetector, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> list[CaptionReport]:
    """Return a report for each caption."""
    comparison = compare_words(lexicon, hypotheses, references)
    missing = _list_missing(lexicon, comparison, [len(texts) for texts in references])
    invented = _list_invented(lexicon, comparison, len(hypotheses))
    logits = detector.logits(lexicon, comparison.captions).tolist()
    repeats = repetitions(lexicon.columns, comparison.captions)[:, :5].max(axis=1).tolist()
    reports = []
    for index, (text, logit) in enumerate(zip(hypotheses, logits, strict=True)):
        reasons = detector.reasons(split(text), repeats=repeats[index] > 0) if logit > 0 else []
        broken = 1 / (1 + math.exp(-max(logit, -500.0)))
        reports.append(CaptionReport(text, missing[index], invented[index], broken, reasons))
    return reports


def _list_missing(
    lexicon: CaptionLexicon, comparison: CaptionComparison, reference_counts: Sequence[int]
) -> list[dict[str, list[str]]]:
    """Return for each caption the words by kind that enough references contain, but not the caption."""
    captions, references = comparison.caption_words, comparison.reference_words
    caption_stems = set(zip(captions.segment.tolist(), captions.stem.tolist(), strict=True))
    stems = zip(references.segment.tolist(), references.stem.tolist(), strict=True)
    is_in_caption = np.array([stem in caption_stems for stem in stems], bool)
    min_support = _MIN_SUPPORT * np.array(reference_counts)[references.segment]
    is_missing = (references.support >= min_support) & ~references.has_synonym & ~is_in_caption
    return _list_by_kind(lexicon, references, is_missing, len(reference_counts))


def _list_invented(
    lexicon: CaptionLexicon, comparison: CaptionComparison, n_captions: int
) -> list[dict[str, list[str]]]:
    """Return for each caption the words by kind that no reference contains."""
    words = comparison.caption_words
    return _list_by_kind(lexicon, words, (words.support == 0) & ~words.has_synonym, n_captions)


def _list_by_kind(
    lexicon: CaptionLexicon, words: DistinctWords, is_listed: Cells, n_captions: int
) -> list[dict[str, list[str]]]:
    lists: list[dict[str, list[str]]] = [{} for _ in range(n_captions)]
    for index in is_listed.nonzero()[0].tolist():
        word = int(words.word[index])
        kind = KINDS[lexicon.columns.kind[word]]
        if kind in _LISTED_KINDS:
            lists[int(words.segment[index])].setdefault(kind, []).append(lexicon.words[word])
    return lists


def describe_difference(
    first: Sequence[CaptionReport], second: Sequence[CaptionReport], names: tuple[str, str]
) -> list[str]:
    """Return lines that say what two systems leave out and invent, and how many of their captions are broken."""
    lines = []
    for name, reports in zip(names, (first, second), strict=True):
        if len(reports) == 1:
            lines.append(f"{name}: {reports[0]}.")
            continue
        for title, attribute in (("leaves out most often", "missing"), ("invents most often", "invented")):
            counts = Counter(
                word for report in reports for words in getattr(report, attribute).values() for word in words
            )
            if counts:
                frequent = ", ".join(f"{word} ({count})" for word, count in counts.most_common(8))
                lines.append(f"{name} {title}: {frequent}.")
        broken = [report for report in reports if report.broken > 0.8]
        line = f"{name}: {len(broken)} of {len(reports)} captions are probably broken"
        if broken:
            worst = max(broken, key=lambda report: report.broken)
            line += f", such as '{worst.caption}' ({', '.join(worst.reasons)})"
        lines.append(line + ".")
    return lines
