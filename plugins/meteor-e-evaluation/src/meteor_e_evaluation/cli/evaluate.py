"""Defines the command ``meteor-e evaluate``, which correlates metrics with human judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from meteor_e.api import ConfigError, OutputOptions
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, option
from meteor_e.cli.options import Output, ParallelComputation, complete_names
from meteor_e.render.columns import format_wrapped_table
from meteor_e_evaluation.cli.options import Data

if TYPE_CHECKING:
    from meteor_e.api import Measure
    from meteor_e_evaluation.evaluation import Evaluation
    from meteor_e_evaluation.index import DataIndex
    from meteor_e_evaluation.test_set import TestSet

MTME_PREFIX = "mtme:"
"""Prefix of a command-line argument that names a data folder of mt-metrics-eval instead of an index file."""


@dataclass(frozen=True)
class EvaluationData(Data):
    """Options that name the test sets and select the data to use."""

    example = "wmt12.yaml --pair cs-en --pair de-en --check"

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
        False, "--human-systems", is_flag=True, help="With mtme: treat the other references as systems."
    )
    drop_outliers: bool = option(
        False, "--drop-outliers", is_flag=True, help="Leave out systems with outlying human scores, as in WMT20."
    )
    check: bool = option(
        False, "--check", is_flag=True, help="Only check that the data line up, and report the result."
    )

    def load_indexes(self) -> list[DataIndex]:
        """Load all index files and mt-metrics-eval folders that the arguments name.

        Raises:
            ConfigError: if there are no arguments, or an option does not suit the data.
            InputError: if an index cannot be read, or no index has the language pair of ``--pair``.
        """
        if not self.indexes:
            raise ConfigError("give an INDEX or mtme:FOLDER")
        has_mtme_folder = any(argument.startswith(MTME_PREFIX) for argument in self.indexes)
        if not has_mtme_folder and (self.gold or self.references or self.human_systems):
            raise ConfigError("--gold, --reference and --human-systems go with mtme:FOLDER")
        indexes = [self._load_index(argument) for argument in self.indexes]
        for pair in self.pairs:
            if not any(pair in index.pairs for index in indexes):
                raise indexes[0].make_missing_pair_error(pair)
        return indexes

    def _load_index(self, argument: str) -> DataIndex:
        """Load an index file, or an mt-metrics-eval folder if the argument starts with ``mtme:``."""
        from meteor_e_evaluation.index import load_index
        from meteor_e_evaluation.mtme import mtme_index

        if not argument.startswith(MTME_PREFIX):
            return load_index(argument, root=self.root)
        return mtme_index(
            argument.removeprefix(MTME_PREFIX),
            pairs=self.pairs,
            gold=self.gold,
            references=self.references,
            human_systems=self.human_systems,
        )

    def load_tests(self, indexes: Sequence[DataIndex], *, every_system: bool) -> list[TestSet]:
        """Return the test sets of the requested language pairs.

        Args:
            indexes: the indexes to load the test sets from.
            every_system: whether to include systems that have no human scores.
        """
        from meteor_e_evaluation.data import load_test_set

        tests = []
        for index in indexes:
            for pair in index.pairs:
                if not self.pairs or pair in self.pairs:
                    tests.append(load_test_set(index, pair, every_system=every_system))
        return tests


@dataclass(frozen=True)
class ScoringOptions(Options):
    """Options that select the metrics and the measures of agreement with human judgments."""

    heading = "Metrics and measures"
    example = "wmt17.yaml -M meteor -M bleu -s pearson -s system-pearson"

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
        show_default="the index's measures, or one that suits the judgments",
        help="A measure; may be repeated; --list-measures shows all measures.",
    )
    list_measures: bool = option(False, "--list-measures", is_flag=True, help="Show all measures, and exit.")

    def make_measures(self, indexes: Sequence[DataIndex], tests: Sequence[TestSet]) -> list[Measure[TestSet]]:
        """Return the measures of agreement that the command line names.

        Without names on the command line, the measures in the index files are used. If the index files do not name
        measures, the default measure of each test set is used.
        """
        from meteor_e_evaluation.measures import default_measure_name, measure

        names = list(self.measures)
        if not names:
            for index in indexes:
                names += index.measures
        if not names:
            names = [default_measure_name(test) for test in tests]
        return [measure(name) for name in dict.fromkeys(names)]


# This tuple repeats the names of the tests in meteor_e_evaluation.comparison, because importing that module is slow.
TESTS = ("auto", "williams", "perm-both", "paired", "documents", "systems", "paired+systems")


@dataclass(frozen=True)
class TestOptions(Options):
    """Options for confidence intervals and for significance tests between metrics."""

    heading = "Statistics"
    example = "wmt12.yaml --intervals 1000 --significance"

    intervals: int = option(
        0,
        "--intervals",
        type=click.IntRange(min=0),
        metavar="N",
        show_default="0, no intervals",
        help="Bootstrap samples for 95% confidence intervals; 1000 is usual.",
    )
    significance: str | None = option(
        None,
        "--significance",
        type=click.Choice(TESTS),
        metavar="TEST",
        is_flag=False,
        flag_value="auto",
        show_default="no test; without a name: auto, the test that suits the measure",
        help="Test every metric against every other, and rank them; write it after the indexes, or with the name of a "
        f"test: {', '.join(TESTS)}.",
    )
    samples: int = option(
        1000, "--samples", type=click.IntRange(min=1), metavar="N", help="Permutations of a permutation test."
    )
    seed: int = option(DEFAULT_SEED, "--seed", type=click.IntRange(min=0), help="Seed of all resampling.")


@dataclass(frozen=True)
class EvaluationOutput(Output):
    """Options for the tables and the score files to write."""

    example = "wmt12.yaml -f latex -o table.tex"

    digits: int = option(4, "--digits", type=click.IntRange(0, 17), help="Decimals in the tables.")
    scores_folder: str | None = option(
        None, "--write-scores", metavar="DIR", help="Write all scores of all systems as files of the WMT metrics task."
    )


@click.command(cls=GroupedCommand)
def evaluate(
    data: EvaluationData,
    scoring: ScoringOptions,
    statistics: TestOptions,
    computation: ParallelComputation,
    output: EvaluationOutput,
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
    from meteor_e_evaluation.evaluation import evaluate as evaluate_metrics
    from meteor_e_evaluation.report import EvaluationResult

    if scoring.list_measures:
        _list_measures()
        return
    output.format()  # Raises errors of the output options before the work begins.
    score_all = output.scores_folder is not None
    indexes = data.load_indexes()
    metrics = [parse_spec(text, jobs=computation.jobs) for text in scoring.metrics]
    tests = data.load_tests(indexes, every_system=score_all)
    measures = scoring.make_measures(indexes, tests)
    cache = computation.cache()
    if data.check:
        _print_check(evaluate_metrics(tests, (), (), cache, drop_outliers=data.drop_outliers))
        return
    with terminal_progress(computation.quiet) as progress:
        evaluation = evaluate_metrics(
            tests,
            metrics,
            measures,
            cache,
            intervals=statistics.intervals,
            significance=statistics.significance,
            samples=statistics.samples,
            seed=statistics.seed,
            drop_outliers=data.drop_outliers,
            score_all=score_all,
            progress=progress,
        )
    _print_warnings(evaluation)
    if output.scores_folder is not None:
        _write_scores(evaluation, Path(output.scores_folder))
    output.write(EvaluationResult(evaluation), OutputOptions(output.digits))


def _list_measures() -> None:
    """Print a table of all measures."""
    from meteor_e_evaluation.measures import measure, measure_names

    measures = [measure(name) for name in measure_names()]
    rows = [[entry.name, entry.level, entry.default_test(), entry.definition] for entry in measures]
    click.echo(format_wrapped_table(["measure", "level", "default test", "what it is"], rows))


def _write_scores(evaluation: Evaluation, folder: Path) -> None:
    """Write the scores of each test set to a folder, and print the number of files to standard error."""
    from meteor_e_evaluation.score_writer import write_scores

    test_names = {test.name for test, _ in evaluation.scores.values()}
    for test, scores in evaluation.scores.values():
        paths = write_scores(folder, test, scores, by_name=len(test_names) > 1)
        click.echo(f"wrote {len(paths)} files to {paths[0].parent}", err=True)


def _print_check(evaluation: Evaluation) -> None:
    """Print the size of each test set and all messages of the sanity checks."""
    for title, messages in evaluation.warnings.items():
        counts = ", ".join(f"{count} {name}" for name, count in evaluation.counts[title].items())
        click.echo(f"{title}: {counts}")
        for message in messages:
            click.echo(f"  {message}")


def _print_warnings(evaluation: Evaluation) -> None:
    """Print the warnings of the sanity checks to standard error."""
    for title, messages in evaluation.warnings.items():
        for message in messages:
            if message.startswith("warning: "):
                click.echo(f"meteor-e: {title}: {message}", err=True)
