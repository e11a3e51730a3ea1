"""``meteor-e report``: a page to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from meteor_e.base.progress import terminal_progress
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.inputs import lined_up
from meteor_e.cli.options import METRIC_GROUPS, InputFiles, MeteorMaker, files_options, metric_options
from meteor_e.cli.results import significance_options

if TYPE_CHECKING:
    from meteor_e.api import Metric


GROUPS = {
    "Input": OptionGroup(
        ("references", "references_per_segment", "encoding", "on_missing", "names"),
        "system.txt -R first.txt -R second.txt",
    ),
    **METRIC_GROUPS,
    "Output": OptionGroup(("output", "title"), "… -o report.html"),
    "Statistics": OptionGroup(("significance", "samples", "seed"), "… --significance bootstrap --seed 1"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=GROUPS)
@files_options
@metric_options
@click.option(
    "-M",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="A metric, as for `meteor-e score`: meteor, bleu, chrf, a chain, a model such as en-light; repeat it for "
    "several. The first one orders the systems. METEOR is always there: alignments are METEOR's.  [default: meteor]",
)
@click.option("--name", "names", multiple=True, metavar="NAME", help="Name of a system; one for each, in order.")
@click.option("-o", "--output", metavar="FILE", default="report.html", help="The page.  [default: report.html]")
@click.option("--title", metavar="TEXT", help="Title of the report.  [default: the systems' names]")
@significance_options(default="randomization")
def report(
    inputs: InputFiles,
    make_meteor: MeteorMaker,
    metrics: tuple[str, ...],
    names: tuple[str, ...],
    output: str,
    title: str | None,
    significance: str,
    samples: int | None,
    seed: int,
) -> None:
    """Write a report on one or several systems: one HTML file, which needs nothing else and no network.

    The last file is the reference, unless --reference names one. All others are hypotheses, one file per system. The
    first system is the baseline. Files hold one segment per line (plain, gzip, bzip2 or xz), or are SGML or WMT XML.

    \b
    meteor-e report system1.txt system2.txt reference.txt -l de -o report.html
    meteor-e report system1.txt system2.txt reference.txt -M meteor -M chrf -M en-light
    meteor-e report system1.txt system2.txt --reference first.txt --reference second.txt
    """
    from meteor_e_evaluation.reports.page import write_page
    from meteor_e_evaluation.reports.scored import score_systems

    given = inputs.systems(names)
    meteor = make_meteor()
    wanted = _metrics(make_meteor, metrics or ("meteor",), meteor.signature)
    unique = _unique([system.name for system in given])
    with terminal_progress() as progress:
        texts = lined_up(given)
        found = score_systems(
            meteor,
            {name: [text for text, _ in system.pairs()] for name, system in zip(unique, texts, strict=True)},
            [each for _, each in texts[0].pairs()],
            metrics=wanted,
            title=title,
            method=None if significance == "none" else significance,
            samples=samples,
            seed=seed,
            progress=progress,
        )
        write_page(found, output)
    click.echo(f"wrote {output}", err=True)


def _metrics(make_meteor: MeteorMaker, names: Sequence[str], signature: str) -> list[Metric | None]:
    """Return metrics by name; ``None`` is METEOR with the signature, which is scored with the alignments."""

    found: list[Metric | None] = []
    for metric in make_meteor.metrics(names):
        is_meteor = metric.signature == signature
        found.append(None if is_meteor and None not in found else metric)
    return found


def _unique(names: Sequence[str]) -> list[str]:
    """Number the names that occur again."""
    found: list[str] = []
    for name in names:
        again = (f"{name} ({number})" for number in range(2, len(names) + 2))
        found.append(next(each for each in (name, *again) if each not in found))
    return found
