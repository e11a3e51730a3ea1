"""Files and streams: plain text, SGML, WMT XML, alignments, the stdio protocol, Java's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.formats.assessments import read_metric_scores
    from meteor_e.formats.plain import decode_lines, read_segments

__all__ = [
    "decode_lines",
    "read_metric_scores",
    "read_segments",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "assessments": ["read_metric_scores"],
        "plain": ["decode_lines", "read_segments"],
    },
)
