"""``meteor-e evaluate``: how well metrics agree with people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from meteor_e.api import ConfigError, OutputOptions
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, option
from meteor_e.cli.options import Output, ParallelComputation, complete_names, seed_option
from meteor_e.render.columns import format_wrapped_table
from meteor_e_evaluation.cli.options import Data

if TYPE_CHECKING:
    from meteor_e_evaluation.evaluation import Evaluation
    from meteor_e_evaluation.index import DataIndex


@dataclass(frozen=True)
class EvaluationData(Data, example="wmt12.yaml --pair cs-en --pair de-en --check"):
    """Outputs, references and judgments, and which of them count."""

    gold: str | None = option(
        None, "--gold", metavar="NAME", help="With mtme: which human scores, such as mqm, esa or da-sqm."
    )
    references: tuple[str, ...] = option(
        (),
        "--reference",
        multiple=True,
        metavar="NAME",
        show_default="refA",
        help="With mtme: which reference; may be repeated.",
    )
    human_systems: bool = option(
        False, "--human-systems", is_flag=True, help="With mtme: other references count as systems."
    )
    drop_outliers: bool = option(
        False, "--drop-outliers", is_flag=True, help="Leave systems with outlying human scores out, as in WMT20."
    )
    check: bool = option(
        False, "--check", is_flag=True, help="Only check that the data line up, and report what was found."
    )

    def load(self) -> list[DataIndex]:
        """Return what the arguments name: index files, folders of mt-metrics-eval.

        Raises:
            ConfigError: if there are none, or for options of other data.
            InputError: if one cannot be read, or no index has a pair that was asked for.
        """
        from meteor_e_evaluation.index import load_index
        from meteor_e_evaluation.mtme import mtme_index

        if not self.indexes:
            raise ConfigError("give an INDEX or mtme:FOLDER")
        if not any(path.startswith("mtme:") for path in self.indexes) and (
            self.gold or self.references or self.human_systems
        ):
            raise ConfigError("--gold, --reference and --human-systems go with mtme:FOLDER")
        loaded = [
            mtme_index(
                path.removeprefix("mtme:"),
                pairs=self.pairs,
                gold=self.gold,
                references=self.references,
                human_systems=self.human_systems,
            )
            if path.startswith("mtme:")
            else load_index(path, root=self.root)
            for path in self.indexes
        ]
        for pair in self.pairs:
            if not any(pair in index.pairs for index in loaded):
                loaded[0].pair(pair)
        return loaded


@dataclass(frozen=True)
class ScoringOptions(
    Options,
    heading="Metrics and measures",
    example="wmt17.yaml -M meteor -M bleu -s pearson -s system-pearson",
):
    """Metrics, and measures of their agreement with people."""

    metrics: tuple[str, ...] = option(
        ("meteor",),
        *("-M", "--metric"),
        shell_complete=complete_names("metric"),
        multiple=True,
        metavar="[LABEL=]METRIC",
        help="meteor, a chain file, bleu, chrf, chrf++, ter, nist, scores:FILE …; may be repeated.",
    )
    measures: tuple[str, ...] = option(
        (),
        *("-s", "--measure"),
        multiple=True,
        metavar="NAME",
        show_default="the index's",
        help="A measure; may be repeated; --list-measures shows all.",
    )
    list_measures: bool = option(False, "--list-measures", is_flag=True, help="Show all measures, and exit.")


@dataclass(frozen=True)
class TestOptions(Options, heading="Statistics", example="wmt12.yaml --intervals 1000 --significance"):
    """Intervals, and tests of metrics against one another."""

    samples: int = option(
        0,
        "--intervals",
        type=click.IntRange(min=0),
        metavar="N",
        show_default="0, none",
        help="Bootstrap samples for 95 % intervals; 1000 is usual.",
    )
    significance: bool = option(
        False, "--significance", is_flag=True, help="Test every metric against every other, and rank them."
    )
    method: str = option(
        "auto",
        "--test",
        type=click.Choice(["auto", "williams", "perm-both", "paired", "documents", "systems", "paired+systems"]),
        show_default="auto, the one that suits the measure",
        help="The test of --significance.",
    )
    permutations: int = option(
        1000, "--permutations", type=click.IntRange(min=1), metavar="N", help="Samples of permutation tests."
    )
    seed: int = seed_option("all resampling")


@dataclass(frozen=True)
class EvaluationOutput(Output, example="wmt12.yaml -f latex -o table.tex"):
    """Tables, and scores."""

    digits: int = option(4, "--digits", type=click.IntRange(0, 17), help="Decimals in the tables.")
    scores: str | None = option(
        None, "--write-scores", metavar="DIR", help="Write all scores of all systems as files of the WMT metrics task."
    )


@click.command(cls=GroupedCommand)
def evaluate(
    data: EvaluationData,
    scoring: ScoringOptions,
    statistics: TestOptions,
    computation: ParallelComputation,
    written: EvaluationOutput,
) -> None:
    """Measure how well metrics agree with human judgments.

    An INDEX is a YAML file that says which outputs, references and judgments belong together, or mtme:FOLDER for a
    test set laid out as in mt-metrics-eval. Scores are cached: a second run with another measure reuses them.

    \b
    meteor-e evaluate wmt12.yaml -M meteor -M bleu -M scores:mine.seg.gz
    meteor-e evaluate wmt17.yaml -s pearson -s system-pearson --significance
    meteor-e evaluate mtme:mt-metrics-eval-v2/wmt23 --pair en-de -M mtme:BLEU
    meteor-e evaluate wmt12.yaml --check
    """
    from meteor_e.metrics.specs import parse_spec
    from meteor_e_evaluation.data import load_test_set
    from meteor_e_evaluation.evaluation import evaluate as run
    from meteor_e_evaluation.measures import measure, measure_names
    from meteor_e_evaluation.report import EvaluationResult

    if scoring.list_measures:
        every = map(measure, measure_names())
        rows = [[each.name, each.level, each.default_test(), each.definition] for each in every]
        click.echo(format_wrapped_table(["measure", "level", "default test", "what it is"], rows))
        return
    written.format()  # before the work begins
    loaded = data.load()
    names = scoring.measures or dict.fromkeys(name for index in loaded for name in index.measures) or ("tau-strict",)
    measures = [measure(name) for name in names]
    metrics = [parse_spec(text, jobs=computation.jobs) for text in scoring.metrics]
    writing = written.scores is not None
    tests = [
        load_test_set(index, pair, every_system=writing)
        for index in loaded
        for pair in index.pairs
        if not data.pairs or pair in data.pairs
    ]
    with terminal_progress(computation.quiet) as progress:
        evaluation = run(
            tests,
            [] if data.check else metrics,
            [] if data.check else measures,
            computation.cache(),
            **vars(statistics),
            drop_outliers=data.drop_outliers,
            whole=writing,
            progress=progress,
        )
    _remark(evaluation, data.check)
    if data.check:
        return
    if written.scores is not None:
        _write_scores(evaluation, Path(written.scores))
    written.write(EvaluationResult(evaluation), OutputOptions(written.digits))


def _write_scores(evaluation: Evaluation, folder: Path) -> None:
    from meteor_e_evaluation.score_files import write_scores

    several = len({test.name for test, _ in evaluation.scores.values()}) > 1
    for test, scores in evaluation.scores.values():
        written = write_scores(folder, test, scores, by_name=several)
        click.echo(f"wrote {len(written)} files to {written[0].parent}", err=True)


def _remark(evaluation: Evaluation, check: bool) -> None:
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
