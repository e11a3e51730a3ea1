"""``meteor-e score``: hypotheses against references."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, cast

import click

from meteor_e.api.tables import ScoreRun
from meteor_e.base.errors import ConfigError
from meteor_e.cli.failures import on_error_option, without_failures
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.inputs import named, systems
from meteor_e.cli.options import METRIC_GROUPS, MeteorMaker, input_options, metric_options
from meteor_e.cli.output import destination
from meteor_e.cli.score_meteor import MeteorOutput
from meteor_e.cli.score_metrics import score_with_metrics
from meteor_e.cli.score_tables import (
    TableOptions,
    find_table,
    is_table_output,
    run_elsewhere,
    systems_of,
    table_options,
)
from meteor_e.cli.significance import SystemTests, significance_options
from meteor_e.formats.inputs import INPUT_FORMATS

if TYPE_CHECKING:
    from meteor_e.formats.inputs import Format
    from meteor_e.metrics.system_table import WmtNames


GROUPS = {
    "Input": OptionGroup(
        (
            *("references", "references_per_segment", "form_in", "encoding", "names"),
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
    "Statistics": OptionGroup(("significance", "samples", "seed"), "… --significance bootstrap --seed 1"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=GROUPS)
@input_options
@click.option(
    "--format-in",
    "form_in",
    metavar="NAME",
    help=f"Format of the input: {', '.join(INPUT_FORMATS)}, or a plugin's.  [default: the content tells]",
)
@table_options
@metric_options
@click.option(
    "-M",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="A metric: meteor, bleu, chrf, chrf++, ter, nist, a chain, a plugin's, with options as in bleu:tokenize=zh; "
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
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "tsv", "json", "csv", "markdown", "latex", "wmt"]),
    help="Form of the output.  [default: text]",
)
@click.option("--segments", is_flag=True, help="Show the score of every segment.")
@click.option("--alignments", is_flag=True, help="Show for every segment which words match.")
@click.option("--explain", is_flag=True, help="Say why systems differ from the first one, for models such as en-light.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--tsv", is_flag=True, help="Write tab-separated values.")
@significance_options
@click.option(
    "--digits",
    type=click.IntRange(0, 17),
    help="Decimals in the table.  [default: 4; 2 for metrics from 0 to 100]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to a file: the report, or, if its name ends in .parquet, .jsonl or .jsonl.gz, the segments.",
)
@on_error_option
@click.option("-q", "--quiet", is_flag=True, help="Write the score and nothing else; no progress bar.")
def score(
    files: tuple[str, ...],
    references: tuple[str, ...],
    references_per_segment: int,
    encoding: str,
    form_in: str | None,
    make_meteor: MeteorMaker,
    table: TableOptions,
    cluster: str | None,
    metrics: tuple[str, ...],
    test_set: str | None,
    pair: str | None,
    wmt_names: tuple[str, str, str] | None,
    names: tuple[str, ...],
    form: str | None,
    segments: bool,
    alignments: bool,
    explain: bool,
    as_json: bool,
    tsv: bool,
    significance: str | None,
    samples: int | None,
    seed: int,
    digits: int | None,
    output: str | None,
    on_error: str,
    quiet: bool,
) -> None:
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
    if as_json + tsv + quiet + (form is not None) > 1:
        raise ConfigError("--format, --json, --tsv and --quiet exclude each other")
    form = "json" if as_json else "tsv" if tsv else form or "text"
    several = bool(metrics) or form in ("csv", "latex", "markdown", "wmt")
    if significance is not None and (quiet or (form == "tsv" and not several)):
        raise ConfigError("--significance goes with the table or --json")
    if explain and not several:
        raise ConfigError("--explain goes with -M and a model, such as -M en-light")
    tests = None if significance is None else SystemTests(significance, samples, seed)
    if test_set is not None or pair is not None:
        files, references, names, make_meteor = _of_test_set(test_set, pair, files, references, names, make_meteor)
    found = find_table(files, references, references_per_segment, encoding, table, form_in)
    if found is not None:
        inputs = systems_of(found)
    else:
        inputs = systems(files, references, references_per_segment, encoding, cast("Format | None", form_in))
    inputs = named(inputs, names)
    table_output = is_table_output(output, found is not None)
    if (table_output or cluster is not None) and (segments or alignments or tests is not None):
        option = "--dask" if cluster is not None else f"an output of segments ({output})"
        raise ConfigError(
            f"--segments, --alignments and --significance do not go with {option}; "
            "-o FILE.parquet or FILE.jsonl holds the segments' scores and statistics"
        )
    if on_error != "stop" and (table_output or cluster is not None):
        raise ConfigError("--on-error goes with scores that are printed, and not with --dask or an output of segments")
    if (
        metrics == ("meteor",)
        and form in ("text", "tsv", "json")
        and (alignments or cluster is not None or table_output or (segments and form == "text"))
    ):
        several = False  # The same as without -M, in the form that has room for it.
    if several:
        for wrong, option in (
            (alignments, "--alignments"),
            (cluster is not None, "--dask"),
            (table_output, f"an output of segments ({output})"),
        ):
            if wrong:
                raise ConfigError(
                    f"{option} goes with METEOR alone, as text, TSV or JSON: without other metrics in -M, "
                    f"and with --format text, tsv or json"
                )
        content = score_with_metrics(
            make_meteor.metrics(metrics or ("meteor",)),
            inputs,
            make_meteor.language,
            None if significance is None else (significance, samples, seed),
            "quiet" if quiet else form,
            digits,
            segments,
            explain,
            on_error,
            _wmt_names(wmt_names, test_set, pair, form),
        )
        with destination(output) as stream:
            stream.write(content)
        return
    meteor = make_meteor()
    left_out: tuple[int, ...] = ()
    if on_error == "skip":
        inputs, left_out = without_failures(inputs, [meteor])
    else:
        meteor.on_error = on_error
    totals = None
    if table_output or cluster is not None:
        run = ScoreRun(inputs, output if table_output else None, table.prefix, cluster, quiet)
        totals = run_elsewhere(meteor, run)
    places = 4 if digits is None else digits
    written = MeteorOutput(meteor, inputs, segments, alignments, places, tests, left_out, quiet, totals)
    with destination(None if table_output else output) as stream:
        written.write(stream, "quiet" if quiet else form)


def _wmt_names(
    given: tuple[str, str, str] | None, test_set: str | None, pair: str | None, form: str
) -> WmtNames | None:
    """Return what WMT's form calls pair, test set and reference; ``None`` for another form.

    Raises:
        ConfigError: if names are given for another form, or WMT's has none.
    """
    from meteor_e.metrics.system_table import WmtNames

    if given is not None:
        if form != "wmt":
            raise ConfigError("--wmt-names goes with --format wmt")
        return WmtNames(*given)
    if form != "wmt":
        return None
    if test_set is None or pair is None:
        raise ConfigError(
            "--format wmt names language pair, test set and reference: give --wmt-names PAIR TESTSET REFERENCE, "
            "such as --wmt-names de-en newstest2017 refA, or --test-set and --pair"
        )
    return WmtNames(pair, test_set, "ref")


def _of_test_set(
    test_set: str | None,
    pair: str | None,
    files: tuple[str, ...],
    references: tuple[str, ...],
    names: tuple[str, ...],
    make_meteor: MeteorMaker,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], MeteorMaker]:
    """Return files, references, names and metric with those of a test set by name filled in."""
    from meteor_e.formats.test_sets import named_set, target_language

    if test_set is None or pair is None:
        raise ConfigError("--test-set NAME and --pair SRC-TRG go together")
    if references:
        raise ConfigError("--test-set gives the references; leave out --reference")
    found = named_set(test_set, pair)
    if not files:
        if not found.system_files:
            raise ConfigError(f"test set {test_set} has no system outputs for {pair}; give files with hypotheses")
        names = names or tuple(found.system_files)
        files = tuple(found.system_files.values())
    if not make_meteor.language and make_meteor.chain is None:
        given = {**make_meteor.given, "language": target_language(pair)}
        make_meteor = dataclasses.replace(make_meteor, given=given)
    return files, tuple(found.reference_files), names, make_meteor
