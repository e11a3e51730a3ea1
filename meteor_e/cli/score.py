"""The command ``meteor-e score`` scores the outputs of systems against references."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from meteor_e.api.batches import map_in_order
from meteor_e.api.explanations import explain_systems, select_explaining_metrics
from meteor_e.api.formats import OutputOptions, WmtNames
from meteor_e.api.metrics import Metric
from meteor_e.api.tables import ScoreRun
from meteor_e.base.errors import ConfigError
from meteor_e.base.progress import Progress, terminal_progress
from meteor_e.cli.commands import GroupedCommand, destination, option
from meteor_e.cli.inputs import Inputs
from meteor_e.cli.options import MetricOptions, Output, SignificanceOptions, complete_names, load_systems
from meteor_e.evaluate import KeptData, evaluate
from meteor_e.formats.inputs import JSON_LINES, PARQUET
from meteor_e.plugins.registry import plugin_registry
from meteor_e.render.scores import ScoreResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from meteor_e.api.formats import OutputFormat
    from meteor_e.api.score_table import ScoreTable
    from meteor_e.api.tables import ScoreRunner
    from meteor_e.significance.tables import TableIntervals, TableTests


@dataclass(frozen=True)
class ScoreInputs(Inputs):
    """Store the options that name the input: text files, a table, or a test set of sacreBLEU."""

    test_set: str | None = option(
        None,
        "--test-set",
        metavar="NAME",
        help="Take the references from a test set of sacreBLEU, such as wmt17; requires --pair. Without files, score "
        "the system outputs of the test set.",
    )
    pair: str | None = option(None, "--pair", metavar="SRC-TRG", help="Language pair of the test set, such as de-en.")
    on_error: str = option(
        "stop",
        "--on-error",
        type=click.Choice(["stop", "skip", "zero"]),
        help="What to do if a segment cannot be aligned: stop with an error, skip the segment in all systems, or give "
        "it the score 0. Segments keep their numbers.",
    )
    cluster: str | None = option(
        None,
        "--dask",
        metavar="ADDRESS",
        help="Score on a Dask cluster: its scheduler's address or scheduler file; 'local' or 'local:N' starts N "
        "processes here. (Plugin meteor-e-tables.)",
    )

    def add_test_set_files(self) -> ScoreInputs:
        """Add the references of a sacreBLEU test set. If there are no hypothesis files, add its system outputs, too.

        Returns:
            A copy of the options with these files, or unchanged options if they do not name a test set.

        Raises:
            ConfigError: if neither the options nor the test set provide system outputs.
        """
        from meteor_e.formats.test_sets import named_set

        if self.test_set is None or self.pair is None:
            return self
        test_set = named_set(self.test_set, self.pair)
        references = tuple(test_set.references)
        if self.files:
            return replace(self, references=references)
        if not test_set.systems:
            raise ConfigError(
                f"test set {self.test_set} has no system outputs for {self.pair}; give files with hypotheses"
            )
        system_files = tuple(test_set.systems.values())
        system_names = self.names or tuple(test_set.systems)
        return replace(self, references=references, files=system_files, names=system_names)


@dataclass(frozen=True)
class ScoreMetrics(MetricOptions):
    """Store the command-line options that select the metrics. The default metric is METEOR."""

    metrics: tuple[str, ...] = option(
        (),
        *("-M", "--metric"),
        multiple=True,
        metavar="METRIC",
        show_default="meteor",
        shell_complete=complete_names("metric"),
        help="A metric: meteor, bleu, chrf, chrf++, ter, a chain, or a metric of a plugin. Options follow a colon, as "
        "in bleu:tokenize=zh. Repeat it for several metrics.",
    )

    def for_pair(self, pair: str | None) -> ScoreMetrics:
        """Choose the target language of a language pair, unless the options already specify a language or a chain."""
        if pair is None or self.language or self.chain is not None:
            return self
        from meteor_e.formats.test_sets import target_language

        return replace(self, language=target_language(pair))


@dataclass(frozen=True)
class ScoreOutput(Output):
    """Store the command-line options that select the format, the file and the contents of the output."""

    example = "… --segments --format tsv -o scores.tsv"

    output: str | None = option(
        None,
        *("-o", "--output"),
        metavar="FILE",
        help="Write to a file: the report, or, if its name ends in .parquet, .jsonl or .jsonl.gz, the segments.",
    )
    wmt_names: tuple[str, str, str] | None = option(
        None,
        "--wmt-names",
        nargs=3,
        metavar="PAIR TESTSET REFERENCE",
        show_default="those of --test-set and --pair",
        help="Names for --format wmt, such as de-en newstest2017 refA.",
    )
    segments: bool = option(False, "--segments", is_flag=True, help="Show the score of every segment.")
    alignments: bool = option(False, "--alignments", is_flag=True, help="Show the matching words of every segment.")
    worst: int | None = option(
        None,
        "--worst",
        type=click.IntRange(min=1),
        metavar="N",
        show_default="no segments",
        help="Show the N segments of each system with the worst scores, and their matching words.",
    )
    percent: bool = option(
        False, "--percent", is_flag=True, help="Show METEOR's scores from 0 to 100, with two decimals."
    )
    explain: bool = option(
        False,
        "--explain",
        is_flag=True,
        help="Explain the differences between systems and the first one, or between the segments of a single system, "
        "for models such as en-light.",
    )
    digits: int | None = option(
        None,
        "--digits",
        type=click.IntRange(0, 17),
        show_default="4; 2 for metrics from 0 to 100",
        help="Decimals in the table.",
    )
    prefix: str | None = option(
        None,
        "--prefix",
        metavar="TEXT",
        show_default="meteor_ if METEOR is the only metric",
        help="Prefix of the new columns of an output table: METEOR's statistics, or one column per metric.",
    )
    quiet: bool = option(False, "-q", "--quiet", is_flag=True, help="Write only the score, and show no progress line.")

    @property
    def table_file(self) -> str | None:
        """Return the output path if the output is a table of segments, such as Parquet. Otherwise, return ``None``."""
        is_table = self.output is not None and self.output.endswith((*PARQUET, *JSON_LINES))
        return self.output if is_table else None

    def data_to_keep(self, output_format: OutputFormat, analysis: _Analysis) -> KeptData:
        """Return the kinds of segment data that the output and the statistical analysis need in memory."""
        shows_alignments = self.alignments or self.worst is not None
        return KeptData(
            segments=self.segments or shows_alignments,
            statistics=analysis.has_tests or analysis.has_intervals,
            details=output_format.details and not self.quiet,
            alignments=shows_alignments,
            references=analysis.has_tests,
        )


@click.command(cls=GroupedCommand)
def score(inputs: ScoreInputs, metrics: ScoreMetrics, output: ScoreOutput, statistics: SignificanceOptions) -> None:
    """Score the outputs of systems against references.

    Each file of hypotheses is one system. The references follow -r; without -r, the last file holds the references.
    Files hold one segment per line (plain, gzip, bzip2 or xz), or are SGML or WMT XML; - is standard input.
    A Parquet, JSON Lines, CSV or TSV file holds hypotheses and references in columns.

    \b
    meteor-e score system.txt -r reference.txt
    meteor-e score system1.txt system2.txt -r reference.txt -l de
    meteor-e score a.txt b.txt -r reference.txt -M meteor -M bleu --significance
    meteor-e score system.txt --test-set wmt17 --pair de-en -M meteor -M bleu
    meteor-e score system.txt -r first.txt -r second.txt -f json --segments
    meteor-e score data.parquet --reference-column ref -o scored.parquet
    meteor-e score data.parquet --dask tcp://scheduler:8786
    """
    output_format = output.format()
    _check_combination(inputs, output, output_format, statistics)
    all_inputs = inputs.add_test_set_files()
    wmt_names = _wmt_names(all_inputs, output)
    run = _prepare_run(all_inputs, metrics, output)
    shows_intervals = not output.quiet and output.table_file is None
    analysis = _Analysis(run.metrics, statistics, shows_intervals)
    kept_data = output.data_to_keep(output_format, analysis)
    with terminal_progress(output.quiet) as progress:
        table = _evaluate(run, kept_data, inputs.on_error, progress)
        result = _analyze_table(table, run, analysis, output)
    _write_result(result, output, output_format, wmt_names)


def _prepare_run(inputs: ScoreInputs, metric_options: ScoreMetrics, output: ScoreOutput) -> ScoreRun:
    """Open the systems and create the metrics."""
    systems = inputs.systems()
    metric_options = metric_options.for_pair(inputs.pair).for_text(systems[0].context)
    metrics = metric_options.create_metrics(metric_options.metrics or ("meteor",))
    if output.explain:
        systems = load_systems(systems)
        select_explaining_metrics(metrics, systems)  # This call raises an error if no metric can explain its scores.
    return ScoreRun(metrics, systems, map_in_order, output.table_file, output.prefix, inputs.cluster)


def _analyze_table(table: ScoreTable, run: ScoreRun, analysis: _Analysis, output: ScoreOutput) -> ScoreResult:
    """Add significance tests, confidence intervals and explanations to a table of scores, as the options specify."""
    return ScoreResult(
        table,
        tests=analysis.run_tests(table),
        intervals=analysis.compute_intervals(table),
        explanations=explain_systems(run.metrics, run.systems) if output.explain else None,
        worst=output.worst,
        percent_columns=_meteor_columns(run.metrics) if output.percent else frozenset(),
    )


@dataclass(frozen=True)
class _Analysis:
    """The statistical analysis of a table of scores.

    Attributes:
        metrics: the metrics of the table.
        options: the options of significance tests.
        shows_intervals: whether the output can contain confidence intervals.
    """

    metrics: Sequence[Metric]
    options: SignificanceOptions
    shows_intervals: bool

    @property
    def has_tests(self) -> bool:
        """Whether the differences between systems are tested."""
        return self.options.significance != "none"

    @property
    def has_intervals(self) -> bool:
        """Whether confidence intervals are computed. Significance tests have intervals of their own."""
        columns = [column for metric in self.metrics for column in metric.headings]
        return self.shows_intervals and not self.has_tests and any(column.has_interval for column in columns)

    def run_tests(self, table: ScoreTable) -> TableTests | None:
        """Test whether the score differences between the systems are significant, if the options ask for tests."""
        if not self.has_tests:
            return None
        # This import loads NumPy, so it is delayed until significance tests need it.
        from meteor_e.significance.tables import Significance, compare_table

        settings = Significance(self.options.significance, self.options.samples, self.options.seed)
        return compare_table(table, self.metrics, settings)

    def compute_intervals(self, table: ScoreTable) -> TableIntervals | None:
        """Compute the confidence intervals that the table of scores shows, if a metric has any."""
        if not self.has_intervals:
            return None
        # This import loads NumPy, so it is delayed until intervals need it.
        from meteor_e.significance.tables import compute_intervals

        return compute_intervals(table, self.metrics, self.options.seed)


def _evaluate(run: ScoreRun, kept_data: KeptData, on_error: str, progress: Progress) -> ScoreTable:
    """Score the systems, optionally on a cluster, and write the output table if one was requested.

    Args:
        run: the metrics, the systems, the address of the cluster and the path of the output table.
        kept_data: the segment data to keep in memory.
        on_error: the policy for segments that cannot be aligned: ``stop``, ``skip`` or ``zero``.
        progress: the callback that receives the number of finished segments.
    """
    # If the user does not choose a policy, each metric applies its own policy. The default policy is to stop.
    policy = None if on_error == "stop" else on_error
    with (
        # The runner "dask" sends batches of segments to the cluster, which scores them.
        _start_runner("dask", run, is_needed=run.cluster is not None) as cluster_run,
        # The runner "table" reads the columns of the input table, and writes each scored batch to the output table.
        _start_runner("table", cluster_run, is_needed=run.output is not None) as table_run,
    ):
        return evaluate(
            table_run.metrics,
            table_run.systems,
            keep=kept_data,
            on_error=policy,
            execute=table_run.execute,
            progress=progress,
        )


def _start_runner(name: str, run: ScoreRun, *, is_needed: bool) -> AbstractContextManager[ScoreRun]:
    """Start a plugin's runner to modify the run. If the runner is not needed, return the original run."""
    if not is_needed:
        return nullcontext(run)
    runner: ScoreRunner = plugin_registry().runners.get(name).make()
    return runner.start(run)


def _meteor_columns(metrics: Sequence[Metric]) -> frozenset[str]:
    """Return the names of the columns that contain METEOR's scores."""
    from meteor_e.meteor import Meteor

    return frozenset(metric.label for metric in metrics if isinstance(metric, Meteor))


def _write_result(
    result: ScoreResult, output: ScoreOutput, output_format: OutputFormat, wmt_names: WmtNames | None
) -> None:
    """Write the report. With ``--quiet``, write a line per system with the unrounded scores, separated by tabs."""
    report_file = None if output.table_file else output.output
    with destination(report_file) as stream:
        if not output.quiet:
            output_format.write(result, stream, OutputOptions(output.digits, wmt_names))
            return
        for system in result.table.systems:
            scores = [repr(values[0]) for values in result.table.column_values(system)]
            stream.write("\t".join(scores) + "\n")


_UNIT_SCALE = "in formats for programs, METEOR's scores are from 0 to 1"
_EXPLANATION = "the explanation is text; use --format text, markdown or json"
_TABLE = "a table of segments contains only the scores of all segments"
_UNSUPPORTED = (
    "the format cannot contain them; segments go into text, json, tsv, csv and wmt, alignments into text and json"
)


def _check_combination(
    inputs: ScoreInputs, output: ScoreOutput, output_format: OutputFormat, statistics: SignificanceOptions
) -> None:
    """Raise ConfigError if mutually exclusive options are set."""
    if output.quiet:
        _check_quiet(output, statistics)
    format_name = output_format.name
    is_table = output.table_file is not None
    handles_errors = inputs.on_error != "stop"
    conflicts = [
        ((inputs.test_set is None) != (inputs.pair is None), "--test-set NAME and --pair SRC-TRG go together"),
        (
            inputs.test_set is not None and bool(inputs.references),
            "--test-set gives the references; leave out --reference",
        ),
        (
            output.worst is not None and format_name != "text",
            "--worst does not go with --format: the worst segments can only be listed as text",
        ),
        (
            output.percent and format_name in ("json", "jsonl", "tsv", "csv", "wmt"),
            f"--percent does not go with --format with all digits: {_UNIT_SCALE}",
        ),
        (
            inputs.cluster is not None and handles_errors,
            "--dask does not go with --on-error: the warnings of other processes would be lost",
        ),
        (is_table and output.explain, f"-o TABLE does not go with --explain: {_TABLE}"),
        (is_table and handles_errors, f"-o TABLE does not go with --on-error: {_TABLE}"),
        (
            output.segments and not output_format.segments,
            f"--segments does not go with --format without segments: {_UNSUPPORTED}",
        ),
        (
            output.alignments and not output_format.alignments,
            f"--alignments does not go with --format without alignments: {_UNSUPPORTED}",
        ),
        (
            output.explain and format_name in ("tsv", "csv", "wmt"),
            f"--explain does not go with --format for programs: {_EXPLANATION}",
        ),
        (
            output.wmt_names is not None and format_name != "wmt",
            "--wmt-names does not go with another --format: these are the names for --format wmt",
        ),
    ]
    for is_conflict, message in conflicts:
        if is_conflict:
            raise ConfigError(message)


def _check_quiet(output: ScoreOutput, statistics: SignificanceOptions) -> None:
    """Raise ConfigError if an option adds to the output, although ``--quiet`` is set."""
    additions = {
        "--format": output.format_name != "text",
        "--significance": statistics.significance != "none",
        "--segments": output.segments,
        "--alignments": output.alignments,
        "--explain": output.explain,
        "--worst": output.worst is not None,
        "--percent": output.percent,
    }
    for name, is_set in additions.items():
        if is_set:
            raise ConfigError(f"--quiet does not go with {name}: --quiet writes only scores")


def _wmt_names(inputs: ScoreInputs, output: ScoreOutput) -> WmtNames | None:
    """Return the names of the language pair, the test set and the reference if the output format is ``wmt``."""
    if output.format_name != "wmt":
        return None
    if output.wmt_names is not None:
        return WmtNames(*output.wmt_names)
    if inputs.test_set is None or inputs.pair is None:
        raise ConfigError(
            "--format wmt needs the names of language pair, test set and reference: give --wmt-names PAIR TESTSET "
            "REFERENCE, such as --wmt-names de-en newstest2017 refA, or --test-set and --pair"
        )
    return WmtNames(inputs.pair, inputs.test_set, "ref")
