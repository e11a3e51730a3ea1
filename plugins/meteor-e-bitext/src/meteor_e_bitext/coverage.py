"""Measure how many words of a text a pack covers, and list the most frequent phrases that have paraphrases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from meteor_e.base.progress import Progress, silent
from meteor_e.packs.indexes import ParaphraseIndex
from meteor_e.packs.pack import Pack

_PROGRESS_INTERVAL = 1000


class FrequentPhrase(NamedTuple):
    """A phrase of a text that has paraphrases.

    Attributes:
        phrase: the phrase.
        frequency: the number of times that the phrase occurs in the text.
        paraphrases: some paraphrases of the phrase.
    """

    phrase: str
    frequency: int
    paraphrases: list[str]


class Coverage(NamedTuple):
    """Store counts of the words and phrases that occur both in a text and in a pack.

    Attributes:
        words: the number of words in the text.
        function_words: the number of these words that are function words.
        paraphrased_words: the number of these words that are part of a phrase in the paraphrase table.
        phrases: the number of distinct phrases of the text that the paraphrase table contains.
        frequent: the most frequent phrases that have paraphrases.
    """

    words: int
    function_words: int
    paraphrased_words: int
    phrases: int
    frequent: list[FrequentPhrase]


def measure_coverage(
    pack: Pack,
    texts: Iterable[list[str]],
    max_phrases: int = 10,
    max_paraphrases: int = 5,
    progress: Progress = silent,
) -> Coverage:
    """Count the words and phrases of a text that also occur in a pack.

    Args:
        pack: the pack.
        texts: the words of each segment of the text.
        max_phrases: the maximum number of frequent phrases to list.
        max_paraphrases: the maximum number of paraphrases to list for each frequent phrase.
        progress: called with the number of segments.
    """
    function_words = pack.function_words
    index = pack.paraphrases
    frequencies: Counter[int] = Counter()
    segment_count = 0
    word_count = 0
    function_word_count = 0
    paraphrased_word_count = 0
    for words in texts:
        segment_count += 1
        if segment_count % _PROGRESS_INTERVAL == 0:
            progress("reading the text", segment_count, None)
        word_count += len(words)
        function_word_count += sum(word in function_words for word in words)
        if index is not None:
            occurrences = _find_phrases(index, words)
            frequencies.update(occurrence.phrase for occurrence in occurrences)
            paraphrased_word_count += _count_covered_words(occurrences)
    progress("reading the text", segment_count, segment_count)
    return Coverage(
        words=word_count,
        function_words=function_word_count,
        paraphrased_words=paraphrased_word_count,
        phrases=len(frequencies),
        frequent=_list_frequent_phrases(index, frequencies, max_phrases, max_paraphrases) if index is not None else [],
    )


class _Occurrence(NamedTuple):
    """An occurrence of a phrase of the paraphrase index in a segment.

    Attributes:
        phrase: the trie node of the phrase.
        positions: the positions of the words of the phrase in the segment.
    """

    phrase: int
    positions: range


def _find_phrases(index: ParaphraseIndex, words: list[str]) -> list[_Occurrence]:
    """Find the phrases of the paraphrase index that occur in a segment. Phrases can overlap."""
    ids = [index.word_id(word) for word in words]
    occurrences = []
    for start in range(len(ids)):
        for length, phrase in index.phrases_at(ids, start):
            occurrences.append(_Occurrence(phrase, range(start, start + length)))
    return occurrences


def _count_covered_words(occurrences: list[_Occurrence]) -> int:
    """Count the words of a segment that are part of a phrase."""
    return len({position for occurrence in occurrences for position in occurrence.positions})


def _list_frequent_phrases(
    index: ParaphraseIndex, frequencies: Counter[int], max_phrases: int, max_paraphrases: int
) -> list[FrequentPhrase]:
    """Return the most frequent phrases that have paraphrases, in descending order of their frequencies."""
    frequent: list[FrequentPhrase] = []
    for phrase, frequency in sorted(frequencies.items(), key=lambda item: (-item[1], item[0])):
        if len(frequent) >= max_phrases:
            break
        paraphrases = index.paraphrases(phrase)
        if paraphrases:
            paraphrase_texts = [" ".join(index.phrase(paraphrase)) for paraphrase in paraphrases[:max_paraphrases]]
            frequent.append(FrequentPhrase(" ".join(index.phrase(phrase)), frequency, paraphrase_texts))
    return frequent
