"""Reads what the Java program writes with ``-writeAlignments``, to compare it with ours."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from meteor_e.api.tokens import split_words
from meteor_e.java.alignments import COLUMNS


class AlignmentRecord(NamedTuple):
    """One alignment of a file.

    Attributes:
        number: the segment's number; ``None`` where the file has none.
        scores: precision, recall, fragmentation penalty, score; empty in the aligner's output.
        hypothesis, reference: their words.
        matches: ``(reference start, length, hypothesis start, length, matcher, probability)``.
    """

    number: int | None
    scores: tuple[float, ...]
    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    matches: tuple[tuple[float, ...], ...]


def read_alignments(lines: Iterable[str]) -> Iterator[AlignmentRecord]:
    """Read an alignment file's lines; ValueError or StopIteration where one is not as it should be."""
    rest = iter(lines)
    for head in filter(None, rest):
        word, *numbers = head.replace(" ", "\t").split("\t")
        hypothesis, reference, columns = next(rest), next(rest), next(rest)
        if (word, columns) != ("Alignment", COLUMNS):
            raise ValueError(head)
        matches = [
            tuple(map(float, filter(None, line.replace(":", "\t").split("\t"))))
            for line in itertools.takewhile(bool, rest)
        ]
        yield AlignmentRecord(
            int(numbers[0]) if numbers else None,
            tuple(map(float, numbers[1:])),
            tuple(split_words(hypothesis)),
            tuple(split_words(reference)),
            tuple(matches),
        )
