"""``meteor-e stress``: whether metrics notice errors."""

from __future__ import annotations

import dataclasses

import click

from meteor_e.api import ConfigError
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, option
from meteor_e.cli.inputs import Inputs
from meteor_e.cli.options import Output, ParallelComputation, complete_names, seed_option
from meteor_e.render.columns import format_wrapped_table


@dataclasses.dataclass(frozen=True)
class StressOptions(Options, heading="Test", example="system.txt -r ref.txt -M meteor -M chrf --only polarity"):
    """Texts, metrics and errors."""

    hypotheses: str | None = option(None, required=False, metavar="[HYPOTHESES]")
    references: tuple[str, ...] = option(
        (), "-r", "--reference", multiple=True, metavar="FILE", help="A file of references; may be repeated."
    )
    source: str | None = option(
        None, "--source", metavar="FILE", help="Source segments, for errors that leave words untranslated."
    )
    language: str = option("en", "-l", "--language", metavar="CODE", help="Language of the texts.")
    metrics: tuple[str, ...] = option(
        ("meteor",),
        *("-M", "--metric"),
        shell_complete=complete_names("metric"),
        multiple=True,
        metavar="[LABEL=]METRIC",
        help="meteor, bleu, chrf, en-light, scores:FILE …; may be repeated.",
    )
    only: tuple[str, ...] = option(
        (), "--only", multiple=True, metavar="NAME", help="A perturbation, a group, or a kind; may be repeated."
    )
    pairs: int = option(
        200, "--pairs", type=click.IntRange(min=1), metavar="N", help="Largest number of pairs per perturbation."
    )
    seed: int = seed_option("all choices")
    list_rules: bool = option(False, "--list", is_flag=True, help="Show all perturbations of the language, and exit.")
    examples: int = option(
        0,
        "--examples",
        type=click.IntRange(min=0),
        metavar="N",
        help="Worst pairs to show per metric and error.",
    )


@click.command(cls=GroupedCommand)
def stress(given: StressOptions, computation: ParallelComputation, written: Output) -> None:
    """Test whether metrics notice errors.

    Each perturbation makes one error in a text: a negation too many, another number, a missing word. The table says
    how often a metric prefers the text to its perturbed copy. HYPOTHESES should be good translations. Without files,
    the command uses its own sentences.

    \b
    meteor-e stress -M meteor -M chrf
    meteor-e stress system.txt -r ref.txt -M en-light --only polarity --examples 3
    meteor-e stress system.de -r reference.de -l de -M meteor -M chrf
    """
    from meteor_e.api.segments import TextContext
    from meteor_e.metrics.specs import create_metrics, parse_spec
    from meteor_e_evaluation import stress as test
    from meteor_e_evaluation.text_files import read_texts

    rules = test.select_perturbations(given.language, given.only)
    if given.list_rules:
        rows = [[each.name, each.group, each.kind, each.__doc__ or ""] for each in rules]
        click.echo(format_wrapped_table(["perturbation", "group", "kind", "what it does"], rows))
        return
    written.format()  # before the work begins
    references, texts = None, ()
    if given.hypotheses is not None and given.references:
        (system,) = Inputs(files=(given.hypotheses,), references=given.references).systems()
        _, texts, references, _ = zip(*system.read(), strict=True)
    elif given.hypotheses is not None or given.references or given.source is not None:
        raise ConfigError("give the hypotheses and the references: HYPOTHESES --reference FILE")
    sources = None if given.source is None else read_texts(given.source, "source")
    specs = [parse_spec(text, jobs=computation.jobs) for text in given.metrics]
    metrics = create_metrics(specs, TextContext(given.language))
    with terminal_progress(computation.quiet) as progress:
        report = test.stress(
            metrics,
            references,
            texts,
            sources,
            language=given.language,
            rules=rules,
            pairs=given.pairs,
            seed=given.seed,
            examples=given.examples,
            cache=computation.cache(),
            progress=progress,
        )
    written.write(report)
