"""``meteor-e evaluate``: how well metrics agree with people."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from meteor_e.base.errors import ConfigError
from meteor_e.cli.output import destination
from meteor_e.cli.progress import progress_bar
from meteor_e.cli.tables import format_table

if TYPE_CHECKING:
    from meteor_e.evaluation.agreement import Evaluation
    from meteor_e.evaluation.index import DataIndex
    from meteor_e.evaluation.metrics import Progress


class ProgressBars(contextlib.ExitStack):
    """One progress bar after another, each opened when there is something to show."""

    def __init__(self, hidden: bool = False) -> None:
        super().__init__()
        self._hidden = hidden

    def __call__(self, label: str) -> Progress:
        """Close the last bar and return a function that opens one named ``label`` and moves it."""
        self.close()
        advance: Callable[[int], None] | None = None

        def tell(done: int, total: int) -> None:
            nonlocal advance
            if advance is None:
                advance = self.enter_context(progress_bar(label, total, hidden=self._hidden))
            advance(done)

        return tell


def cache_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say where scores and statistics are kept."""
    for option in reversed(
        (
            click.option(
                "--cache", metavar="DIR", help="Folder for scores and statistics.  [default: the user's cache]"
            ),
            click.option("--no-cache", is_flag=True, help="Keep nothing and use nothing that was kept."),
            click.option(
                "-j", "--jobs", type=click.IntRange(min=1), default=1, help="Processes that align.  [default: 1]"
            ),
        )
    ):
        command = option(command)
    return command


@click.command()
@click.argument("indexes", nargs=-1, required=True, metavar="INDEX...")
@click.option(
    "-M",
    "--metric",
    "metrics",
    multiple=True,
    metavar="[LABEL=]METRIC",
    help="meteor, a chain file, bleu, chrf, chrf++, ter, nist, scores:FILE …; may be repeated.  [default: meteor]",
)
@click.option(
    "-s",
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure; may be repeated.  [default: the index's]",
)
@click.option(
    "--pair", "pairs", multiple=True, metavar="SRC-TRG", help="A language pair; may be repeated.  [default: all]"
)
@click.option("--root", metavar="DIR", help="Folder of the data, in the place of the index's.")
@click.option(
    "--intervals",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Bootstrap samples for 95 % intervals; 1000 is usual.  [default: 0, none]",
)
@click.option("--significance", is_flag=True, help="Test every metric against every other.")
@click.option(
    "--permutations",
    type=click.IntRange(min=1),
    default=1000,
    metavar="N",
    help="Samples of permutation tests.  [default: 1000]",
)
@click.option("--seed", type=click.IntRange(min=0), default=12345, help="Seed of all resampling.  [default: 12345]")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "tsv", "json", "latex", "markdown"]),
    default="text",
    help="Form of the tables.  [default: text]",
)
@click.option("--digits", type=click.IntRange(0, 17), default=4, help="Decimals in the tables.  [default: 4]")
@click.option("-o", "--output", metavar="FILE", help="Write to a file.  [default: standard output]")
@click.option("--plots", metavar="DIR", help="Draw pictures into a folder.")
@click.option("--plot-format", type=click.Choice(["png", "pdf", "svg"]), default="png", help="[default: png]")
@click.option("--check", is_flag=True, help="Only check that the data line up, and report what was found.")
@click.option("--draft", is_flag=True, help="INDEX is a folder: draft an index for it, to be checked and completed.")
@cache_options
@click.option("-q", "--quiet", is_flag=True, help="No progress bars, no remarks on the data but warnings.")
def evaluate(
    indexes: tuple[str, ...],
    metrics: tuple[str, ...],
    measures: tuple[str, ...],
    pairs: tuple[str, ...],
    root: str | None,
    intervals: int,
    significance: bool,
    permutations: int,
    seed: int,
    form: str,
    digits: int,
    output: str | None,
    plots: str | None,
    plot_format: str,
    check: bool,
    draft: bool,
    cache: str | None,
    no_cache: bool,
    jobs: int,
    quiet: bool,
) -> None:
    """Measure how well metrics agree with human judgements.

    An INDEX is a YAML file that says which outputs, references and judgements belong together. Scores are kept:
    a second run with another measure computes none again.

    \b
    meteor-e evaluate wmt12.yaml -M meteor -M bleu -M scores:mine.seg.gz
    meteor-e evaluate wmt17.yaml -s pearson -s system-pearson --intervals 1000 --significance --plots pictures
    meteor-e evaluate wmt12.yaml --check
    meteor-e evaluate folder/ --draft -o index.yaml
    """
    from meteor_e.base.array_cache import ArrayCache
    from meteor_e.evaluation.agreement import evaluate as run
    from meteor_e.evaluation.agreement import load_test_sets
    from meteor_e.evaluation.index import load_index
    from meteor_e.evaluation.measures import measure
    from meteor_e.evaluation.metric_specs import parse_metric
    from meteor_e.evaluation.report import render

    if draft:
        _draft(indexes, output)
        return
    if root is not None and len(indexes) > 1:
        raise ConfigError("--root goes with one index")
    loaded = [load_index(path, root=root) for path in indexes]
    for pair in pairs:
        if not any(pair in index.pairs for index in loaded):
            loaded[0].pair(pair)
    wanted = [measure(name) for name in measures or _default_measures(loaded)]
    parsed = [parse_metric(text, jobs=jobs) for text in metrics or ("meteor",)]
    labels = [entry.name for entry in parsed]
    for label in labels:
        if labels.count(label) > 1:
            raise ConfigError(f"two metrics are called {label!r}; tell them apart by LABEL=METRIC")
    tests = [
        test
        for index in loaded
        for test in load_test_sets(index, [pair for pair in index.pairs if not pairs or pair in pairs])
    ]
    with ProgressBars(quiet) as progress:
        evaluation = run(
            tests,
            [] if check else parsed,
            [] if check else wanted,
            ArrayCache(cache, enabled=not no_cache),
            samples=intervals,
            seed=seed,
            significance=significance,
            permutations=permutations,
            progress=progress,
        )
    _remark(evaluation, quiet, check)
    if check:
        return
    with destination(output) as stream:
        stream.write(render_text(evaluation, digits) if form == "text" else render(evaluation, form, digits))
    if plots is not None:
        from meteor_e.evaluation.plots import write_plots

        for path in write_plots(evaluation, Path(plots), plot_format):
            click.echo(f"wrote {path}", err=True)


def _draft(folders: tuple[str, ...], output: str | None) -> None:
    from meteor_e.base.yamlfile import dump_yaml
    from meteor_e.evaluation.draft import draft_index

    if len(folders) > 1:
        raise ConfigError("--draft takes one folder")
    with destination(output) as stream:
        stream.write(dump_yaml(draft_index(folders[0])))


def _default_measures(indexes: list[DataIndex]) -> list[str]:
    names = dict.fromkeys(name for index in indexes for name in index.measures)
    return list(names) or ["tau-strict"]


def _remark(evaluation: Evaluation, quiet: bool, check: bool) -> None:
    """Tell what the sanity checks found: warnings always, the rest when it was asked for."""
    for title, messages in evaluation.warnings.items():
        if check:
            counts = ", ".join(f"{count} {what}" for what, count in evaluation.counts[title].items())
            click.echo(f"{title}: {counts}")
        for message in messages:
            if check:
                click.echo(f"  {message}")
            elif message.startswith("warning: "):
                click.echo(f"meteor-e: {title}: {message}", err=True)


def render_text(evaluation: Evaluation, digits: int) -> str:
    """Return aligned tables for a terminal."""
    from meteor_e.evaluation.report import format_number, format_result, table_title

    parts = []
    for table in evaluation.tables:
        rows = [[name, *(format_result(result, digits) for result in results)] for name, results in table.rows.items()]
        parts.append(f"{table_title(table)}\n{format_table([table.measure.level, *table.columns], rows)}")
        for pair, tested in table.comparisons.items():
            matrix = [
                [name, *(format_number(float(p), 3) if row != column else "" for column, p in enumerate(tested.p[row]))]
                for row, name in enumerate(tested.names)
            ]
            head = f"{table_title(table)}, {pair}: p that the row is no better than the column, {tested.test}"
            parts.append(f"{head}\n{format_table(['', *tested.names], matrix)}")
    parts.append("\n".join(f"{name}: {signature}" for name, signature in evaluation.signatures.items()))
    if evaluation.settings["samples"]:
        parts.append(
            f"Intervals: 95 %, percentiles of {evaluation.settings['samples']} bootstrap samples of the segments, "
            f"seed {evaluation.settings['seed']}."
        )
    return "\n\n".join(parts) + "\n"
