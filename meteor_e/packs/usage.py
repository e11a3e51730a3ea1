"""What a text can use of a pack: coverage, the most frequent phrases, and tables cut down to it."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple

from meteor_e.base.errors import ResourceError
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.plain import read_segments
from meteor_e.packs.pack import Pack
from meteor_e.packs.paraphrases import ParaphraseIndex

__all__ = ["TABLE_FILE", "Coverage", "coverage", "filter_table", "most_paraphrased", "pack_entries", "table_entries"]

TABLE_FILE = "paraphrase.gz"
"""A pack's table in METEOR's own format, where the pack has it, with the probabilities that its index lacks."""

Entry = tuple[str, str, str]
"""Probability, phrase, paraphrase."""


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


def most_paraphrased(index: ParaphraseIndex, top: int) -> list[tuple[str, int]]:
    """Return the paraphrases that most phrases share: phrase, and how many entries have it on their right side."""
    import numpy as np

    counts = index.paraphrase_counts()
    # A stable sort leaves equals in the order of their nodes.
    chosen = np.argsort(-counts, kind="stable")[:top]
    return [(" ".join(index.phrase(node)), int(counts[node])) for node in chosen.tolist() if counts[node]]


def table_entries(path: str | os.PathLike[str]) -> Iterator[Entry]:
    """Iterate over the entries of a table in METEOR's format, plain, gzip, bzip2 or xz.

    Raises:
        InputError: if it cannot be read.
        ResourceError: if it ends inside an entry, or has none where a probability must be.
    """
    lines = read_segments(path)
    number = 0
    for probability in lines:
        number += 3
        left, right = next(lines, None), next(lines, None)
        if left is None or right is None:
            raise ResourceError(f"{path}: the table ends inside an entry; an entry is three lines")
        try:
            float(probability.split()[0])
        except (ValueError, IndexError):
            raise ResourceError(
                f"{path}, line {number - 2}: expected a probability, found {probability[:40]!r}"
            ) from None
        yield probability, left, right


def pack_entries(pack: Pack) -> Iterator[Entry]:
    """Iterate over the entries of a pack's table; where only its index is there, every probability is 1."""
    if TABLE_FILE in pack.manifest.files:
        pack.check()
        yield from table_entries(pack.path / TABLE_FILE)
        return
    index = pack.paraphrases
    if index is None:
        raise ResourceError(f"the pack {pack.name!r} has no paraphrases to filter")
    for node in range(index.nodes):
        others = index.paraphrases(node)
        if len(others):
            left = " ".join(index.phrase(node))
            for other in others:
                yield "1", left, " ".join(index.phrase(other))


def filter_table(
    entries: Callable[[], Iterator[Entry]],
    texts: Iterable[list[str]],
    target: BinaryIO,
    progress: Progress | None = None,
) -> tuple[int, int]:
    """Write the entries of which a side occurs in a text into a table; return how many there were and are.

    Args:
        entries: gives the entries; called twice, first for the length of phrases.
        texts: segments, as words.
        target: where the table is written, as gzip; equal tables are equal bytes.
        progress: told how far it is.
    """
    progress = progress or silent
    longest = all_entries = 0
    for _, left, right in entries():
        longest = max(longest, len(left.split()), len(right.split()))
        all_entries += 1
    progress("reading references", 0, None)
    present: set[str] = set()
    for words in texts:
        for start in range(len(words)):
            for end in range(start + 1, min(start + longest, len(words)) + 1):
                present.add(" ".join(words[start:end]))
    kept = 0
    with gzip.GzipFile("", "wb", 6, target, mtime=0) as packed:
        for number, (probability, left, right) in enumerate(entries(), 1):
            if " ".join(left.split()) in present or " ".join(right.split()) in present:
                packed.write(f"{probability}\n{left}\n{right}\n".encode())
                kept += 1
            if number % 100_000 == 0:
                progress("filtering", number, all_entries)
    progress("filtering", all_entries, all_entries)
    return all_entries, kept
