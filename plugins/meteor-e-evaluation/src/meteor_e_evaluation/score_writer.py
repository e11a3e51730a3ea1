"""Writes the scores of metrics as files in the layout of mt-metrics-eval."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from meteor_e.api import InputError
from meteor_e.api.metrics import Scores
from meteor_e.base.atomic import atomic_writer
from meteor_e.base.files import os_errors_as
from meteor_e.formats.metric_task import score_text
from meteor_e_evaluation.test_set import TestSet


def make_file_name(metric: str) -> str:
    """Convert the name of a metric to a file name by replacing special characters with underscores."""
    return re.sub(r"[^\w.+-]+", "_", metric).strip("_.") or "metric"


def write_scores(folder: Path, test: TestSet, scores: Sequence[Scores], *, by_name: bool = False) -> list[Path]:
    """Write segment scores and system scores to files that mt-metrics-eval reads.

    The files are ``PAIR/METRIC-REFERENCE.seg.score`` and ``PAIR/METRIC-REFERENCE.sys.score``.

    Each line contains a system and a score, separated by a tab. ``None`` stands for a missing score.

    Args:
        folder: the folder to write to.
        test: the test set.
        scores: scores of each metric.
        by_name: whether to put the folder of the language pair into a folder with the name of the test set.

    Returns:
        The paths of the files.

    Raises:
        InputError: if two metrics have the same file name, or if the files cannot be written.
    """
    reference = "+".join(test.reference_names) or "ref"
    test_folder = folder / test.name if by_name else folder
    pair_folder = test_folder / test.pair
    paths: list[Path] = []
    for entry in scores:
        stem = f"{make_file_name(entry.name)}-{reference}"
        lines_by_suffix = {"seg.score": _segment_lines(test, entry), "sys.score": _system_lines(test, entry)}
        for suffix, lines in lines_by_suffix.items():
            path = pair_folder / f"{stem}.{suffix}"
            if path in paths:
                raise InputError(f"two metrics would be written to {path}; tell them apart by LABEL=METRIC")
            _write_lines(path, lines)
            paths.append(path)
    return paths


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write the lines to a file, and create its folder if necessary."""
    with os_errors_as(InputError, f"cannot write to {path.parent}"):
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as stream:
        stream.writelines(f"{line}\n" for line in lines)


def _segment_lines(test: TestSet, scores: Scores) -> list[str]:
    """Return one line for each segment of each system."""
    lines = []
    for system, segment_scores in zip(test.systems, scores.segments.tolist(), strict=True):
        lines += [f"{system}\t{score_text(score)}" for score in segment_scores]
    return lines


def _system_lines(test: TestSet, scores: Scores) -> list[str]:
    """Return one line for each system."""
    lines = []
    for system, score in zip(test.systems, scores.systems.tolist(), strict=True):
        lines.append(f"{system}\t{score_text(score)}")
    return lines
