"""``meteor-e stress``: whether metrics notice errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api import ConfigError, OutputOptions
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.results import format_option, output_format, output_option, write_result
from meteor_e.render.plain import format_table

if TYPE_CHECKING:
    from meteor_e_evaluation.stress import StressReport, StressSuite

GROUPS = {
    "Texts": OptionGroup(("references", "source", "language"), "system.txt -R reference.txt -M meteor"),
    "Metrics": OptionGroup(("metrics", "no_cache", "jobs"), "-M meteor -M chrf"),
    "Errors": OptionGroup(
        ("only", "without", "pairs", "seed", "tolerance", "list_rules"),
        "-M meteor --only polarity --only meaning",
    ),
    "Output": OptionGroup(
        ("form", "examples", "output", "write_to", "at_least", "quiet"),
        "-M meteor -f markdown --examples 2",
    ),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=GROUPS)
@click.argument("hypotheses", required=False, metavar="[HYPOTHESES]")
@click.option(
    "-R", "--reference", "references", multiple=True, metavar="FILE", help="A file of references; may be repeated."
)
@click.option("--source", metavar="FILE", help="Source segments: words of them stay untranslated.")
@click.option("-l", "--language", default="en", metavar="CODE", help="Language of the texts.  [default: en]")
@click.option(
    "-M",
    "--metric",
    "metrics",
    multiple=True,
    metavar="[LABEL=]METRIC",
    help="meteor, a chain file, bleu, chrf, en-light, scores:FILE, scorer:MODULE:NAME …; may be repeated.  "
    "[default: meteor]",
)
@click.option("--only", multiple=True, metavar="NAME", help="A perturbation, a group, or a kind; may be repeated.")
@click.option("--without", multiple=True, metavar="NAME", help="Leave out a perturbation or a group; may be repeated.")
@click.option(
    "--pairs", type=click.IntRange(min=1), default=200, metavar="N", help="Most pairs per perturbation.  [default: 200]"
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=DEFAULT_SEED, help="Seed of all choices.", show_default=True
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=0.5,
    help="How far a harmless change may move the score, as a share of the fall at a small error.  [default: 0.5]",
)
@click.option("--list", "list_rules", is_flag=True, help="Show all perturbations of the language, and exit.")
@format_option()
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    metavar="N",
    help="Worst pairs to show per metric and perturbation.  [default: 0; 3 with JSON]",
)
@output_option()
@click.option(
    "--write-texts",
    "write_to",
    metavar="DIR",
    help="Write the texts, one file per perturbation, for a metric that runs elsewhere, and exit.",
)
@click.option(
    "--at-least",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 if a metric finds less of some error.",
)
@click.option("--no-cache", is_flag=True, help="Keep nothing and use nothing that was kept.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, help="Processes that align.  [default: 1]")
@click.option("-q", "--quiet", is_flag=True, help="No progress bars.")
def stress(
    hypotheses: str | None, references: tuple[str, ...], source: str | None, language: str, **options: Any
) -> None:
    """Test whether metrics notice errors.

    Each perturbation makes one error in a text: a negation too many, another number, a missing word. The table says
    how often a metric prefers the text to its perturbed copy. Without files, the texts are sentences that come with
    the command. Without HYPOTHESES, the references themselves are changed a little first.

    \b
    meteor-e stress -M meteor -M chrf
    meteor-e stress system.txt -R reference.txt -M en-light --only polarity --examples 3
    meteor-e stress -R reference.de -l de --write-texts texts
    meteor-e stress -R reference.de -l de -M scores:mine.tsv
    """
    from meteor_e_evaluation.stress import StressResult, chosen_rules, write_suite

    rules = chosen_rules(language, options["only"], options["without"])
    if options["list_rules"]:
        rows = [[each.name, each.group, each.kind, (each.__doc__ or "").partition("\n")[0]] for each in rules]
        click.echo(format_table(["perturbation", "group", "kind", "what it does"], rows, left=4))
        return
    form = output_format(options["form"])
    suite = _suite(hypotheses, references, source, language, rules, options)
    if options["write_to"] is not None:
        written = write_suite(suite, Path(options["write_to"]))
        click.echo(f"wrote {len(written)} files to {options['write_to']}", err=True)
        return
    report = _report(suite, options)
    write_result(StressResult(report), form, options["output"], OutputOptions())
    limit = options["at_least"]
    missed = [
        f"{metric}: {finding.rule} {100 * finding.share:.1f} %"
        for metric in report.metrics
        for finding in report.findings[metric]
        if limit is not None and finding.kind == "error" and 100 * finding.share < limit
    ]
    if missed:
        click.echo(f"below {limit:g} %: {'; '.join(missed)}", err=True)
        click.get_current_context().exit(1)


def _suite(
    hypotheses: str | None,
    references: tuple[str, ...],
    source: str | None,
    language: str,
    rules: Any,
    options: dict[str, Any],
) -> StressSuite:
    from meteor_e.api import InputError
    from meteor_e_evaluation.data import read_texts
    from meteor_e_evaluation.stress import bundled_examples, make_suite

    if not references and (hypotheses is not None or source is not None):
        raise ConfigError("give the references, too: --reference FILE")
    texts = None if hypotheses is None else read_texts(hypotheses, "hypothesis")
    if references:
        columns = [read_texts(file, "reference") for file in references]
        for file, column in zip(references, columns, strict=True):
            if len(column) != len(columns[0]):
                raise InputError(f"{file} has {len(column)} segments, {references[0]} has {len(columns[0])}")
        lists = [list(each) for each in zip(*columns, strict=True)]
    else:
        examples = bundled_examples(language)
        lists, texts = examples.references, examples.hypotheses
    with terminal_progress(options["quiet"]) as progress:
        return make_suite(
            lists,
            texts,
            None if source is None else read_texts(source, "source"),
            language=language,
            rules=rules,
            pairs=options["pairs"],
            seed=options["seed"],
            name="stress",
            progress=progress,
        )


def _report(suite: StressSuite, options: dict[str, Any]) -> StressReport:
    from meteor_e.api import MetricContext
    from meteor_e.base.array_cache import ArrayCache
    from meteor_e.metrics.specs import parse_metrics
    from meteor_e_evaluation.stress import stress as run

    context = MetricContext(language=suite.language, jobs=options["jobs"])
    metrics = parse_metrics(options["metrics"] or ("meteor",), context)
    shown = options["examples"]
    with terminal_progress(options["quiet"]) as progress:
        return run(
            metrics,
            suite,
            tolerance=options["tolerance"],
            examples=shown if shown is not None else 3 if options["form"] == "json" else 0,
            cache=ArrayCache(enabled=not options["no_cache"]),
            progress=progress,
        )
