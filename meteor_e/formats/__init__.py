"""Files and streams: plain text, SGML, WMT XML, alignments, the stdio protocol, Java's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.formats.assessments import read_metric_scores
    from meteor_e.formats.plain import decode_lines, read_segments
    from meteor_e.formats.tables import DATASET_DICTIONARY, JSON_LINES, PARQUET, parquet_files

__all__ = [
    "DATASET_DICTIONARY",
    "JSON_LINES",
    "PARQUET",
    "decode_lines",
    "parquet_files",
    "read_metric_scores",
    "read_segments",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "assessments": ["read_metric_scores"],
        "plain": ["decode_lines", "read_segments"],
        "tables": ["DATASET_DICTIONARY", "JSON_LINES", "PARQUET", "parquet_files"],
    },
)
