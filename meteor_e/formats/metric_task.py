"""This module formats metric scores for files of the WMT metrics task."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from meteor_e.api.formats import WmtNames
from meteor_e.base.errors import InputError


def metric_task_lines(
    metric: str, system: str, names: WmtNames, segments: Sequence[float], corpus_score: float | None = None
) -> Iterator[str]:
    """Yield the scores of a system as tab-separated lines in the format of the WMT metrics task.

    The lines of segment scores have the columns ``METRIC LP TESTSET REFERENCE SYSTEM SEGMENT SCORE``, with segment
    numbers from 1. The line of a corpus score lacks the column ``SEGMENT``. NaN is written as ``None``.

    Args:
        metric: the name of the metric.
        system: the name of the system.
        names: the names of the language pair, the test set and the reference.
        segments: the scores of the segments.
        corpus_score: the corpus score of the system, which is written instead of the segment scores if it is given.

    Raises:
        InputError: if a name is empty or contains white space.
    """
    columns = (metric, names.pair, names.test_set, names.reference, system)
    for name in columns:
        if not name or re.search(r"\s", name):
            raise InputError(
                f"{name!r} is not a name for a file of the metrics task; names must not be empty or contain white space"
            )
    prefix = "\t".join(columns)
    if corpus_score is not None:
        yield f"{prefix}\t{score_text(corpus_score)}"
        return
    for number, score in enumerate(segments, 1):
        yield f"{prefix}\t{number}\t{score_text(score)}"


def score_text(score: float) -> str:
    """Format a score for a file of the WMT metrics task. NaN is written as ``None``."""
    return "None" if math.isnan(score) else repr(float(score))
