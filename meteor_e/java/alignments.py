"""Alignment files: what the Java program writes with ``-writeAlignments``, and its aligner prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from meteor_e.java.formats import java_double, java_trim

if TYPE_CHECKING:
    from meteor_e.scoring.alignment import Alignment

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
