"""Regenerate the tables of the shared tasks and set them beside published figures.

    python benchmarks/papers/reproduce.py                     # WMT11, 12 (into English), 13, 14, 17
    python benchmarks/papers/reproduce.py wmt12 --metric meteor --metric bleu
    python benchmarks/papers/reproduce.py path/to/other.yaml --output table.md
    python benchmarks/papers/reproduce.py --sample                      # seconds

The data stay where they are: ``METEOR_E_SHARED`` names the folder that holds ``data/wmt12`` and so on. A figure agrees
if it is equal in each printed digit of the other one. Exits with 1 if a figure of METEOR does not agree.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from pathlib import Path

from command import add_sample_option, sample_folder
from meteor_e_evaluation.evaluation import AVERAGE, Evaluation, evaluate, load_test_sets
from meteor_e_evaluation.index import DataIndex, load_index
from meteor_e_evaluation.measures import measure
from meteor_e_evaluation.report import EvaluationResult

from meteor_e.api import OutputOptions
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.errors import MeteorError
from meteor_e.metrics.specs import parse_spec
from meteor_e.render.markup import MarkdownOutput

HERE = Path(__file__).parents[1]
SETS = ("wmt11", "wmt12", "wmt13", "wmt14", "wmt17")
METRICS = ("meteor", "bleu", "nist", "chrf")
SLOW_METRICS = ("ter",)


def _markdown(evaluation: Evaluation) -> str:
    stream = io.StringIO()
    MarkdownOutput().write(EvaluationResult(evaluation), stream, OutputOptions())
    return stream.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, help="names of indexes in this folder, or paths")
    parser.add_argument("--metric", action="append", help="a metric, as for meteor-e evaluate; may be repeated")
    parser.add_argument("--with-ter", action="store_true", help="TER, too (sacreBLEU's takes minutes)")
    parser.add_argument("--intervals", type=int, default=0, help="bootstrap samples")
    parser.add_argument("--all-pairs", action="store_true", help="pairs out of English, too")
    parser.add_argument("--output", type=Path, help="write the tables to a Markdown file")
    parser.add_argument("--cache", type=Path, help="folder of the cache")
    parser.add_argument("--no-cache", action="store_true", help="compute everything afresh")
    parser.add_argument("--jobs", type=int, default=1, help="processes that align")
    add_sample_option(parser)
    options = parser.parse_args(arguments)
    with sample_folder(options.sample):
        return print_tables(options)


def print_tables(options: argparse.Namespace) -> int:
    """Print the tables; return the exit code."""
    specs = options.metric or [*METRICS, *(SLOW_METRICS if options.with_ter else ())]
    cache = ArrayCache(options.cache, enabled=not options.no_cache)
    parts, failed = [], False
    for name in options.sets:
        path = HERE / f"{name}.yaml" if (HERE / f"{name}.yaml").is_file() else Path(name)
        try:
            index = load_index(path)
            pairs = [pair for pair in index.pairs if options.all_pairs or pair.endswith("-en")] or list(index.pairs)
            started = time.perf_counter()
            evaluation = evaluate(
                load_test_sets(index, pairs),
                [parse_spec(spec, jobs=options.jobs) for spec in specs],
                [measure(entry) for entry in index.measures or ["tau-strict"]],
                cache,
                intervals=options.intervals,
            )
        except MeteorError as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed = True
            continue
        lines, differs = compare_figures(index, evaluation)
        failed |= differs and not options.sample
        seconds = time.perf_counter() - started
        parts.append(f"## {index.name}\n\n{index.description}\n\n{_markdown(evaluation)}")
        parts.append("\n".join(f"- {label}: `{text}`" for label, text in evaluation.signatures.items()))
        if lines:
            parts.append("\n".join(lines))
        print(f"{index.name}: {seconds:.1f} s", file=sys.stderr)
    text = "\n\n".join(parts) + "\n"
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text)
    return int(failed)


def compare_figures(index: DataIndex, evaluation: Evaluation) -> tuple[list[str], bool]:
    """Return a table of our figures beside those of the index, and whether one of METEOR differs."""
    rows, failed = [], False
    for source, figures in (("published", index.published), ("measured by us with Java", index.measured)):
        for table in evaluation.tables:
            for metric, results in table.rows.items():
                expected = figures.get(metric, {}).get(table.measure.name, {})
                for column, result in zip(table.columns, results, strict=True):
                    if column in expected:
                        row, agrees = compare_figure(
                            metric, table.measure.title, column, result.value, expected[column]
                        )
                        rows.append(f"{row} {source} |")
                        failed |= metric == "METEOR" and not agrees
    if not rows:
        return [], False
    head = ["| metric | measure | pair | here | other | agrees | source |", "|---|---|---|--:|--:|---|---|"]
    return [*head, *rows], failed


def compare_figure(metric: str, measure_title: str, column: str, value: float, expected: float) -> tuple[str, bool]:
    """Return a row of the table, and whether both figures agree in each digit of the other one."""
    digits = max(3, len(f"{expected:g}".partition(".")[2]))
    agrees = abs(value - expected) <= 0.5 * 10**-digits + 1e-9
    pair = "mean" if column == AVERAGE else column
    verdict = "yes" if agrees else f"no ({value - expected:+.{digits}f})"
    return f"| {metric} | {measure_title} | {pair} | {value:.{digits}f} | {expected:.{digits}f} | {verdict} |", agrees


if __name__ == "__main__":
    sys.exit(main())
