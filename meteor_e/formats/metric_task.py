"""Files of metric scores, as the WMT metrics task exchanges them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from meteor_e.base.errors import InputError


def metric_task_lines(
    metric: str,
    pair: str,
    testset: str,
    reference: str,
    system: str,
    segments: Sequence[float],
    whole: float | None = None,
) -> Iterator[str]:
    """Yield the lines of a system in the metrics task's form, tabs between, without line ends.

    Args:
        metric: name of the metric.
        pair: language pair.
        testset: name of the test set.
        reference: name of the reference.
        system: name of the system.
        segments: a score for each segment; lines are ``METRIC LP TESTSET REFERENCE SYSTEM SEGMENT SCORE``, segments
            counted from 1. NaN is written as ``None``.
        whole: the score of the system, for one line ``METRIC LP TESTSET REFERENCE SYSTEM SCORE`` instead.

    Raises:
        InputError: for a name that the form cannot hold: empty, or with white space in it.
    """
    head = (metric, pair, testset, reference, system)
    for name in head:
        if not name or re.search(r"\s", name):
            raise InputError(f"{name!r} cannot stand in a file of the metrics task; names have no white space there")
    start = "\t".join(head)
    if whole is not None:
        yield f"{start}\t{score_text(whole)}"
        return
    for number, score in enumerate(segments, 1):
        yield f"{start}\t{number}\t{score_text(score)}"


def score_text(score: float) -> str:
    """Return a score as the metrics task writes it: ``None`` for NaN."""
    return "None" if math.isnan(score) else repr(float(score))
