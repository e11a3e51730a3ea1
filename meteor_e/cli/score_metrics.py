"""The part of ``meteor-e score`` for several metrics."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from meteor_e.base.errors import ConfigError
from meteor_e.cli.progress import progress_bar
from meteor_e.cli.tables import format_table

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric, Progress
    from meteor_e.cli.inputs import SystemInput


def score_with_metrics(
    metrics: Sequence[Metric],
    inputs: Sequence[SystemInput],
    language: str,
    significance: tuple[str, int | None, int] | None,
    form: str,
    digits: int | None,
    segments: bool,
) -> str:
    """Score systems with metrics and return what is to be written.

    Args:
        metrics: what scores.
        inputs: the systems.
        language: ISO code of the text; empty for the default.
        significance: method, samples and seed of the tests; ``None`` for none.
        form: ``text``, ``quiet``, or one of :data:`meteor_e.evaluation.system_table.FORMATS`.
        digits: decimals; ``None`` for as many as suit each metric.
        segments: whether to give the scores of segments, too.
    """
    from meteor_e.evaluation.system_table import SystemTexts, headers, notes, render_systems, score_table, shown_cells

    if segments and form in ("text", "quiet"):
        raise ConfigError("--segments with -M needs --format json, tsv, csv or wmt")
    texts = []
    for system in inputs:
        pairs = list(system.pairs())
        texts.append(SystemTexts(system.name, [text for text, _ in pairs], [references for _, references in pairs]))
    method, samples, seed = significance or (None, None, 12345)
    with contextlib.ExitStack() as stack:

        def progress(label: str) -> Progress:
            stack.close()
            advance = stack.enter_context(progress_bar(label, len(texts[0].hypotheses), hidden=form == "quiet"))
            return lambda done, _: advance(done)

        table = score_table(
            metrics, texts, language=language, method=method, samples=samples, seed=seed, progress=progress
        )
    if form == "quiet":
        return "".join("\t".join(repr(column.scores[row]) for column in table.columns) + "\n"
                       for row in range(len(table.systems)))  # fmt: skip
    if form != "text":
        return render_systems(table, form, digits=digits, segments=segments)
    return format_table(headers(table), list(shown_cells(table, digits))) + "\n\n" + "\n".join(notes(table)) + "\n"
