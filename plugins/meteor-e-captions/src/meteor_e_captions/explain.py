"""Explains the scores of captions by missing words, invented words, and signs that a caption is broken."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from meteor_e_captions.broken import REPETITIONS, count_repetitions
from meteor_e_captions.features import compare_words
from meteor_e_captions.lexicon import KINDS

if TYPE_CHECKING:
    from meteor_e_captions.broken import BrokenDetector
    from meteor_e_captions.features import CaptionComparison, StemCounts
    from meteor_e_captions.lexicon import CaptionLexicon, EncodedTexts

_LISTED_KINDS = ("object", "attribute", "action", "number", "color")
_MIN_SUPPORT = 0.5
"""The share of references that must contain a word before the word is reported as missing."""
_MAX_FREQUENT_WORDS = 8
_MIN_BROKEN = 0.8
"""The lowest probability at which :func:`describe_difference` considers a caption broken."""


@dataclass(frozen=True)
class CaptionReport:
    """A report that explains the score of a caption.

    Attributes:
        caption: the caption.
        missing: for each kind of words, the words that at least half of the references contain, but not the caption. A
            word is not missing if the caption contains a synonym.
        invented: for each kind of words, the words of the caption that no reference contains.
        broken: the probability that the caption is not a complete sentence.
        reasons: the reasons why the caption is considered broken. The list is empty if the caption is not broken.
    """

    caption: str
    missing: dict[str, list[str]]
    invented: dict[str, list[str]]
    broken: float
    reasons: list[str]

    def __str__(self) -> str:
        """Return the report as a one-line string."""
        sentences = []
        if self.missing:
            sentences.append(f"missing: {_format_words(self.missing)}")
        if self.invented:
            sentences.append(f"not in any reference: {_format_words(self.invented)}")
        if self.reasons:
            sentences.append(f"probably broken ({', '.join(self.reasons)})")
        return ". ".join(sentences) if sentences else "nothing is missing, and nothing was invented"

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON with all attributes. The key ``explanation`` contains the report as a string."""
        return {**asdict(self), "explanation": str(self)}


def _format_words(words_by_kind: dict[str, list[str]]) -> str:
    """Return a string that lists the words of each kind, such as ``objects dog, cat; colors red``."""
    return "; ".join(f"{kind}s {', '.join(words)}" for kind, words in words_by_kind.items())


def describe_captions(
    lexicon: CaptionLexicon, detector: BrokenDetector, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> list[CaptionReport]:
    """Return a report for each caption.

    Args:
        lexicon: the lexicon that encodes the words.
        detector: the detector of broken captions.
        hypotheses: the captions.
        references: the references of each caption.
    """
    comparison = compare_words(lexicon, hypotheses, references)
    missing_words = _list_missing(lexicon, comparison)
    invented_words = _list_invented(lexicon, comparison)
    logits = detector.logits(lexicon, comparison.captions).tolist()
    reasons = _list_reasons(lexicon, detector, comparison.captions, logits)
    # The lower limit of the logits prevents an overflow of the exponential function.
    probabilities = [1 / (1 + math.exp(-max(logit, -500.0))) for logit in logits]
    return list(map(CaptionReport, hypotheses, missing_words, invented_words, probabilities, reasons))


def _list_reasons(
    lexicon: CaptionLexicon, detector: BrokenDetector, captions: EncodedTexts, logits: Sequence[float]
) -> list[list[str]]:
    """List the reasons why each caption is considered broken. The list of an intact caption is empty."""
    # A caption repeats words if any column up to and including "longest repetition" is greater than 0.
    n_columns = REPETITIONS.index("longest repetition") + 1
    repetition_counts = count_repetitions(lexicon, captions)[:, :n_columns]
    has_repetition = (repetition_counts.max(axis=1) > 0).tolist()
    reasons = []
    for text, logit, is_repetitive in zip(captions.normalized, logits, has_repetition, strict=True):
        reasons.append(detector.reasons(text.split(), has_repetition=is_repetitive) if logit > 0 else [])
    return reasons


def _list_missing(lexicon: CaptionLexicon, comparison: CaptionComparison) -> list[dict[str, list[str]]]:
    """List the words that are missing in each caption, grouped by kind, such as object or color.

    A word is missing if at least half of the references contain it, and the caption contains neither the word nor a
    synonym.
    """
    words = comparison.reference_words
    min_support = _MIN_SUPPORT * comparison.reference_counts[words.stems.text_index]
    is_missing = (words.support >= min_support) & (words.ratings == 0)
    return _list_by_kind(lexicon, words.stems.select(is_missing), len(comparison.reference_counts))


def _list_invented(lexicon: CaptionLexicon, comparison: CaptionComparison) -> list[dict[str, list[str]]]:
    """List the words of each caption that no reference contains, grouped by kind, such as object or color."""
    words = comparison.caption_words
    return _list_by_kind(lexicon, words.stems.select(words.ratings == 0), len(comparison.reference_counts))


def _list_by_kind(lexicon: CaptionLexicon, words: StemCounts, n_captions: int) -> list[dict[str, list[str]]]:
    """Group words by caption and kind. Some kinds of words, such as prepositions, are omitted.

    Args:
        lexicon: the lexicon of the words.
        words: the words of all captions.
        n_captions: the number of captions.

    Returns:
        For each caption a dictionary from kinds, such as ``color``, to words.
    """
    words_by_caption: list[dict[str, list[str]]] = [{} for _ in range(n_captions)]
    kinds = lexicon.word_properties.kind
    for caption_index, word_id in zip(words.text_index.tolist(), words.word_id.tolist(), strict=True):
        kind = KINDS[kinds[word_id]]
        if kind in _LISTED_KINDS:
            words_by_caption[caption_index].setdefault(kind, []).append(lexicon.words[word_id])
    return words_by_caption


def describe_difference(
    first: Sequence[CaptionReport], second: Sequence[CaptionReport], names: tuple[str, str]
) -> list[str]:
    """Describe the errors of two systems: missing words, invented words and broken captions.

    Args:
        first: the reports on the captions of the first system.
        second: the reports on the captions of the second system.
        names: the names of the two systems.

    Returns:
        The lines of the description.
    """
    first_name, second_name = names
    return _describe_system(first, first_name) + _describe_system(second, second_name)


def _describe_system(reports: Sequence[CaptionReport], name: str) -> list[str]:
    """Return lines that describe the errors in the captions of one system."""
    if len(reports) == 1:
        return [f"{name}: {reports[0]}."]
    lines = []
    missing_words = _list_frequent_words([report.missing for report in reports])
    if missing_words:
        lines.append(f"{name} leaves out most often: {missing_words}.")
    invented_words = _list_frequent_words([report.invented for report in reports])
    if invented_words:
        lines.append(f"{name} invents most often: {invented_words}.")
    lines.append(f"{name}: {_describe_broken(reports)}.")
    return lines


def _list_frequent_words(reported_words: Sequence[dict[str, list[str]]]) -> str:
    """Return the most frequent words with their counts, separated by commas.

    Args:
        reported_words: for each report, the words by kind.
    """
    counts: Counter[str] = Counter()
    for words_by_kind in reported_words:
        counts.update(chain.from_iterable(words_by_kind.values()))
    return ", ".join(f"{word} ({count})" for word, count in counts.most_common(_MAX_FREQUENT_WORDS))


def _describe_broken(reports: Sequence[CaptionReport]) -> str:
    """Return a phrase that states how many captions are broken, and quotes the worst of them."""
    broken = [report for report in reports if report.broken > _MIN_BROKEN]
    description = f"{len(broken)} of {len(reports)} captions are probably broken"
    if not broken:
        return description
    worst = max(broken, key=lambda report: report.broken)
    return f"{description}, such as '{worst.caption}' ({', '.join(worst.reasons)})"
