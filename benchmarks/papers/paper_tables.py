"""METEOR-E's tables 1, 3 and 4 (Servan et al., 2016): five chains on WMT14, the paper's test set, and on WMT12.

    meteor-e vectors train europarl.en.xz -l en -o en.vectors
    meteor-e vectors train europarl.fr.xz -l fr -o fr.vectors
    python benchmarks/papers/paper_tables.py --set wmt14 --vectors en=en.vectors -o wmt14.md
    python benchmarks/papers/paper_tables.py --vectors en=en.vectors --vectors fr=fr.vectors -o wmt12.md
    python benchmarks/papers/paper_tables.py --sample                   # seconds, with made-up vectors

Needs the plugins meteor-e-vectors and meteor-e-languages, and simplemma unless --lemmatizer names another lemmatizer.
The data stay where they are: ``METEOR_E_SHARED`` names the folder that holds ``data/wmt12`` and ``data/dbnary``.
Exits with 1 if a figure of the default threshold is further from that of the METEOR-E program than --tolerance.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from command import add_sample_option, sample_folder, write_sample_vectors
from meteor_e_evaluation import TestSet
from meteor_e_evaluation.evaluation import AVERAGE, evaluate, load_test_sets
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure

from meteor_e import Meteor
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.errors import MeteorError
from meteor_e.chains.settings import apply_settings
from meteor_e.formats.plain import read_segments
from meteor_e.metrics.translations import score_test_set
from meteor_e.significance.resampling import draw_weights, interval

HERE = Path(__file__).parents[1]
CHAINS = ("baseline", "dbnary", "vector", "baseline-vector", "dbnary-vector")
NAMES = {"en": "english", "fr": "french", "de": "german", "es": "spanish", "ru": "russian"}
MEASURES = {"tau-strict": "strict τ", "tau-wmt14": "τ (WMT14)"}
METEOR_E = {
    "baseline": (21.24, 27.48, 24.91, 25.06, 24.67),
    "dbnary": (21.02, 28.24, 25.15, 25.13, 24.89),
    "vector": (21.86, 27.84, 25.07, 24.10, 24.72),
    "baseline-vector": (22.24, 28.17, 25.19, 25.50, 25.28),
    "dbnary-vector": (21.71, 29.04, 25.32, 24.70, 25.19),
}
"""Strict τ × 100 of the METEOR-E program on WMT12 into English (cs, de, es, fr, mean), vectors of the same corpus and
kind, threshold .80, lemmas of simplemma."""
INTO = ("cs-en", "de-en", "es-en", "fr-en")
PAIRS = {"wmt12": (*INTO, "en-fr"), "wmt14": ("fr-en", "de-en", "ru-en")}
"""The language pairs of each set."""
PAPER = {
    "baseline": (0.406, 0.334, 0.329, 0.356),
    "dbnary": (0.408, 0.334, 0.328, 0.357),
    "vector": (0.407, 0.332, 0.328, 0.356),
    "baseline-vector": (0.407, 0.343, 0.332, 0.361),
    "dbnary-vector": (0.407, 0.337, 0.338, 0.361),
}
"""The paper's table 4 into English with the threshold .80: τ of WMT14 on fr-en, de-en, ru-en, and the mean."""
PAPER_ORACLE = {
    "vector": (0.411, 0.333, 0.328, 0.357),
    "baseline-vector": (0.412, 0.343, 0.333, 0.363),
    "dbnary-vector": (0.413, 0.338, 0.338, 0.363),
}
"""The same with oracle thresholds."""
PAPER_SYNSETS = {"en": 35, "fr": 36, "ru": 31, "de": 33}
"""The paper's table 1: thousands of synsets of DBnary."""


class Resources:
    """Vectors, synsets and lemmas of each language."""

    def __init__(self, options: argparse.Namespace) -> None:
        shared = Path(os.environ.get("METEOR_E_SHARED", HERE.parent.parent / "shared"))
        self.vectors = dict(entry.split("=", 1) for entry in options.vectors)
        self.lemmatizers = dict(entry.split("=", 1) for entry in options.lemmatizer)
        self.synsets = Path(options.synsets) if options.synsets else shared / "data" / "dbnary"

    def chain(self, name: str, language: str, threshold: float = 0.8) -> dict[str, Any]:
        """Return one of the five chains as a mapping, with its files."""
        settings: dict[str, dict[str, Any]] = {}
        if "vector" in name:
            settings["vector"] = {"threshold": threshold}
            if language in self.vectors:
                settings["vector"]["file"] = str(Path(self.vectors[language]).absolute())
        if "dbnary" in name:
            settings["dbnary"] = {"file": str(self.synsets / f"{NAMES[language]}.synsets.gz")}
            given = self.lemmatizers.get(language)
            if given is not None:
                settings["lemmatizer"] = {"use": "lookup", "file": str(Path(given).absolute())}
        changed = apply_settings(name, {"language": language}, settings)
        chain: dict[str, Any] = {"language": language, **changed}
        if "dbnary" in name:
            chain.setdefault("lemmatizer", "simplemma")
        return chain


def table3(
    resources: Resources, language: str, outputs: Mapping[str, Sequence[str]], references: Sequence[Sequence[str]]
) -> str:
    """Return the scores of systems by the five chains, and what each module matches.

    Args:
        resources: vectors, synsets and lemmas.
        language: of the outputs.
        outputs: the segments of each system.
        references: for each segment its references.
    """
    scores, modules = [], []
    for name in CHAINS:
        meteor = Meteor.from_config(resources.chain(name, language))
        row, totals = [], [[0, 0] for _ in meteor.matchers]
        for segments in outputs.values():
            corpus = meteor.corpus(segments, references)
            row.append(f"{100 * corpus.score:.2f}")
            for total, counts in zip(totals, corpus.statistics.matchers, strict=True):
                total[0] += counts.hypothesis_content + counts.hypothesis_function
                total[1] += counts.reference_content + counts.reference_function
        scores.append(f"| {name} | {' | '.join(row)} |")
        words = sum(total[0] for total in totals)
        shares = [
            f"{matcher}: {hyp} ({100 * hyp / words:.1f} %)"
            for matcher, (hyp, _) in zip(meteor.matcher_names, totals, strict=True)
        ]
        modules.append(f"| {name} | {words} | {', '.join(shares)} |")
    head = f"| chain | {' | '.join(outputs)} |\n|---|{'--:|' * len(outputs)}"
    return "\n".join(
        [head, *scores, "\n| chain | words of the hypotheses that match | by module |\n|---|--:|---|", *modules]
    )


def table1(resources: Resources) -> str:
    """Return the numbers of words and of synsets in METEOR-E's files."""
    lines = ["## Table 1: DBnary\n", "| language | words | synsets | synsets in the paper |", "|---|--:|--:|--:|"]
    for language, name in NAMES.items():
        file = resources.synsets / f"{name}.synsets.gz"
        if not file.exists():
            continue
        entries = list(read_segments(file))
        ids = {number for numbers in entries[1::2] for number in numbers.split()}
        paper = f"{PAPER_SYNSETS[language]} K" if language in PAPER_SYNSETS else ""
        lines.append(f"| {language} | {len(entries) // 2:,} | {len(ids):,} | {paper} |")
    return "\n".join(lines)


def table3_of_set(resources: Resources, set_name: str, pair: str) -> str:
    """Return table 3 of all systems of a pair."""
    (test,) = load_test_sets(load_index(HERE / f"{set_name}.yaml"), [pair])
    outputs = dict(zip(test.systems, test.outputs, strict=True))
    references = [list(texts) for texts in zip(*test.references, strict=True)]
    title = f"## Table 3 in kind: METEOR scores × 100 of the systems of {set_name.upper()} {pair}\n\n"
    return title + table3(resources, test.language, outputs, references)


def table3_of_files(resources: Resources, language: str, hypotheses: str, references: str) -> str:
    """Return table 3 of one system, whose output and reference are files."""
    outputs = {Path(hypotheses).name: list(read_segments(hypotheses))}
    title = f"## Table 3 in kind: METEOR scores × 100 of {Path(hypotheses).name}\n\n"
    return title + table3(resources, language, outputs, [[text] for text in read_segments(references)])


def table4(resources: Resources, tests: list[TestSet], options: argparse.Namespace) -> tuple[str, bool]:
    """Return τ of the five chains with the default threshold, and of three with the oracle's, and whether it fails."""
    language = tests[0].language
    pairs = [test.pair for test in tests]
    columns = (*pairs, AVERAGE) if len(pairs) > 1 else tuple(pairs)
    cache = ArrayCache(options.cache)
    measures = [measure(name) for name in MEASURES]
    metrics = [Meteor.from_config(resources.chain(name, language), label=name) for name in CHAINS]
    evaluation = evaluate(tests, metrics, measures, cache, intervals=options.samples)
    parts = [f"## Table 4 in kind: {', '.join(pairs)}"]
    failed = False
    for table in evaluation.tables:
        parts.append(
            f"\n{MEASURES[table.measure.name]} × 100, threshold .80, 95 % bootstrap intervals "
            f"({options.samples} samples)\n"
        )
        parts.append(f"| chain | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
        for name, results in table.rows.items():
            cells = []
            for number, result in enumerate(results):
                text = f"{100 * result.value:.2f}"
                if result.interval is not None:
                    text += f" [{100 * result.interval.low:.2f}, {100 * result.interval.high:.2f}]"
                if options.set == "wmt14" and table.measure.name == "tau-wmt14" and tuple(pairs) == PAIRS["wmt14"]:
                    text += f" (paper {100 * PAPER[name][number]:.1f})"
                if options.set == "wmt12" and tuple(pairs) == INTO and table.measure.name == "tau-strict":
                    text += f" (METEOR-E {METEOR_E[name][number]:.2f})"
                    failed |= (
                        number == len(pairs) and abs(100 * result.value - METEOR_E[name][number]) > options.tolerance
                    )
                cells.append(text)
            parts.append(f"| {name} | {' | '.join(cells)} |")
    if options.oracle:
        parts += oracle_tables(resources, tests, options)
    return "\n".join(parts), failed


def at_threshold(meteor: Meteor, value: float) -> dict[str, Any]:
    """Return a metric's chain with another threshold of the matcher vector."""
    chain = meteor.chain.effective()
    for entry in chain["matchers"]:
        if entry["use"] == "vector":
            entry["threshold"] = value
    return chain


def oracle_tables(resources: Resources, tests: list[TestSet], options: argparse.Namespace) -> list[str]:
    """Return for each measure a table of the chains with vectors, each pair with the threshold that is best for it."""
    measures = [measure(name) for name in MEASURES]
    values = [number / 100 for number in range(round(100 * options.first), round(100 * options.last) + 1)]
    cache = ArrayCache(options.cache)
    weights = {test.pair: draw_weights(len(test), options.samples, DEFAULT_SEED) for test in tests}
    rows: dict[str, list[str]] = {name: [] for name in MEASURES}
    for name in ("vector", "baseline-vector", "dbnary-vector"):
        meteor = Meteor.from_config(resources.chain(name, tests[0].language))
        chains = {value: at_threshold(meteor, value) for value in values}
        found: dict[str, list[tuple[float, tuple[float, ...]]]] = {entry: [] for entry in MEASURES}
        for value, chain in chains.items():
            for table in evaluate(tests, [Meteor.from_config(chain, label="chain")], measures, cache).tables:
                results = tuple(result.value for result in table.rows["chain"])
                found[table.measure.name].append((value, results))
            print(f"{name} {value:.2f}", file=sys.stderr)
        for entry in measures:
            cells, best, drawn, chosen = [], [], [], []
            for column, test in enumerate(tests):
                value, results = max(found[entry.name], key=lambda row: (row[1][column], -abs(row[0] - 0.8)))
                metric = Meteor.from_config(chains[value], label=name)
                scores = score_test_set(metric, test, test.judged(), cache, systems=False)
                samples = entry.resampled(test, scores, weights[test.pair])
                cells.append(f"{_with_interval(results[column], samples)} at {value:.2f}")
                best.append(results[column])
                drawn.append(samples)
                chosen.append(value)
            if len(tests) > 1:
                cells.append(_with_interval(sum(best) / len(best), sum(drawn) / len(drawn)))
                value, results = max(found[entry.name], key=lambda row: (row[1][-1], -abs(row[0] - 0.8)))
                cells.append(f"{100 * results[-1]:.2f} at {value:.2f}")
            rows[entry.name].append(f"| {name} | {' | '.join(cells)} |")
    pairs = [test.pair for test in tests]
    columns = (*pairs, AVERAGE, "one threshold for all") if len(pairs) > 1 else tuple(pairs)
    parts = []
    for entry, lines in rows.items():
        parts.append(
            f"\n{MEASURES[entry]} × 100, oracle threshold of each pair ({options.first:.2f} to {options.last:.2f} "
            f"in steps of .01), 95 % bootstrap intervals ({options.samples} samples)\n"
        )
        parts.append(f"| chain | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
        parts += lines
    return parts


def _with_interval(value: float, samples: Any) -> str:
    bounds = interval(samples)
    return f"{100 * value:.2f} [{100 * bounds.low:.2f}, {100 * bounds.high:.2f}]"


def main(arguments: list[str] | None = None) -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--vectors", action="append", default=[], metavar="LANGUAGE=FILE", help="default: installed ones"
    )
    parser.add_argument("--lemmatizer", action="append", default=[], metavar="LANGUAGE=FILE", help="tables of lemmas")
    parser.add_argument("--set", choices=PAIRS, default="wmt12", help="shared task [wmt12]")
    parser.add_argument("--synsets", help="folder of METEOR-E's synset files")
    parser.add_argument(
        "--pair",
        action="append",
        help="language pairs; default: those of the paper on WMT14, all into English and en-fr on WMT12",
    )
    parser.add_argument(
        "--score",
        action="append",
        nargs=3,
        default=[],
        metavar=("LANGUAGE", "HYPOTHESIS", "REFERENCE"),
        help="the five chains on two files; then without WMT12, unless there is a --pair",
    )
    parser.add_argument("--no-table3", action="store_true", help="table 4 only")
    parser.add_argument("--oracle", action="store_true", help="search the oracle thresholds, too (minutes)")
    parser.add_argument("--first", type=float, default=0.5, help="lowest oracle threshold")
    parser.add_argument("--last", type=float, default=0.99, help="highest oracle threshold")
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples")
    parser.add_argument("--tolerance", type=float, default=0.3, help="allowed distance of the means to METEOR-E's")
    parser.add_argument("--cache", type=Path, help="folder of the cache")
    parser.add_argument("-o", "--output", type=Path, help="write Markdown to a file")
    add_sample_option(parser)
    options = parser.parse_args(arguments)
    with sample_folder(options.sample) as folder:
        if folder is not None:
            options.vectors = [f"en={write_sample_vectors(folder / 'words.txt')}"]
            options.set, options.samples, options.oracle, options.tolerance = "wmt14", 10, True, 100
            options.first, options.last = 0.79, 0.80
        return print_tables(options)


def print_tables(options: argparse.Namespace) -> int:
    """Print the tables; return the exit code."""
    started = time.perf_counter()
    try:
        resources = Resources(options)
        index = load_index(HERE / f"{options.set}.yaml")
        parts, failed = [table3_of_files(resources, *files) for files in options.score], False
        wanted = options.pair or ([] if options.score else list(PAIRS[options.set]))
        if options.set == "wmt14":
            parts.append(table1(resources))
        if not options.no_table3:
            parts += [table3_of_set(resources, options.set, pair) for pair in wanted if pair == "fr-en"]
        for language in dict.fromkeys(pair.partition("-")[2] for pair in wanted):
            tests = load_test_sets(index, [pair for pair in wanted if pair.endswith(f"-{language}")])
            text, wrong = table4(resources, tests, options)
            parts.append(text)
            failed |= wrong
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    text = "\n\n".join(parts) + "\n"
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text)
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
