"""Alignment matrices in LaTeX (TikZ) of all systems, for papers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from meteor_e import InputError
from meteor_e.base.files import PathLike, atomic_writer
from meteor_e_evaluation.reports.matrix import MATRIX_PREAMBLE, alignment_matrix
from meteor_e_evaluation.reports.palette import letter
from meteor_e_evaluation.reports.scored import Report


def write_matrices(report: Report, segments: Sequence[int], path: PathLike) -> None:
    """Write the matrices of some segments, one a system, into a LaTeX file, whole or not at all.

    Args:
        report: what was scored.
        segments: numbers of segments, from 1.
        path: of the file.

    Raises:
        InputError: if there is no such segment, a side of it is empty, or the file cannot be written.
    """
    parts = [MATRIX_PREAMBLE, f"% {_comment(report.signature)}\n"]
    for number in segments:
        if not 1 <= number <= len(report):
            raise InputError(f"there is no segment {number} to write in LaTeX; there are {len(report)}")
        for at, system in enumerate(report.systems):
            segment = system.segments[number - 1]
            parts.append(f"\n% segment {number}, {letter(at)}: {_comment(system.name)}, METEOR {segment.score:.4f}\n")
            try:
                parts.append(alignment_matrix(segment.alignment, report.function_words))
            except InputError as error:
                raise InputError(f"segment {number} of {system.name}: {error}") from error
    with atomic_writer(path) as stream:
        stream.writelines(parts)


def _comment(text: str) -> str:
    """Return a text in which no character ends a comment."""
    return re.sub(r"[^\x20-\x7e\xa0-\U0010ffff]|[\u2028\u2029\ud800-\udfff]", "?", text)
