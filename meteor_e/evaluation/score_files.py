"""Scores that were computed elsewhere, from files of the WMT metrics task."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from meteor_e.api.metrics import Metric, Progress, Scores, SystemOutputs
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.arraytypes import Cells, Floats
from meteor_e.base.errors import ConfigError, InputError, near_miss
from meteor_e.evaluation.assessments import MetricScore, read_metric_scores

__all__ = ["ScoreFileMetric"]


class ScoreFileMetric(Metric):
    """A metric whose scores are in files, at segment level, system level or both.

    Scores of other systems and segments than those of the files cannot be told.

    Args:
        files: score files, in any form of :func:`~meteor_e.evaluation.assessments.read_metric_scores`.
        metric: which metric of the files; may be left out where they hold one.
        name: what tables call it.
        lower_is_better: whether the scores are errors; they are negated then.

    Raises:
        InputError: if the files are malformed, or hold another metric or several.
    """

    name: ClassVar[str] = "scores"

    def __init__(
        self,
        files: Sequence[str | os.PathLike[str]],
        *,
        metric: str | None = None,
        name: str | None = None,
        lower_is_better: bool = False,
    ) -> None:
        self._where = ", ".join(os.fspath(file) for file in files)
        rows: list[MetricScore] = []
        for file in files:
            rows += read_metric_scores(file)
        names = {row.metric for row in rows}
        if metric is None:
            if len(names) > 1:
                raise InputError(f"{self._where}: several metrics ({', '.join(sorted(names))}); name one")
            metric = next(iter(names), "")
        elif metric not in names:
            raise InputError(f"{self._where}: no metric {metric!r}{near_miss(metric, names)}")
        self.label = name or metric or os.path.basename(os.fspath(files[0]))  # noqa: PTH119 - a name, not a path
        self.signature = f"scores:{self.label}"
        self._sign = -1.0 if lower_is_better else 1.0
        self._rows = [row for row in rows if row.metric == metric]

    def score_outputs(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress | None = None
    ) -> Scores:
        """Look the scores up.

        Raises:
            InputError: if a wanted score is missing, or a segment is outside the test set, naming system and file.
        """
        at = {system: row for row, system in enumerate(test.systems)}
        segments = np.full(cells.shape, np.nan)
        whole = np.full(len(at), np.nan)
        of_segments = of_systems = False
        for row in self._rows:
            if row.pair not in ("", test.pair) or row.system not in at:
                continue
            if row.segment is None:
                of_systems = True
                whole[at[row.system]] = self._sign * row.score
            elif 1 <= row.segment <= len(test):
                of_segments = True
                segments[at[row.system], row.segment - 1] = self._sign * row.score
            else:
                raise InputError(
                    f"{row.where}: system {row.system} has a segment {row.segment}; {test.pair} has {len(test)}"
                )
        if not of_segments and not of_systems:
            raise InputError(f"{self._where}: no scores of {self.label} for {test.pair}")
        missing = np.argwhere(cells & np.isnan(segments)) if of_segments else np.empty((0, 2), int)
        if len(missing):
            system, segment = missing[0]
            raise InputError(
                f"{self._where}: no score of {self.label} for system {test.systems[system]}, segment {segment + 1} of "
                f"{test.pair} ({len(missing)} are missing)"
            )
        if systems and not of_systems:
            known = ~np.isnan(segments)
            whole = np.divide(
                np.where(known, segments, 0).sum(axis=1), known.sum(axis=1), out=whole, where=known.any(axis=1)
            )
        return Scores(self.label, self.signature, segments, whole)

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read ``FILE,FILE#METRIC``; a ``-`` before it says that the scores are errors."""
        files, _, metric = text.removeprefix("-").partition("#")
        if not files:
            raise ConfigError("metric 'scores' needs a file: scores:FILE")
        return {"files": files.split(","), "metric": metric or None, "lower_is_better": text.startswith("-")}

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Refuse: texts alone do not say whose they are.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(f"{self._where}: scores of a file belong to systems by name, and not to texts")

    def corpus_scores(self, sums: Floats) -> Floats:
        """Return means."""
        means: Floats = sums[:, 0] / sums[:, 1]
        return means
