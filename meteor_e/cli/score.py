"""``meteor-e score``: hypotheses against references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from meteor_e.api.formats import OutputOptions
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.failures import on_error_option
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.options import METRIC_GROUPS, input_options, metric_options
from meteor_e.cli.output import destination
from meteor_e.cli.results import format_option, output_option, significance_options, write_result
from meteor_e.cli.score_options import ScoreOptions, scored_table
from meteor_e.cli.score_tables import TABLE_OPTIONS, is_table_output
from meteor_e.formats.inputs import INPUT_FORMATS

if TYPE_CHECKING:
    from meteor_e.api.formats import OutputFormat, WmtNames
    from meteor_e.results import Results

GROUPS = {
    "Input": OptionGroup(
        (
            *("references", "references_per_segment", "form_in", "encoding", "on_missing", "names"),
            *("hypothesis_columns", "reference_columns", "test_set", "pair", "on_error"),
        ),
        "system.txt -R first.txt -R second.txt",
    ),
    **METRIC_GROUPS,
    "Output": OptionGroup(
        (
            *("form", "wmt_names", "segments", "alignments", "explain", "digits", "output"),
            *("prefix", "quiet"),
        ),
        "… --segments --format tsv -o scores.tsv",
    ),
    "Statistics": OptionGroup(("significance", "samples", "seed"), "… --significance bootstrap --seed 1"),
}
"""The groups of the help text."""


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
@significance_options()
@click.option(
    "--digits",
    type=click.IntRange(0, 17),
    help="Decimals in the table.  [default: 4; 2 for metrics from 0 to 100]",
)
@output_option("Write to a file: the report, or, if its name ends in .parquet, .jsonl or .jsonl.gz, the segments.")
@on_error_option
@click.option("-q", "--quiet", is_flag=True, help="Write the score and nothing else; no progress bar.")
def score(**given: Any) -> None:
    """Score hypotheses against references.

    The last file is the reference, unless --reference names one; all others are hypotheses, one file per system.
    Files hold one segment per line (plain, gzip, bzip2 or xz), or are SGML or WMT XML; - is standard input.
    One Parquet, JSON Lines, CSV or TSV file holds both in columns.

    \b
    meteor-e score system.txt reference.txt
    meteor-e score system1.txt system2.txt reference.txt -l de
    meteor-e score system1.txt system2.txt reference.txt -M meteor -M bleu -M chrf --significance
    meteor-e score system.txt --test-set wmt17 --pair de-en -M meteor -M bleu
    meteor-e score system.txt --reference first.txt --reference second.txt -f json --segments
    meteor-e score data.parquet --hypothesis-column mt --reference-column ref -o scored.parquet
    meteor-e score data.parquet --dask tcp://scheduler:8786
    """
    options = ScoreOptions(**given).of_test_set()
    form = options.output_format()
    wmt = options.wmt(form)
    inputs, from_table = options.inputs()
    options = options if from_table else options.of_captions()
    into_table = is_table_output(options.output)
    options.check(form, into_table)
    metrics = options.make_meteor.metrics(options.metrics or ("meteor",))
    segments, report = (options.output, None) if into_table else (None, options.output)
    with (
        terminal_progress(options.quiet) as progress,
        scored_table(options, metrics, inputs, form, segments, progress) as table,
    ):
        _write(table, form, report, options, wmt)


def _write(table: Results, form: OutputFormat, output: str | None, options: ScoreOptions, wmt: WmtNames | None) -> None:
    if not options.quiet:
        write_result(table, form, output, OutputOptions(options.digits, wmt))
        return
    with destination(output) as stream:
        for scores in table.main_scores():
            stream.write("\t".join(map(repr, scores)) + "\n")
