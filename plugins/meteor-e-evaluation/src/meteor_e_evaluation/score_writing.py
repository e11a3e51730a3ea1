"""Writes scores as the WMT metrics task exchanges them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from meteor_e.api.metrics import Scores
from meteor_e.base.errors import InputError
from meteor_e.base.files import atomic_writer
from meteor_e_evaluation.data import TestSet

__all__ = ["file_name", "metric_task_lines", "write_scores"]


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
        yield f"{start}\t{_number(whole)}"
        return
    for number, score in enumerate(segments, 1):
        yield f"{start}\t{number}\t{_number(score)}"


def _number(score: float) -> str:
    return "None" if math.isnan(score) else repr(float(score))


def file_name(metric: str) -> str:
    """Return a metric's name as a file can be called: other characters than letters, digits and ``._+-`` are ``_``."""
    return re.sub(r"[^\w.+-]+", "_", metric).strip("_.") or "metric"


def write_scores(folder: Path, test: TestSet, scores: Sequence[Scores], *, by_name: bool = False) -> list[Path]:
    """Write ``PAIR/METRIC-REFERENCE.seg.score`` and ``.sys.score``, the layout of mt-metrics-eval's ``metric-scores``.

    A line is ``SYSTEM⇥SCORE``; segments are in order, and ``None`` stands where there is no score.

    Args:
        folder: where to write.
        test: the test set.
        scores: of the metrics.
        by_name: whether the test set's name is a folder above the pair's.

    Raises:
        InputError: if two metrics have one file name, or the folder cannot be written to.
    """
    reference = "+".join(test.reference_names) or "ref"
    target = folder / test.name / test.pair if by_name else folder / test.pair
    written: list[Path] = []
    for entry in scores:
        stem = f"{file_name(entry.name)}-{reference}"
        texts = {
            "seg": [
                f"{system}\t{_number(score)}"
                for system, row in zip(test.systems, entry.segments.tolist(), strict=True)
                for score in row
            ],
            "sys": [
                f"{system}\t{_number(score)}"
                for system, score in zip(test.systems, entry.systems.tolist(), strict=True)
            ],
        }
        for level, lines in texts.items():
            path = target / f"{stem}.{level}.score"
            if path in written:
                raise InputError(f"two metrics would be written to {path}; tell them apart by LABEL=METRIC")
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"cannot write to {path.parent}: {error.strerror}") from error
            with atomic_writer(path) as stream:
                stream.writelines(f"{line}\n" for line in lines)
            written.append(path)
    return written
