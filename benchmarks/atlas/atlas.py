"""The atlas: every metric on every set of judgments, its speed, what errors it notices, and what it needs.

    METEOR_E_SHARED=DATA python benchmarks/atlas/atlas.py run                  all cells that are missing or stale
    python benchmarks/atlas/atlas.py run -M en-light -S wmt17 --force          one cell again
    python benchmarks/atlas/atlas.py write                                     the page, its pictures

A cell is kept in ``cells/METRIC.json`` under the metric's signature; ``run`` computes only what is missing or whose
signature or sample has changed, and writes after each cell, so that it may be stopped. ``write`` makes
``docs/results/atlas.md`` and the pictures beside it from the cells, and needs no data.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
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
        key: what cells call it.
        title: what the page calls it.
        index: the data index, without ``.yaml``.
        pairs: language pairs; empty for all.
        measure: of agreement.
        task: what people use such a metric for.
        year: of the systems, by which models say what they have seen.
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
BY_KEY = {each.key: each for each in SETS}
ENCODERS = (
    "contextual",
    "en-light-context",
    "bertscore",
    "caption-context",
)
"""Metrics that run a network: their samples are smaller."""
SLOW = (*ENCODERS, "ter")
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
"""What models have been trained on that no card says: those without one, and what the score of another one brings."""


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
    """Return the metrics of the atlas: sacreBLEU's, chains that run on English packs alone, models, BERTScore."""
    from meteor_e_learned.ready import ready_models

    chains = ("exact", "universal", "any")
    known = {*plugin_registry().chains.names(), *plugin_registry().metrics.names()}
    light = [name for name in ready_models() if name not in ENCODERS]
    others = [name for name in ("caption-light",) if name in known]
    encoders = [name for name in ENCODERS if name in known or name == "bertscore"]
    found = ["bleu", "chrf", "chrf++", "meteor", *(name for name in chains if name in known), *light, *others, "ter"]
    return list(dict.fromkeys([*found, *encoders]))


def cell_file(name: str) -> Path:
    """Return the file of a metric's cells."""
    return CELLS / f"{name.replace('+', 'p')}.json"


def read_cells(name: str) -> dict[str, Any]:
    """Return a metric's cells."""
    file = cell_file(name)
    found: dict[str, Any] = (
        json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"metric": name, "sets": {}}
    )
    return found


def write_cells(cells: dict[str, Any]) -> None:
    """Keep a metric's cells."""
    CELLS.mkdir(exist_ok=True)
    with atomic_file(cell_file(cells["metric"])) as scratch:
        scratch.write_text(json.dumps(cells, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def processor_seconds() -> float:
    """Return the processor time of this process and its children, in the system included."""
    return sum(os.times()[:4])


def compute(name: str, judged: JudgedSet, outputs: int) -> dict[str, Any]:
    """Score a sample of a set and measure agreement, pair by pair."""
    from meteor_e_evaluation import load_index, load_test_set
    from meteor_e_evaluation.measures import measure

    index = load_index(ROOT / "benchmarks" / f"{judged.index}.yaml")
    way = measure(judged.measure)
    pairs: dict[str, Any] = {}
    resampled = []
    for pair in judged.pairs or tuple(index.pairs):
        test = load_test_set(index, pair)
        if name in ENCODERS and test.language != "en":  # The encoder knows English only.
            continue
        metric = make(name, test.language)
        if metric is None:
            pairs[pair] = {"missing": "it cannot be made"}
            continue
        if metric.language and metric.language != test.language:
            continue
        lost = np.ones((len(test.systems), len(test)), bool)
        rated = np.flatnonzero(test.judgment_mask().any(axis=0))
        order = np.random.default_rng(SEED).permutation(rated)
        # Whole segments, until there are enough outputs.
        enough = np.searchsorted(np.cumsum(test.judgment_mask().sum(axis=0)[order]), outputs) + 1
        kept = order[:enough]
        lost[:, kept] = False
        sample = test.without(lost)
        cells = sample.judgment_mask()
        try:
            warm(metric, sample)
            before = processor_seconds()
            scores = score_test_set(metric, sample, cells, ArrayCache(enabled=False), systems=False)
            seconds = processor_seconds() - before
        except MeteorError as error:
            pairs[pair] = {"missing": str(error)}
            continue
        if not metric.higher_is_better:
            scores = scores.negated()
        value = way.value(sample, scores)
        weights = np.zeros((SAMPLES, len(test)))
        weights[:, kept] = draw_weights(len(kept), SAMPLES, SEED)
        again = way.resampled(sample, scores, weights)
        resampled.append(again)
        low, high = interval(again)
        words = [len(text.split()) for column in sample.references for text in np.array(column, object)[kept]]
        pairs[pair] = {
            "value": round(float(value), 4),
            "low": round(low, 4),
            "high": round(high, 4),
            "segments": len(kept),
            "of": len(rated),
            "scored": int(cells.sum()),
            "seconds": round(seconds, 4),
            "words": round(float(np.mean(words)), 1),
            "references": len(test.references),
            "language": test.language,
            "signature": metric.signature,
        }
    done = [each for each in pairs.values() if "value" in each]
    cell: dict[str, Any] = {"measure": judged.measure, "sample": outputs, "pairs": pairs}
    if done:
        low, high = interval(np.mean(resampled, axis=0))
        cell |= {
            "value": round(float(np.mean([each["value"] for each in done])), 4),
            "low": round(low, 4),
            "high": round(high, 4),
        }
    return cell


def make(name: str, language: str) -> Metric | None:
    """Make a metric with one thread; ``None`` for a language that it does not know."""
    try:
        if name == "bertscore":
            from bertscore import BertScore

            return BertScore()
        return load_metric(name, language=language, threads=1, offline=True)
    except MeteorError as error:
        print(f"  {name}, {language}: {error}", file=sys.stderr)
        return None


def warm(metric: Metric, test: Any) -> None:
    """Score one segment, so that packs and models are loaded before the clock runs."""
    references = [list(texts) for texts in zip(*test.references, strict=True)][:1]
    sources = None if test.source is None else test.source[:1]
    compute_statistics(metric.prepare(references), Batch(test.outputs[0][:1], references, sources))


def is_fresh(name: str, cell: dict[str, Any] | None, outputs: int) -> bool:
    """Return whether a cell has this sample, and the metric still has the signature that it had."""
    if cell is None or cell["sample"] != outputs:
        return False
    kept = {
        (each["language"], each["references"]): each["signature"]
        for each in cell["pairs"].values()
        if "signature" in each
    }
    for (language, references), signature in kept.items():
        metric = make(name, language)
        if metric is None or prepared(metric, references).signature_for({references}) != signature:
            return False
    return bool(kept) or not any("missing" in each for each in cell["pairs"].values())


def prepared(metric: Metric, references: int = 1) -> Metric:
    """Return a metric that has seen a test set with so many references."""
    return metric.prepare([["a"] * references])


def stress_cell(name: str) -> dict[str, Any] | None:
    """Return how often a metric notices each kind of error in the English sentences of the stress test."""
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
    """Compute what is missing."""
    sys.path.insert(0, str(HERE))
    for name in options.metric or metric_names():
        outputs = options.slow_outputs if name in SLOW else options.outputs
        cells = read_cells(name)
        for judged in SETS:
            if options.set and judged.key not in options.set:
                continue
            if not options.force and is_fresh(name, cells["sets"].get(judged.key), outputs):
                continue
            print(name, judged.key, file=sys.stderr, flush=True)
            cells["sets"][judged.key] = compute(name, judged, outputs)
            write_cells(cells)
        kept, metric = cells.get("stress"), make(name, "en")
        if metric is not None and (options.force or kept is None or kept["signature"] != metric.signature_for({1})):
            cells["stress"] = stress_cell(name)
            write_cells(cells)


def seen(name: str) -> set[str]:
    """Return the years of judgments that the shipped weights of a model have seen, or a model on which it stands."""
    from meteor_e_learned.ready import ready_models

    card = ready_models().get(name)
    trained = "" if card is None else card.trained
    return SEEN.get(name, set()).union(re.findall(r"WMT\d\d|Composite", trained))


def held_out(name: str, judged: JudgedSet) -> dict[str, float | None]:
    """Return the figure of a model of the same recipe that had not seen the set, and METEOR's beside it."""
    from meteor_e_learned.ready import ready_models

    card = ready_models().get(name)
    for figure in card.figures if card is not None else ():
        if figure.data.startswith(judged.title.partition(",")[0]) and judged.key != "wmt12-out":
            return {"held_out": figure.value, "meteor": figure.meteor}
    return {"held_out": None, "meteor": None}


def needs(name: str) -> str:
    """Return what has to be there for a metric to run."""
    from meteor_e_learned.ready import ready_models

    card = ready_models().get(name)
    if card is not None:
        return ", ".join(card.needs)
    return NEEDS.get(name, "encoder minilm (23 MB)" if name in ENCODERS else NEEDS["meteor"])


def evidence() -> list[dict[str, Any]]:
    """Return all that the cells say, a row per metric, as the page shows it."""
    rows = []
    for file in sorted(CELLS.glob("*.json")):
        cells = json.loads(file.read_text(encoding="utf-8"))
        name = cells["metric"]
        sets = {}
        scored, seconds = 0, 0.0
        for judged in SETS:
            cell = cells["sets"].get(judged.key)
            if cell is None or "value" not in cell:
                continue
            done = {pair: each for pair, each in cell["pairs"].items() if "value" in each}
            scored += sum(each["scored"] for each in done.values())
            seconds += sum(each["seconds"] for each in done.values())
            row = {key: cell[key] for key in ("value", "low", "high", "measure")}
            if judged.year in seen(name):
                row |= {"seen": True} | held_out(name, judged)
            first = next(iter(done.values()))
            sets[judged.key] = row | {
                "task": judged.task,
                "title": judged.title,
                "words": round(float(np.mean([each["words"] for each in done.values()])), 1),
                "references": first["references"],
                "sample": " of ".join(str(sum(each[key] for each in done.values())) for key in ("segments", "of")),
                "languages": {
                    language: round(
                        float(np.mean([each["value"] for each in done.values() if each["language"] == language])), 4
                    )
                    for language in sorted({each["language"] for each in done.values()})
                },
            }
        errors = cells.get("stress")
        rows.append(
            {
                "metric": name,
                "needs": needs(name),
                "segments_per_second": round(scored / seconds) if seconds else None,
                "stress": None if errors is None else {key: errors[key] for key in ("mean", "low", "high", "groups")},
                "sets": sets,
            }
        )
    return rows


def figure(row: dict[str, Any] | None) -> str:
    """Return a cell of the table: value and interval; of a set that a model has seen, the figure of a sibling."""
    if row is None:
        return ""
    if row.get("seen"):
        other = row.get("held_out")
        return "seen" if other is None else f"{other:.3f}†".replace("0.", ".", 1)
    text = f"{row['value']:.3f} ±{(row['high'] - row['low']) / 2:.3f}"
    return text.replace("0.", ".")


def ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the metrics as the page shows them."""
    names = ["bleu", "ter", "chrf", "chrf++", "meteor"]
    return sorted(rows, key=lambda row: (names.index(row["metric"]) if row["metric"] in names else 9, row["metric"]))


def page(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the page's lines."""
    yield "# Atlas of metrics"
    yield ""
    yield INTRODUCTION
    for task, title in (
        ("ranking", "Rankings of systems"),
        ("rating", "Ratings of segments"),
        ("captions", "Captions"),
    ):
        chosen = [each for each in SETS if each.task == task]
        yield ""
        yield f"## {title}"
        yield ""
        yield "| metric | " + " | ".join(each.title for each in chosen) + " |"
        yield "|---" * (len(chosen) + 1) + "|"
        for row in rows:
            if any(each.key in row["sets"] for each in chosen):
                yield (
                    f"| `{row['metric']}` | " + " | ".join(figure(row["sets"].get(each.key)) for each in chosen) + " |"
                )
        yield ""
        yield f"![Chart of agreement and speed ({title})](../images/pareto-{task}.svg)"
    yield ""
    yield "## WMT24, by target language"
    yield ""
    languages = sorted({code for row in rows for code in row["sets"].get("wmt24", {}).get("languages", {})})
    if languages:
        yield (
            "The column `other` is Icelandic, which is scored with the language `other`. The column `uk` is the mean "
            "of two language pairs."
            if "other" in languages
            else "`uk` is the mean of two pairs."
        )
        yield ""
        yield "| metric | " + " | ".join(languages) + " |"
        yield "|---" * (len(languages) + 1) + "|"
        for row in rows:
            values = row["sets"].get("wmt24", {}).get("languages", {})
            if values:
                yield (
                    f"| `{row['metric']}` | "
                    + " | ".join(
                        f"{values[code]:.3f}".replace("0.", ".", 1) if code in values else "" for code in languages
                    )
                    + " |"
                )
        yield ""
    yield "## Errors, speed, needs"
    yield ""
    yield ABOUT_ERRORS
    yield ""
    groups = ("polarity", "meaning", "addition", "omission", "order", "grammar", "punctuation")
    yield "| metric | all errors | " + " | ".join(groups) + " | segments/s | needs |"
    yield "|---" * (len(groups) + 4) + "|"
    for row in rows:
        errors = row["stress"]
        shares = (
            [f"{100 * errors['mean']:.1f}", *(f"{100 * errors['groups'][group]:.1f}" for group in groups)]
            if errors
            else [""] * (len(groups) + 1)
        )
        yield (
            f"| `{row['metric']}` | " + " | ".join(shares) + f" | {row['segments_per_second'] or ''} | {row['needs']} |"
        )
    yield ""
    yield "## Samples"
    yield ""
    yield "Each cell shows the number of judged segments in the sample, and their number in the complete test set."
    yield ""
    yield "| metrics | " + " | ".join(each.key for each in SETS) + " |"
    yield "|---" * (len(SETS) + 1) + "|"
    alike: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        sizes = tuple(row["sets"].get(each.key, {}).get("sample", "").replace(" of ", "/") for each in SETS)
        alike.setdefault(sizes, []).append(f"`{row['metric']}`")
    for sizes, names in alike.items():
        yield f"| {', '.join(names)} | " + " | ".join(sizes) + " |"


def pareto(rows: list[dict[str, Any]], task: str, file: Path) -> None:
    """Draw agreement against speed, and the front of metrics that no other beats in both."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "atlas"
    from matplotlib import pyplot

    points = []
    for row in rows:
        values = [
            each.get("held_out") if each.get("seen") else each["value"]
            for each in row["sets"].values()
            if each["task"] == task
        ]
        wanted = max((sum(each["task"] == task for each in other["sets"].values()) for other in rows), default=0)
        if len(values) == wanted and wanted and None not in values and row["segments_per_second"]:
            points.append((row["segments_per_second"], float(np.mean(values)), row["metric"]))
    if not points:
        # Models of one language lack some sets: compare on those into English.
        return
    figure_, axes = pyplot.subplots(figsize=(7, 4.2))
    front = [
        each
        for each in points
        if not any((o[0] >= each[0] and o[1] > each[1]) or (o[0] > each[0] and o[1] >= each[1]) for o in points)
    ]
    front.sort()
    axes.plot([each[0] for each in front], [each[1] for each in front], color="#888888", linewidth=1, zorder=1)
    labels: list[tuple[float, float]] = []
    spread = max(each[1] for each in points) - min(each[1] for each in points) or 1.0
    for speed, value, name in sorted(points, key=lambda each: each[1]):
        axes.scatter([speed], [value], color="#1f6f8b" if (speed, value, name) in front else "#bbbbbb", zorder=2)
        # Labels of neighbors stand one above the other.
        near = sum(abs(np.log10(speed / x)) < 0.35 and abs(value - y) < spread / 20 for x, y in labels)
        axes.annotate(name, (speed, value), textcoords="offset points", xytext=(5, 4 + 9 * near), fontsize=8)
        labels.append((speed, value))
    axes.set_xscale("log")
    axes.set_xlabel("segments per second, one core")
    axes.set_ylabel("agreement, mean over the sets")
    figure_.tight_layout()
    figure_.savefig(file, metadata={"Date": None})
    pyplot.close(figure_)


def write(options: argparse.Namespace) -> None:
    """Write the page and the pictures."""
    rows = ordered(evidence())
    (ROOT / "docs/results/atlas.md").write_text("\n".join(page(rows)) + "\n", encoding="utf-8")
    for task in ("ranking", "rating", "captions"):
        english = [
            {**row, "sets": {key: each for key, each in row["sets"].items() if key not in ("wmt12-out", "wmt24")}}
            for row in rows
        ]
        pareto(english, task, ROOT / f"docs/images/pareto-{task}.svg")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run", help="compute missing cells")
    runs.add_argument("-M", "--metric", action="append", help="only this metric; may be repeated")
    runs.add_argument("-S", "--set", action="append", choices=sorted(BY_KEY), help="only this set")
    runs.add_argument("--outputs", type=int, default=1000, help="outputs per language pair")
    runs.add_argument("--slow-outputs", type=int, default=200, help="the same for TER and metrics with an encoder")
    runs.add_argument("--force", action="store_true", help="compute cells again")
    runs.set_defaults(call=run)
    writes = commands.add_parser("write", help="write the page from the cells")
    writes.set_defaults(call=write)
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    main()
