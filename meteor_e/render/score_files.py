"""This module writes score files of the WMT metrics task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result
from meteor_e.base.errors import ConfigError
from meteor_e.formats.metric_task import metric_task_lines
from meteor_e.render.scores import ScoreResult


class WmtOutput(OutputFormat):
    """A score file of the WMT metrics task. It contains segment scores if requested, and otherwise system scores."""

    name: ClassVar[str] = "wmt"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the scores of all systems for each metric.

        Raises:
            ConfigError: if the names of the test set are missing, the result is not a score table, or the names of
                two systems differ only in white space.
        """
        if not isinstance(result, ScoreResult):
            raise ConfigError("the WMT format can only contain scores of systems and segments")
        if options.wmt is None:
            raise ConfigError("the WMT format needs the names of language pair, test set and reference")
        _check_names([system.system for system in result.table.systems])
        for scores in result.task_scores():
            metric_name = _replace_spaces(scores.metric)
            system_name = _replace_spaces(scores.system)
            corpus_score = None if scores.segments else scores.corpus
            lines = metric_task_lines(metric_name, system_name, options.wmt, scores.segments, corpus_score)
            stream.writelines(f"{line}\n" for line in lines)


def _replace_spaces(name: str) -> str:
    """Replace each run of white space in the name of a metric or system by an underscore."""
    return "_".join(name.split())


def _check_names(systems: Iterable[str]) -> None:
    """Raise ConfigError if the names of two systems differ only in white space."""
    systems_by_name: dict[str, str] = {}
    for system in systems:
        name = _replace_spaces(system)
        first_system = systems_by_name.setdefault(name, system)
        if first_system != system:
            raise ConfigError(
                f"names in the WMT format cannot contain spaces: systems {first_system!r} and {system!r} would "
                f"both be called {name!r}; name them with --name"
            )
