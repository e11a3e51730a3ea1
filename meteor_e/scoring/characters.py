"""Characters that whole segments share, in any words: their n-grams, and their longest common subsequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

LONGEST_NGRAM = 6
"""Characters of the longest n-grams, as in chrF (Popović 2015)."""

REPEATED, REPETITION_PENALTY = 4, 0.75
"""Characters of the n-grams whose repetition is an error, and what share of them the shares lose."""

LONGEST_ORDERED = 2
"""Characters of the longest n-grams whose order counts."""

ORDERED_LIMIT = 1 << 16
"""Characters of a segment whose order counts."""


def ngram_shares(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[float, float]:
    """Return what shares of the segments' n-grams of characters the other segment has, too.

    Words are joined and surrounded by spaces. The shares are means over n-grams of 1 to 6 characters, as far as both
    segments have some. What the hypothesis repeats is an error; see :func:`repetition`.
    """
    texts = _texts(hypothesis, reference)
    return _means(texts, LONGEST_NGRAM, lambda own, others: (Counter(own) & Counter(others)).total(), repetition(texts))


def subsequence_shares(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[float, float]:
    """Return what shares of the segments' characters are on both sides in the same order.

    That is the length of the longest common subsequence of characters, and of pairs of characters, over the length of
    either segment: the mean of both. What the hypothesis repeats is an error; see :func:`repetition`. Of long segments,
    the first 65,536 characters count. (Lin 2004, "ROUGE", uses the subsequence of words.)
    """
    texts = _texts(hypothesis, reference)
    beginnings = [text[:ORDERED_LIMIT] for text in texts]
    return _means(beginnings, LONGEST_ORDERED, common_subsequence, repetition(texts))


def repetition(texts: Sequence[str]) -> float:
    """Return what share of a hypothesis repeats itself: of its 4-grams of characters, those beyond the first that the
    reference does not have as often."""
    own, others = (Counter(_ngrams(text, REPEATED)) for text in texts)
    return sum(max(0, count - max(1, others[ngram])) for ngram, count in own.items()) / max(1, own.total())


def common_subsequence(own: Sequence[str], others: Sequence[str]) -> int:
    """Return the length of the longest common subsequence (Hyyrö 2004): a bit for each of ``others``."""
    masks: dict[str, int] = {}
    for place, symbol in enumerate(others):
        masks[symbol] = masks.get(symbol, 0) | 1 << place
    everything = row = (1 << len(others)) - 1
    for symbol in own:
        matched = row & masks.get(symbol, 0)
        row = (row + matched | row - matched) & everything
    return len(others) - row.bit_count()


def _texts(*sides: Sequence[str]) -> list[str]:
    return [f" {' '.join(words)} " if words else "" for words in sides]


def _ngrams(text: str, length: int) -> list[str]:
    return [text[start : start + length] for start in range(len(text) - length + 1)]


def _means(
    texts: Sequence[str], longest: int, common: Callable[[list[str], list[str]], int], repeated: float
) -> tuple[float, float]:
    """Return the shares of common n-grams of 1 to ``longest`` characters, on the mean, less what repetition takes."""
    # Not by sum(), whose last digits depend on Python's version.
    precision, recall, lengths = 0.0, 0.0, min(longest, *map(len, texts))
    for length in range(1, lengths + 1):
        own, others = (_ngrams(text, length) for text in texts)
        shared = common(own, others)
        precision += shared / len(own)
        recall += shared / len(others)
    kept = 1 - REPETITION_PENALTY * repeated
    return (precision / lengths * kept, recall / lengths * kept) if lengths else (0.0, 0.0)
