"""Defines the command ``meteor-e report``, which writes an HTML report on one or several systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, option
from meteor_e.cli.inputs import Inputs
from meteor_e.cli.options import SIGNIFICANCE, MetricOptions, SignificanceOptions, complete_names, load_systems

if TYPE_CHECKING:
    from meteor_e.api import Metric, System


@dataclass(frozen=True)
class ReportMetrics(MetricOptions):
    """Options for METEOR and for additional metrics of the report."""

    metrics: tuple[str, ...] = option(
        (),
        *("-M", "--metric"),
        shell_complete=complete_names("metric"),
        multiple=True,
        metavar="METRIC",
        show_default="meteor",
        help="A metric, as for `meteor-e score`: meteor, bleu, chrf, a chain, a model such as en-light; repeat it for "
        "several. The first one orders the systems. METEOR is always there: alignments are METEOR's.",
    )


@dataclass(frozen=True)
class Page(Options):
    """Options for the HTML file."""

    heading = "Output"
    example = "… -o report.html"

    output: str = option("report.html", "-o", "--output", metavar="FILE", help="The page.")
    title: str | None = option(
        None, "--title", metavar="TEXT", show_default="the systems' names", help="Title of the report."
    )


@dataclass(frozen=True)
class ReportTests(SignificanceOptions):
    """Options for significance tests, which are part of a report by default."""

    significance: str = option("randomization", "--significance", **SIGNIFICANCE)


@click.command(cls=GroupedCommand)
def report(inputs: Inputs, metric_options: ReportMetrics, page: Page, test_options: ReportTests) -> None:
    """Write a report on one or several systems: one HTML file that works offline.

    The last file is the reference, unless --reference names one. All others are hypotheses, one file per system. The
    first system is the baseline. Files hold one segment per line (plain, gzip, bzip2 or xz), or are SGML or WMT XML.

    \b
    meteor-e report system1.txt system2.txt reference.txt -l de -o report.html
    meteor-e report a.txt b.txt -r reference.txt -M meteor -M chrf -M en-light
    meteor-e report a.txt b.txt -r first.txt -r second.txt
    """
    from meteor_e_evaluation.reports.page import write_page
    from meteor_e_evaluation.reports.scored import score_systems

    systems = inputs.systems()
    text_options = metric_options.for_text(systems[0].context)
    meteor = text_options.meteor()
    metrics = _create_metrics(text_options, meteor.signature)
    with terminal_progress() as progress:
        loaded_systems = load_systems(systems)
        segments = list(loaded_systems[0].read())  # The report shows the references and the ids of the first system.
        result = score_systems(
            meteor,
            _read_hypotheses(loaded_systems),
            [segment.references for segment in segments],
            ids=[segment.id for segment in segments],
            metrics=metrics,
            title=page.title,
            method=None if test_options.significance == "none" else test_options.significance,
            samples=test_options.samples,
            seed=test_options.seed,
            progress=progress,
        )
        write_page(result, page.output)
    click.echo(f"wrote {page.output}", err=True)


def _create_metrics(options: ReportMetrics, meteor_signature: str) -> list[Metric | None]:
    """Create the metrics that the command line names.

    In the result, None replaces the METEOR metric whose signature is ``meteor_signature``. The report computes the
    scores of this metric together with the alignments.

    Args:
        options: the options for metrics.
        meteor_signature: signature of the METEOR metric that computes the alignments.
    """
    metrics = options.create_metrics(options.metrics or ("meteor",))
    signatures = [metric.signature for metric in metrics]
    if meteor_signature not in signatures:
        return list(metrics)
    meteor_index = signatures.index(meteor_signature)
    return [*metrics[:meteor_index], None, *metrics[meteor_index + 1 :]]


def _read_hypotheses(systems: Sequence[System]) -> dict[str, list[str]]:
    """Return the hypotheses of each system, by name of the system.

    If several systems have the same name, a number is added to the repeated names, such as ``a (2)``.
    """
    hypotheses: dict[str, list[str]] = {}
    for system in systems:
        unique_name = system.name
        number = 1
        while unique_name in hypotheses:
            number += 1
            unique_name = f"{system.name} ({number})"
        hypotheses[unique_name] = [segment.hypothesis for segment in system.read()]
    return hypotheses
