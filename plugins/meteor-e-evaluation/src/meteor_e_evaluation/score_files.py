"""Defines metrics that read their scores from files, and writes score files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from meteor_e.api import Batch, ComponentOptions, ConfigError, FilePath, InputError, Meta, SystemOutputs, SystemsMetric
from meteor_e.api.metrics import Scores, named_options
from meteor_e.base.array_cache import ArrayCache, Cells, Floats
from meteor_e.base.atomic import atomic_writer
from meteor_e.base.errors import near_miss
from meteor_e.base.files import os_errors_as
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.metric_task import score_text
from meteor_e_evaluation.index import fill_pattern
from meteor_e_evaluation.metric_task import MetricScore, match_systems, read_metric_scores
from meteor_e_evaluation.test_set import TestSet

ROUNDING_TOLERANCE = 1e-6
"""Largest difference between a system score and the mean of its segment scores that is attributed to rounding."""


class _ScoreFile(NamedTuple):
    """A score file.

    Attributes:
        path: path of the file.
        system: name of the system in the path, or empty if the file contains scores of several systems.
    """

    path: str
    system: str = ""


class ScoreFileMetric(SystemsMetric):
    """A metric that reads scores of segments, of systems, or of both from files.

    For each test set, ``{pair}``, ``{source}``, ``{target}``, ``{reference}`` and ``{system}`` in the paths of the
    files are replaced.
    """

    name: ClassVar[str] = "scores"

    class Options(ComponentOptions):
        """Options of a metric that reads scores from files."""

        files: Annotated[list[FilePath], Meta(min_length=1, description="Score files of the WMT metrics task.")]
        metric: Annotated[str | None, Meta(description="Which metric of the files, if they hold several.")] = None
        testset: (
            Annotated[
                str, Meta(description="Which test set of the files; by default the one of the evaluation's name.")
            ]
            | None
        ) = None
        reference: Annotated[str, Meta(description="Which reference of the files, if they hold several.")] | None = None
        lower_is_better: Annotated[bool, Meta(description="The scores count errors; they are negated.")] = False

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._rows_by_path: dict[str, list[MetricScore]] = {}
        files = options.files
        self.label = options.metric or re.sub(r"-?\{(reference|system)\}", "", Path(files[0]).name)
        if not any("{" in file for file in files):
            rows = [row for file in files for row in self._read_rows(file)]
            rows = _select(rows, "metric", options.metric, (), ", ".join(files))
            self.label = rows[0].metric or self.label

    @property
    def signature(self) -> str:  # type: ignore[override]
        """The signature, which does not depend on the contents of the files, because the scores are not cached."""
        return f"scores:{self.label}"

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Parse the text ``[-]FILE[,FILE…][#METRIC][,testset=NAME][,reference=NAME]``.

        The sign ``-`` means that the scores count errors.

        Raises:
            ConfigError: if the text has another format.
        """
        files, _, selection = text.removeprefix("-").partition("#")
        if not files:
            raise ConfigError("metric 'scores' needs a file: scores:FILE")
        metric, _, settings = selection.partition(",")
        if "=" in metric:
            metric = ""
            settings = selection
        options = {key: str(value) for key, value in named_options(settings, "metric 'scores'").items()}
        if metric:
            options["metric"] = metric
        return {"files": files.split(","), "lower_is_better": text.startswith("-"), **options}

    def statistics(self, batch: Batch) -> Floats:
        """Raise an error, because the scores belong to systems, and the texts do not name their systems.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(f"{self.signature}: scores of a file belong to systems by name, and not to texts")

    def scores(self, sums: Floats) -> Floats:
        """Return the mean score of each row of summed statistics."""
        means: Floats = sums[:, 0] / sums[:, 1]
        return means

    def score_systems(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress = silent
    ) -> Scores:
        """Look up the scores of systems and segments in the files.

        Raises:
            InputError: if a score is missing or occurs twice, if a segment is outside the test set, or if the options
                do not select one of several metrics, test sets or references.
        """
        test_set = test if isinstance(test, TestSet) else TestSet(**vars(test))
        files = self._find_files(test_set)
        location = ", ".join(file.path for file in files)
        rows = self._select_rows(files, test_set, location)
        _check_distinct(rows)
        _check_segments(rows, test_set, location)
        sign = -1.0 if self.options.lower_is_better else 1.0
        segment_scores, system_scores = _fill_arrays(rows, test_set, sign)
        has_system_scores = any(row.segment is None for row in rows)
        if has_system_scores:
            self._check_systems(system_scores, test_set, location)
        if not has_system_scores or any(row.segment is not None for row in rows):
            self._check_outputs(segment_scores, cells, test_set, location)
        if has_system_scores:
            are_means = _are_means(system_scores, segment_scores)
            return Scores(self.label, self.signature, segment_scores, system_scores, resamplable=systems and are_means)
        if systems:
            mean_scores = _mean_of_scored(segment_scores, system_scores)
            return Scores(self.label, self.signature, segment_scores, mean_scores, resamplable=True)
        return Scores(self.label, self.signature, segment_scores, system_scores, resamplable=False)

    def _read_rows(self, path: str) -> list[MetricScore]:
        if path not in self._rows_by_path:
            self._rows_by_path[path] = list(read_metric_scores(path))
            if not self._rows_by_path[path]:
                raise InputError(f"{path}: the file is empty")
        return self._rows_by_path[path]

    def _find_files(self, test: TestSet) -> list[_ScoreFile]:
        """Return the score files of a test set. A path with ``{system}`` stands for one file per system."""
        files = []
        for pattern in self.options.files:
            path = _fill_placeholders(pattern, test)
            if "{system}" in path:
                files += [_ScoreFile(path.replace("{system}", system), system) for system in test.systems]
            else:
                files.append(_ScoreFile(path))
        return list(dict.fromkeys(files))

    def _select_rows(self, files: Sequence[_ScoreFile], test: TestSet, location: str) -> list[MetricScore]:
        """Return the scores of this metric on a test set.

        Raises:
            InputError: if there are no such scores, or if the options do not select one of several test sets or
                references.
        """
        options = self.options
        rows: list[MetricScore] = []
        for file in files:
            rows += _name_systems(self._read_rows(file.path), file, test)
        rows = _select(rows, "metric", options.metric, (), location)
        rows = [row for row in rows if row.pair in ("", test.pair)]
        if not rows:
            raise InputError(f"{location}: no scores of {self.label} for {test.title}")
        _check_names([row for row in rows if not row.pair], test)
        rows = _select(rows, "testset", options.testset, (test.name,), location)
        return _select(rows, "reference", options.reference, test.reference_names, location)

    def _check_systems(self, system_scores: Floats, test: TestSet, location: str) -> None:
        if np.isnan(system_scores).any():
            system = test.systems[int(np.isnan(system_scores).argmax())]
            raise InputError(f"{location}: no score of {self.label} for system {system} of {test.title}")

    def _check_outputs(self, segment_scores: Floats, cells: Cells, test: TestSet, location: str) -> None:
        missing = np.argwhere(cells & np.isnan(segment_scores))
        if len(missing):
            system, segment = missing[0]
            raise InputError(
                f"{location}: no score of {self.label} for system {test.systems[system]}, segment {segment + 1} of "
                f"{test.title} ({len(missing)} are missing)"
            )


class MtmeMetric(ScoreFileMetric):
    """A metric that reads scores from the folder ``metric-scores`` of a test set of mt-metrics-eval."""

    name: ClassVar[str] = "mtme"

    class Options(ComponentOptions):
        """Options of a metric of mt-metrics-eval."""

        metric: Annotated[str, Meta(description="Name of the metric in the names of the files.")]
        lower_is_better: Annotated[bool, Meta(description="The scores count errors; they are negated.")] = False

    def __init__(self, options: Any) -> None:
        SystemsMetric.__init__(self, options)
        self.label = options.metric
        self._rows_by_path = {}

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Parse the text ``[-]METRIC``, in which the sign ``-`` means that the scores count errors.

        Raises:
            ConfigError: if the text does not name a metric.
        """
        metric = text.removeprefix("-")
        if not metric:
            raise ConfigError("metric 'mtme' needs the name of a metric, as in mtme:BLEU")
        return {"metric": metric, "lower_is_better": text.startswith("-")}

    def _find_files(self, test: TestSet) -> list[_ScoreFile]:
        """Return the existing files of segment scores and of system scores."""
        stem = _fill_placeholders(f"metric-scores/{{pair}}/{self.label}-{{reference}}", test)
        paths = [str(Path(test.root, f"{stem}.{level}.score")) for level in ("seg", "sys")]
        existing = [path for path in paths if Path(path).is_file()]
        return [_ScoreFile(path) for path in existing or paths[:1]]

    def _select_rows(self, files: Sequence[_ScoreFile], test: TestSet, location: str) -> list[MetricScore]:
        rows = [row for file in files for row in self._read_rows(file.path)]
        _check_names(rows, test)
        return rows


def _fill_placeholders(file: str, test: TestSet) -> str:
    return fill_pattern(file, test.pair).replace("{reference}", next(iter(test.reference_names), "ref"))


def _name_systems(rows: Sequence[MetricScore], file: _ScoreFile, test: TestSet) -> Iterator[MetricScore]:
    """Yield scores with the system names of the test set.

    Args:
        rows: scores with the system names of the file.
        file: the score file.
        test: the test set.

    Raises:
        InputError: if the file does not name systems, and the test set has several systems.
    """
    names = list(dict.fromkeys(row.system for row in rows))
    if names == [""]:
        if not file.system and len(test.systems) != 1:
            raise InputError(
                f"{file.path}: the file has numbers, but no names of systems, and {test.title} has {len(test.systems)} "
                "systems; give one file per system with {system} in its name, as in scores:FILE.{system}"
            )
        matches = {"": file.system or test.systems[0]}
    else:
        matches = match_systems(names, test.known_systems or test.systems, test.output_files)
    for row in rows:
        yield row._replace(system=matches[row.system])


def _check_names(rows: Sequence[MetricScore], test: TestSet) -> None:
    """Check that scores which do not name their language pair belong to systems of the test set."""
    known_names = {*test.known_systems, *test.reference_names}
    for row in rows:
        if known_names and row.system not in known_names:
            raise InputError(
                f"{row.location}: {test.title} has no system {row.system!r}{near_miss(row.system, known_names)}; is it "
                "the file of another language pair? A name with {pair} gives each pair its own file"
            )


def _check_distinct(rows: Sequence[MetricScore]) -> None:
    """Check that no output and no system has more than one score."""
    locations: dict[tuple[str, int | None], str] = {}
    for row in rows:
        first_location = locations.setdefault((row.system, row.segment), row.location)
        if first_location != row.location:
            scored = f"system {row.system}" + ("" if row.segment is None else f", segment {row.segment}")
            raise InputError(
                f"{row.location}: a second score of {scored}; the first is in {first_location}. Give one file per "
                "language pair with {pair} in its name, or choose by #METRIC,testset=NAME,reference=NAME"
            )


def _check_segments(rows: Sequence[MetricScore], test: TestSet, location: str) -> None:
    """Check that all segments exist, and that files without a language pair contain all segments."""
    n_unlabeled: Counter[str] = Counter()
    for row in rows:
        if row.segment is None:
            continue
        if not 1 <= row.segment <= len(test):
            raise InputError(
                f"{row.location}: system {row.system} has a segment {row.segment}; {test.title} has {len(test)}"
            )
        if not row.pair:
            n_unlabeled[row.system] += 1
    for system, count in n_unlabeled.items():
        if count != len(test):
            raise InputError(f"{location}: system {system} has {count} scores; {test.title} has {len(test)} segments")


def _fill_arrays(rows: Sequence[MetricScore], test: TestSet, sign: float) -> tuple[Floats, Floats]:
    """Return arrays of the scores, with NaN for missing scores.

    Args:
        rows: the scores.
        test: the test set.
        sign: factor of all scores, which is -1 to negate them.

    Returns:
        The scores of segments, ``(systems, segments)``, and the scores of systems, ``(systems,)``.
    """
    segment_scores = np.full((len(test.systems), len(test)), np.nan)
    system_scores = np.full(len(test.systems), np.nan)
    index_of = {system: index for index, system in enumerate(test.systems)}
    for row in rows:
        if row.system not in index_of:
            continue
        if row.segment is None:
            system_scores[index_of[row.system]] = sign * row.score
        else:
            segment_scores[index_of[row.system], row.segment - 1] = sign * row.score
    return segment_scores, system_scores


def _mean_of_scored(segment_scores: Floats, system_scores: Floats) -> Floats:
    """Return the mean segment score of each system.

    A system without segment scores keeps its system score.
    """
    is_scored = ~np.isnan(segment_scores)
    sums = np.where(is_scored, segment_scores, 0).sum(axis=1)
    means = system_scores.copy()
    np.divide(sums, is_scored.sum(axis=1), out=means, where=is_scored.any(axis=1))
    return means


def _are_means(system_scores: Floats, segment_scores: Floats) -> bool:
    """Return whether the system scores are means of segment scores, and can therefore be resampled."""
    if np.isnan(segment_scores).any():
        return False
    means = segment_scores.mean(axis=1)
    return bool(np.allclose(system_scores, means, rtol=ROUNDING_TOLERANCE, atol=ROUNDING_TOLERANCE))


def _select(
    rows: list[MetricScore], field: str, selected: str | None, defaults: Sequence[str], location: str
) -> list[MetricScore]:
    """Return the scores that have a certain value in a field.

    Args:
        rows: the scores.
        field: name of the field, such as ``testset``.
        selected: value to select, or None for a default value.
        defaults: default values. They are not needed if all scores have the same value.
        location: paths of the files, for error messages.

    Raises:
        InputError: if no score has the value, or if there is no default for several values.
    """
    field_values = sorted({getattr(row, field) for row in rows})
    if selected is not None:
        if selected not in field_values and field_values != [""]:
            hint = near_miss(selected, field_values)
            raise InputError(f"{location}: no {field} {selected!r}{hint}; it has {', '.join(field_values)}")
        return [row for row in rows if getattr(row, field) in ("", selected)]
    if len(field_values) < 2:
        return rows
    default_value = _find_default(field_values, defaults)
    if default_value is None:
        raise _ambiguous_field(field, field_values, location)
    return [row for row in rows if getattr(row, field) == default_value]


def _find_default(field_values: Sequence[str], defaults: Sequence[str]) -> str | None:
    """Return the first value that is a default value, regardless of case, or None if there is none."""
    default_names = {name.casefold() for name in defaults if name}
    for value in field_values:
        if value.casefold() in default_names:
            return value
    return None


def _ambiguous_field(field: str, field_values: Sequence[str], location: str) -> InputError:
    """Return the error for a field that has several values, of which the user must choose one."""
    example = "#METRIC" if field == "metric" else f"#METRIC,{field}={field_values[-1]}"
    return InputError(f"{location}: several {field}s ({', '.join(field_values)}); name one, as in scores:FILE{example}")


def make_file_name(metric: str) -> str:
    """Return the name of a metric with all characters replaced that are unsuitable for file names."""
    return re.sub(r"[^\w.+-]+", "_", metric).strip("_.") or "metric"


def write_scores(folder: Path, test: TestSet, scores: Sequence[Scores], *, by_name: bool = False) -> list[Path]:
    """Write the files ``PAIR/METRIC-REFERENCE.seg.score`` and ``.sys.score``, as in mt-metrics-eval.

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
        for level, lines in _score_lines(test, entry).items():
            path = pair_folder / f"{make_file_name(entry.name)}-{reference}.{level}.score"
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


def _score_lines(test: TestSet, scores: Scores) -> dict[str, list[str]]:
    """Return the lines of the files with segment scores and system scores, by the level in the file name."""
    segment_lines = []
    for system, segment_scores in zip(test.systems, scores.segments.tolist(), strict=True):
        segment_lines += [f"{system}\t{score_text(score)}" for score in segment_scores]
    system_scores = zip(test.systems, scores.systems.tolist(), strict=True)
    system_lines = [f"{system}\t{score_text(score)}" for system, score in system_scores]
    return {"seg": segment_lines, "sys": system_lines}
