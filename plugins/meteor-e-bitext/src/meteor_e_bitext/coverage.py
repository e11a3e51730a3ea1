"""What a text can use of a pack: coverage, and the most frequent phrases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from meteor_e.base.progress import Progress, silent
from meteor_e.packs.pack import Pack


class Coverage(NamedTuple):
    """How much of a text a pack knows.

    Attributes:
        words: of the text.
        function_words: how many of them are function words.
        paraphrased_words: how many of them are part of a phrase that has paraphrases or is one.
        phrases: distinct phrases of the text that the table has, on either side.
        frequent: the most frequent of those that have paraphrases: phrase, how often it occurs, its paraphrases.
    """

    words: int
    function_words: int
    paraphrased_words: int
    phrases: int
    frequent: list[tuple[str, int, list[str]]]


def coverage(
    pack: Pack, texts: Iterable[list[str]], top: int = 10, shown: int = 5, progress: Progress = silent
) -> Coverage:
    """Return how much of a text a pack knows.

    Args:
        pack: the pack.
        texts: its segments, as words.
        top: how many of the most frequent phrases are returned.
        shown: how many paraphrases of each.
        progress: told how many segments are done.
    """
    functional, index = pack.function_words, pack.paraphrases
    seen: Counter[int] = Counter()
    words = function_words = covered = number = 0
    for number, text in enumerate(texts, 1):
        if number % 1000 == 0:
            progress("reading the text", number, None)
        words += len(text)
        function_words += sum(word in functional for word in text)
        if index is None:
            continue
        ids = [index.word_id(word) for word in text]
        reach = 0
        for start in range(len(ids)):
            found = index.phrases_at(ids, start)
            seen.update(node for _, node in found)
            end = start + max((length for length, _ in found), default=0)
            covered += max(0, end - max(reach, start))
            reach = max(reach, end)
    progress("reading the text", number, number)
    frequent: list[tuple[str, int, list[str]]] = []
    if index is not None:
        for node, count in sorted(seen.items(), key=lambda item: (-item[1], item[0])):
            if len(frequent) >= top:
                break
            if others := index.paraphrases(node):
                names = [" ".join(index.phrase(other)) for other in others[:shown]]
                frequent.append((" ".join(index.phrase(node)), count, names))
    return Coverage(words, function_words, covered, len(seen), frequent)
