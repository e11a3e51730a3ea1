"""Defines metrics that read their scores from files."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from meteor_e.api import Batch, ComponentOptions, ConfigError, FilePath, InputError, Meta, SystemOutputs, SystemsMetric
from meteor_e.api.metrics import Scores, named_options
from meteor_e.base.array_cache import ArrayCache, Cells, Floats
from meteor_e.base.errors import near_miss
from meteor_e.base.progress import Progress, silent
from meteor_e_evaluation.index import fill_pattern
from meteor_e_evaluation.metric_task import MetricScore, match_systems, read_metric_scores
from meteor_e_evaluation.segment_coefficients import divide_or_nan
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


class _Choice(NamedTuple):
    """Selects the scores of one metric, one test set or one reference from score files.

    Attributes:
        field: name of the field: ``metric``, ``testset`` or ``reference``.
        value: the requested value of the field, or None for a default value.
        defaults: default values. They are not needed if all scores have the same value.
    """

    field: str
    value: str | None
    defaults: tuple[str, ...] = ()

    def select(self, file_scores: list[MetricScore], location: str) -> list[MetricScore]:
        """Return the scores of the requested metric, test set or reference.

        Args:
            file_scores: the scores.
            location: paths of the files, for error messages.

        Raises:
            InputError: if no score has the value, or if there is no default for several values.
        """
        available_values = sorted({getattr(entry, self.field) for entry in file_scores})
        if self.value is None:
            values = self._find_default_values(available_values, location)
        else:
            values = self._match_value(self.value, available_values, location)
        return [entry for entry in file_scores if getattr(entry, self.field) in values]

    def _match_value(self, value: str, available_values: Sequence[str], location: str) -> Sequence[str]:
        """Return two allowed values: the requested value, and the empty string for scores that lack the field."""
        if value not in available_values and available_values != [""]:
            hint = near_miss(value, available_values)
            raise InputError(f"{location}: no {self.field} {value!r}{hint}; it has {', '.join(available_values)}")
        return ("", value)

    def _find_default_values(self, available_values: Sequence[str], location: str) -> Sequence[str]:
        """Return the only value or, if there are several, the first value that equals a default, ignoring case."""
        if len(available_values) < 2:
            return available_values
        default_names = {name.casefold() for name in self.defaults if name}
        default_values = [value for value in available_values if value.casefold() in default_names]
        if not default_values:
            example = "#METRIC" if self.field == "metric" else f"#METRIC,{self.field}={available_values[-1]}"
            names = ", ".join(available_values)
            raise InputError(f"{location}: several {self.field}s ({names}); name one, as in scores:FILE{example}")
        return default_values[:1]


class _FileMetric(SystemsMetric):
    """Base class of metrics that read their scores from files instead of computing them.

    A subclass must set the label of the metric, and must have the option ``lower_is_better``.
    """

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._scores_by_path: dict[str, list[MetricScore]] = {}

    @property
    def signature(self) -> str:  # type: ignore[override]
        """The signature of the metric, which contains only the label.

        The signature needs no digest of the files, because the scores are not cached.
        """
        return f"scores:{self.label}"

    @abstractmethod
    def find_files(self, test: TestSet) -> list[_ScoreFile]:
        """Return the score files of a test set."""

    @abstractmethod
    def select_scores(self, files: Sequence[_ScoreFile], test: TestSet, location: str) -> list[MetricScore]:
        """Return the scores that this metric gives to the outputs of a test set.

        Args:
            files: the score files.
            test: the test set.
            location: paths of the files, for error messages.
        """

    def statistics(self, batch: Batch) -> Floats:
        """Raise an error, because the metric reads the scores of systems from files and cannot score texts.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(f"{self.signature}: scores of a file belong to systems by name, and not to texts")

    def score_systems(
        self, test: SystemOutputs, cells: Cells, cache: ArrayCache, *, systems: bool, progress: Progress = silent
    ) -> Scores:
        """Look up the scores of systems and segments in the files.

        Args:
            test: the test set.
            cells: mask of the outputs that need a score, ``(systems, segments)``.
            cache: not used.
            systems: whether scores of systems are needed. If the files contain only scores of segments, the mean is
                used.
            progress: not used.

        Raises:
            InputError: if a score is missing or occurs twice, if a segment is outside the test set, or if the options
                do not select one of several metrics, test sets or references.
        """
        test_set = test if isinstance(test, TestSet) else TestSet(**vars(test))
        files = self.find_files(test_set)
        location = ", ".join(file.path for file in files)
        file_scores = self.select_scores(files, test_set, location)
        _check_distinct(file_scores)
        system_entries = [entry for entry in file_scores if entry.segment is None]
        segment_entries = [entry for entry in file_scores if entry.segment is not None]
        _check_segment_numbers(segment_entries, test_set, location)
        system_scores = self._arrange_system_scores(system_entries, test_set, location)
        segment_scores = self._arrange_segment_scores(segment_entries, cells, test_set, location)
        if systems and not system_entries:
            system_means = _average_scored_segments(segment_scores)
            return Scores(self.label, self.signature, segment_scores, system_means, resamplable=True)
        # Bootstrap samples of segments are possible only if system scores are means of segment scores.
        is_resamplable = systems and _are_means(system_scores, segment_scores)
        return Scores(self.label, self.signature, segment_scores, system_scores, resamplable=is_resamplable)

    @property
    def _sign(self) -> float:
        """The factor by which all scores are multiplied: -1 if lower scores are better, and 1 otherwise."""
        return -1.0 if self.options.lower_is_better else 1.0

    def _arrange_system_scores(self, entries: Sequence[MetricScore], test: TestSet, location: str) -> Floats:
        """Return the scores of systems as an array ``(systems,)``, with NaN if the files have no scores of systems.

        Raises:
            InputError: if the files have scores of systems, but not of each system in the test set.
        """
        scores = np.full(len(test.systems), np.nan)
        index_of_system = {system: index for index, system in enumerate(test.systems)}
        for entry in entries:
            if entry.system in index_of_system:
                scores[index_of_system[entry.system]] = self._sign * entry.score
        is_missing = np.isnan(scores)
        if entries and is_missing.any():
            system = test.systems[int(is_missing.argmax())]
            raise InputError(f"{location}: no score of {self.label} for system {system} of {test.title}")
        return scores

    def _arrange_segment_scores(
        self, entries: Sequence[MetricScore], cells: Cells, test: TestSet, location: str
    ) -> Floats:
        """Return the scores of segments as an array ``(systems, segments)``, with NaN for missing scores.

        Raises:
            InputError: if the files have scores of segments, but not of each output in ``cells``.
        """
        scores = np.full((len(test.systems), len(test)), np.nan)
        index_of_system = {system: index for index, system in enumerate(test.systems)}
        for entry in entries:
            if entry.segment is not None and entry.system in index_of_system:
                scores[index_of_system[entry.system], entry.segment - 1] = self._sign * entry.score
        missing_outputs = np.argwhere(cells & np.isnan(scores))
        if entries and len(missing_outputs):
            system, segment = missing_outputs[0]
            raise InputError(
                f"{location}: no score of {self.label} for system {test.systems[system]}, segment {segment + 1} of "
                f"{test.title} ({len(missing_outputs)} are missing)"
            )
        return scores

    def read_scores(self, path: str) -> list[MetricScore]:
        """Return all scores in a file. Every file is read only once.

        Raises:
            InputError: if the file is empty or malformed.
        """
        if path not in self._scores_by_path:
            file_scores = list(read_metric_scores(path))
            if not file_scores:
                raise InputError(f"{path}: the file is empty")
            self._scores_by_path[path] = file_scores
        return self._scores_by_path[path]


class ScoreFileMetric(_FileMetric):
    """A metric that reads segment scores, system scores or both from files.

    The placeholders ``{pair}``, ``{source}``, ``{target}``, ``{reference}`` and ``{system}`` in the paths of the files
    are filled in for each test set.
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
        self.label = options.metric or _strip_placeholders(options.files[0])
        has_placeholders = any("{" in file for file in options.files)
        if not has_placeholders:
            self.label = self._find_metric_name() or self.label

    def _find_metric_name(self) -> str:
        """Return the name that the files give the metric, or an empty string if they name no metric."""
        file_scores = [entry for file in self.options.files for entry in self.read_scores(file)]
        location = ", ".join(self.options.files)
        metric_choice = _Choice("metric", self.options.metric)
        return metric_choice.select(file_scores, location)[0].metric

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Parse the text ``[-]FILE[,FILE…][#METRIC][,testset=NAME][,reference=NAME]``.

        A minus sign means that the scores count errors.

        Raises:
            ConfigError: if the text has another format.
        """
        files, _, selection = text.removeprefix("-").partition("#")
        if not files:
            raise ConfigError("metric 'scores' needs a file: scores:FILE")
        metric, settings = _split_selection(selection)
        options = {name: str(value) for name, value in named_options(settings, "metric 'scores'").items()}
        if metric:
            options["metric"] = metric
        return {"files": files.split(","), "lower_is_better": text.startswith("-"), **options}

    def find_files(self, test: TestSet) -> list[_ScoreFile]:
        """Return the score files of a test set.

        A path with ``{system}`` stands for one file per system.
        """
        files = []
        for pattern in self.options.files:
            path = _fill_placeholders(pattern, test)
            if "{system}" in path:
                files += [_ScoreFile(path.replace("{system}", system), system) for system in test.systems]
            else:
                files.append(_ScoreFile(path))
        return list(dict.fromkeys(files))

    def select_scores(self, files: Sequence[_ScoreFile], test: TestSet, location: str) -> list[MetricScore]:
        """Return the scores that this metric gives to the outputs of a test set.

        Raises:
            InputError: if there are no such scores, or if the options do not select one of several test sets or
                references.
        """
        metric_choice = _Choice("metric", self.options.metric)
        testset_choice = _Choice("testset", self.options.testset, (test.name,))
        reference_choice = _Choice("reference", self.options.reference, tuple(test.reference_names))
        file_scores: list[MetricScore] = []
        for file in files:
            file_scores += _name_systems(self.read_scores(file.path), file, test)
        metric_scores = metric_choice.select(file_scores, location)
        # The language pair is selected first, because the scores of a language pair often belong to a single test set.
        pair_scores = self._select_pair(metric_scores, test, location)
        testset_scores = testset_choice.select(pair_scores, location)
        return reference_choice.select(testset_scores, location)

    def _select_pair(self, entries: Sequence[MetricScore], test: TestSet, location: str) -> list[MetricScore]:
        """Return the scores for the test set's language pair, and the scores that do not specify a language pair.

        Raises:
            InputError: if there are no such scores, or if they seem to belong to another language pair.
        """
        pair_scores = [entry for entry in entries if entry.pair in ("", test.pair)]
        if not pair_scores:
            raise InputError(f"{location}: no scores of {self.label} for {test.title}")
        _check_names([entry for entry in pair_scores if not entry.pair], test)
        return pair_scores


class MtmeMetric(_FileMetric):
    """A metric that reads scores from the folder ``metric-scores`` of a test set of mt-metrics-eval."""

    name: ClassVar[str] = "mtme"

    class Options(ComponentOptions):
        """Options of a metric of mt-metrics-eval."""

        metric: Annotated[str, Meta(description="Name of the metric in the names of the files.")]
        lower_is_better: Annotated[bool, Meta(description="The scores count errors; they are negated.")] = False

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self.label = options.metric

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Parse the text ``[-]METRIC``. A minus sign means that the scores count errors.

        Raises:
            ConfigError: if the text does not name a metric.
        """
        metric = text.removeprefix("-")
        if not metric:
            raise ConfigError("metric 'mtme' needs the name of a metric, as in mtme:BLEU")
        return {"metric": metric, "lower_is_better": text.startswith("-")}

    def find_files(self, test: TestSet) -> list[_ScoreFile]:
        """Return the file of segment scores and the file of system scores, if these files exist.

        If neither file exists, the path of the segment scores is returned, because the error message names this path.
        """
        stem = _fill_placeholders(f"metric-scores/{{pair}}/{self.label}-{{reference}}", test)
        segment_file = Path(test.root, f"{stem}.seg.score")
        system_file = Path(test.root, f"{stem}.sys.score")
        existing_files = [file for file in (segment_file, system_file) if file.is_file()]
        return [_ScoreFile(str(file)) for file in existing_files or [segment_file]]

    def select_scores(self, files: Sequence[_ScoreFile], test: TestSet, location: str) -> list[MetricScore]:
        """Read all scores in the files, and check that the test set contains the scored systems."""
        file_scores = [entry for file in files for entry in self.read_scores(file.path)]
        _check_names(file_scores, test)
        return file_scores


def _split_selection(selection: str) -> tuple[str, str]:
    """Split ``[METRIC][,NAME=VALUE…]`` into the name of the metric, which may be empty, and the settings."""
    first_part, _, later_parts = selection.partition(",")
    return ("", selection) if "=" in first_part else (first_part, later_parts)


def _strip_placeholders(file: str) -> str:
    """Return a file name without ``{reference}`` and ``{system}``, to be used as the label of a metric."""
    return re.sub(r"-?\{(reference|system)\}", "", Path(file).name)


def _fill_placeholders(file: str, test: TestSet) -> str:
    """Fill in the language pair and the name of the first reference in a path."""
    reference = test.reference_names[0] if test.reference_names else "ref"
    return fill_pattern(file, test.pair).replace("{reference}", reference)


def _name_systems(file_scores: Sequence[MetricScore], file: _ScoreFile, test: TestSet) -> list[MetricScore]:
    """Replace the system names of a score file by the system names of the test set.

    Args:
        file_scores: scores with the system names of the file.
        file: the score file.
        test: the test set.

    Raises:
        InputError: if the file does not name systems, and the test set has several systems.
    """
    names = list(dict.fromkeys(entry.system for entry in file_scores))
    if names == [""]:  # The file does not name systems.
        system_of_name = {"": file.system or _find_only_system(test, file)}
    else:
        system_of_name = match_systems(names, test.known_systems or test.systems, test.output_files)
    return [entry._replace(system=system_of_name[entry.system]) for entry in file_scores]


def _find_only_system(test: TestSet, file: _ScoreFile) -> str:
    """Return the only system of a test set. If a score file does not name systems, its scores belong to this system.

    Raises:
        InputError: if the test set has several systems.
    """
    if len(test.systems) != 1:
        raise InputError(
            f"{file.path}: the file has numbers, but no names of systems, and {test.title} has {len(test.systems)} "
            "systems; give one file per system with {system} in its name, as in scores:FILE.{system}"
        )
    return test.systems[0]


def _check_names(file_scores: Sequence[MetricScore], test: TestSet) -> None:
    """Check that a score file contains only systems and references of the test set."""
    known_names = {*test.known_systems, *test.reference_names}
    if not known_names:
        return
    for entry in file_scores:
        if entry.system not in known_names:
            raise InputError(
                f"{entry.location}: {test.title} has no system {entry.system!r}{near_miss(entry.system, known_names)}; "
                "is it the file of another language pair? A name with {pair} gives each pair its own file"
            )


def _check_distinct(file_scores: Sequence[MetricScore]) -> None:
    """Check that no output and no system has more than one score."""
    locations: dict[tuple[str, int | None], str] = {}
    for entry in file_scores:
        first_location = locations.setdefault((entry.system, entry.segment), entry.location)
        if first_location != entry.location:
            raise _second_score_error(entry, first_location)


def _second_score_error(entry: MetricScore, first_location: str) -> InputError:
    """Return the error to raise if files contain two scores of the same system or the same output."""
    scored = f"system {entry.system}"
    if entry.segment is not None:
        scored += f", segment {entry.segment}"
    return InputError(
        f"{entry.location}: a second score of {scored}; the first is in {first_location}. Give one file per "
        "language pair with {pair} in its name, or choose by #METRIC,testset=NAME,reference=NAME"
    )


def _check_segment_numbers(entries: Sequence[MetricScore], test: TestSet, location: str) -> None:
    """Check that segment scores have valid segment numbers.

    All numbers must be within the test set. Files that name no language pair must contain a score for every segment.
    """
    n_scores: Counter[str] = Counter()
    for entry in entries:
        if entry.segment not in range(1, len(test) + 1):
            raise InputError(
                f"{entry.location}: system {entry.system} has a segment {entry.segment}; {test.title} has {len(test)}"
            )
        if not entry.pair:
            n_scores[entry.system] += 1
    for system, count in n_scores.items():
        if count != len(test):
            raise InputError(f"{location}: system {system} has {count} scores; {test.title} has {len(test)} segments")


def _average_scored_segments(segment_scores: Floats) -> Floats:
    """Return the mean segment score of each system, or NaN for a system without segment scores."""
    is_scored = ~np.isnan(segment_scores)
    sums = np.where(is_scored, segment_scores, 0).sum(axis=1)
    return divide_or_nan(sums, is_scored.sum(axis=1))


def _are_means(system_scores: Floats, segment_scores: Floats) -> bool:
    """Return whether the system scores are means of the segment scores."""
    if np.isnan(segment_scores).any():
        return False
    means = segment_scores.mean(axis=1)
    return bool(np.allclose(system_scores, means, rtol=ROUNDING_TOLERANCE, atol=ROUNDING_TOLERANCE))
