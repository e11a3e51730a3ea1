"""Format alignments as in the output of METEOR 1.5 with ``-writeAlignments`` and of METEOR 1.5's aligner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from meteor_e.java.formats import java_double, java_trim

if TYPE_CHECKING:
    from meteor_e.scoring.alignment import AlignedMatch, Alignment

COLUMNS = "Line2Start:Length\tLine1Start:Length\tModule\t\tScore"


def format_alignment(alignment: Alignment, number: int | str | None, scores: Sequence[float] = ()) -> str:
    """Format one alignment, including the empty line after it.

    Args:
        alignment: the alignment.
        number: the segment's line number, from 1, or its tab-separated ids in an SGML file; ``None`` for output without
            numbers, which the aligner writes when it reads a stream.
        scores: precision, recall, fragmentation penalty and score, for ``-writeAlignments``.
    """
    if scores:
        title = "\t".join(["Alignment", str(number), *map(java_double, scores)])
    elif number is not None:
        title = f"Alignment {number}"
    else:
        title = "Alignment"
    # Words may begin or end with control characters, which METEOR 1.5 trims after joining the words.
    hypothesis = java_trim(" ".join(alignment.hypothesis))
    reference = java_trim(" ".join(alignment.reference))
    lines = [title, hypothesis, reference, COLUMNS]
    lines += [_format_match(match) for match in alignment.matches]
    return "\n".join(lines) + "\n\n"


def _format_match(match: AlignedMatch) -> str:
    """Return a line with the positions of the matched words, the module and the score."""
    reference_words = f"{match.reference_start}:{match.reference_length}"
    hypothesis_words = f"{match.hypothesis_start}:{match.hypothesis_length}"
    return f"{reference_words}\t\t\t{hypothesis_words}\t\t\t{match.matcher}\t\t{java_double(match.probability)}"
