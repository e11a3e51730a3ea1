"""Alignment files: what the Java program writes with ``-writeAlignments``, and its aligner prints."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from meteor_e.api.tokens import split_words
from meteor_e.base.errors import InputError
from meteor_e.java.formats import java_double, java_trim, parse_java_double

if TYPE_CHECKING:
    from meteor_e.scoring.alignment import Alignment

__all__ = ["AlignmentRecord", "format_alignment", "read_alignments"]

COLUMNS = "Line2Start:Length\tLine1Start:Length\tModule\t\tScore"


def format_alignment(alignment: Alignment, number: int | str | None, scores: Sequence[float] = ()) -> str:
    """Return the lines of one alignment, an empty line and its line end included.

    Args:
        alignment: the alignment.
        number: the segment's number, from 1, or its tab-separated ids in an SGML file; ``None`` leaves it out, as
            the aligner does when it reads a stream.
        scores: with ``-writeAlignments``: precision, recall, fragmentation penalty, score.
    """
    if scores:
        head = "\t".join(("Alignment", str(number), *map(java_double, scores)))
    else:
        head = "Alignment" if number is None else f"Alignment {number}"
    matches = [
        f"{match.reference_start}:{match.reference_length}\t\t\t"
        f"{match.hypothesis_start}:{match.hypothesis_length}\t\t\t{match.matcher}\t\t{java_double(match.probability)}"
        for match in alignment.matches
    ]
    # Trimmed to be shown, whatever the words are.
    sides = [java_trim(" ".join(words)) for words in (alignment.hypothesis, alignment.reference)]
    lines = [head, *sides, COLUMNS, *matches, "", ""]
    return "\n".join(lines)


@dataclass(frozen=True)
class AlignmentRecord:
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
    matches: tuple[tuple[int, int, int, int, int, float], ...]


def read_alignments(lines: Iterable[str], name: str) -> Iterator[AlignmentRecord]:
    """Read an alignment file.

    Args:
        lines: its lines, without line ends.
        name: what to call it in messages.

    Raises:
        InputError: naming the line that is not as it should be.
    """
    numbered = enumerate(lines, start=1)
    for at, head in numbered:
        if not head:
            continue
        try:
            number, scores = _head(head)
            hypothesis = tuple(split_words(_expect(numbered)))
            reference = tuple(split_words(_expect(numbered)))
            if _expect(numbered) != COLUMNS:
                raise ValueError("the line with the names of the columns is missing")
            matches = tuple(map(_match, iter(functools.partial(_expect, numbered), "")))
        except ValueError as error:
            raise InputError(f"{name}: the alignment at line {at}: {error}") from error
        yield AlignmentRecord(number, scores, hypothesis, reference, matches)


def _expect(numbered: Iterator[tuple[int, str]]) -> str:
    _, line = next(numbered, (0, None))
    if line is None:
        raise ValueError("the file breaks off")
    return line


def _head(line: str) -> tuple[int | None, tuple[float, ...]]:
    word, *rest = line.replace(" ", "\t").split("\t")
    if word != "Alignment" or len(rest) not in (0, 1, 5):
        raise ValueError("'Alignment', a number and four scores were expected")
    return (int(rest[0]) if rest else None), tuple(map(parse_java_double, rest[1:]))


def _match(line: str) -> tuple[int, int, int, int, int, float]:
    fields = [field for field in line.replace(":", "\t").split("\t") if field]
    if len(fields) != 6:
        raise ValueError(f"not a match: {line!r}")
    numbers = [int(field) for field in fields[:5]]
    return numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], parse_java_double(fields[5])
