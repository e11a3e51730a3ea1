"""The part of ``meteor-e score`` for several metrics."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from meteor_e.base.errors import ConfigError
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.failures import left_out_note, without_failures
from meteor_e.cli.inputs import lined_up
from meteor_e.cli.tables import format_table

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric
    from meteor_e.api.tables import SystemInput
    from meteor_e.metrics.system_table import WmtNames


def score_with_metrics(
    metrics: Sequence[Metric],
    inputs: Sequence[SystemInput],
    language: str,
    significance: tuple[str, int | None, int] | None,
    form: str,
    digits: int | None,
    segments: bool,
    explain: bool = False,
    on_error: str = "stop",
    names: WmtNames | None = None,
) -> str:
    """Score systems with metrics and return what is to be written.

    Args:
        metrics: what scores.
        inputs: the systems.
        language: ISO code of the text; empty for the default.
        significance: method, samples and seed of the tests; ``None`` for none.
        form: ``text``, ``quiet``, or one of :data:`meteor_e.metrics.system_table.FORMATS`.
        digits: decimals; ``None`` for as many as suit each metric.
        segments: whether to give the scores of segments, too.
        explain: whether to say in words why systems differ from the first one, for metrics that can.
        on_error: what becomes of segments that METEOR cannot align: ``stop``, ``skip`` or ``zero``.
        names: what WMT's form calls the test set.
    """
    from meteor_e.metrics.chain_metric import ChainMetric
    from meteor_e.metrics.system_table import headers, notes, render_systems, score_table, shown_cells

    if segments and form in ("text", "quiet"):
        raise ConfigError("--segments with -M needs --format json, tsv, csv or wmt")
    meteors = [metric.meteor(language or metric.language) for metric in metrics if isinstance(metric, ChainMetric)]
    left_out: tuple[int, ...] = ()
    if on_error == "skip":
        inputs, left_out = without_failures(inputs, meteors)
    for meteor in meteors if on_error == "zero" else ():
        meteor.on_error = on_error
    if explain:
        explaining = _explaining(metrics, form, len(inputs))
        whole = lined_up(inputs)
    method, samples, seed = significance or (None, None, 12345)
    with terminal_progress(form == "quiet") as progress:
        table = score_table(
            metrics,
            whole if explain else inputs,
            language=language,
            method=method,
            samples=samples,
            seed=seed,
            segments=segments,
            progress=progress,
            left_out=left_out,
        )
    if form == "quiet":
        return "".join("\t".join(repr(column.scores[row]) for column in table.columns) + "\n"
                       for row in range(len(table.systems)))  # fmt: skip
    if form != "text":
        return render_systems(table, form, digits=digits, segments=segments, names=names)
    shown = format_table(headers(table), list(shown_cells(table, digits))) + "\n\n" + "\n".join(notes(table)) + "\n"
    shown += left_out_note(left_out)
    if explain:
        first, *others = whole
        for metric, other in itertools.product(explaining, others):
            pair = first.name, other.name
            shown += "\n" + metric.explain(first.hypotheses, other.hypotheses, other.references, pair) + "\n"
    return shown


def _explaining(metrics: Sequence[Metric], form: str, systems: int) -> list[Metric]:
    """Return the metrics that explain their scores.

    Raises:
        ConfigError: if there are none, or nothing to compare.
    """
    from meteor_e.api.metrics import Metric as Base

    found = [metric for metric in metrics if type(metric).explain is not Base.explain]
    if form != "text":
        raise ConfigError("--explain goes with the table in text form")
    if systems < 2:
        raise ConfigError("--explain compares systems with the first one; give two or more")
    if not found:
        raise ConfigError("--explain: none of these metrics explains its scores; models do, such as -M en-light")
    return found
