"""Character-based similarity of two segments: shared n-grams and longest common subsequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

LONGEST_NGRAM = 6
"""Length of the longest n-grams in characters, as in chrF (Popović 2015)."""

REPEATED_NGRAM = 4
"""Length of the n-grams whose repetition is penalized, in characters."""

REPETITION_PENALTY = 0.75
"""Part of the repeated fraction by which both shares are reduced."""

LONGEST_ORDERED_NGRAM = 2
"""Length of the longest n-grams whose common subsequence is computed, in characters."""

MAX_ORDERED_CHARACTERS = 1 << 16
"""Number of characters of a segment that are compared. The rest of a longer segment is ignored."""


def ngram_shares(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[float, float]:
    """Return the precision and the recall of character n-grams.

    Precision is the share of the hypothesis's n-grams that also occur in the reference. Recall is the share of the
    reference's n-grams that also occur in the hypothesis. Both are averages over n-grams of 1 to 6 characters. Lengths
    for which one of the segments does not have an n-gram are left out. Precision and recall are reduced if the
    hypothesis repeats text; see :func:`repeated_fraction`.

    Args:
        hypothesis: words of the hypothesis.
        reference: words of the reference.
    """
    hypothesis_text, reference_text = _join_words(hypothesis), _join_words(reference)
    precision, recall = _mean_shares(hypothesis_text, reference_text, LONGEST_NGRAM, _count_common)
    penalty_factor = 1 - REPETITION_PENALTY * repeated_fraction(hypothesis_text, reference_text)
    return precision * penalty_factor, recall * penalty_factor


def subsequence_shares(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[float, float]:
    """Return the precision and the recall of the longest common subsequence of characters.

    Precision is the length of the longest common subsequence divided by the length of the hypothesis. Recall is this
    length divided by the length of the reference. ROUGE-L (Lin 2004) uses the longest common subsequence of words in
    the same way. Both values are averages over two subsequences, one of characters and one of pairs of characters. They
    are reduced if the hypothesis repeats text; see :func:`repeated_fraction`.

    Args:
        hypothesis: words of the hypothesis.
        reference: words of the reference.
    """
    hypothesis_text, reference_text = _join_words(hypothesis), _join_words(reference)
    # The comparison takes quadratic time, so only the first characters of long segments are compared.
    precision, recall = _mean_shares(
        hypothesis_text[:MAX_ORDERED_CHARACTERS],
        reference_text[:MAX_ORDERED_CHARACTERS],
        LONGEST_ORDERED_NGRAM,
        common_subsequence_length,
    )
    penalty_factor = 1 - REPETITION_PENALTY * repeated_fraction(hypothesis_text, reference_text)
    return precision * penalty_factor, recall * penalty_factor


def repeated_fraction(hypothesis: str, reference: str) -> float:
    """Return the fraction of a hypothesis's character 4-grams that are repetitions.

    A 4-gram may occur as often as in the reference, and at least once. Any further occurrences are repetitions.
    """
    hypothesis_counts = Counter(_ngrams(hypothesis, REPEATED_NGRAM))
    reference_counts = Counter(_ngrams(reference, REPEATED_NGRAM))
    repetitions = 0
    for ngram, count in hypothesis_counts.items():
        repetitions += max(0, count - max(1, reference_counts[ngram]))
    return repetitions / max(1, hypothesis_counts.total())


def common_subsequence_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of two sequences.

    This is the bit-parallel algorithm of Hyyrö (2004), in which each bit represents a position of the second sequence.
    It is much faster than filling a table, because one operation on integers computes a row of the table.
    """
    position_bits: dict[str, int] = {}
    for position, symbol in enumerate(second):
        position_bits[symbol] = position_bits.get(symbol, 0) | (1 << position)
    all_bits = (1 << len(second)) - 1
    # Bit j is 0 if appending second[j] to second[:j] lengthens its longest common subsequence with the symbols so far.
    row = all_bits
    for symbol in first:
        matched = row & position_bits.get(symbol, 0)
        # In each run of 1s with a match, the lowest matching bit becomes 0, and the 0 to the left of the run becomes 1.
        # For example, if row is 0111 and matched is 0010, the new row is (0111 + 0010) | (0111 - 0010) = 1101.
        row = ((row + matched) | (row - matched)) & all_bits
    return len(second) - row.bit_count()


def _join_words(words: Sequence[str]) -> str:
    """Return words as one text, with a space before and after each word."""
    return f" {' '.join(words)} " if words else ""


def _ngrams(text: str, length: int) -> list[str]:
    """Return all character n-grams of a given length, in the order of their positions."""
    return [text[start : start + length] for start in range(len(text) - length + 1)]


def _count_common(first: list[str], second: list[str]) -> int:
    """Count the n-grams that two lists have in common. An n-gram that occurs twice in both lists counts twice."""
    return (Counter(first) & Counter(second)).total()


def _mean_shares(
    hypothesis: str, reference: str, longest_ngram: int, count_common: Callable[[list[str], list[str]], int]
) -> tuple[float, float]:
    """Return the precision and the recall of character n-grams, averaged over all lengths from 1 to the longest.

    Args:
        hypothesis: text of the hypothesis.
        reference: text of the reference.
        longest_ngram: length of the longest n-grams in characters.
        count_common: function that returns how many n-grams of two lists match.
    """
    max_length = min(longest_ngram, len(hypothesis), len(reference))
    if max_length == 0:
        return 0.0, 0.0
    # The numbers are added in a loop, because the last digits of sum() depend on the version of Python.
    precision_sum = recall_sum = 0.0
    for length in range(1, max_length + 1):
        hypothesis_ngrams = _ngrams(hypothesis, length)
        reference_ngrams = _ngrams(reference, length)
        common = count_common(hypothesis_ngrams, reference_ngrams)
        precision_sum += common / len(hypothesis_ngrams)
        recall_sum += common / len(reference_ngrams)
    return precision_sum / max_length, recall_sum / max_length
