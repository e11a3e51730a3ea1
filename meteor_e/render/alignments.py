"""Alignments as text."""

from __future__ import annotations

from meteor_e.render.plain import format_table, isolate, printable
from meteor_e.scoring.alignment import Alignment


def alignment_lines(alignment: Alignment) -> list[str]:
    """Return an alignment as lines: both sides, then one match per line, positions counted from 1."""
    lines = [
        f"  hypothesis  {isolate(printable(' '.join(alignment.hypothesis)))}",
        f"  reference   {isolate(printable(' '.join(alignment.reference)))}",
    ]
    rows = []
    for match, (hypothesis, reference, matcher) in zip(alignment.matches, alignment.pairs(), strict=True):
        rows.append(
            [
                matcher,
                _span(match.hypothesis_start, match.hypothesis_length),
                isolate(printable(hypothesis)),
                _span(match.reference_start, match.reference_length),
                isolate(printable(reference)),
            ]
        )
    if rows:
        table = format_table(["matcher", "at", "hypothesis", "at", "reference"], rows, left=5)
        lines += ["  " + line for line in table.split("\n")]
    chunks = alignment.chunks
    lines.append(f"  {len(rows)} match{'' if len(rows) == 1 else 'es'} in {chunks} chunk{'' if chunks == 1 else 's'}")
    return lines


def _span(start: int, length: int) -> str:
    return str(start + 1) if length == 1 else f"{start + 1}-{start + length}"
