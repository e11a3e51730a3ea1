"""Measure how many words of a text a pack covers, and list the most frequent phrases that have paraphrases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from meteor_e.base.progress import Progress, silent
from meteor_e.packs.indexes import ParaphraseIndex
from meteor_e.packs.pack import Pack

_MAX_PHRASES = 10
"""The maximum number of frequent phrases that are listed."""
_MAX_PARAPHRASES = 5
"""The maximum number of paraphrases that are listed for each frequent phrase."""
_PROGRESS_INTERVAL = 1000
"""The number of segments between two reports of the progress."""


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
    """Statistics about a text: how many of its words and phrases occur in a pack.

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


def measure_coverage(pack: Pack, texts: Iterable[list[str]], progress: Progress = silent) -> Coverage:
    """Count the words and phrases of a text that also occur in a pack.

    Args:
        pack: the pack.
        texts: the words of each segment of the text.
        progress: called with the number of segments.
    """
    counter = _CoverageCounter(pack)
    for words in _report_segments(texts, progress):
        counter.add(words)
    return Coverage(
        words=counter.word_count,
        function_words=counter.function_word_count,
        paraphrased_words=counter.paraphrased_word_count,
        phrases=len(counter.phrase_frequencies),
        frequent=counter.list_frequent_phrases(),
    )


def _report_segments(texts: Iterable[list[str]], progress: Progress) -> Iterator[list[str]]:
    """Yield the segments of a text, and report the progress."""
    segment_count = 0
    for segment_count, words in enumerate(texts, 1):
        yield words
        if segment_count % _PROGRESS_INTERVAL == 0:
            progress("reading the text", segment_count, None)
    progress("reading the text", segment_count, segment_count)


class _CoverageCounter:
    """Count the words and phrases of a text that also occur in a pack.

    Attributes:
        word_count, function_word_count, paraphrased_word_count: see :class:`Coverage`.
        phrase_frequencies: the number of occurrences of each phrase, by its trie node.
    """

    def __init__(self, pack: Pack) -> None:
        self._function_words = pack.function_words
        self._index = pack.paraphrases
        self.word_count = 0
        self.function_word_count = 0
        self.paraphrased_word_count = 0
        self.phrase_frequencies: Counter[int] = Counter()

    def add(self, words: list[str]) -> None:
        """Add the words of a segment to the counts."""
        self.word_count += len(words)
        self.function_word_count += sum(word in self._function_words for word in words)
        if self._index is not None:
            occurrences = _find_phrases(self._index, words)
            self.phrase_frequencies.update(occurrence.phrase for occurrence in occurrences)
            self.paraphrased_word_count += _count_covered_words(occurrences)

    def list_frequent_phrases(self) -> list[FrequentPhrase]:
        """Return the most frequent phrases that have paraphrases, in descending order of their frequencies."""
        if self._index is None:
            return []
        return list(islice(_list_phrases(self._index, self.phrase_frequencies), _MAX_PHRASES))


class _Occurrence(NamedTuple):
    """A phrase that occurs in a segment and has paraphrases in the index.

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


def _list_phrases(index: ParaphraseIndex, frequencies: Counter[int]) -> Iterator[FrequentPhrase]:
    """Yield the phrases that have paraphrases, in descending order of their frequencies."""
    for phrase in sorted(frequencies, key=lambda phrase: (-frequencies[phrase], phrase)):
        paraphrases = index.paraphrases(phrase)
        if paraphrases:
            paraphrase_texts = [" ".join(index.phrase(paraphrase)) for paraphrase in paraphrases[:_MAX_PARAPHRASES]]
            yield FrequentPhrase(" ".join(index.phrase(phrase)), frequencies[phrase], paraphrase_texts)
