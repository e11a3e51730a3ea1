"""WordNet, DBnary and METEOR's own synsets on WMT12 into English: agreement with judgments, words matched by module.

    python benchmarks/papers/synonyms.py
    python benchmarks/papers/synonyms.py fr-en --only wordnet
    python benchmarks/papers/synonyms.py --sample                       # seconds

Needs the plugin meteor-e-languages, WordNet 3.0 (Debian's wordnet-base),
the pack en, and METEOR_E_SHARED. Every chain is METEOR 1.5's for English except for the module in the synonyms' place,
with METEOR's weights. Lemmas are simplemma's. The words counted are those of the judged
outputs.
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


def chains(shared: Path) -> dict[str, dict[str, Any]]:
    """Return what is compared: names and chains."""
    dbnary = {"use": "dbnary", "file": str(shared / "data" / "dbnary" / "english.synsets.gz")}
    in_the_middle: dict[str, tuple[Any, str | None]] = {
        "no synonyms": (None, None),
        "METEOR's synsets": ("synonym", None),
        "wordnet": ({"use": "wordnet"}, None),
        "wordnet, nouns": ({"use": "wordnet", "parts_of_speech": ["noun"]}, None),
        "wordnet, simplemma": ({"use": "wordnet"}, "simplemma"),
        "wordnet + hypernyms": ({"use": "wordnet", "relations": ["synonyms", "hypernyms"]}, None),
        "wordnet + hypernyms, depth 2": (
            {"use": "wordnet", "relations": ["synonyms", "hypernyms"], "depth": 2},
            None,
        ),
        "wordnet + derivations": ({"use": "wordnet", "relations": ["synonyms", "derivations"]}, None),
        "dbnary": (dbnary, None),
        "dbnary, simplemma": (dbnary, "simplemma"),
    }
    found = {}
    for name, (module, lemmatizer) in in_the_middle.items():
        matchers: list[dict[str, Any]] = [{"use": "exact", "weight": 1.0}, {"use": "stem", "weight": 0.6}]
        if module is not None:
            matchers.append({**(module if isinstance(module, dict) else {"use": module}), "weight": 0.8})
        matchers.append({"use": "paraphrase", "weight": 0.6})
        found[name] = {"matchers": matchers, **({"lemmatizer": lemmatizer} if lemmatizer else {})}
    return found


def shares(meteor: Meteor, tests: Sequence[TestSet], cache: ArrayCache) -> str:
    """Return, for each module, the percentage of the words of judged outputs that it matches."""
    words = 0.0
    matched: dict[str, float] = {}
    for test in tests:
        counts = chain_statistics(meteor, test, test.judgment_mask(), cache)[:, :, 0]
        counts = counts.reshape(-1, counts.shape[-1])
        total = counts[counts[:, 0] >= 0].astype(float).sum(axis=0)
        words += total[0]
        for number, name in enumerate(meteor.matcher_names):
            matched[name] = matched.get(name, 0.0) + total[4 + 4 * number] + total[6 + 4 * number]
    return " ".join(f"{name} {100 * count / words:.2f}" for name, count in matched.items())


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", default=["cs-en", "de-en", "es-en", "fr-en"])
    parser.add_argument("--only", action="append", help="a chain; may be repeated")
    add_sample_option(parser)
    options = parser.parse_args()
    with sample_folder(options.sample):
        print_table(options)


def print_table(options: argparse.Namespace) -> None:
    """Print a line per chain."""
    shared = Path(os.environ.get("METEOR_E_SHARED") or HERE.parents[1] / "shared")
    tests = load_test_sets(load_index(HERE / "wmt12.yaml"), options.pairs)
    cache = ArrayCache()
    print(f"{'chain':30} {' '.join(options.pairs)} {'mean':>5}  words matched by module, in percent", flush=True)
    for name, chain in chains(shared).items():
        if options.only and name not in options.only:
            continue
        metric = Meteor.from_config(chain, label=name)
        (table,) = evaluate(tests, [metric], [measure("tau-strict")], cache).tables
        values = " ".join(f"{100 * result.value:5.2f}" for result in table.rows[name])
        print(f"{name:30} {values}  {shares(metric, tests, cache)}", flush=True)


if __name__ == "__main__":
    main()
