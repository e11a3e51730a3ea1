"""Compare the synonyms of WordNet, DBnary and METEOR on WMT12 into English.

    python benchmarks/papers/synonyms.py
    python benchmarks/papers/synonyms.py fr-en --only wordnet
    python benchmarks/papers/synonyms.py --sample                       # a test that takes seconds

Each chain is METEOR 1.5's chain for English with another matcher for synonyms. The weights are those of METEOR. The
script prints the correlation with human judgments, and the percentage of the words of the judged outputs that each
matcher matches. It needs the plugin meteor-e-languages with simplemma, WordNet 3.0 (Debian's package wordnet-base) and
the pack en. ``METEOR_E_SHARED`` names the folder of the data.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from command import add_sample_option, sample_folder
from meteor_e_evaluation import TestSet
from meteor_e_evaluation.evaluation import evaluate, load_test_sets
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure

from meteor_e import Meteor
from meteor_e.base.array_cache import ArrayCache
from meteor_e.metrics.translations import chain_statistics

HERE = Path(__file__).parents[1]


def make_chains(shared: Path) -> dict[str, dict[str, Any]]:
    """Return the chains to compare by name.

    Args:
        shared: the folder of the shared data, which contains the synsets of DBnary.
    """
    dbnary = {"use": "dbnary", "file": str(shared / "data" / "dbnary" / "english.synsets.gz")}
    hypernyms = {"use": "wordnet", "relations": ["synonyms", "hypernyms"]}
    return {
        "no synonyms": make_chain(None),
        "METEOR's synsets": make_chain({"use": "synonym"}),
        "wordnet": make_chain({"use": "wordnet"}),
        "wordnet, nouns": make_chain({"use": "wordnet", "parts_of_speech": ["noun"]}),
        "wordnet, simplemma": make_chain({"use": "wordnet"}, lemmatizer="simplemma"),
        "wordnet + hypernyms": make_chain(hypernyms),
        "wordnet + hypernyms, depth 2": make_chain({**hypernyms, "depth": 2}),
        "wordnet + derivations": make_chain({"use": "wordnet", "relations": ["synonyms", "derivations"]}),
        "dbnary": make_chain(dbnary),
        "dbnary, simplemma": make_chain(dbnary, lemmatizer="simplemma"),
    }


def make_chain(synonym_matcher: dict[str, Any] | None, lemmatizer: str | None = None) -> dict[str, Any]:
    """Return METEOR's chain for English with a replaced synonym matcher."""
    matchers: list[dict[str, Any]] = [{"use": "exact", "weight": 1.0}, {"use": "stem", "weight": 0.6}]
    if synonym_matcher is not None:
        matchers.append({**synonym_matcher, "weight": 0.8})
    matchers.append({"use": "paraphrase", "weight": 0.6})
    chain: dict[str, Any] = {"matchers": matchers}
    if lemmatizer is not None:
        chain["lemmatizer"] = lemmatizer
    return chain


def format_match_rates(meteor: Meteor, tests: Sequence[TestSet], cache: ArrayCache) -> str:
    """Return for each matcher the percentage of words in the judged outputs that it matches."""
    word_count = 0.0
    match_counts = dict.fromkeys(meteor.matcher_names, 0.0)
    for test in tests:
        statistics = chain_statistics(meteor, test, test.judgment_mask(), cache)[:, :, 0]
        statistics = statistics.reshape(-1, statistics.shape[-1])
        # Segments without judgments have -1 as their statistics, and they are left out.
        total = statistics[statistics[:, 0] >= 0].astype(float).sum(axis=0)
        word_count += total[0]
        for index, name in enumerate(meteor.matcher_names):
            content_matches, function_matches = total[4 + 4 * index], total[6 + 4 * index]
            match_counts[name] += content_matches + function_matches
    return " ".join(f"{name} {100 * count / word_count:.2f}" for name, count in match_counts.items())


def main() -> None:
    """Parse the command line, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", default=["cs-en", "de-en", "es-en", "fr-en"])
    parser.add_argument("--only", action="append", help="name of a chain; may be repeated")
    add_sample_option(parser)
    options = parser.parse_args()
    with sample_folder(options.sample):
        print_table(options)


def print_table(options: argparse.Namespace) -> None:
    """Print a row for each chain."""
    shared = Path(os.environ.get("METEOR_E_SHARED") or HERE.parents[1] / "shared")
    tests = load_test_sets(load_index(HERE / "wmt12.yaml"), options.pairs)
    cache = ArrayCache()
    print(f"{'chain':30} {' '.join(options.pairs)} {'mean':>5}  words matched by module, in percent", flush=True)
    for name, chain in make_chains(shared).items():
        if options.only and name not in options.only:
            continue
        metric = Meteor.from_config(chain, label=name)
        (table,) = evaluate(tests, [metric], [measure("tau-strict")], cache).tables
        values = " ".join(f"{100 * result.value:5.2f}" for result in table.rows[name])
        print(f"{name:30} {values}  {format_match_rates(metric, tests, cache)}", flush=True)


if __name__ == "__main__":
    main()
