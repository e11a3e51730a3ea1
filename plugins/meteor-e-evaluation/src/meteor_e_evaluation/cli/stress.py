"""``meteor-e stress``: whether metrics notice errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from meteor_e.api import ConfigError, InputError, MetricContext
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, OptionGroup
from meteor_e.cli.options import Output
from meteor_e.render.plain import format_table

if TYPE_CHECKING:
    from meteor_e.api import Perturbation
    from meteor_e_evaluation.stress import StressSuite

GROUPS = {
    "Texts": OptionGroup(("references", "source", "language"), "system.txt -R reference.txt -M meteor"),
    "Metrics": OptionGroup(("metrics", "no_cache", "jobs"), "-M meteor -M chrf"),
    "Errors": OptionGroup(("only", "pairs", "seed", "list_rules"), "-M meteor --only polarity --only meaning"),
    "Output": OptionGroup(("examples", "quiet"), "-M meteor -f markdown --examples 2"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, structs={"written": Output}, groups=GROUPS)
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
    default=("meteor",),
    metavar="[LABEL=]METRIC",
    help="meteor, bleu, chrf, en-light, scores:FILE …; may be repeated.  [default: meteor]",
)
@click.option("--only", multiple=True, metavar="NAME", help="A perturbation, a group, or a kind; may be repeated.")
@click.option(
    "--pairs", type=click.IntRange(min=1), default=200, metavar="N", help="Most pairs per perturbation.  [default: 200]"
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=DEFAULT_SEED, help="Seed of all choices.", show_default=True
)
@click.option("--list", "list_rules", is_flag=True, help="Show all perturbations of the language, and exit.")
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    metavar="N",
    help="Worst pairs to show per metric and perturbation.  [default: 0; 3 with JSON]",
)
@click.option("--no-cache", is_flag=True, help="Keep nothing and use nothing that was kept.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, help="Processes of models.  [default: 1]")
@click.option("-q", "--quiet", is_flag=True, help="No progress bars.")
def stress(written: Output, **options: Any) -> None:
    """Test whether metrics notice errors.

    Each perturbation makes one error in a text: a negation too many, another number, a missing word. The table says
    how often a metric prefers the text to its perturbed copy. Without files, the texts are sentences that come with
    the command. Without HYPOTHESES, the references themselves are changed a little first.

    \b
    meteor-e stress -M meteor -M chrf
    meteor-e stress system.txt -R reference.txt -M en-light --only polarity --examples 3
    meteor-e stress -R reference.de -l de -M any
    """
    from meteor_e.base.array_cache import ArrayCache
    from meteor_e.metrics.specs import parse_metrics
    from meteor_e_evaluation import stress as test

    rules = test.chosen_rules(options["language"], options["only"])
    if options["list_rules"]:
        rows = [[each.name, each.group, each.kind, each.__doc__ or ""] for each in rules]
        click.echo(format_table(["perturbation", "group", "kind", "what it does"], rows, left=4))
        return
    written.format()  # before the work begins
    suite = _suite(rules, options)
    metrics = parse_metrics(options["metrics"], MetricContext(language=suite.language, jobs=options["jobs"]))
    examples = options["examples"]
    if examples is None:
        examples = 3 if written.form == "json" else 0
    cache = ArrayCache(enabled=not options["no_cache"])
    with terminal_progress(options["quiet"]) as progress:
        report = test.stress(metrics, suite, examples=examples, cache=cache, progress=progress)
    written.write(report)


def _suite(rules: list[Perturbation], options: dict[str, Any]) -> StressSuite:
    """Read the texts, and make the pairs."""
    from meteor_e_evaluation.data import read_texts
    from meteor_e_evaluation.stress import bundled_examples, make_suite

    files, hypotheses, source = options["references"], options["hypotheses"], options["source"]
    if not files and (hypotheses is not None or source is not None):
        raise ConfigError("give the references, too: --reference FILE")
    texts = None if hypotheses is None else read_texts(hypotheses, "hypothesis")
    if files:
        columns = [read_texts(file, "reference") for file in files]
        for file, column in zip(files, columns, strict=True):
            if len(column) != len(columns[0]):
                raise InputError(f"{file} has {len(column)} segments, {files[0]} has {len(columns[0])}")
        references = [list(each) for each in zip(*columns, strict=True)]
    else:
        references, texts = bundled_examples(options["language"])
    sources = None if source is None else read_texts(source, "source")
    asked = {key: options[key] for key in ("language", "pairs", "seed")}
    with terminal_progress(options["quiet"]) as progress:
        return make_suite(references, texts, sources, rules=rules, progress=progress, **asked)
