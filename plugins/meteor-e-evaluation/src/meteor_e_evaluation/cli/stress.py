"""Defines the command ``meteor-e stress``, which tests whether metrics notice errors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from meteor_e.api import ConfigError, Metric, Perturbation, System
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, option
from meteor_e.cli.inputs import Inputs
from meteor_e.cli.options import MetricOptions, Output, ParallelComputation, complete_names
from meteor_e.render.columns import format_wrapped_table

if TYPE_CHECKING:
    from meteor_e_evaluation.stress.report import StressReport


@dataclasses.dataclass(frozen=True)
class StressOptions(Options):
    """Options that select the texts, the metrics and the perturbations."""

    heading = "Test"
    example = "system.txt -r ref.txt -M meteor -M chrf --only polarity"

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
    seed: int = option(DEFAULT_SEED, "--seed", type=click.IntRange(min=0), help="Seed of all random choices.")
    list_rules: bool = option(False, "--list", is_flag=True, help="Show all perturbations of the language, and exit.")
    examples: int = option(
        0,
        "--examples",
        type=click.IntRange(min=0),
        metavar="N",
        help="Number of most wrong pairs to show per metric and perturbation.",
    )

    def load_system(self) -> System | None:
        """Load the system that the user named, or return None to use the bundled sentences.

        Raises:
            ConfigError: if either the hypotheses or the references are missing.
            InputError: if the files cannot be read.
        """
        if self.hypotheses is None and not self.references and self.source is None:
            return None
        if self.hypotheses is None or not self.references:
            raise ConfigError("give the hypotheses and the references: HYPOTHESES --reference FILE")
        (system,) = Inputs(files=(self.hypotheses,), references=self.references).systems()
        return system


@click.command(cls=GroupedCommand)
def stress(options: StressOptions, computation: ParallelComputation, output: Output) -> None:
    """Test whether metrics notice errors.

    Each perturbation introduces one error into a text, such as an additional negation, another number, or a missing
    word. The table shows how often a metric prefers the original text to its perturbed copy. HYPOTHESES should be good
    translations. Without files, the command uses bundled sentences.

    \b
    meteor-e stress -M meteor -M chrf
    meteor-e stress system.txt -r ref.txt -M en-light --only polarity --examples 3
    meteor-e stress system.de -r reference.de -l de -M meteor -M chrf
    """
    from meteor_e_evaluation.stress import select_perturbations

    rules = select_perturbations(options.language, options.only)
    if options.list_rules:
        _list_rules(rules)
        return
    output.format()  # Raises errors of the output options before the work begins.
    output.write(_run_stress_test(options, computation, rules))


def _run_stress_test(
    options: StressOptions, computation: ParallelComputation, rules: Sequence[Perturbation]
) -> StressReport:
    """Read the texts, create the metrics, and test whether the metrics notice the perturbations."""
    from meteor_e_evaluation.stress import stress
    from meteor_e_evaluation.text_files import read_texts

    system = options.load_system()
    references, hypotheses = _read_system(system)
    sources = None if options.source is None else read_texts(options.source, "source")
    metrics = _create_metrics(options, system, computation.jobs)
    with terminal_progress(computation.quiet) as progress:
        return stress(
            metrics,
            references,
            hypotheses,
            sources,
            language=options.language,
            rules=rules,
            pairs=options.pairs,
            seed=options.seed,
            examples=options.examples,
            cache=computation.cache(),
            progress=progress,
        )


def _read_system(system: System | None) -> tuple[list[Sequence[str]] | None, list[str]]:
    """Return the references of each segment, and the hypotheses. Without a system, the references are None."""
    if system is None:
        return None, []
    segments = list(system.read())
    return [segment.references for segment in segments], [segment.hypothesis for segment in segments]


def _create_metrics(options: StressOptions, system: System | None, jobs: int) -> list[Metric]:
    """Create the metrics to test, with a segmenter that suits the texts of the system."""
    metric_options = MetricOptions(language=options.language)
    if system is not None:
        metric_options = metric_options.for_text(system.context)
    return metric_options.create_metrics(options.metrics, jobs)


def _list_rules(rules: Sequence[Perturbation]) -> None:
    """Print a table of the perturbations."""
    rows = [[rule.name, rule.group, rule.kind, rule.__doc__ or ""] for rule in rules]
    click.echo(format_wrapped_table(["perturbation", "group", "kind", "what it does"], rows))
