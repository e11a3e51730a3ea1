"""``meteor-e score``: hypotheses against references."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from meteor_e.api.batches import map_in_order
from meteor_e.api.formats import OutputOptions, WmtNames
from meteor_e.api.metrics import Metric
from meteor_e.api.tables import ScoreRun
from meteor_e.base.errors import ConfigError
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, destination, option
from meteor_e.cli.inputs import Inputs
from meteor_e.cli.options import MetricOptions, Output, Tests, complete_names, lined_up
from meteor_e.evaluate import KeptData, check_explanations, evaluate, explain_systems
from meteor_e.formats.inputs import JSON_LINES, PARQUET
from meteor_e.plugins.registry import plugin_registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from meteor_e.api.formats import OutputFormat
    from meteor_e.api.score_table import ScoreTable
    from meteor_e.api.tables import ScoreRunner
    from meteor_e.significance.tables import TableTests


@dataclass(frozen=True)
class ScoreInputs(Inputs):
    """Hypotheses and references in files, in a table, or of a test set."""

    test_set: str | None = option(
        None,
        "--test-set",
        metavar="NAME",
        help="Take the references from a test set that sacreBLEU knows, such as wmt17; with --pair. Without files, its "
        "system outputs are scored.",
    )
    pair: str | None = option(None, "--pair", metavar="SRC-TRG", help="Language pair of the test set, such as de-en.")
    on_error: str = option(
        "stop",
        "--on-error",
        type=click.Choice(["stop", "skip", "zero"]),
        help="What to do with a segment that cannot be aligned: stop with an error, leave it out of all systems, or "
        "score it 0. Segments keep their numbers.",
    )
    cluster: str | None = option(
        None,
        "--dask",
        metavar="ADDRESS",
        help="Score on a Dask cluster: its scheduler's address or scheduler file; 'local' or 'local:N' starts N "
        "processes here. (Plugin meteor-e-tables.)",
    )


@dataclass(frozen=True)
class ScoreMetrics(MetricOptions):
    """METEOR's chain, and other metrics."""

    metrics: tuple[str, ...] = option(
        (),
        *("-M", "--metric"),
        multiple=True,
        metavar="METRIC",
        show_default="meteor",
        shell_complete=complete_names("metric"),
        help="A metric: meteor, bleu, chrf, chrf++, ter, a chain, a plugin's, with options as in bleu:tokenize=zh; "
        "repeat it for several.",
    )


@dataclass(frozen=True)
class ScoreOutput(Output, example="… --segments --format tsv -o scores.tsv"):
    """What is written of the scores."""

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
    alignments: bool = option(False, "--alignments", is_flag=True, help="Show for every segment which words match.")
    worst: int | None = option(
        None,
        "--worst",
        type=click.IntRange(min=1),
        metavar="N",
        show_default="no segments",
        help="Show the N segments of each system with the worst scores, and which words match in them.",
    )
    percent: bool = option(
        False, "--percent", is_flag=True, help="Show METEOR's scores from 0 to 100, with two decimals."
    )
    explain: bool = option(
        False,
        "--explain",
        is_flag=True,
        help="Say why systems differ from the first one, for models such as en-light.",
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
        help="Prefix of the columns that an output table gains: METEOR's parts, or one column per metric.",
    )
    quiet: bool = option(
        False, "-q", "--quiet", is_flag=True, help="Write the score and nothing else; no progress line."
    )


@click.command(cls=GroupedCommand)
def score(inputs: ScoreInputs, metric: ScoreMetrics, output: ScoreOutput, statistics: Tests) -> None:
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
    from meteor_e.render.scores import ScoreResult

    form, method = output.format(), statistics.significance
    tests = None if method == "none" else (method, statistics.samples, statistics.seed)
    table = output.output if (output.output or "").endswith((*PARQUET, *JSON_LINES)) else None
    _check_combination(inputs, metric, output, form, table=table is not None, significance=tests is not None)
    if inputs.test_set is not None or inputs.pair is not None:
        inputs, metric = _apply_test_set(inputs, metric)
    wmt = _wmt_names(inputs, output) if form.name == "wmt" else None
    systems = inputs.systems()
    metric = metric.for_text(systems[0].context)
    metrics = metric.create_metrics(metric.metrics or ("meteor",))
    explanations = None
    if output.explain:
        systems = lined_up(systems)
        check_explanations(metrics, systems)
    keep = KeptData(
        segments=output.segments or output.alignments or output.worst is not None,
        statistics=tests is not None,
        details=form.details and not output.quiet,
        alignments=output.alignments or output.worst is not None,
        references=tests is not None,
    )
    run = ScoreRun(metrics, systems, map_in_order, table, output.prefix, inputs.cluster)
    with terminal_progress(output.quiet) as progress, ExitStack() as stack:
        for name, target in (("dask", run.cluster), ("table", run.output)):
            if target is not None:
                runner: ScoreRunner = plugin_registry().runners.get(name).make()
                run = stack.enter_context(runner.start(run))
        on_error = None if inputs.on_error == "stop" else inputs.on_error
        scores = evaluate(metrics, run.systems, keep=keep, on_error=on_error, execute=run.in_order, progress=progress)
        comparisons = None if tests is None else _compare(scores, metrics, tests)
        if output.explain:
            explanations = explain_systems(metrics, systems)
    with destination(None if table else output.output) as stream:
        if output.quiet:
            stream.writelines("\t".join(map(repr, values)) + "\n" for values in _main_values(scores))
        else:
            percent = _meteor_columns(metrics) if output.percent else frozenset()
            result = ScoreResult(scores, comparisons, explanations, output.worst, percent)
            form.write(result, stream, OutputOptions(output.digits, wmt))


def _compare(table: ScoreTable, metrics: Sequence[Metric], tests: tuple[str, int | None, int]) -> TableTests:
    """Compute significance tests between the systems of a table. Only this function needs NumPy."""
    from meteor_e.significance.tables import Significance, compare_table

    return compare_table(table, metrics, Significance(*tests))


def _meteor_columns(metrics: Sequence[Metric]) -> frozenset[str]:
    """Return the names of the columns that contain METEOR's scores."""
    from meteor_e.meteor import Meteor

    return frozenset(metric.label for metric in metrics if isinstance(metric, Meteor))


def _main_values(table: ScoreTable) -> Iterator[list[float]]:
    """Yield the scores of each system in all columns, for ``--quiet``."""
    columns = [table.scores(column.name) for column in table.columns]
    return map(list, zip(*columns, strict=True))


_PLAIN = "it writes scores and nothing else"
_TABLE = "a table of segments has the scores of all segments, and nothing else"
_NO_ROOM = (
    "that format has no room for it; segments go into text, json, tsv, csv and wmt, alignments into text and json"
)

REFUSED = {
    ("--quiet", "--format"): _PLAIN,
    ("--quiet", "--significance"): _PLAIN,
    ("--quiet", "--segments"): _PLAIN,
    ("--quiet", "--alignments"): _PLAIN,
    ("--quiet", "--explain"): _PLAIN,
    ("--quiet", "--worst"): _PLAIN,
    ("--quiet", "--percent"): _PLAIN,
    ("--worst", "--format"): "the worst segments are listed as text",
    ("--percent", "--format with all digits"): "formats for programs keep METEOR's scores from 0 to 1",
    ("--dask", "--on-error"): "the warnings of other processes would be lost",
    ("-o TABLE", "--explain"): _TABLE,
    ("-o TABLE", "--on-error"): _TABLE,
    ("--segments", "--format without segments"): _NO_ROOM,
    ("--alignments", "--format without alignments"): _NO_ROOM,
    ("--explain", "--format for programs"): "the explanation is text; write it with --format text, markdown or json",
    ("--wmt-names", "another --format"): "they are names for --format wmt",
}
"""Pairs of options that exclude each other, and why. What is not here is allowed.

``-o TABLE`` is an output of segments, such as FILE.parquet.
"""


def _check_combination(
    inputs: ScoreInputs,
    metric: ScoreMetrics,
    output: ScoreOutput,
    form: OutputFormat,
    *,
    table: bool,
    significance: bool,
) -> None:
    """Raise ConfigError for options that exclude each other."""
    active = {
        "--quiet": output.quiet,
        "--format": form.name != "text",
        "--dask": inputs.cluster is not None,
        "-o TABLE": table,
        "--significance": significance,
        "--segments": output.segments,
        "--alignments": output.alignments,
        "--explain": output.explain,
        "--worst": output.worst is not None,
        "--percent": output.percent,
        "--on-error": inputs.on_error != "stop",
        "--wmt-names": output.wmt_names is not None,
        "--format without segments": not form.segments,
        "--format without alignments": not form.alignments,
        "--format for programs": form.name in ("tsv", "csv", "wmt"),
        "--format with all digits": form.name in ("json", "jsonl", "tsv", "csv", "wmt"),
        "another --format": form.name != "wmt",
    }
    for (option1, option2), reason in REFUSED.items():
        if active[option1] and active[option2]:
            raise ConfigError(f"{option1} does not go with {option2}: {reason}")


def _apply_test_set(inputs: ScoreInputs, metric: ScoreMetrics) -> tuple[ScoreInputs, ScoreMetrics]:
    """Return the options with the files, references, system names and language of the test set filled in."""
    from meteor_e.formats.test_sets import named_set, target_language

    if inputs.test_set is None or inputs.pair is None:
        raise ConfigError("--test-set NAME and --pair SRC-TRG go together")
    if inputs.references:
        raise ConfigError("--test-set gives the references; leave out --reference")
    test_set, language = named_set(inputs.test_set, inputs.pair), target_language(inputs.pair)
    if not inputs.files:
        if not test_set.systems:
            raise ConfigError(
                f"test set {inputs.test_set} has no system outputs for {inputs.pair}; give files with hypotheses"
            )
        names = inputs.names or tuple(test_set.systems)
        inputs = replace(inputs, files=tuple(test_set.systems.values()), names=names)
    if not metric.language and metric.chain is None:
        metric = replace(metric, language=language)
    return replace(inputs, references=tuple(test_set.references)), metric


def _wmt_names(inputs: ScoreInputs, output: ScoreOutput) -> WmtNames:
    """Return the names of language pair, test set and reference for ``--format wmt``."""
    if output.wmt_names is not None:
        return WmtNames(*output.wmt_names)
    if inputs.test_set is None or inputs.pair is None:
        raise ConfigError(
            "--format wmt names language pair, test set and reference: give --wmt-names PAIR TESTSET REFERENCE, "
            "such as --wmt-names de-en newstest2017 refA, or --test-set and --pair"
        )
    return WmtNames(inputs.pair, inputs.test_set, "ref")
