"""Measure each matcher that looks inside words: alone, beside n-grams, and added to the chain any.

usage: python benchmarks/languages/matchers.py INDEX... [--pair PAIR] [--matcher NAME] [--page FILE] [--json FILE]

All chains read texts as the chain any does, with its parameters. A matcher weighs as much as exact matches where it
stands beside these, or these and n-grams. Added to the chain any it has the weight, of those of --weights, that is best
on the other languages. The figure is the change of Kendall's tau inside a segment (WMT14's variant), the mean over
the pairs, with a 95 % interval from segments drawn anew. Times are the processor's, for scoring alone.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from gates import SEED, counts_of, scores_of, tau
from meteor_e_evaluation import TestSet, load_index, load_test_set
from numpy.typing import NDArray

from meteor_e import Meteor, MeteorError
from meteor_e.toolkit import find_language

Floats = NDArray[np.float64]
FRONT: dict[str, Any] = {
    "task": "any",
    "segmenter": "script",
    "normalization": "none",
    "character_mode": True,
    "pack": "none",
}
ANY = {"exact": 0.15, "ngram": 0.15, "characters": 0.55, "subsequence": 0.3}
MATCHERS = {
    "ngram": "ngram",
    "prefix": "prefix",
    "diacritics": "diacritics",
    "transliteration": "transliteration",
    "compound": "compound",
    "subword, learned from the references": "subword",
    "subword, learned from frequent words": "subword",
    "characters": "characters",
    "subsequence": "subsequence",
}
COMPOUNDS = frozenset(("da", "de", "fi", "hu", "is", "nb", "nl", "sv"))


def chains(name: str, text: str, weights: list[float]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the chains with a matcher, each with what it is added to."""
    options = {"text": text} if name.endswith("references") else {}
    one = {"use": MATCHERS[name], **options}
    if name not in ANY:
        yield "exact, ngram", [{"use": each, "weight": 1.0} for each in ("exact", "ngram")] + [{**one, "weight": 1.0}]
        for weight in weights:
            shares = [{"use": each, "weight": share} for each, share in ANY.items()]
            yield f"any {weight}", [*shares, {**one, "weight": weight}]
    yield "exact", [{"use": "exact", "weight": 1.0}, {**one, "weight": 1.0}]


def measured(code: str, test: TestSet, matchers: list[dict[str, Any]]) -> tuple[Floats, float]:
    """Return a chain's concordant, discordant and tied pairs, ``(segments, 3)``, and processor seconds."""
    meteor = Meteor(code, offline=True, matchers=matchers, **FRONT)
    # What is learned or read at first is not counted.
    meteor.score(test.outputs[0][0], test.references[0][0])
    start = time.process_time()
    scores = scores_of(meteor, test)
    seconds = time.process_time() - start
    counts = counts_of(test, scores)
    if counts is None:
        raise MeteorError(f"{test.name} {test.pair}: no pairs of judgments")
    return counts, seconds


def pair_rows(
    code: str, test: TestSet, names: list[str], weights: list[float]
) -> dict[tuple[str, str], tuple[Floats, float]]:
    """Return counts and seconds of all chains for a pair, by what is added (or nothing) and to what."""
    plain: dict[str, list[dict[str, Any]]] = {
        "exact": [{"use": "exact", "weight": 1.0}],
        "exact, ngram": [{"use": each, "weight": 1.0} for each in ("exact", "ngram")],
        "any": [{"use": each, "weight": share} for each, share in ANY.items()],
    }
    found = {("", base): measured(code, test, matchers) for base, matchers in plain.items()}
    with TemporaryDirectory() as folder:
        text = Path(folder) / "references"
        text.write_text("".join(f"{segment}\n" for side in test.references for segment in side), "utf-8")
        for name in names:
            if name == "compound" and code not in COMPOUNDS:
                continue
            for base, matchers in chains(name, str(text), weights):
                try:
                    found[name, base] = measured(code, test, matchers)
                except MeteorError as error:
                    print(f"  {test.pair} {name}: {error}", flush=True)
                    break
    return found


def changes(
    rows: dict[str, dict[tuple[str, str], tuple[Floats, float]]], name: str, weights: list[float], samples: int
) -> dict[str, dict[str, Any]]:
    """Return of a matcher what it changes beside each base: mean, interval, pairs that it raises, and its time."""
    pairs = [pair for pair, found in rows.items() if (name, "exact") in found]
    best: dict[str, str] = {}
    for pair in pairs:
        target = pair.rpartition("-")[2]
        others = [other for other in pairs if other.rpartition("-")[2] != target]
        gains = [
            float(np.mean([gain(rows[other], name, f"any {weight}", "any") for other in others])) if others else 0.0
            for weight in weights
            if name not in ANY
        ]
        best[pair] = f"any {weights[int(np.argmax(gains))]}" if gains and max(gains) > 0 else "any"
    result = {}
    for base in ("exact", "exact, ngram", "any"):
        if name in ANY and base != "exact":
            continue
        random = np.random.default_rng(SEED)
        spreads, means = [], {}
        for pair in pairs:
            found = rows[pair]
            chosen = best[pair] if base == "any" else base
            new, old = found[(name, chosen) if chosen != "any" else ("", "any")][0], found["", base][0]
            draws = random.multinomial(len(new), np.full(len(new), 1 / len(new)), samples).astype(float)
            spreads.append(tau(draws @ new) - tau(draws @ old))
            means[pair] = float(tau(new.sum(0)) - tau(old.sum(0)))
        low, high = np.percentile(np.mean(spreads, axis=0), [2.5, 97.5])
        values = {"change": float(np.mean(list(means.values()))), "low": float(low), "high": float(high)}
        result[base] = {**{key: round(value, 4) + 0.0 for key, value in values.items()}, "pairs": means}
        if base == "any":
            result[base]["weights"] = best
    result["exact"]["time"] = sum(rows[pair][name, "exact"][1] for pair in pairs) / sum(
        rows[pair]["", "exact"][1] for pair in pairs
    )
    return result


def gain(found: dict[tuple[str, str], tuple[Floats, float]], name: str, chain: str, base: str) -> float:
    """Return the change of tau that a chain with a matcher makes on a pair."""
    return float(tau(found[name, chain][0].sum(0)) - tau(found["", base][0].sum(0)))


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="+", help="as meteor-e evaluate takes it")
    parser.add_argument("--pair", action="append", help="only this one; may be repeated")
    parser.add_argument("--matcher", action="append", choices=MATCHERS, help="only this one; may be repeated")
    parser.add_argument("--weights", type=float, nargs="+", default=[0.05, 0.2])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = options.matcher or list(MATCHERS)
    rows = {}
    for path in options.index:
        index = load_index(path)
        for pair in index.pairs:
            if options.pair and pair not in options.pair:
                continue
            if pair.endswith("-en"):
                continue
            test = load_test_set(index, pair)
            code = find_language(pair.partition("-")[2]).code
            key = f"{test.name} {pair}"
            rows[key] = pair_rows(code, test, names, options.weights)
            for (name, base), (counts, seconds) in rows[key].items():
                print(f"{key} {base} + {name or '-'}: {tau(counts.sum(0)):.4f} {seconds:.1f} s", flush=True)
    result = {
        name: changes(rows, name, options.weights, options.samples)
        for name in names
        if any((name, "exact") in found for found in rows.values())
    }
    for name, found in result.items():
        for base, row in found.items():
            raised = sum(value > 0 for value in row["pairs"].values())
            print(
                f"{name:40} {base:13} {row['change']:+.4f} [{row['low']:+.4f}, {row['high']:+.4f}] "
                f"{raised}/{len(row['pairs'])} {row.get('time', 0):.2f}"
            )
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
