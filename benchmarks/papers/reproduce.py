"""Evaluate metrics on the shared tasks, and compare the values with published values.

    python benchmarks/papers/reproduce.py                     # WMT11, 12 (into English), 13, 14, 17
    python benchmarks/papers/reproduce.py wmt12 --metric meteor --metric bleu
    python benchmarks/papers/reproduce.py path/to/other.yaml --output table.md
    python benchmarks/papers/reproduce.py --sample                      # a test that takes seconds

``METEOR_E_SHARED`` names the folder that contains ``data/wmt12`` and the other tasks. Two values agree if all printed
digits of the published value are equal. The exit code is 1 if a value of METEOR does not agree.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from command import add_sample_option, sample_folder
from meteor_e_evaluation.evaluation import AVERAGE, Evaluation, evaluate, load_test_sets
from meteor_e_evaluation.index import DataIndex, load_index
from meteor_e_evaluation.measures import measure
from meteor_e_evaluation.report import EvaluationResult

from meteor_e.api import Measure, OutputOptions
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.errors import MeteorError
from meteor_e.metrics.specs import parse_spec
from meteor_e.render.markup import MarkdownOutput

HERE = Path(__file__).parents[1]
SETS = ("wmt11", "wmt12", "wmt13", "wmt14", "wmt17")
METRICS = ("meteor", "bleu", "nist", "chrf")
SLOW_METRICS = ("ter",)


def format_tables(evaluation: Evaluation) -> str:
    """Return the tables of an evaluation in Markdown."""
    stream = io.StringIO()
    MarkdownOutput().write(EvaluationResult(evaluation), stream, OutputOptions())
    return stream.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, help="names of indexes in the folder benchmarks, or paths")
    parser.add_argument("--metric", action="append", help="a metric of meteor-e evaluate; may be repeated")
    parser.add_argument("--with-ter", action="store_true", help="also evaluate TER, which takes minutes")
    parser.add_argument("--intervals", type=int, default=0, help="bootstrap samples")
    parser.add_argument("--all-pairs", action="store_true", help="also evaluate translations from English")
    parser.add_argument("--output", type=Path, help="write the tables to a Markdown file")
    parser.add_argument("--cache", type=Path, help="folder of the cache")
    parser.add_argument("--no-cache", action="store_true", help="do not use cached scores")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    add_sample_option(parser)
    options = parser.parse_args(arguments)
    with sample_folder(options.sample):
        return print_tables(options)


def print_tables(options: argparse.Namespace) -> int:
    """Evaluate all test sets, print the tables, and return the exit code."""
    specs = options.metric or [*METRICS, *(SLOW_METRICS if options.with_ter else ())]
    cache = ArrayCache(options.cache, enabled=not options.no_cache)
    sections = []
    has_failed = False
    for name in options.sets:
        path = HERE / f"{name}.yaml" if (HERE / f"{name}.yaml").is_file() else Path(name)
        start_time = time.perf_counter()
        try:
            index = load_index(path)
            evaluation = evaluate_index(index, specs, cache, options)
        except MeteorError as error:
            print(f"{path}: {error}", file=sys.stderr)
            has_failed = True
            continue
        comparison, differs = compare_figures(index, evaluation)
        # The results on a sample of the data always differ from published results.
        has_failed |= differs and not options.sample
        sections.append(f"## {index.name}\n\n{index.description}\n\n{format_tables(evaluation)}")
        sections.append("\n".join(f"- {label}: `{text}`" for label, text in evaluation.signatures.items()))
        if comparison:
            sections.append("\n".join(comparison))
        print(f"{index.name}: {time.perf_counter() - start_time:.1f} s", file=sys.stderr)
    text = "\n\n".join(sections) + "\n"
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text)
    return int(has_failed)


def evaluate_index(
    index: DataIndex, specs: Sequence[str], cache: ArrayCache, options: argparse.Namespace
) -> Evaluation:
    """Evaluate metrics on the language pairs of a test set. By default, only pairs into English are used."""
    pairs = list(index.pairs)
    pairs_into_english = [pair for pair in pairs if pair.endswith("-en")]
    if pairs_into_english and not options.all_pairs:
        pairs = pairs_into_english
    return evaluate(
        load_test_sets(index, pairs),
        [parse_spec(spec, jobs=options.jobs) for spec in specs],
        [measure(name) for name in index.measures or ["tau-strict"]],
        cache,
        intervals=options.intervals,
    )


class Figure(NamedTuple):
    """The result of a metric on a language pair, or the mean over all language pairs."""

    metric: str
    measure: Measure
    column: str
    value: float


def list_figures(evaluation: Evaluation) -> list[Figure]:
    """Return all values in the tables of an evaluation."""
    figures = []
    for table in evaluation.tables:
        for metric, results in table.rows.items():
            for column, result in zip(table.columns, results, strict=True):
                figures.append(Figure(metric, table.measure, column, result.value))
    return figures


def compare_figures(index: DataIndex, evaluation: Evaluation) -> tuple[list[str], bool]:
    """Compare the results of an evaluation with published results.

    Returns:
        The lines of a Markdown table, which are empty without published values, and whether a value of METEOR differs.
    """
    rows = []
    differs = False
    for source, known_values in (("published", index.published), ("measured by us with Java", index.measured)):
        for figure in list_figures(evaluation):
            values_by_column = known_values.get(figure.metric, {}).get(figure.measure.name, {})
            if figure.column not in values_by_column:
                continue
            row, agrees = compare_figure(figure, values_by_column[figure.column])
            rows.append(f"{row} {source} |")
            if figure.metric == "METEOR" and not agrees:
                differs = True
    if not rows:
        return [], False
    header = ["| metric | measure | pair | here | other | agrees | source |", "|---|---|---|--:|--:|---|---|"]
    return [*header, *rows], differs


def compare_figure(figure: Figure, expected: float) -> tuple[str, bool]:
    """Return a row that compares two values, and whether they have the same digits."""
    digits = max(3, len(f"{expected:g}".partition(".")[2]))
    difference = figure.value - expected
    agrees = abs(difference) <= 0.5 * 10**-digits + 1e-9
    pair = "mean" if figure.column == AVERAGE else figure.column
    verdict = "yes" if agrees else f"no ({difference:+.{digits}f})"
    values = f"{figure.value:.{digits}f} | {expected:.{digits}f}"
    return f"| {figure.metric} | {figure.measure.title} | {pair} | {values} | {verdict} |", agrees


if __name__ == "__main__":
    sys.exit(main())
