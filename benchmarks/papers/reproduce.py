"""Regenerate the tables of the shared tasks and set them beside published figures.

    python benchmarks/papers/reproduce.py                     # wmt11, wmt12 (into English), wmt13, wmt17
    python benchmarks/papers/reproduce.py wmt12 --metric meteor --metric bleu
    python benchmarks/papers/reproduce.py path/to/other.yaml --output table.md

The data stay where they are: ``METEOR_E_SHARED`` names the folder that holds ``data/wmt12`` and so on. Exits with 1
if a figure of METEOR differs from the published one in a printed digit, or another metric's by more than 0.01 where
the published figure comes from an implementation that is not known to differ.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from pathlib import Path

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
SETS = ("wmt11", "wmt12", "wmt13", "wmt17")
METRICS = ("meteor", "bleu", "nist", "chrf")
SLOW_METRICS = ("ter",)
TOLERANCE = 0.01
KNOWN_TO_DIFFER = {
    "TER": "sacreBLEU's TER gives the same number to many pairs, and the strict τ counts these as wrong; "
    "the published TER comes from another implementation"
}


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
    options = parser.parse_args(arguments)
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
        lines, wrong = beside_published(index, evaluation)
        failed |= wrong
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


def beside_published(index: DataIndex, evaluation: Evaluation) -> tuple[list[str], bool]:
    """Return a table of our figures beside published ones, and whether one of them fails."""
    rows, wrong, notes = [], False, []
    for table in evaluation.tables:
        for metric, results in table.rows.items():
            for column, result in zip(table.columns, results, strict=True):
                wanted = index.published.get(metric, {}).get(table.measure.name, {}).get(column)
                if wanted is None:
                    continue
                digits = max(3, len(f"{wanted:g}".partition(".")[2]))
                exact = metric == "METEOR"
                agrees = abs(result.value - wanted) <= (0.5 * 10**-digits + 1e-9 if exact else TOLERANCE)
                told = "yes" if agrees else "no"
                if not agrees and metric in KNOWN_TO_DIFFER:
                    told = "no (see below)"
                    notes.append(f"{metric}: {KNOWN_TO_DIFFER[metric]}.")
                elif not agrees:
                    wrong = True
                rows.append(
                    f"| {metric} | {table.measure.title} | {'mean' if column == AVERAGE else column} "
                    f"| {result.value:.{digits}f} | {wanted:.{digits}f} | {told} |"
                )
    if not rows:
        return [], False
    head = ["| Metric | Measure | Pair | Here | Published | Agrees |", "|---|---|---|--:|--:|---|"]
    return [*head, *rows, *(f"\n{note}" for note in dict.fromkeys(notes))], wrong


if __name__ == "__main__":
    sys.exit(main())
