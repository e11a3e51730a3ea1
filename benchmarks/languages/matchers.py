"""Measure each matcher that looks inside words: beside exact matches, beside n-grams, and added to the chain any.

usage: python benchmarks/languages/matchers.py INDEX... [--pair PAIR] [--matcher NAME] [--page FILE] [--cache FOLDER]

All chains read texts as the chain any does, with its parameters. A matcher weighs as much as exact matches where it
stands beside these, or these and n-grams. Added to the chain any it has the weight, of those of --weights and 0, that
is best on the other languages. The figure is the change of Kendall's tau inside a segment (WMT14's variant), the mean
over the pairs out of English, with a 95 % interval from segments drawn anew. Times are the processor's, for scoring
alone.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from gates import SEED, counts_of, tau
from meteor_e_evaluation import TestSet, load_index, load_test_set
from numpy.typing import NDArray

from meteor_e import Meteor, MeteorError
from meteor_e.chains.lookup import find_language
from meteor_e.scoring.arrays import score_arrays

Floats = NDArray[np.float64]
Rows = dict[tuple[str, str], Floats]
"""Concordant, discordant and tied pairs of segments, by what is added (or nothing) and to what."""

FRONT: dict[str, Any] = {
    **{"task": "any", "segmenter": "script", "normalization": "none", "character_mode": True, "pack": "none"}
}
ANY = {"exact": 0.15, "ngram": 0.15, "characters": 0.55, "subsequence": 0.3}
MATCHERS = {
    "ngram": "character n-grams that words share",
    "prefix": "beginnings that words share",
    "diacritics": "words that differ in case and accents only",
    "transliteration": "words of different scripts, by their Latin spelling",
    "compound": "parts of compounds, by wordfreq's words",
    "subword": "pieces learned from wordfreq's words",
    "subword:references": "pieces learned from the references",
}
COMPOUNDS = frozenset(("da", "de", "fi", "hu", "is", "nl", "no", "sv"))
BASES = ("exact", "exact, ngram", "any")


class Statistics:
    """What a chain counts in all judged segments of a test set, to be scored with any weights."""

    def __init__(self, code: str, test: TestSet, matchers: list[Any]) -> None:
        meteor = Meteor(code, offline=True, matchers=matchers, **FRONT)
        # What is learned or read at first is not counted.
        meteor.score(test.outputs[0][0], test.references[0][0])
        self.test, self.parameters, self.judged, self.seconds = test, meteor.chain.parameters, test.judged(), 0.0
        rows = []
        for row, output in enumerate(test.outputs):
            at = np.flatnonzero(self.judged[row])
            start = time.process_time()
            found = list(meteor.segments([output[i] for i in at], *([text[i] for i in at] for text in test.references)))
            self.seconds += time.process_time() - start
            rows += [segment.statistics.to_vector() for segment in found]
        self.counts = np.array(rows, np.float64)

    def pairs(self, *weights: float) -> Floats:
        """Return concordant, discordant and tied pairs with some weights, ``(segments, 3)``."""
        scores = np.full(self.judged.shape, np.nan)
        scores[self.judged] = score_arrays(self.counts, replace(self.parameters, weights=weights))
        found = counts_of(self.test, scores)
        if found is None:
            raise MeteorError(f"{self.test.name} {self.test.pair}: no pairs of judgments")
        return found


def matcher_rows(code: str, test: TestSet, name: str, weights: list[float]) -> tuple[Rows, float]:
    """Return the counts of all chains with a matcher (without one: the bases), and seconds beside exact matches."""
    if not name:
        exact, whole = Statistics(code, test, ["exact"]), Statistics(code, test, list(ANY))
        plain = (exact.pairs(1.0), whole.pairs(1.0, 1.0, 0.0, 0.0), whole.pairs(*ANY.values()))
        return {("", base): counts for base, counts in zip(BASES, plain, strict=True)}, exact.seconds
    use, _, source = name.partition(":")
    with TemporaryDirectory() as folder:
        text = Path(folder) / "references"
        text.write_text("".join(f"{segment}\n" for side in test.references for segment in side), "utf-8")
        matcher: dict[str, Any] = {"use": use, **({"text": str(text)} if source else {})}
        alone = Statistics(code, test, ["exact", matcher])
        rows = {(name, "exact"): alone.pairs(1.0, 1.0)}
        if use not in ANY:
            added = Statistics(code, test, [*ANY, matcher])
            rows[name, "exact, ngram"] = added.pairs(1.0, 1.0, 0.0, 0.0, 1.0)
            rows.update({(name, f"any {weight}"): added.pairs(*ANY.values(), weight) for weight in weights})
    return rows, alone.seconds


def pair_rows(
    code: str, test: TestSet, names: list[str], weights: list[float], cache: Path | None
) -> tuple[Rows, dict[str, float]]:
    """Return the counts of all chains for a pair, and the processor seconds of each matcher beside exact matches."""
    rows: Rows = {}
    seconds: dict[str, float] = {}
    for name in ("", *names):
        if name == "compound" and code not in COMPOUNDS:
            continue
        file = cache / f"{test.name} {test.pair} {name}.npz" if cache else None
        if file is not None and file.is_file():
            with np.load(file) as found:
                rows.update({(name, key): found[key] for key in found.files if key != "seconds"})
                seconds[name] = float(found["seconds"])
            continue
        try:
            new, seconds[name] = matcher_rows(code, test, name, weights)
        except MeteorError as error:
            print(f"  {test.pair} {name}: {error}", flush=True)
            continue
        rows.update(new)
        for (_, base), counts in new.items():
            print(f"{test.name} {test.pair} | {base} | {name} | {tau(counts.sum(0)):.4f}", flush=True)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(file, seconds=seconds[name], **{base: counts for (_, base), counts in new.items()})
    return rows, seconds


def changes(rows: dict[str, Rows], name: str, weights: list[float], samples: int) -> dict[str, dict[str, Any]]:
    """Return what a matcher changes beside each base: mean, interval, values of pairs, and weights in the chain any."""
    pairs = [pair for pair, found in rows.items() if (name, "exact") in found]
    result = {}
    for base in BASES if name not in ANY else BASES[:1]:
        random = np.random.default_rng(SEED)
        spreads, values, chosen = [], {}, {}
        for pair in pairs:
            key = (name, base)
            if base == "any":
                chosen[pair] = weight = best_weight(rows, name, pair, pairs, weights)
                key = (name, f"any {weight}") if weight else ("", "any")
            new, old = rows[pair][key], rows[pair]["", base]
            draws = random.multinomial(len(new), np.full(len(new), 1 / len(new)), samples).astype(float)
            spreads.append(tau(draws @ new) - tau(draws @ old))
            values[pair] = gain(rows[pair], key, base)
        low, high = np.percentile(np.mean(spreads, axis=0), [2.5, 97.5])
        result[base] = {
            "change": float(np.mean(list(values.values()))),
            "low": float(low),
            "high": float(high),
            "pairs": values,
            **({"weights": chosen} if chosen else {}),
        }
    return result


def best_weight(rows: dict[str, Rows], name: str, pair: str, pairs: list[str], weights: list[float]) -> float:
    """Return the weight that raises tau most on the pairs with other targets; 0 where none does."""
    others = [other for other in pairs if other.rpartition("-")[2] != pair.rpartition("-")[2]]
    gains = {
        weight: float(np.mean([gain(rows[other], (name, f"any {weight}"), "any") for other in others]))
        for weight in weights
        if others
    }
    return max((gained, weight) for weight, gained in {0.0: 0.0, **gains}.items())[1]


def gain(rows: Rows, key: tuple[str, str], base: str) -> float:
    """Return the change of tau."""
    return float(tau(rows[key].sum(0)) - tau(rows["", base].sum(0)))


def table(result: dict[str, dict[str, dict[str, Any]]], times: dict[str, float]) -> str:
    """Return the table of all matchers."""
    lines = [
        "| matcher | what matches | pairs | beside `exact` | beside `exact` and `ngram` | in `any` | time |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, found in result.items():
        cells = [spell(found[base]) if base in found else "part of it" for base in BASES]
        label = "`, from the references".join(name.split(":references")) if ":" in name else f"{name}`"
        count = len(found["exact"]["pairs"])
        lines.append(f"| `{label} | {MATCHERS[name]} | {count} | {' | '.join(cells)} | {times[name]:.1f} |")
    return "\n".join(lines) + "\n"


def spell(row: dict[str, Any]) -> str:
    """Return a change with its interval, and in how many pairs the figure rises."""
    if not any(row["pairs"].values()):
        return "0: no weight helps"
    raised = sum(value > 0 for value in row["pairs"].values())
    return f"{row['change']:+.4f} [{row['low']:+.4f}, {row['high']:+.4f}], {raised} up"


def main() -> None:
    """Measure, print a table, and put it into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="+", help="as meteor-e evaluate takes it")
    parser.add_argument("--pair", action="append", help="only this one; may be repeated")
    parser.add_argument("--matcher", action="append", choices=MATCHERS, help="only this one; may be repeated")
    parser.add_argument("--weights", type=float, nargs="+", default=[0.02, 0.05, 0.1, 0.2, 0.4])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--page", type=Path, help="a page whose table, between two marks, is replaced")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--cache", type=Path, help="a folder that keeps what was measured, for another run")
    options = parser.parse_args()
    names = options.matcher or list(MATCHERS)
    rows: dict[str, Rows] = {}
    seconds: dict[str, dict[str, float]] = {}
    for path in options.index:
        index = load_index(path)
        for pair in index.pairs:
            if pair.endswith("-en") or (options.pair and pair not in options.pair):
                continue
            test = load_test_set(index, pair)
            key, code = f"{test.name} {pair}", find_language(pair.partition("-")[2]).code
            rows[key], seconds[key] = pair_rows(code, test, names, options.weights, options.cache)
    measured = [name for name in names if any(name in found for found in seconds.values())]
    result = {name: changes(rows, name, options.weights, options.samples) for name in measured}
    times = {
        name: sum(found[name] for found in seconds.values() if name in found)
        / sum(found[""] for found in seconds.values() if name in found)
        for name in measured
    }
    made = table(result, times)
    print(made)
    if options.json:
        options.json.write_text(json.dumps({"changes": result, "times": times}, indent=1) + "\n", "utf-8")
    if options.page:
        before, mark, rest = options.page.read_text("utf-8").partition("<!-- table -->\n")
        _, end, after = rest.partition("<!-- end -->\n")
        options.page.write_text(f"{before}{mark}{made}{end}{after}", "utf-8")


if __name__ == "__main__":
    main()
