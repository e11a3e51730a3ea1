"""``meteor-e evaluate``: how well metrics agree with people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api import ConfigError, OutputOptions
from meteor_e.cli.commands import GroupedCommand, OptionGroup
from meteor_e.cli.options import Output
from meteor_e.render.plain import format_table
from meteor_e_evaluation.cli.options import SharedOptions, shared_options

if TYPE_CHECKING:
    from meteor_e_evaluation.agreement import Evaluation
    from meteor_e_evaluation.index import DataIndex


def _list_measures(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    from meteor_e_evaluation.measures import measure, measure_names

    rows = [
        [entry.name, entry.level, entry.default_test(), entry.definition] for entry in map(measure, measure_names())
    ]
    click.echo(format_table(["measure", "level", "default test", "what it is"], rows, left=4))
    context.exit()


GROUPS = {
    "Data": OptionGroup(
        (
            *("pairs", "root", "gold", "references", "human_systems", "drop_outliers"),
            "check",
        ),
        "wmt12.yaml --pair cs-en --pair de-en --check",
    ),
    "Metrics": OptionGroup(("metrics", "no_cache", "jobs"), "wmt12.yaml -M meteor -M bleu"),
    "Measures": OptionGroup(("measures", "list_measures"), "wmt17.yaml -s pearson -s system-pearson"),
    "Statistics": OptionGroup(
        ("intervals", "significance", "method", "permutations", "seed"),
        "wmt12.yaml --intervals 1000 --significance",
    ),
    "Output": OptionGroup(("digits", "write_to", "quiet"), "wmt12.yaml -f latex -o table.tex"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, structs={"written": Output}, groups=GROUPS)
@click.argument("indexes", nargs=-1, metavar="INDEX...")
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
    help="A measure; may be repeated; --list-measures shows all.  [default: the index's]",
)
@click.option("--gold", metavar="NAME", help="With mtme: which human scores, such as mqm, esa or da-sqm.")
@click.option(
    "--reference", "references", multiple=True, metavar="NAME", help="With mtme: which reference.  [default: refA]"
)
@click.option("--human-systems", is_flag=True, help="With mtme: other references count as systems.")
@click.option("--drop-outliers", is_flag=True, help="Leave systems with outlying human scores out, as in WMT20.")
@click.option(
    "--intervals",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Bootstrap samples for 95 % intervals; 1000 is usual.  [default: 0, none]",
)
@click.option("--significance", is_flag=True, help="Test every metric against every other, and rank them.")
@click.option(
    "--test",
    "method",
    type=click.Choice(["auto", "williams", "perm-both", "paired", "documents", "systems", "paired+systems"]),
    default="auto",
    help="The test of --significance.  [default: auto, the one that suits the measure]",
)
@click.option(
    "--permutations",
    type=click.IntRange(min=1),
    default=1000,
    metavar="N",
    help="Samples of permutation tests.  [default: 1000]",
)
@click.option("--digits", type=click.IntRange(0, 17), default=4, help="Decimals in the tables.  [default: 4]")
@click.option(
    "--write-scores",
    "write_to",
    metavar="DIR",
    help="Write all scores of all systems as files of the WMT metrics task.",
)
@click.option("--check", is_flag=True, help="Only check that the data line up, and report what was found.")
@click.option(
    "--list-measures",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_measures,
    help="Show all measures, and exit.",
)
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, help="Processes of models.  [default: 1]")
@shared_options(
    pairs="all",
    seeded="all resampling",
    quiet="No progress bars, no remarks on the data but warnings.",
)
def evaluate(indexes: tuple[str, ...], written: Output, **options: Any) -> None:
    """Measure how well metrics agree with human judgments.

    An INDEX is a YAML file that says which outputs, references and judgments belong together, or mtme:FOLDER for a
    test set laid out as in mt-metrics-eval. Scores are kept: a second run with another measure computes none again.

    \b
    meteor-e evaluate wmt12.yaml -M meteor -M bleu -M scores:mine.seg.gz
    meteor-e evaluate wmt17.yaml -s pearson -s system-pearson --intervals 1000 --significance
    meteor-e evaluate mtme:mt-metrics-eval-v2/wmt23 --pair en-de -M mtme:BLEU -M meteor -s acc-eq -s spa
    meteor-e evaluate wmt12.yaml --check
    """
    chosen = SharedOptions(**options)
    evaluation = _evaluate(indexes, chosen)
    _remark(evaluation, chosen.quiet, chosen.check)
    if chosen.check:
        return
    if chosen.write_to is not None:
        _write_scores(evaluation, Path(chosen.write_to))
    _render(evaluation, written, chosen)


def _indexes(paths: tuple[str, ...], options: SharedOptions) -> list[DataIndex]:
    """Return what the arguments name: index files, folders of mt-metrics-eval."""
    from meteor_e_evaluation.index import load_index
    from meteor_e_evaluation.mtme import mtme_index

    options.check_root(paths)
    if not paths:
        raise ConfigError("give an INDEX or mtme:FOLDER")
    of_layout = [path.startswith("mtme:") for path in paths]
    if not any(of_layout) and (options.gold or options.references or options.human_systems):
        raise ConfigError("--gold, --reference and --human-systems go with mtme:FOLDER")
    loaded = []
    for path, is_folder in zip(paths, of_layout, strict=True):
        if is_folder:
            index = mtme_index(
                path.removeprefix("mtme:"),
                pairs=options.pairs,
                gold=options.gold,
                references=options.references,
                human_systems=options.human_systems,
            )
        else:
            index = load_index(path, root=options.root)
        loaded.append(index)
    for pair in options.pairs:
        if not any(pair in index.pairs for index in loaded):
            loaded[0].pair(pair)
    return loaded


def _evaluate(paths: tuple[str, ...], options: SharedOptions) -> Evaluation:
    from meteor_e.api import MetricContext
    from meteor_e.metrics.specs import parse_metrics
    from meteor_e_evaluation.agreement import evaluate as run
    from meteor_e_evaluation.agreement import load_test_sets
    from meteor_e_evaluation.measures import measure

    loaded = _indexes(paths, options)
    wanted = [measure(name) for name in options.measures or _default_measures(loaded)]
    parsed = parse_metrics(options.metrics or ("meteor",), MetricContext(jobs=options.jobs))
    writing = options.write_to is not None
    tests = [
        test
        for index in loaded
        for test in load_test_sets(
            index,
            [pair for pair in index.pairs if not options.pairs or pair in options.pairs],
            every_system=writing,
        )
    ]
    with options.bars() as progress:
        return run(
            tests,
            [] if options.check else parsed,
            [] if options.check else wanted,
            options.store(),
            samples=options.intervals,
            seed=options.seed,
            significance=options.significance,
            method=options.method,
            permutations=options.permutations,
            drop_outliers=options.drop_outliers,
            whole=writing,
            progress=progress,
        )


def _write_scores(evaluation: Evaluation, folder: Path) -> None:
    from meteor_e_evaluation.score_files import write_scores

    several = len({test.name for test, _ in evaluation.scores.values()}) > 1
    for test, scores in evaluation.scores.values():
        written = write_scores(folder, test, scores, by_name=several)
        click.echo(f"wrote {len(written)} files to {written[0].parent}", err=True)


def _render(evaluation: Evaluation, written: Output, options: SharedOptions) -> None:
    from meteor_e_evaluation.report import EvaluationResult

    written.write(EvaluationResult(evaluation), OutputOptions(options.digits))


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
