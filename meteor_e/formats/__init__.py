"""Files and streams: plain text, SGML, WMT XML, alignments, the stdio protocol, Java's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.base.lazy import lazy_names

if TYPE_CHECKING:
    from meteor_e.formats.documents import Role
    from meteor_e.formats.inputs import open_input
    from meteor_e.formats.metric_task import GivenScore, metric_task_lines, read_metric_scores, score_text, split_fields
    from meteor_e.formats.plain import csv_rows, decode_lines, read_segments
    from meteor_e.formats.tables import DATASET_DICTIONARY, JSON_LINES, PARQUET, parquet_files
    from meteor_e.formats.test_sets import NamedSet, named_set, target_language

__all__ = [
    "DATASET_DICTIONARY",
    "JSON_LINES",
    "PARQUET",
    "GivenScore",
    "NamedSet",
    "Role",
    "csv_rows",
    "decode_lines",
    "metric_task_lines",
    "named_set",
    "open_input",
    "parquet_files",
    "read_metric_scores",
    "read_segments",
    "score_text",
    "split_fields",
    "target_language",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "test_sets": ["NamedSet", "named_set", "target_language"],
        "metric_task": ["GivenScore", "metric_task_lines", "read_metric_scores", "score_text", "split_fields"],
        "inputs": ["open_input"],
        "documents": ["Role"],
        "plain": ["csv_rows", "decode_lines", "read_segments"],
        "tables": ["DATASET_DICTIONARY", "JSON_LINES", "PARQUET", "parquet_files"],
    },
)
