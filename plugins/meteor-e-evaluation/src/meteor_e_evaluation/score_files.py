"""Scores that were computed elsewhere, from files of the WMT metrics task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from meteor_e.api import Batch, ComponentOptions, ConfigError, FilePath, InputError, Meta, SystemOutputs, SystemsMetric
from meteor_e.api.metrics import Scores, named_options
from meteor_e.base.array_cache import ArrayCache, Cells, Floats
from meteor_e.base.errors import near_miss
from meteor_e.base.files import atomic_writer, os_errors_as
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.metric_task import score_text
from meteor_e_evaluation.data import TestSet
from meteor_e_evaluation.index import expand
from meteor_e_evaluation.metric_task import GivenScore, read_metric_scores

EQUAL = 1e-6
"""Given scores of systems that differ no more than this from their segments' mean are that mean, rounded."""


class ScoreFileMetric(SystemsMetric):
    """A metric whose scores are in files, at segment level, system level or both.

    A file is read when a test set asks for it: ``{pair}``, ``{source}``, ``{target}`` and ``{reference}`` in its
    name are filled in.
    """

    name: ClassVar[str] = "scores"

    class Options(ComponentOptions):
        """Files, and what to take from them."""

        files: Annotated[list[FilePath], Meta(min_length=1, description="Score files of the WMT metrics task.")]
        metric: Annotated[str | None, Meta(description="Which metric of the files, where they hold several.")] = None
        testset: (
            Annotated[str, Meta(description="Which test set of the files; by default that of the evaluation's name.")]
            | None
        ) = None
        reference: Annotated[str, Meta(description="Which reference of the files, where they hold several.")] | None = (
            None
        )
        lower_is_better: Annotated[bool, Meta(description="The scores are errors; they are negated.")] = False

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._read: dict[str, list[GivenScore]] = {}
        files = options.files
        self.label = options.metric or Path(files[0]).name.replace("-{reference}", "")
        if not any("{" in file for file in files):
            rows = [row for file in files for row in self._rows_of(file)]
            self.label = _one_of(rows, "metric", options.metric, (), ", ".join(files))[0].metric or self.label

    @property
    def signature(self) -> str:  # type: ignore[override]
        """The name; the files' content is looked up each time."""
        return f"scores:{self.label}"

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read ``[-]FILE[,FILE…][#METRIC][,testset=NAME][,reference=NAME]``; ``-`` says that the scores are errors.

        Raises:
            ConfigError: for a text of another form.
        """
        files, _, chosen = text.removeprefix("-").partition("#")
        if not files:
            raise ConfigError("metric 'scores' needs a file: scores:FILE")
        metric, *rest = chosen.split(",") if chosen else [""]
        if "=" in metric:
            metric, rest = "", [metric, *rest]
        options = {key: str(value) for key, value in named_options(",".join(rest), "metric 'scores'").items()}
        if metric:
            options["metric"] = metric
        return {"files": files.split(","), "lower_is_better": text.startswith("-"), **options}

    def statistics(self, batch: Batch) -> Floats:
        """Refuse: texts alone do not say whose they are.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(f"{self.signature}: scores of a file belong to systems by name, and not to texts")

    def scores(self, sums: Floats) -> Floats:
        """Return means."""
        means: Floats = sums[:, 0] / sums[:, 1]
        return means

    def _rows_of(self, file: str) -> list[GivenScore]:
        if file not in self._read:
            self._read[file] = list(read_metric_scores(file))
            if not self._read[file]:
                raise InputError(f"{file}: the file is empty")
        return self._read[file]

    def _paths(self, test: TestSet) -> list[str]:
        """Return the files of a test set."""
        return [_filled(file, test) for file in self.options.files]

    def _rows(self, paths: Sequence[str], test: TestSet, where: str) -> list[GivenScore]:
        """Return the rows of this metric and test set.

        Raises:
            InputError: if there are none, or rows of several things among which nobody has chosen.
        """
        given = self.options
        rows = [row for path in dict.fromkeys(paths) for row in self._rows_of(path)]
        rows = [row for row in _one_of(rows, "metric", given.metric, (), where) if row.pair in ("", test.pair)]
        if not rows:
            raise InputError(f"{where}: no scores of {self.label} for {test.pair}")
        _check_names([row for row in rows if not row.pair], test)
        rows = _one_of(rows, "testset", given.testset, (test.name,), where)
        return _one_of(rows, "reference", given.reference, test.reference_names, where)

    def score_systems(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress = silent
    ) -> Scores:
        """Look the scores up.

        Raises:
            InputError: if a wanted score is missing or given twice, if a segment is outside the test set, or if the
                files hold several metrics, test sets or references and none is named; with system and file.
        """
        if not isinstance(test, TestSet):
            test = TestSet(**vars(test))
        paths, sign = self._paths(test), -1.0 if self.options.lower_is_better else 1.0
        where = ", ".join(paths)
        rows = self._rows(paths, test, where)
        segments, whole = np.full(cells.shape, np.nan), np.full(len(test.systems), np.nan)
        at = {system: row for row, system in enumerate(test.systems)}
        seen: dict[tuple[str, int | None], str] = {}
        for row in rows:
            before = seen.setdefault((row.system, row.segment), row.where)
            if before != row.where:
                what = f"system {row.system}" + ("" if row.segment is None else f", segment {row.segment}")
                raise InputError(
                    f"{row.where}: a second score of {what}; the first is in {before}. Give one file per language "
                    "pair with {pair} in its name, or choose by #METRIC,testset=NAME,reference=NAME"
                )
            if row.segment is not None and not 1 <= row.segment <= len(test):
                raise InputError(
                    f"{row.where}: system {row.system} has a segment {row.segment}; {test.pair} has {len(test)}"
                )
            if row.system in at and row.segment is None:
                whole[at[row.system]] = sign * row.score
            elif row.system in at and row.segment is not None:
                segments[at[row.system], row.segment - 1] = sign * row.score
        for system, count in Counter(row.system for row in rows if row.segment is not None and not row.pair).items():
            if count != len(test):
                raise InputError(f"{where}: system {system} has {count} scores; {test.pair} has {len(test)} segments")
        given = any(row.segment is None for row in rows)
        of_segments = any(row.segment is not None for row in rows)
        if given and np.isnan(whole).any():
            system = test.systems[int(np.isnan(whole).argmax())]
            raise InputError(f"{where}: no score of {self.label} for system {system} of {test.pair}")
        missing = np.argwhere(cells & (of_segments or not given) & np.isnan(segments))
        if len(missing):
            raise InputError(
                f"{where}: no score of {self.label} for system {test.systems[missing[0, 0]]}, segment "
                f"{missing[0, 1] + 1} of {test.pair} ({len(missing)} are missing)"
            )
        if systems and not given:
            known = ~np.isnan(segments)
            sums = np.where(known, segments, 0).sum(axis=1)
            whole = np.divide(sums, known.sum(axis=1), out=whole, where=known.any(axis=1))
        resamplable = bool(systems) and (not given or _are_means(whole, segments))
        return Scores(self.label, self.signature, segments, whole, resamplable=resamplable)


def _filled(file: str, test: TestSet) -> str:
    return expand(file, test.pair).replace("{reference}", next(iter(test.reference_names), "ref"))


class MtmeMetric(ScoreFileMetric):
    """Scores in the folder ``metric-scores`` of a test set that is laid out as in mt-metrics-eval."""

    name: ClassVar[str] = "mtme"

    class Options(ComponentOptions):
        """The metric."""

        metric: Annotated[str, Meta(description="Name of the metric in the files' names.")]
        lower_is_better: Annotated[bool, Meta(description="The scores are errors; they are negated.")] = False

    def __init__(self, options: Any) -> None:
        SystemsMetric.__init__(self, options)
        self.label, self._read = options.metric, {}

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read ``[-]METRIC``.

        Raises:
            ConfigError: if no metric is named.
        """
        if not text.removeprefix("-"):
            raise ConfigError("metric 'mtme' needs the name of a metric, as in mtme:BLEU")
        return {"metric": text.removeprefix("-"), "lower_is_better": text.startswith("-")}

    def _paths(self, test: TestSet) -> list[str]:
        pattern = _filled(f"metric-scores/{{pair}}/{self.label}-{{reference}}", test)
        paths = [str(Path(test.root, f"{pattern}.{level}.score")) for level in ("seg", "sys")]
        # A metric's folder holds a file of segments, of systems, or both.
        return [path for path in paths if Path(path).is_file()] or paths[:1]

    def _rows(self, paths: Sequence[str], test: TestSet, where: str) -> list[GivenScore]:
        rows = [row for path in paths for row in self._rows_of(path)]
        _check_names(rows, test)
        return rows


def _are_means(whole: Floats, segments: Floats) -> bool:
    """Tell whether given scores of systems are the means of the segments, so that they can be resampled."""
    if np.isnan(segments).any():
        return False
    return bool(np.allclose(whole, segments.mean(axis=1), rtol=EQUAL, atol=EQUAL))


def _check_names(rows: Sequence[GivenScore], test: TestSet) -> None:
    """Make sure that a file which names no language pair belongs to this one."""
    known = {*test.known_systems, *test.reference_names}
    for row in rows:
        if known and row.system not in known:
            raise InputError(
                f"{row.where}: {test.pair} has no system {row.system!r}{near_miss(row.system, known)}; is the file "
                "that of another language pair? A name with {pair} gives each pair its own file"
            )


def _one_of(
    rows: list[GivenScore], field: str, wanted: str | None, usual: Sequence[str], where: str
) -> list[GivenScore]:
    """Return the rows with one value of a field: the wanted one, else a usual one, else the only one."""
    values = sorted({getattr(row, field) for row in rows})
    if wanted is not None:
        if wanted not in values and values != [""]:
            raise InputError(f"{where}: no {field} {wanted!r}{near_miss(wanted, values)}; it has {', '.join(values)}")
        return [row for row in rows if getattr(row, field) in ("", wanted)]
    if len(values) < 2:
        return rows
    chosen = next((value for value in values if value.casefold() in {name.casefold() for name in usual if name}), None)
    if chosen is None:
        example = "#METRIC" if field == "metric" else f"#METRIC,{field}={values[-1]}"
        raise InputError(f"{where}: several {field}s ({', '.join(values)}); name one, as in scores:FILE{example}")
    return [row for row in rows if getattr(row, field) == chosen]


def file_name(metric: str) -> str:
    """Return a metric's name as part of a file name: characters except letters, digits and ``._+-`` become ``_``."""
    return re.sub(r"[^\w.+-]+", "_", metric).strip("_.") or "metric"


def write_scores(folder: Path, test: TestSet, scores: Sequence[Scores], *, by_name: bool = False) -> list[Path]:
    """Write ``PAIR/METRIC-REFERENCE.seg.score`` and ``.sys.score``, the layout of mt-metrics-eval's ``metric-scores``.

    A line is ``SYSTEM⇥SCORE``; segments are in order, ``None`` for no score.

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
            with os_errors_as(InputError, f"cannot write to {path.parent}"):
                path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_writer(path) as stream:
                stream.writelines(f"{line}\n" for line in lines)
            written.append(path)
    return written
