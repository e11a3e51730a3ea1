"""Writes scores as the WMT metrics task exchanges them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from meteor_e.api import InputError, Scores
from meteor_e.toolkit import atomic_writer, score_text
from meteor_e_evaluation.data import TestSet


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
                f"{system}\t{score_text(score)}"
                for system, row in zip(test.systems, entry.segments.tolist(), strict=True)
                for score in row
            ],
            "sys": [
                f"{system}\t{score_text(score)}"
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
