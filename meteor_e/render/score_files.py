"""Score files of the WMT metrics task."""

from __future__ import annotations

from typing import ClassVar, TextIO

from meteor_e.api.formats import OutputFormat, OutputOptions, Result
from meteor_e.base.errors import ConfigError
from meteor_e.formats.metric_task import metric_task_lines


class WmtOutput(OutputFormat):
    """Score files of the WMT metrics task: lines of segments if they are asked for, else of systems."""

    name: ClassVar[str] = "wmt"
    segments: ClassVar[bool] = True

    def write(self, result: Result, stream: TextIO, options: OutputOptions) -> None:
        """Write one metric after the other.

        Raises:
            ConfigError: without names of the test set, for a result that is not a table of scores, or for two systems
                whose names differ in white space only.
        """
        names, scores = options.wmt, getattr(result, "task_scores", None)
        if scores is None:
            raise ConfigError("WMT's format holds scores of systems and segments only")
        if names is None:
            raise ConfigError("WMT's format needs names of language pair, test set and reference")
        lines: list[str] = []
        originals: dict[tuple[str, str], str] = {}
        for metric, system, segments, whole in scores():
            label, name = "_".join(metric.split()), "_".join(system.split())
            original = originals.setdefault((label, name), system)
            if original != system:
                raise ConfigError(
                    f"WMT's format has no spaces in names: systems {original!r} and {system!r} would both be called "
                    f"{name!r}; name them with --name"
                )
            task = (label, names.pair, names.test_set, names.reference, name)
            lines += metric_task_lines(*task, segments, None if segments else whole)
        stream.writelines(f"{line}\n" for line in lines)
