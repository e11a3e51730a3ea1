"""Create docs/results/atlas.md, which compares all metrics in agreement with judgments, errors and speed.

    METEOR_E_SHARED=DATA python benchmarks/atlas/atlas.py run                  compute missing or outdated cells
    python benchmarks/atlas/atlas.py run -M en-light -S wmt17 --force          compute one cell again
    python benchmarks/atlas/atlas.py write                                     write the page and its pictures

A cell contains the results of a metric on a test set, and is stored in ``cells/METRIC.json``. ``run`` computes missing
cells and cells whose signature or sample has changed. It can be interrupted, because it writes each cell immediately.
``write`` creates ``docs/results/atlas.md`` and its pictures from the cells. It does not need the data.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from meteor_e import MeteorError, load_metric
from meteor_e.api import Batch, Metric
from meteor_e.api.metrics import compute_statistics
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.atomic import atomic_file
from meteor_e.metrics.translations import score_test_set
from meteor_e.plugins.registry import plugin_registry
from meteor_e.significance.resampling import draw_weights, interval

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CELLS = HERE / "cells"
SAMPLES = 300
SEED = 12345


@dataclass(frozen=True)
class JudgedSet:
    """A set of judgments.

    Attributes:
        key: name in the files of cells.
        title: name on the page.
        index: name of the data index, without ``.yaml``.
        pairs: language pairs; empty for all.
        measure: name of the measure of agreement.
        task: kind of the judgments: ``ranking``, ``rating`` or ``captions``.
        year: name of the shared task, with which the cards of models describe their training data.
    """

    key: str
    title: str
    index: str
    pairs: tuple[str, ...]
    measure: str
    task: str
    year: str


INTO = ("cs-en", "de-en", "es-en", "fr-en")
SETS = (
    JudgedSet("wmt11", "WMT11, 4 pairs into English", "wmt11", (), "tau-strict", "ranking", "WMT11"),
    JudgedSet("wmt12", "WMT12, 4 pairs into English", "wmt12", INTO, "tau-strict", "ranking", "WMT12"),
    JudgedSet("wmt13", "WMT13, 4 pairs into English", "wmt13", (), "tau-strict", "ranking", "WMT13"),
    JudgedSet(
        "wmt12-out",
        "WMT12, 4 pairs out of English",
        "wmt12",
        ("en-cs", "en-de", "en-es", "en-fr"),
        "tau-strict",
        "ranking",
        "WMT12",
    ),
    JudgedSet("wmt17", "WMT17, 3 pairs into English", "wmt17", (), "pearson", "rating", "WMT17"),
    JudgedSet("wmt21", "WMT21, 6 pairs into English", "wmt21-sure", (), "pearson", "rating", "WMT21"),
    JudgedSet("wmt24", "WMT24, 9 pairs, none into English", "wmt24", (), "tau-wmt14", "rating", "WMT24"),
    JudgedSet(
        "composite", "Composite (Flickr30k), captions", "composite-30k", (), "kendall-c", "captions", "Composite"
    ),
)
SET_KEYS = sorted(judged.key for judged in SETS)
ENCODERS = (
    "contextual",
    "en-light-context",
    "bertscore",
    "caption-context",
)
"""Metrics that run a neural network."""
SLOW = (*ENCODERS, "ter")
"""Metrics that are measured on smaller samples."""
NEEDS = {
    "bleu": "nothing",
    "chrf": "nothing",
    "chrf++": "nothing",
    "ter": "nothing",
    "meteor": "pack of the language (en: 105 MB)",
    "exact": "nothing",
    "universal": "pack of the language, if there is one",
    "any": "nothing",
    "caption-light": "the plugin meteor-e-captions, pack en",
    "caption-context": "the same as caption-light, and the encoder minilm (23 MB)",
    "bertscore": "encoder minilm (23 MB)",
}
SEEN = {
    "caption-light": {"Composite"},
    "caption-context": {"Composite"},
    "en-light-context": {"WMT12", "WMT13", "WMT21"},
}
"""Training data that the cards of models do not mention, because there is no card or a feature is itself a model."""


INTRODUCTION = """\
This page shows how well each metric agrees with human judgments on each test set. After each value, the table shows
half of the width of the 95% confidence interval, from a bootstrap over segments. The measure is strict τ for rankings,
Pearson's r for WMT17 and WMT21, τ within segments for WMT24, and τ-c for captions. Each value is the mean over language
pairs on a sample of segments. Compare only metrics that were measured on samples of the same [size](#samples). The
values in the README were measured on complete test sets. A cell is empty if we did not measure the metric, or if the
metric does not support the language.

A dagger (†) marks test sets that the model was trained on. For cells with a dagger, we trained another model with the
same recipe but without the test set, and measured it on the complete test set.

`python benchmarks/atlas/atlas.py run` measures the values that are missing in `benchmarks/atlas/cells`. `python
benchmarks/atlas/atlas.py write` creates this page."""
ABOUT_ERRORS = (
    "The error columns show how often the metric gives a translation a higher score than the same translation with one "
    "error. The values are percentages over some fifty kinds of errors in 122 sentences ([Test a metric for errors]"
    "(../stress.md)). The column *segments/s* shows the number of segments per second of processor time with one "
    "thread. The speed was measured over all test sets on a busy machine."
)


def metric_names() -> list[str]:
    """Return the names of the metrics that the atlas compares."""
    from meteor_e_learned.ready import ready_models

    available = {*plugin_registry().chains.names(), *plugin_registry().metrics.names()}
    chains = [name for name in ("exact", "universal", "any") if name in available]
    light_models = [name for name in ready_models() if name not in ENCODERS]
    caption_metrics = [name for name in ("caption-light",) if name in available]
    encoders = [name for name in ENCODERS if name in available or name == "bertscore"]
    names = ["bleu", "chrf", "chrf++", "meteor", *chains, *light_models, *caption_metrics, "ter", *encoders]
    return list(dict.fromkeys(names))


def cell_file(name: str) -> Path:
    """Return the file of a metric's cells."""
    return CELLS / f"{name.replace('+', 'p')}.json"


def read_cells(name: str) -> dict[str, Any]:
    """Read a metric's cells."""
    file = cell_file(name)
    if not file.is_file():
        return {"metric": name, "sets": {}}
    cells: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return cells


def write_cells(cells: dict[str, Any]) -> None:
    """Write a metric's cells."""
    CELLS.mkdir(exist_ok=True)
    with atomic_file(cell_file(cells["metric"])) as scratch:
        scratch.write_text(json.dumps(cells, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def processor_seconds() -> float:
    """Return the user time plus the system time of this process and its child processes, in seconds."""
    return sum(os.times()[:4])


def compute(name: str, judged: JudgedSet, output_count: int) -> dict[str, Any]:
    """Measure the agreement of a metric with a sample of the judgments of each language pair.

    Args:
        name: name of the metric.
        judged: the judgments.
        output_count: minimum number of judged outputs in the sample of a language pair.
    """
    from meteor_e_evaluation import load_index, load_test_set
    from meteor_e_evaluation.measures import measure

    index = load_index(ROOT / "benchmarks" / f"{judged.index}.yaml")
    pairs: dict[str, Any] = {}
    bootstrap_samples = []
    for pair in judged.pairs or tuple(index.pairs):
        test = load_test_set(index, pair)
        if name in ENCODERS and test.language != "en":
            continue  # The encoder supports only English.
        metric = make(name, test.language)
        if metric is None:
            pairs[pair] = {"missing": "it cannot be made"}
            continue
        if metric.language and metric.language != test.language:
            continue
        try:
            pairs[pair], values = measure_pair(metric, measure(judged.measure), test, output_count)
        except MeteorError as error:
            pairs[pair] = {"missing": str(error)}
            continue
        bootstrap_samples.append(values)
    cell: dict[str, Any] = {"measure": judged.measure, "sample": output_count, "pairs": pairs}
    if bootstrap_samples:
        low, high = interval(np.mean(bootstrap_samples, axis=0))
        pair_values = [result["value"] for result in pairs.values() if "value" in result]
        cell |= {"value": round(float(np.mean(pair_values)), 4), "low": round(low, 4), "high": round(high, 4)}
    return cell


def measure_pair(metric: Metric, measure: Any, test: Any, output_count: int) -> tuple[dict[str, Any], Any]:
    """Measure a metric on a sample of the judgments of a language pair.

    Returns:
        The results for the cell, and the measure on bootstrap samples.
    """
    judged_segments = np.flatnonzero(test.judgment_mask().any(axis=0))
    segments = draw_segments(test, judged_segments, output_count)
    is_excluded = np.ones((len(test.systems), len(test)), bool)
    is_excluded[:, segments] = False
    sample = test.without(is_excluded)
    judgment_mask = sample.judgment_mask()
    warm(metric, sample)
    start = processor_seconds()
    scores = score_test_set(metric, sample, judgment_mask, ArrayCache(enabled=False), systems=False)
    seconds = processor_seconds() - start
    if not metric.higher_is_better:
        scores = scores.negated()
    value = measure.value(sample, scores)
    weights = np.zeros((SAMPLES, len(test)))
    weights[:, segments] = draw_weights(len(segments), SAMPLES, SEED)
    bootstrap_values = measure.resampled(sample, scores, weights)
    low, high = interval(bootstrap_values)
    reference_lengths = [
        len(text.split()) for column in sample.references for text in np.array(column, object)[segments]
    ]
    results = {
        "value": round(float(value), 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "segments": len(segments),
        "of": len(judged_segments),
        "scored": int(judgment_mask.sum()),
        "seconds": round(seconds, 4),
        "words": round(float(np.mean(reference_lengths)), 1),
        "references": len(test.references),
        "language": test.language,
        "signature": metric.signature,
    }
    return results, bootstrap_values


def draw_segments(test: Any, judged_segments: Any, output_count: int) -> Any:
    """Return the indexes of random segments that have at least ``output_count`` judged outputs in total."""
    order = np.random.default_rng(SEED).permutation(judged_segments)
    cumulative_outputs = np.cumsum(test.judgment_mask().sum(axis=0)[order])
    segment_count = np.searchsorted(cumulative_outputs, output_count) + 1
    return order[:segment_count]


def make(name: str, language: str) -> Metric | None:
    """Create a metric with one thread; return ``None`` if it does not support the language."""
    try:
        if name == "bertscore":
            from bertscore import BertScore

            return BertScore()
        return load_metric(name, language=language, threads=1, offline=True)
    except MeteorError as error:
        print(f"  {name}, {language}: {error}", file=sys.stderr)
        return None


def warm(metric: Metric, test: Any) -> None:
    """Score a segment, so that packs and models are loaded before time is measured."""
    references = [list(texts) for texts in zip(*test.references, strict=True)][:1]
    sources = None if test.source is None else test.source[:1]
    compute_statistics(metric.prepare(references), Batch(test.outputs[0][:1], references, sources))


def is_up_to_date(name: str, cell: dict[str, Any] | None, output_count: int) -> bool:
    """Return whether stored results have this sample size and the current signatures of the metric."""
    if cell is None or cell["sample"] != output_count:
        return False
    signatures = {
        (result["language"], result["references"]): result["signature"]
        for result in cell["pairs"].values()
        if "signature" in result
    }
    for (language, reference_count), signature in signatures.items():
        metric = make(name, language)
        if metric is None:
            return False
        prepared_metric = metric.prepare([["a"] * reference_count])
        if prepared_metric.signature_for({reference_count}) != signature:
            return False
    return bool(signatures) or not any("missing" in result for result in cell["pairs"].values())


def stress_cell(name: str) -> dict[str, Any] | None:
    """Return how often a metric gives a lower score to sentences with an error, for each kind of error."""
    from meteor_e_evaluation.stress import stress

    metric = make(name, "en")
    if metric is None or metric.language not in ("", "en"):
        return None
    report = stress([metric])
    label = metric.label
    groups: dict[str, list[float]] = {}
    for finding in report.findings[label]:
        groups.setdefault(finding.group, []).append(finding.share)
    share, low, high = report.means[label]
    return {
        "signature": metric.signature,
        "mean": round(share, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "groups": {group: round(float(np.mean(values)), 4) for group, values in groups.items()},
        "rules": {finding.rule: round(finding.share, 4) for finding in report.findings[label]},
    }


def run(options: argparse.Namespace) -> None:
    """Compute the missing and outdated cells."""
    sys.path.insert(0, str(HERE))
    for name in options.metric or metric_names():
        outputs = options.slow_outputs if name in SLOW else options.outputs
        cells = read_cells(name)
        for judged in SETS:
            if options.set and judged.key not in options.set:
                continue
            if not options.force and is_up_to_date(name, cells["sets"].get(judged.key), outputs):
                continue
            print(name, judged.key, file=sys.stderr, flush=True)
            cells["sets"][judged.key] = compute(name, judged, outputs)
            write_cells(cells)
        metric = make(name, "en")
        if metric is None:
            continue
        cell = cells.get("stress")
        if options.force or cell is None or cell["signature"] != metric.signature_for({1}):
            cells["stress"] = stress_cell(name)
            write_cells(cells)


def training_sets(name: str) -> set[str]:
    """Return the names of the shared tasks whose judgments a model was trained on."""
    from meteor_e_learned.ready import ready_models

    card = ready_models().get(name)
    trained = "" if card is None else card.training_note
    return SEEN.get(name, set()).union(re.findall(r"WMT\d\d|Composite", trained))


def find_held_out_value(name: str, judged: JudgedSet) -> dict[str, float | None]:
    """Return the result of a model on a test set that it was not trained on, and the result of METEOR."""
    from meteor_e_learned.ready import ready_models

    card = ready_models().get(name)
    for figure in card.figures if card is not None else ():
        if figure.test_set.startswith(judged.title.partition(",")[0]) and judged.key != "wmt12-out":
            return {"held_out": figure.value, "meteor": figure.meteor}
    return {"held_out": None, "meteor": None}


def describe_needs(name: str) -> str:
    """Return the packs and plugins that a metric needs."""
    from meteor_e_learned.ready import ready_models

    card = ready_models().get(name)
    if card is not None:
        return ", ".join(card.needs)
    return NEEDS.get(name, "encoder minilm (23 MB)" if name in ENCODERS else NEEDS["meteor"])


def evidence() -> list[dict[str, Any]]:
    """Return the stored results of all test sets, with a row for each metric."""
    rows = []
    for file in sorted(CELLS.glob("*.json")):
        cells = json.loads(file.read_text(encoding="utf-8"))
        name = cells["metric"]
        sets = {}
        output_count, seconds = 0, 0.0
        for judged in SETS:
            cell = cells["sets"].get(judged.key)
            if cell is None or "value" not in cell:
                continue
            results = [result for result in cell["pairs"].values() if "value" in result]
            output_count += sum(result["scored"] for result in results)
            seconds += sum(result["seconds"] for result in results)
            sets[judged.key] = summarize_cell(name, judged, cell, results)
        errors = cells.get("stress")
        rows.append(
            {
                "metric": name,
                "needs": describe_needs(name),
                "segments_per_second": round(output_count / seconds) if seconds else None,
                "stress": None if errors is None else {key: errors[key] for key in ("mean", "low", "high", "groups")},
                "sets": sets,
            }
        )
    return rows


def summarize_cell(name: str, judged: JudgedSet, cell: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
    """Summarize the results of a metric on a test set from the results on its language pairs."""
    summary = {key: cell[key] for key in ("value", "low", "high", "measure")}
    if judged.year in training_sets(name):
        summary |= {"seen": True} | find_held_out_value(name, judged)
    sample_size, set_size = (sum(result[key] for result in results) for key in ("segments", "of"))
    languages = {}
    for language in sorted({result["language"] for result in results}):
        values = [result["value"] for result in results if result["language"] == language]
        languages[language] = round(float(np.mean(values)), 4)
    return summary | {
        "task": judged.task,
        "title": judged.title,
        "words": round(float(np.mean([result["words"] for result in results])), 1),
        "references": results[0]["references"],
        "sample": f"{sample_size} of {set_size}",
        "languages": languages,
    }


def format_summary(summary: dict[str, Any] | None) -> str:
    """Return the text of a table cell. A model that was trained on the test set gets its held-out value."""
    if summary is None:
        return ""
    if summary.get("seen"):
        value = summary.get("held_out")
        return "seen" if value is None else f"{format_value(value)}†"
    text = f"{summary['value']:.3f} ±{(summary['high'] - summary['low']) / 2:.3f}"
    return text.replace("0.", ".")


def format_value(value: float) -> str:
    """Format a value with three decimals and without the leading zero."""
    return f"{value:.3f}".replace("0.", ".", 1)


def order_metrics(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of some well-known metrics, followed by all other rows in the order of their names."""
    names = ["bleu", "ter", "chrf", "chrf++", "meteor"]

    def sort_key(row: dict[str, Any]) -> tuple[int, str]:
        name = row["metric"]
        return names.index(name) if name in names else 9, name

    return sorted(rows, key=sort_key)


def page(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Atlas of metrics"
    yield ""
    yield INTRODUCTION
    for task, title in (
        ("ranking", "Rankings of systems"),
        ("rating", "Ratings of segments"),
        ("captions", "Captions"),
    ):
        yield ""
        yield f"## {title}"
        yield ""
        yield from agreement_table(rows, task)
        yield ""
        yield f"![Chart of agreement and speed ({title})](../images/pareto-{task}.svg)"
    yield ""
    yield "## WMT24, by target language"
    yield ""
    yield from language_table(rows)
    yield "## Errors, speed, needs"
    yield ""
    yield ABOUT_ERRORS
    yield ""
    yield from error_table(rows)
    yield ""
    yield "## Samples"
    yield ""
    yield "Each cell shows the number of judged segments in the sample, and their number in the complete test set."
    yield ""
    yield from sample_table(rows)


def table_header(titles: Sequence[str]) -> Iterator[str]:
    """Yield the header of a Markdown table."""
    yield "| " + " | ".join(titles) + " |"
    yield "|---" * len(titles) + "|"


def table_row(metrics: str, cells: Sequence[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {metrics} | " + " | ".join(cells) + " |"


def agreement_table(rows: list[dict[str, Any]], task: str) -> Iterator[str]:
    """Yield a table of the agreement with human judgments on all test sets of a task."""
    task_sets = [judged for judged in SETS if judged.task == task]
    yield from table_header(["metric", *(judged.title for judged in task_sets)])
    for row in rows:
        summaries = [row["sets"].get(judged.key) for judged in task_sets]
        if any(summaries):
            yield table_row(f"`{row['metric']}`", [format_summary(summary) for summary in summaries])


def language_table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of the agreement with the judgments of WMT24 for each target language."""
    values_by_metric = {row["metric"]: row["sets"].get("wmt24", {}).get("languages", {}) for row in rows}
    languages = sorted({language for values in values_by_metric.values() for language in values})
    if not languages:
        return
    if "other" in languages:
        yield (
            "The column `other` is Icelandic, which is scored with the language `other`. The column `uk` is the mean "
            "of two language pairs."
        )
    else:
        yield "`uk` is the mean of two pairs."
    yield ""
    yield from table_header(["metric", *languages])
    for metric, values in values_by_metric.items():
        if values:
            cells = [format_value(values[language]) if language in values else "" for language in languages]
            yield table_row(f"`{metric}`", cells)
    yield ""


def error_table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of the stress test, the speed and the requirements of the metrics."""
    groups = ("polarity", "meaning", "addition", "omission", "order", "grammar", "punctuation")
    yield from table_header(["metric", "all errors", *groups, "segments/s", "needs"])
    for row in rows:
        errors = row["stress"]
        percentages = [""] * (len(groups) + 1)
        if errors:
            fractions = [errors["mean"], *(errors["groups"][group] for group in groups)]
            percentages = [f"{100 * fraction:.1f}" for fraction in fractions]
        speed = str(row["segments_per_second"] or "")
        yield table_row(f"`{row['metric']}`", [*percentages, speed, row["needs"]])


def sample_table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of the sample sizes. Metrics with the same sample sizes share a row."""
    yield from table_header(["metrics", *(judged.key for judged in SETS)])
    metrics_by_sizes: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        sizes = tuple(row["sets"].get(judged.key, {}).get("sample", "").replace(" of ", "/") for judged in SETS)
        metrics_by_sizes.setdefault(sizes, []).append(f"`{row['metric']}`")
    for sizes, metrics in metrics_by_sizes.items():
        yield table_row(", ".join(metrics), sizes)


Point = tuple[float, float, str]
"""Speed, agreement and name of a metric."""


def collect_points(rows: list[dict[str, Any]], task: str) -> list[Point]:
    """Return the speed and agreement of each metric that was measured on all test sets of a task."""
    task_summaries = {
        row["metric"]: [summary for summary in row["sets"].values() if summary["task"] == task] for row in rows
    }
    set_count = max(map(len, task_summaries.values()), default=0)
    points = []
    for row in rows:
        summaries = task_summaries[row["metric"]]
        values = [summary.get("held_out") if summary.get("seen") else summary["value"] for summary in summaries]
        if set_count and len(values) == set_count and None not in values and row["segments_per_second"]:
            points.append((row["segments_per_second"], float(np.mean(values)), row["metric"]))
    return points


def is_dominated(point: Point, points: list[Point]) -> bool:
    """Return whether another metric is better in speed or agreement, and worse in neither."""
    speed, value, _ = point
    for other_speed, other_value, _ in points:
        if other_speed >= speed and other_value >= value and (other_speed > speed or other_value > value):
            return True
    return False


def draw_pareto(rows: list[dict[str, Any]], task: str, file: Path) -> None:
    """Draw agreement against speed, with a line through the Pareto-optimal metrics."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "atlas"
    from matplotlib import pyplot

    points = collect_points(rows, task)
    if not points:
        return
    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    front = sorted(point for point in points if not is_dominated(point, points))
    axes.plot(
        [speed for speed, _, _ in front], [value for _, value, _ in front], color="#888888", linewidth=1, zorder=1
    )
    labels: list[tuple[float, float]] = []
    values = [value for _, value, _ in points]
    value_range = max(values) - min(values) or 1.0
    for speed, value, name in sorted(points, key=lambda point: point[1]):
        axes.scatter([speed], [value], color="#1f6f8b" if (speed, value, name) in front else "#bbbbbb", zorder=2)
        # If points are close to each other, their labels are placed one above the other.
        neighbor_count = sum(
            abs(np.log10(speed / label_speed)) < 0.35 and abs(value - label_value) < value_range / 20
            for label_speed, label_value in labels
        )
        offset = (5, 4 + 9 * neighbor_count)
        axes.annotate(name, (speed, value), textcoords="offset points", xytext=offset, fontsize=8)
        labels.append((speed, value))
    axes.set_xscale("log")
    axes.set_xlabel("segments per second, one core")
    axes.set_ylabel("agreement, mean over the sets")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def write(options: argparse.Namespace) -> None:
    """Write the page and the pictures."""
    rows = order_metrics(evidence())
    (ROOT / "docs/results/atlas.md").write_text("\n".join(page(rows)) + "\n", encoding="utf-8")
    # The pictures show only translations into English, because many models support no other language.
    english_rows = []
    for row in rows:
        sets = {key: summary for key, summary in row["sets"].items() if key not in ("wmt12-out", "wmt24")}
        english_rows.append({**row, "sets": sets})
    for task in ("ranking", "rating", "captions"):
        draw_pareto(english_rows, task, ROOT / f"docs/images/pareto-{task}.svg")


def main() -> None:
    """Parse the command line, and run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run", help="compute missing cells")
    runs.add_argument("-M", "--metric", action="append", help="only this metric; may be repeated")
    runs.add_argument("-S", "--set", action="append", choices=SET_KEYS, help="only this test set; may be repeated")
    runs.add_argument("--outputs", type=int, default=1000, help="number of outputs per language pair")
    runs.add_argument(
        "--slow-outputs", type=int, default=200, help="number of outputs for TER and metrics with an encoder"
    )
    runs.add_argument("--force", action="store_true", help="compute cells again")
    runs.set_defaults(call=run)
    writes = commands.add_parser("write", help="write the page from the cells")
    writes.set_defaults(call=write)
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    main()
