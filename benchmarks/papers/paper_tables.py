"""METEOR-E's tables 1, 3, 4 and 6 (Servan et al., 2016): five chains on WMT14, the paper's test set, and on WMT12.

    meteor-e vectors train europarl.en.xz -l en -o en.vectors
    meteor-e vectors train europarl.en.xz -l en --key lemma --lemmatizer simplemma -o lemmas.vectors
    meteor-e vectors train europarl.fr.xz -l fr -o fr.vectors
    python benchmarks/papers/paper_tables.py --set wmt14 --vectors en=en.vectors --lemma-vectors en=lemmas.vectors
    python benchmarks/papers/paper_tables.py --set wmt14 --vectors en=en.vectors --no-table3 --oracle
    python benchmarks/papers/paper_tables.py --vectors en=en.vectors --vectors fr=fr.vectors
    python benchmarks/papers/paper_tables.py --sample                   # seconds, with random vectors

Needs the plugins meteor-e-vectors and meteor-e-languages, and simplemma unless --lemmatizer names another lemmatizer.
``METEOR_E_SHARED`` names the folder that contains ``data/wmt12``, ``data/wmt14`` and ``data/dbnary``.
Exits with 1 if a mean τ on WMT12 differs from that of the METEOR-E program by more than --tolerance.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from command import add_sample_option, sample_folder, write_sample_vectors
from meteor_e_evaluation import TestSet
from meteor_e_evaluation.evaluation import AVERAGE, evaluate, load_test_sets
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure

from meteor_e import Meteor
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.array_cache import ArrayCache, Floats
from meteor_e.base.errors import MeteorError
from meteor_e.chains.settings import apply_settings
from meteor_e.formats.plain import read_segments
from meteor_e.metrics.translations import score_test_set
from meteor_e.significance.resampling import draw_weights, interval

BENCHMARKS = Path(__file__).parents[1]
CHAINS = ("baseline", "dbnary", "vector", "baseline-vector", "dbnary-vector")
VECTOR_CHAINS = ("vector", "baseline-vector", "dbnary-vector")
SYNSET_FILES = {"en": "english", "fr": "french", "de": "german", "es": "spanish", "ru": "russian"}
MEASURES = {"tau-strict": "strict τ", "tau-wmt14": "τ (WMT14)"}
DEFAULT_THRESHOLD = 0.8
METEOR_E = {
    "baseline": (21.24, 27.48, 24.91, 25.06, 24.67),
    "dbnary": (21.02, 28.24, 25.15, 25.13, 24.89),
    "vector": (21.86, 27.84, 25.07, 24.10, 24.72),
    "baseline-vector": (22.24, 28.17, 25.19, 25.50, 25.28),
    "dbnary-vector": (21.71, 29.04, 25.32, 24.70, 25.19),
}
"""Strict τ × 100 of the METEOR-E program on WMT12 into English (cs, de, es, fr, mean). Its vectors were trained on the
same corpus with the same settings; the threshold is .80, and simplemma gave the lemmas."""
WMT12_INTO_ENGLISH = ("cs-en", "de-en", "es-en", "fr-en")
WMT14_PAIRS = ("fr-en", "de-en", "ru-en")
PAIRS = {"wmt12": (*WMT12_INTO_ENGLISH, "en-fr"), "wmt14": WMT14_PAIRS}
"""The language pairs of each shared task."""
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
"""The paper's table 4 into English with oracle thresholds."""
PAPER_VARIANTS = {"words": 0.356, "lemmas": 0.357}
"""The paper's table 6 into English: mean τ of the chain vector with vectors of words and with vectors of lemmas."""
PAPER_SYNSETS = {"en": 35, "fr": 36, "ru": 31, "de": 33}
"""The paper's table 1: thousands of synsets of DBnary."""


class Resources:
    """The files of word vectors, synsets and lemmas for each language."""

    def __init__(self, options: argparse.Namespace) -> None:
        shared = Path(os.environ.get("METEOR_E_SHARED", BENCHMARKS.parent.parent / "shared"))
        self.vectors = parse_files(options.vectors)
        self.lemma_vectors = parse_files(options.lemma_vectors)
        self.lemmatizers = parse_files(options.lemmatizer)
        self.synsets = Path(options.synsets) if options.synsets else shared / "data" / "dbnary"

    def synset_file(self, language: str) -> Path:
        """Return the synset file of a language."""
        return self.synsets / f"{SYNSET_FILES[language]}.synsets.gz"

    def make_chain(self, name: str, language: str) -> dict[str, Any]:
        """Return the configuration of one of the five chains for a language, with the paths of its resources."""
        settings: dict[str, dict[str, Any]] = {}
        if "vector" in name:
            settings["vector"] = {"threshold": DEFAULT_THRESHOLD}
            if language in self.vectors:
                settings["vector"]["file"] = self.vectors[language]
        if "dbnary" in name:
            settings["dbnary"] = {"file": str(self.synset_file(language))}
            if language in self.lemmatizers:
                settings["lemmatizer"] = {"use": "lookup", "file": self.lemmatizers[language]}
        chain: dict[str, Any] = {"language": language, **apply_settings(name, {"language": language}, settings)}
        if "dbnary" in name:
            chain.setdefault("lemmatizer", "simplemma")
        return chain

    def make_lemma_chain(self, language: str) -> dict[str, Any]:
        """Return the configuration of the chain ``vector`` with vectors of lemmas."""
        settings = {"vector": {"threshold": DEFAULT_THRESHOLD, "file": self.lemma_vectors[language]}}
        chain = apply_settings("vector", {"language": language}, settings)
        return {"language": language, **chain, "lemmatizer": "simplemma"}


def parse_files(entries: Iterable[str]) -> dict[str, str]:
    """Parse entries such as ``en=en.vectors``, and return the absolute path for each language."""
    files = {}
    for entry in entries:
        language, _, path = entry.partition("=")
        files[language] = str(Path(path).absolute())
    return files


def format_table(header: Sequence[str], rows: Iterable[Sequence[str]], alignment: str = "---") -> str:
    """Return a Markdown table. ``alignment`` applies to all columns except the first."""
    lines = [f"| {' | '.join(header)} |", f"|---|{f'{alignment}|' * (len(header) - 1)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def format_interval(value: float, samples: Floats) -> str:
    """Format a value × 100 with its bootstrap confidence interval."""
    bounds = interval(samples)
    return f"{100 * value:.2f} [{100 * bounds.low:.2f}, {100 * bounds.high:.2f}]"


def format_table1(resources: Resources) -> str:
    """Return table 1 with the number of words and synsets in METEOR-E's DBnary files."""
    rows = []
    for language in SYNSET_FILES:
        file = resources.synset_file(language)
        if not file.exists():
            continue
        lines = list(read_segments(file))
        ids = {synset_id for line in lines[1::2] for synset_id in line.split()}
        paper = f"{PAPER_SYNSETS[language]} K" if language in PAPER_SYNSETS else ""
        rows.append((language, f"{len(lines) // 2:,}", f"{len(ids):,}", paper))
    header = ("language", "words", "synsets", "synsets in the paper")
    return f"## Table 1: DBnary\n\n{format_table(header, rows, '--:')}"


def format_table3(
    resources: Resources, language: str, outputs: Mapping[str, Sequence[str]], references: Sequence[Sequence[str]]
) -> str:
    """Return table 3: the scores of systems with the five chains, and how many words each matcher matches.

    Args:
        resources: vectors, synsets and lemmas.
        language: the language of the outputs.
        outputs: the segments of each system.
        references: the references of each segment.
    """
    score_rows, match_rows = [], []
    for name in CHAINS:
        meteor = Meteor.from_config(resources.make_chain(name, language))
        scores = []
        matches = [0] * len(meteor.matchers)
        for segments in outputs.values():
            corpus = meteor.corpus(segments, references)
            scores.append(f"{100 * corpus.score:.2f}")
            for index, counts in enumerate(corpus.statistics.matchers):
                matches[index] += counts.hypothesis_content + counts.hypothesis_function
        score_rows.append((name, *scores))
        total = sum(matches)
        shares = [
            f"{matcher}: {count} ({100 * count / total:.1f} %)"
            for matcher, count in zip(meteor.matcher_names, matches, strict=True)
        ]
        match_rows.append((name, str(total), ", ".join(shares)))
    score_table = format_table(("chain", *outputs), score_rows, "--:")
    match_table = format_table(("chain", "words of the hypotheses that match", "by matcher"), match_rows)
    return f"{score_table}\n\n{match_table}"


def format_table3_of_task(resources: Resources, task: str, pair: str) -> str:
    """Return table 3 for all systems of a language pair."""
    (test,) = load_test_sets(load_index(BENCHMARKS / f"{task}.yaml"), [pair])
    outputs = dict(zip(test.systems, test.outputs, strict=True))
    references = [list(texts) for texts in zip(*test.references, strict=True)]
    title = f"## Table 3: METEOR scores × 100 of the systems of {task.upper()} {pair}"
    return f"{title}\n\n{format_table3(resources, test.language, outputs, references)}"


def format_table3_of_files(resources: Resources, language: str, hypotheses: str, references: str) -> str:
    """Return table 3 for a system. Its output and the reference are read from files."""
    name = Path(hypotheses).name
    outputs = {name: list(read_segments(hypotheses))}
    table = format_table3(resources, language, outputs, [[text] for text in read_segments(references)])
    return f"## Table 3: METEOR scores × 100 of {name}\n\n{table}"


def format_table4(resources: Resources, tests: list[TestSet], options: argparse.Namespace) -> tuple[str, bool]:
    """Return table 4 with τ of the five chains, and whether τ differs from that of the METEOR-E program."""
    language = tests[0].language
    pairs = [test.pair for test in tests]
    metrics = [Meteor.from_config(resources.make_chain(name, language), label=name) for name in CHAINS]
    measures = [measure(name) for name in MEASURES]
    evaluation = evaluate(tests, metrics, measures, ArrayCache(options.cache), intervals=options.samples)
    parts = [f"## Table 4: {', '.join(pairs)}"]
    differs = False
    for table in evaluation.tables:
        expected = select_expected(options.set, pairs, table.measure.name)
        rows = []
        for chain, results in table.rows.items():
            cells = [format_result(result) for result in results]
            if expected is not None:
                title, values = expected
                cells = [f"{cell} ({title} {value})" for cell, value in zip(cells, values[chain], strict=True)]
                if title == "METEOR-E":
                    differs |= abs(100 * results[-1].value - float(values[chain][-1])) > options.tolerance
            rows.append((chain, *cells))
        parts.append(
            f"{MEASURES[table.measure.name]} × 100, threshold .80, 95% bootstrap intervals ({options.samples} samples)"
        )
        parts.append(format_table(("chain", *column_names(pairs)), rows))
    return "\n\n".join(parts), differs


def column_names(pairs: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns: the language pairs, and the mean if there are several pairs."""
    return (*pairs, AVERAGE) if len(pairs) > 1 else tuple(pairs)


def format_result(result: Any) -> str:
    """Return a value × 100 with its interval."""
    if result.interval is None:
        return f"{100 * result.value:.2f}"
    return f"{100 * result.value:.2f} [{100 * result.interval.low:.2f}, {100 * result.interval.high:.2f}]"


def select_expected(
    task: str, pairs: Sequence[str], measure_name: str
) -> tuple[str, dict[str, tuple[str, ...]]] | None:
    """Return the expected values of a table and their source, or ``None`` if there are no expected values."""
    if task == "wmt14" and measure_name == "tau-wmt14" and tuple(pairs) == WMT14_PAIRS:
        return "paper", {chain: tuple(f"{100 * value:.1f}" for value in values) for chain, values in PAPER.items()}
    if task == "wmt12" and measure_name == "tau-strict" and tuple(pairs) == WMT12_INTO_ENGLISH:
        return "METEOR-E", {chain: tuple(f"{value:.2f}" for value in values) for chain, values in METEOR_E.items()}
    return None


def format_table6(resources: Resources, tests: list[TestSet], options: argparse.Namespace) -> str:
    """Return table 6, which compares word vectors with lemma vectors in the chain ``vector``."""
    language = tests[0].language
    pairs = [test.pair for test in tests]
    metrics = [
        Meteor.from_config(resources.make_chain("vector", language), label="words"),
        Meteor.from_config(resources.make_lemma_chain(language), label="lemmas"),
    ]
    cache = ArrayCache(options.cache)
    (table,) = evaluate(tests, metrics, [measure("tau-wmt14")], cache, intervals=options.samples).tables
    rows = []
    for name, results in table.rows.items():
        cells = [format_result(result) for result in results]
        if tuple(pairs) == WMT14_PAIRS:
            cells[-1] += f" (paper {100 * PAPER_VARIANTS[name]:.1f})"
        rows.append((name, *cells))
    title = f"## Table 6: chain vector, {MEASURES['tau-wmt14']} × 100, threshold .80, 95% bootstrap intervals"
    return f"{title}\n\n{format_table(('vectors of', *column_names(pairs)), rows)}"


def set_threshold(meteor: Meteor, threshold: float) -> dict[str, Any]:
    """Return the configuration of a metric in which the matcher ``vector`` has another threshold."""
    chain = meteor.chain.effective()
    for entry in chain["matchers"]:
        if entry["use"] == "vector":
            entry["threshold"] = threshold
    return chain


class ThresholdSearch:
    """τ of a chain with each threshold.

    Attributes:
        chains: the configuration of the chain with each threshold.
        taus: for each measure and threshold, τ of each language pair; the last value is the mean.
    """

    def __init__(
        self, chain: dict[str, Any], thresholds: Sequence[float], tests: list[TestSet], cache: ArrayCache
    ) -> None:
        meteor = Meteor.from_config(chain)
        self.chains = {threshold: set_threshold(meteor, threshold) for threshold in thresholds}
        self.taus: dict[str, dict[float, list[float]]] = {name: {} for name in MEASURES}
        measures = [measure(name) for name in MEASURES]
        for threshold, configuration in self.chains.items():
            metric = Meteor.from_config(configuration, label="chain")
            for table in evaluate(tests, [metric], measures, cache).tables:
                self.taus[table.measure.name][threshold] = [result.value for result in table.rows["chain"]]

    def find_best(self, measure_name: str, column: int) -> float:
        """Return the best threshold of a column. If several are best, return the one nearest to the default."""
        taus = self.taus[measure_name]
        return max(taus, key=lambda threshold: (taus[threshold][column], -abs(threshold - DEFAULT_THRESHOLD)))


def format_oracle_tables(resources: Resources, tests: list[TestSet], options: argparse.Namespace) -> str:
    """Return a table for each measure. It shows τ with the best threshold of each language pair."""
    first, last = round(100 * options.first), round(100 * options.last)
    thresholds = [percent / 100 for percent in range(first, last + 1)]
    cache = ArrayCache(options.cache)
    searches = {}
    for name in VECTOR_CHAINS:
        searches[name] = ThresholdSearch(resources.make_chain(name, tests[0].language), thresholds, tests, cache)
        print(f"{name}: {len(thresholds)} thresholds", file=sys.stderr, flush=True)
    pairs = [test.pair for test in tests]
    header = ["chain", *column_names(pairs)]
    if len(pairs) > 1:
        header.append("one threshold for all")
    parts = []
    for measure_name, title in MEASURES.items():
        rows = [
            (name, *format_oracle_cells(search, name, measure_name, tests, options))
            for name, search in searches.items()
        ]
        parts.append(
            f"{title} × 100, oracle threshold of each pair ({options.first:.2f} to {options.last:.2f}), "
            f"95% bootstrap intervals ({options.samples} samples)"
        )
        parts.append(format_table(header, rows))
    return "\n\n".join(parts)


def format_oracle_cells(
    search: ThresholdSearch, name: str, measure_name: str, tests: list[TestSet], options: argparse.Namespace
) -> list[str]:
    """Return τ with the best threshold of each language pair, and with the best common threshold."""
    cache = ArrayCache(options.cache)
    taus = search.taus[measure_name]
    is_paper_table = measure_name == "tau-wmt14" and tuple(test.pair for test in tests) == WMT14_PAIRS
    cells, best_taus, samples = [], [], []
    for column, test in enumerate(tests):
        threshold = search.find_best(measure_name, column)
        metric = Meteor.from_config(search.chains[threshold], label=name)
        scores = score_test_set(metric, test, test.judgment_mask(), cache, systems=False)
        weights = draw_weights(len(test), options.samples, DEFAULT_SEED)
        samples.append(measure(measure_name).resampled(test, scores, weights))
        best_taus.append(taus[threshold][column])
        cells.append(f"{format_interval(best_taus[-1], samples[-1])} at {threshold:.2f}")
    if len(tests) == 1:
        return cells
    cells.append(format_interval(sum(best_taus) / len(best_taus), sum(samples) / len(samples)))
    if is_paper_table:
        paper = PAPER_ORACLE[name]
        cells = [f"{cell} (paper {100 * value:.1f})" for cell, value in zip(cells, paper, strict=True)]
    common = search.find_best(measure_name, -1)
    return [*cells, f"{100 * taus[common][-1]:.2f} at {common:.2f}"]


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", action="append", default=[], metavar="LANGUAGE=FILE",
                        help="word vectors; by default those that are installed")  # fmt: skip
    parser.add_argument("--lemma-vectors", action="append", default=[], metavar="LANGUAGE=FILE",
                        help="vectors of lemmas, for table 6")  # fmt: skip
    parser.add_argument("--lemmatizer", action="append", default=[], metavar="LANGUAGE=FILE", help="tables of lemmas")
    parser.add_argument("--set", choices=PAIRS, default="wmt12", help="shared task [wmt12]")
    parser.add_argument("--synsets", help="folder of METEOR-E's synset files")
    parser.add_argument(
        "--pair", action="append", help="language pair [of the paper; on WMT12, into English and en-fr]"
    )
    parser.add_argument("--score", action="append", nargs=3, default=[],
                        metavar=("LANGUAGE", "HYPOTHESIS", "REFERENCE"),
                        help="table 3 of two files; without --pair, no other table is printed")  # fmt: skip
    parser.add_argument("--no-table3", action="store_true", help="do not print table 3")
    parser.add_argument("--oracle", action="store_true", help="also search the oracle thresholds (minutes)")
    parser.add_argument("--first", type=float, default=0.5, help="lowest oracle threshold [0.5]")
    parser.add_argument("--last", type=float, default=0.99, help="highest oracle threshold [0.99]")
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples [1000]")
    parser.add_argument("--tolerance", type=float, default=0.3,
                        help="largest difference of a mean from the METEOR-E program's [0.3]")  # fmt: skip
    parser.add_argument("--cache", type=Path, help="folder of the cache")
    parser.add_argument("-o", "--output", type=Path, help="write the tables to a Markdown file")
    add_sample_option(parser)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run; return the exit code."""
    options = make_parser().parse_args(arguments)
    with sample_folder(options.sample) as folder:
        if folder is not None:
            options.vectors = [f"en={write_sample_vectors(folder / 'words.txt')}"]
            options.set, options.samples, options.oracle, options.tolerance = "wmt14", 10, True, 100
            options.first, options.last = 0.79, 0.80
        try:
            return print_tables(options)
        except MeteorError as error:
            print(error, file=sys.stderr)
            return 1


def print_tables(options: argparse.Namespace) -> int:
    """Print the tables. Return 1 if a result differs from the METEOR-E program, and 0 otherwise."""
    start_time = time.perf_counter()
    resources = Resources(options)
    index = load_index(BENCHMARKS / f"{options.set}.yaml")
    pairs = options.pair or ([] if options.score else list(PAIRS[options.set]))
    parts = [format_table3_of_files(resources, *files) for files in options.score]
    if options.set == "wmt14":
        parts.append(format_table1(resources))
    if "fr-en" in pairs and not options.no_table3:
        parts.append(format_table3_of_task(resources, options.set, "fr-en"))
    failed = False
    for language in dict.fromkeys(pair.partition("-")[2] for pair in pairs):
        tests = load_test_sets(index, [pair for pair in pairs if pair.endswith(f"-{language}")])
        text, differs = format_table4(resources, tests, options)
        parts.append(text)
        failed |= differs
        if options.oracle:
            parts.append(format_oracle_tables(resources, tests, options))
        if language in resources.lemma_vectors:
            parts.append(format_table6(resources, tests, options))
    text = "\n\n".join(parts) + "\n"
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text)
    print(f"{time.perf_counter() - start_time:.0f} s", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
