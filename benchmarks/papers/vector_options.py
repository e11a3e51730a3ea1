"""Options of the vector matchers that go beyond METEOR-E, each measured on WMT12 into English (strict τ × 100).

    python benchmarks/papers/vector_options.py --vectors en.vectors --tags en.tags.tsv

The chain is METEOR-E's Vector (exact, vector, paraphrase). ``--tags`` names a table ``word⇥tag⇥lemma`` with universal
tags; without it, the rows with tags are left out. Off by default, all of them: none was tuned.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from meteor_e_evaluation.agreement import evaluate, load_test_sets
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure

from meteor_e.base.array_cache import ArrayCache
from meteor_e.metrics.chain_metric import ChainMetric

INTO = ("cs-en", "de-en", "es-en", "fr-en")
CONTENT = ["NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"]


def variants(file: str, tags: str | None) -> dict[str, dict[str, Any]]:
    """Return the chains to measure."""

    def chain(*vectors: dict[str, Any], **keys: Any) -> dict[str, Any]:
        own = [{"use": "vector", "file": file, **options} for options in vectors]
        return {
            "language": "en",
            "matchers": [{"use": "exact", "weight": 1.0}, *own, {"use": "paraphrase", "weight": 0.6}],
            **keys,
        }

    def bands(width: float) -> list[dict[str, Any]]:
        """Split similarities of .8 and more into bands, each of which weighs what is in its middle."""
        edges = [0.8 + width * number for number in range(round(0.2 / width))]
        return [
            {
                "threshold": round(edge, 4),
                "weight": round(edge + width / 2, 4),
                **({"below": round(edge + width, 4)} if edge + width < 1 - 1e-9 else {}),
            }
            for edge in reversed(edges)
        ]

    found = {
        "vector": chain({"weight": 0.8}),
        "cosine as weight, bands of .10": chain(*bands(0.1)),
        "cosine as weight, bands of .05": chain(*bands(0.05)),
    }
    if tags is not None:
        lemmas = {"lemmatizer": {"use": "lookup", "file": tags}}
        others = ["ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ", "INTJ", "PUNCT", "SYM", "X"]
        found["content words only"] = chain({"weight": 0.8, "tags": CONTENT}, **lemmas)
        for weight in (0.4, 0.6):
            found[f"by tag: content words .8, others {weight}"] = chain(
                {"weight": 0.8, "tags": CONTENT}, {"weight": weight, "tags": others}, **lemmas
            )
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", required=True, help="English vectors")
    parser.add_argument("--tags", help="table of tags")
    parser.add_argument("--only", help="measure only what has this in its name")
    parser.add_argument("--cache", type=Path, help="folder of the cache")
    options = parser.parse_args(arguments)
    tests = load_test_sets(load_index(Path(__file__).parents[1] / "wmt12.yaml"), list(INTO))
    print(f"| chain | {' | '.join(INTO)} | mean | seconds |\n|---|{'--:|' * (len(INTO) + 2)}")
    file = str(Path(options.vectors).absolute())
    tags = None if options.tags is None else str(Path(options.tags).absolute())
    for name, chain in variants(file, tags).items():
        if options.only is not None and options.only not in name:
            continue
        started = time.perf_counter()
        metric = ChainMetric(chain, name="chain")
        (table,) = evaluate(tests, [metric], [measure("tau-strict")], ArrayCache(options.cache)).tables
        figures = " | ".join(f"{100 * result.value:.2f}" for result in table.rows["chain"])
        print(f"| {name} | {figures} | {time.perf_counter() - started:.0f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
