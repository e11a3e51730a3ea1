"""Measure what each resource of a language changes in the agreement with human judgments, and write it down.

usage: python benchmarks/languages/gates.py INDEX... [--language CODE] [--resource NAME] [--write] [--json FILE]

Each resource stands alone beside exact matches, with the parameters of the task universal and the weight .6:
stems, lemmas by simplemma, synonyms of a wordnet or DBnary, and function words of METEOR's packs; of Chinese and
Japanese, other segmenters instead of their own. The figure is the change of Kendall's tau inside a segment (WMT14's
variant: a tie of the metric counts as nothing), the mean over the language's sets, with a 95 % interval from segments
drawn anew. Packs are those installed: `meteor-e pack install CODE`. --write puts the figures into
resources/languages/CODE.yaml.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from meteor_e_evaluation import TestSet, load_index, load_test_set, measure
from numpy.typing import NDArray

from meteor_e import Meteor, MeteorError
from meteor_e.chains.chain import find_language
from meteor_e.packs.store import PackStore

Floats = NDArray[np.float64]
LANGUAGES = Path(__file__).parents[2] / "resources" / "languages"
WEIGHT = 0.6
SEGMENTERS = {"zh": ("characters", "jieba", "icu"), "ja": ("characters", "fugashi", "icu")}
SEED = 1


def resources(code: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each resource that a language can have here, and the chain with it."""
    language = find_language(code)
    # No pack: METEOR's languages would bring function words, English ones even.
    exact = {"task": "universal", "matchers": ["exact"], "pack": "none"}

    def beside(module: str, **keys: Any) -> dict[str, Any]:
        return {**exact, "matchers": ["exact", {"use": module, "weight": WEIGHT}], **keys}

    yield "", exact
    if language.stemmer:
        yield "stem", beside("stem")
    store = PackStore()
    if "simplemma" in language.resources:
        yield "simplemma", beside("lemma", lemmatizer={"use": "simplemma"})
    if store.find(f"{code}-omw"):
        yield "omw", beside("synonym", pack=f"{code}-omw")
    if store.find(f"dbnary-{code}"):
        yield "dbnary", beside("dbnary")
    for segmenter in SEGMENTERS.get(code, ()):
        if segmenter != language.segmenter:
            yield segmenter, {**exact, "segmenter": segmenter}
    if language.pack and store.find(language.pack):
        yield "function words", {**exact, "pack": language.pack, "function_words": "own"}


def counted(code: str, keys: Mapping[str, Any], test: TestSet) -> Floats | None:
    """Return a chain's concordant, discordant and tied pairs, ``(segments, 3)``; ``None`` where it cannot be had."""
    try:
        meteor = Meteor(code, offline=True, **keys)
    except MeteorError as error:
        print(f"  {test.pair}: {error}", flush=True)
        return None
    return counts_of(test, scores_of(meteor, test))


def scores_of(meteor: Meteor, test: TestSet) -> Floats:
    """Return scores of the segments that are judged, ``(systems, segments)``, of others NaN."""
    judged = test.judgment_mask()
    scores = np.full(judged.shape, np.nan)
    for row, output in enumerate(test.outputs):
        at = np.flatnonzero(judged[row])
        found = meteor.segments([output[i] for i in at], *([text[i] for i in at] for text in test.references))
        scores[row, at] = [segment.score for segment in found]
    return scores


def counts_of(test: TestSet, scores: Floats) -> Floats | None:
    """Return concordant, discordant and tied pairs, ``(segments, 3)``; ``None`` without judgments of segments."""
    counts = measure("tau-wmt14").counts(test, scores)
    return None if counts is None else counts[:, :3]


def tau(counts: Floats) -> Floats:
    """Return tau of sums ``(…, 3)``."""
    return np.asarray((counts[..., 0] - counts[..., 1]) / counts.sum(-1))


def changes(code: str, tests: list[TestSet], samples: int, only: list[str] | None) -> dict[str, dict[str, Any]]:
    """Return what is known of each resource of a language, or only of some."""
    found: dict[str, list[tuple[str, float, Floats]]] = {}
    for test in tests:
        random = np.random.default_rng(SEED)
        draws = random.multinomial(len(test), np.full(len(test), 1 / len(test)), samples).astype(float)
        base: Floats | None = None
        for name, keys in resources(code):
            if name and only and name not in only:
                continue
            counts = counted(code, keys, test)
            if counts is None:
                continue
            if base is None:
                base = counts
                print(f"{test.name} {test.pair}: exact {tau(base.sum(0)):.4f}", flush=True)
                continue
            change = float(tau(counts.sum(0)) - tau(base.sum(0)))
            spread = tau(draws @ counts) - tau(draws @ base)
            found.setdefault(name, []).append((f"{test.name} {test.pair}", change, spread))
    return {name: _summary(sets) for name, sets in found.items()}


def _summary(sets: list[tuple[str, float, Floats]]) -> dict[str, Any]:
    low, high = np.percentile(np.mean([spread for _, _, spread in sets], axis=0), [2.5, 97.5])
    values = (float(np.mean([change for _, change, _ in sets])), float(low), float(high))
    change, low, high = (round(value, 4) + 0.0 for value in values)
    pairs: dict[str, list[str]] = {}
    for name, _, _ in sets:
        pairs.setdefault(name.partition(" ")[0], []).append(name.rpartition(" ")[2])
    data = ", ".join(f"{name} {' '.join(each)}" for name, each in sorted(pairs.items()))
    return {"change": change, "low": low, "high": high, "data": data}


def written(text: str, found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a language file with the evidence in place of what it had."""
    kept = re.sub(r"^evidence:\n(?:  .*\n)*", "", text, flags=re.M).rstrip("\n") + "\n"
    rows = [
        f'  {name}: {{change: {row["change"]}, low: {row["low"]}, high: {row["high"]}, data: "{row["data"]}"}}\n'
        for name, row in found.items()
    ]
    return kept + "evidence:\n" + "".join(rows) if rows else kept


def main() -> None:
    """Measure, print a table, and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="+", help="as meteor-e evaluate takes it")
    parser.add_argument("--language", action="append", help="only this one; may be repeated")
    parser.add_argument("--resource", action="append", help="only this one, whose figures join those written down")
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--write", action="store_true", help="put the figures into resources/languages")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    tests: dict[str, list[tuple[Any, str]]] = {}
    for path in options.index:
        index = load_index(path)
        for pair in index.pairs:
            tests.setdefault(find_language(pair.partition("-")[2]).code, []).append((index, pair))
    result = {}
    for code in options.language or sorted(tests):
        sets = [load_test_set(index, pair) for index, pair in tests[code]]
        result[code] = changes(code, sets, options.samples, options.resource)
        for name, row in result[code].items():
            print(f"{code} {name:10} {row['change']:+.4f} [{row['low']:+.4f}, {row['high']:+.4f}] {row['data']}")
        if options.write and result[code]:
            file = LANGUAGES / f"{code}.yaml"
            before = find_language(code).evidence if options.resource else {}
            found = {**{name: row._asdict() for name, row in before.items()}, **result[code]}
            file.write_text(written(file.read_text("utf-8"), found), "utf-8")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
