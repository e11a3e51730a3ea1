"""Measure how much of a text a pack covers, and find the most frequent phrases that have paraphrases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from meteor_e.base.progress import Progress, silent
from meteor_e.packs.indexes import ParaphraseIndex
from meteor_e.packs.pack import Pack


class Coverage(NamedTuple):
    """How much of a text a pack covers.

    Attributes:
        words: number of words of the text.
        function_words: number of words that are function words.
        paraphrased_words: number of words that are part of a phrase of the paraphrase table.
        phrases: number of distinct phrases of the text that are in the paraphrase table.
        frequent: the most frequent phrases that have paraphrases: phrase, frequency, paraphrases.
    """

    words: int
    function_words: int
    paraphrased_words: int
    phrases: int
    frequent: list[tuple[str, int, list[str]]]


def measure_coverage(
    pack: Pack,
    texts: Iterable[list[str]],
    max_phrases: int = 10,
    max_paraphrases: int = 5,
    progress: Progress = silent,
) -> Coverage:
    """Return how much of a text a pack covers.

    Args:
        pack: the pack.
        texts: the words of each segment.
        max_phrases: number of frequent phrases to return.
        max_paraphrases: number of paraphrases to return for each frequent phrase.
        progress: called with the number of segments.
    """
    function_words = pack.function_words
    index = pack.paraphrases
    frequencies: Counter[int] = Counter()
    word_count = function_word_count = covered_count = segment_count = 0
    for words in texts:
        segment_count += 1
        if segment_count % 1000 == 0:
            progress("reading the text", segment_count, None)
        word_count += len(words)
        function_word_count += sum(word in function_words for word in words)
        if index is not None:
            covered_count += _count_covered_words(index, words, frequencies)
    progress("reading the text", segment_count, segment_count)
    frequent = [] if index is None else _list_frequent_phrases(index, frequencies, max_phrases, max_paraphrases)
    return Coverage(word_count, function_word_count, covered_count, len(frequencies), frequent)


def _count_covered_words(index: ParaphraseIndex, words: list[str], frequencies: Counter[int]) -> int:
    """Return how many words are part of a phrase of the index, and add the phrases to their frequencies."""
    ids = [index.word_id(word) for word in words]
    covered_count = 0
    covered_end = 0
    for start in range(len(ids)):
        phrases = index.phrases_at(ids, start)
        longest = 0
        for length, phrase in phrases:
            frequencies[phrase] += 1
            longest = max(longest, length)
        end = start + longest
        covered_count += max(0, end - max(covered_end, start))
        covered_end = max(covered_end, end)
    return covered_count


def _list_frequent_phrases(
    index: ParaphraseIndex, frequencies: Counter[int], max_phrases: int, max_paraphrases: int
) -> list[tuple[str, int, list[str]]]:
    """Return the most frequent phrases that have paraphrases: phrase, frequency, paraphrases."""
    frequent: list[tuple[str, int, list[str]]] = []
    for phrase, frequency in sorted(frequencies.items(), key=lambda item: (-item[1], item[0])):
        if len(frequent) >= max_phrases:
            break
        paraphrases = index.paraphrases(phrase)
        if paraphrases:
            texts = [" ".join(index.phrase(paraphrase)) for paraphrase in paraphrases[:max_paraphrases]]
            frequent.append((" ".join(index.phrase(phrase)), frequency, texts))
    return frequent
