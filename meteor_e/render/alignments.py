"""This module formats alignments as text."""

from __future__ import annotations

from meteor_e.base.errors import count_of
from meteor_e.render.plain import format_table, isolate, printable
from meteor_e.scoring.alignment import AlignedMatch, Alignment


def alignment_lines(alignment: Alignment) -> list[str]:
    """Format an alignment as lines of text: the hypothesis, the reference, and a table of the matches."""
    lines = [
        f"  hypothesis  {isolate(printable(' '.join(alignment.hypothesis)))}",
        f"  reference   {isolate(printable(' '.join(alignment.reference)))}",
    ]
    rows = list(map(_format_match, alignment.matches, alignment.pairs()))
    if rows:
        table = format_table(["matcher", "at", "hypothesis", "at", "reference"], rows, left=5)
        lines += ["  " + line for line in table.split("\n")]
    match_count = "1 match" if len(rows) == 1 else f"{len(rows)} matches"
    lines.append(f"  {match_count} in {count_of(alignment.chunks, 'chunk')}")
    return lines


def _format_match(match: AlignedMatch, match_texts: tuple[str, str, str]) -> list[str]:
    """Return a table row with the matcher, the positions and the words of a match.

    Args:
        match: the match.
        match_texts: the words of the hypothesis, the words of the reference, and the name of the matcher.
    """
    hypothesis_words, reference_words, matcher = match_texts
    hypothesis_span = _format_span(match.hypothesis_start, match.hypothesis_length)
    reference_span = _format_span(match.reference_start, match.reference_length)
    hypothesis_text, reference_text = isolate(printable(hypothesis_words)), isolate(printable(reference_words))
    return [matcher, hypothesis_span, hypothesis_text, reference_span, reference_text]


def _format_span(start: int, length: int) -> str:
    """Format the positions of matched words, which are counted from 1, such as ``3`` or ``3-4``."""
    return str(start + 1) if length == 1 else f"{start + 1}-{start + length}"
