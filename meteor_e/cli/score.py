"""``meteor-e score``: hypotheses against references."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import click

from meteor_e.api.outputs import OutputOptions, WmtNames
from meteor_e.api.tables import ScoreRun
from meteor_e.base.errors import ConfigError
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.combinations import check_combination
from meteor_e.cli.failures import on_error_option, without_failures
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.inputs import lined_up, named, systems
from meteor_e.cli.options import METRIC_GROUPS, input_options, metric_options
from meteor_e.cli.output import destination
from meteor_e.cli.results import (
    check_output,
    format_option,
    output_format,
    output_option,
    significance_options,
    tests_of,
    write_result,
)
from meteor_e.cli.score_tables import (
    TABLE_OPTIONS,
    TableOptions,
    find_table,
    is_table_output,
    run_elsewhere,
    systems_of,
)
from meteor_e.formats.inputs import INPUT_FORMATS

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric
    from meteor_e.api.outputs import OutputFormat
    from meteor_e.api.tables import SystemInput
    from meteor_e.base.progress import Progress
    from meteor_e.formats.inputs import Format
    from meteor_e.metrics.table import SystemTable

GROUPS = {
    "Input": OptionGroup(
        (
            *("references", "references_per_segment", "form_in", "encoding", "on_missing", "names"),
            *("hypothesis_columns", "reference_columns", "split", "test_set", "pair", "on_error"),
        ),
        "system.txt -R first.txt -R second.txt",
    ),
    **METRIC_GROUPS,
    "Output": OptionGroup(
        (
            *("form", "wmt_names", "segments", "alignments", "explain", "as_json", "tsv", "digits", "output"),
            *("prefix", "quiet"),
        ),
        "… --segments --format tsv -o scores.tsv",
    ),
    "Statistics": OptionGroup(("significance", "samples", "seed", "purpose"), "… --significance bootstrap --seed 1"),
}
"""The groups of the help text."""


class ScoreOptions(SimpleNamespace):
    """The options of the command, under their names, as the command line gives them."""

    def output_format(self) -> OutputFormat:
        """Return the format of the output.

        Raises:
            ConfigError: if several are asked for.
        """
        asked = [name for name, given in (("json", self.as_json), ("tsv", self.tsv)) if given]
        asked += [self.form] if self.form != "text" else []
        if len(asked) + self.quiet > 1:
            raise ConfigError("--format, --json, --tsv and --quiet exclude each other")
        return output_format(asked[0] if asked else "text")

    def check(self, form: OutputFormat, into_table: bool) -> None:
        """Refuse options that do not go together; the table of :mod:`meteor_e.cli.combinations` says which."""
        given = {
            "--quiet": self.quiet,
            "--dask": self.cluster is not None,
            "-o TABLE": into_table,
            "-M": any(name.rpartition("=")[2] != "meteor" for name in self.metrics),
            "--significance": self.significance is not None,
            "--segments": self.segments,
            "--alignments": self.alignments,
            "--explain": self.explain,
            "--on-error": self.on_error != "stop",
            "--wmt-names": self.wmt_names is not None,
            "--format without segments": not form.segments,
            "--format without alignments": not form.alignments,
            "--format for programs": form.name in ("tsv", "csv", "wmt"),
            "another --format": form.name != "wmt",
        }
        check_combination([name for name, active in given.items() if active])

    def of_test_set(self) -> ScoreOptions:
        """Return the options with files, references, names and language of a test set by name filled in."""
        if self.test_set is None and self.pair is None:
            return self
        from meteor_e.formats.test_sets import named_set, target_language

        if self.test_set is None or self.pair is None:
            raise ConfigError("--test-set NAME and --pair SRC-TRG go together")
        if self.references:
            raise ConfigError("--test-set gives the references; leave out --reference")
        found = named_set(self.test_set, self.pair)
        files, names, make = self.files, self.names, self.make_meteor
        if not files:
            if not found.system_files:
                raise ConfigError(
                    f"test set {self.test_set} has no system outputs for {self.pair}; give files with hypotheses"
                )
            files, names = tuple(found.system_files.values()), names or tuple(found.system_files)
        if not make.language and make.chain is None:
            make = dataclasses.replace(make, given={**make.given, "language": target_language(self.pair)})
        references = tuple(found.reference_files)
        changed = {"files": files, "references": references, "names": names, "make_meteor": make}
        return ScoreOptions(**{**vars(self), **changed})

    def wmt(self, form: OutputFormat) -> WmtNames | None:
        """Return what WMT's format calls pair, test set and reference; ``None`` for another format.

        Raises:
            ConfigError: if there are no names.
        """
        if form.name != "wmt":
            return None
        if self.wmt_names is not None:
            return WmtNames(*self.wmt_names)
        if self.test_set is None or self.pair is None:
            raise ConfigError(
                "--format wmt names language pair, test set and reference: give --wmt-names PAIR TESTSET REFERENCE, "
                "such as --wmt-names de-en newstest2017 refA, or --test-set and --pair"
            )
        return WmtNames(self.pair, self.test_set, "ref")

    def inputs(self) -> tuple[list[SystemInput], bool]:
        """Return the systems, and whether a table holds them."""
        columns = TableOptions(self.hypothesis_columns, self.reference_columns, self.split)
        source = self.files, self.references, self.references_per_segment, self.encoding
        table = find_table(*source, columns, self.form_in)
        form = cast("Format | None", self.form_in)
        found = systems(*source, form, self.on_missing) if table is None else systems_of(table)
        return named(found, self.names), table is not None


def _table_options(command: Any) -> Any:
    for option in reversed(TABLE_OPTIONS):
        command = option(command)
    return command


@click.command(cls=GroupedCommand, groups=GROUPS)
@input_options
@click.option(
    "--format-in",
    "form_in",
    metavar="NAME",
    help=f"Format of the input: {', '.join(INPUT_FORMATS)}, or a plugin's.  [default: the content tells]",
)
@_table_options
@metric_options
@click.option(
    "-M",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="A metric: meteor, bleu, chrf, chrf++, ter, a chain, a plugin's, with options as in bleu:tokenize=zh; "
    "repeat it for several.  [default: meteor]",
)
@click.option(
    "--test-set",
    metavar="NAME",
    help="Take the references from a test set that sacreBLEU knows, such as wmt17; with --pair. Without files, its "
    "system outputs are scored.",
)
@click.option("--pair", metavar="SRC-TRG", help="Language pair of the test set, such as de-en.")
@click.option(
    "--wmt-names",
    nargs=3,
    metavar="PAIR TESTSET REFERENCE",
    help="Names for --format wmt, such as de-en newstest2017 refA.  [default: those of --test-set and --pair]",
)
@click.option("--name", "names", multiple=True, metavar="NAME", help="Name of a system; one for each, in order.")
@format_option()
@click.option("--segments", is_flag=True, help="Show the score of every segment.")
@click.option("--alignments", is_flag=True, help="Show for every segment which words match.")
@click.option("--explain", is_flag=True, help="Say why systems differ from the first one, for models such as en-light.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--tsv", is_flag=True, help="The same as --format tsv.")
@significance_options
@click.option(
    "--digits",
    type=click.IntRange(0, 17),
    help="Decimals in the table.  [default: 4; 2 for metrics from 0 to 100]",
)
@output_option("Write to a file: the report, or, if its name ends in .parquet, .jsonl or .jsonl.gz, the segments.")
@on_error_option
@click.option(
    "--advise",
    "purpose",
    metavar="PURPOSE",
    help="Score nothing; say which metrics have evidence for such texts: for ranking, rating, captions or reward.",
)
@click.option("-q", "--quiet", is_flag=True, help="Write the score and nothing else; no progress bar.")
def score(**given: Any) -> None:
    """Score hypotheses against references.

    The last file is the reference, unless --reference names one; all others are hypotheses, one file per system.
    Files hold one segment per line (plain, gzip, bzip2 or xz), or are SGML or WMT XML; - is standard input.
    One Parquet, JSON Lines, CSV or TSV file, or folder of Hugging Face datasets, holds both in columns.

    \b
    meteor-e score system.txt reference.txt
    meteor-e score system1.txt system2.txt reference.txt -l de
    meteor-e score system1.txt system2.txt reference.txt -M meteor -M bleu -M chrf --significance
    meteor-e score system.txt --test-set wmt17 --pair de-en -M meteor -M bleu
    meteor-e score system.txt --reference first.txt --reference second.txt --json --segments
    meteor-e score data.parquet --hypothesis-column mt --reference-column ref -o scored.parquet
    meteor-e score data.parquet --dask tcp://scheduler:8786
    """
    options = ScoreOptions(**given).of_test_set()
    form = options.output_format()
    wmt = options.wmt(form)
    inputs, from_table = options.inputs()
    into_table = is_table_output(options.output, from_table)
    options.check(form, into_table)
    check_output(options.output, (*options.files, *options.references))
    if options.purpose is not None:
        with destination(options.output) as stream:
            stream.write(_advice(options.make_meteor.language or "en", options.purpose, lined_up(inputs)[0].references))
        return
    metrics = options.make_meteor.metrics(options.metrics or ("meteor",))
    output = None if into_table else options.output
    if into_table or options.cluster is not None:
        table = _scored_elsewhere(options, metrics[0], inputs, into_table)
        _write(table, form, output, options, wmt)
        return
    with terminal_progress(options.quiet) as progress:
        table = _table(options, metrics, inputs, form, progress)
        _write(table, form, output, options, wmt)


def _advice(language: str, purpose: str, references: Sequence[Sequence[str]]) -> str:
    """Return a table of the metrics that have evidence for texts with such references, as text."""
    from meteor_e.metrics.evidence import advice_table, advise
    from meteor_e.render.plain import format_table

    words = sum(len(each[0].split()) for each in references) / max(1, len(references))
    header, rows, without = advice_table(advise(language, purpose, words, len(references[0])))
    return "\n".join(filter(None, (format_table(header, rows) if rows else "", without))) + "\n"


def _write(
    table: SystemTable, form: OutputFormat, output: str | None, options: ScoreOptions, wmt: WmtNames | None
) -> None:
    if not options.quiet:
        write_result(table, form, output, OutputOptions(options.digits, wmt))
        return
    with destination(output) as stream:
        for scores in table.main_scores():
            stream.write("\t".join(map(repr, scores)) + "\n")


def _table(
    options: ScoreOptions, metrics: list[Metric], inputs: list[SystemInput], form: OutputFormat, progress: Progress
) -> SystemTable:
    """Return the table, which is scored while it is written."""
    from meteor_e.metrics.chain_metric import ChainMetric
    from meteor_e.metrics.table import score_table

    language = options.make_meteor.language
    meteors = [metric.meteor(language or metric.language) for metric in metrics if isinstance(metric, ChainMetric)]
    left_out: tuple[int, ...] = ()
    if options.on_error == "skip":
        inputs, left_out = without_failures(inputs, meteors)
    for meteor in meteors if options.on_error == "zero" else ():
        meteor.on_error = "zero"
    return score_table(
        metrics,
        lined_up(inputs) if options.explain else inputs,
        language=language,
        tests=tests_of(options.significance, options.samples, options.seed),
        segments=options.segments or options.alignments,
        details=form.details,
        alignments=options.alignments,
        explain=options.explain,
        progress=progress,
        left_out=left_out,
    )


def _scored_elsewhere(
    options: ScoreOptions, metric: Metric, inputs: list[SystemInput], into_table: bool
) -> SystemTable:
    """Score on a cluster or into a table of segments; return the table of systems."""
    from meteor_e.metrics.chain_metric import ChainMetric
    from meteor_e.metrics.table import table_of_totals

    assert isinstance(metric, ChainMetric)
    run = ScoreRun(inputs, options.output if into_table else None, options.prefix, options.cluster, options.quiet)
    return table_of_totals(metric, [system.name for system in inputs], run_elsewhere(metric.current, run))
