"""This module writes score files of the WMT metrics task."""

from __future__ import annotations

from typing import ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result
from meteor_e.base.errors import ConfigError
from meteor_e.formats.metric_task import metric_task_lines


class WmtOutput(OutputFormat):
    """Output as a score file of the WMT metrics task, with segment scores if requested, and otherwise system scores."""

    name: ClassVar[str] = "wmt"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write the scores of all systems for each metric.

        Raises:
            ConfigError: if the names of the test set are missing, the result is not a score table, or the names of
                two systems differ only in white space.
        """
        task_scores = getattr(result, "task_scores", None)  # Only results that are score tables have this method.
        if task_scores is None:
            raise ConfigError("the WMT format can only contain scores of systems and segments")
        names = options.wmt
        if names is None:
            raise ConfigError("the WMT format needs the names of language pair, test set and reference")
        lines: list[str] = []
        systems_by_name: dict[tuple[str, str], str] = {}
        for metric, system, segment_scores, system_score in task_scores():
            metric_name, system_name = "_".join(metric.split()), "_".join(system.split())
            first_system = systems_by_name.setdefault((metric_name, system_name), system)
            if first_system != system:
                raise ConfigError(
                    f"names in the WMT format cannot contain spaces: systems {first_system!r} and {system!r} would "
                    f"both be called {system_name!r}; name them with --name"
                )
            corpus_score = None if segment_scores else system_score
            lines += metric_task_lines(metric_name, system_name, names, segment_scores, corpus_score)
        stream.writelines(f"{line}\n" for line in lines)
