"""Measure how each resource of a language changes the agreement with human judgments, and store the results.

usage: python benchmarks/languages/gates.py INDEX... [--language CODE] [--resource NAME] [--write] [--json FILE]

Each resource is added to exact matches, with the parameters of the task universal and the weight 0.6. The resources
are stems, lemmas of simplemma, synonyms of a wordnet or DBnary, and function words of METEOR's packs. For Chinese and
Japanese, other segmenters are compared with the default one. The effect is the change of Kendall's tau within segments
(in the variant of WMT14, in which ties of the metric do not count), averaged over the test sets of the language, with a
95% confidence interval from a bootstrap over segments. The script uses installed packs only (`meteor-e pack install
CODE`). With --write, it stores the effects in resources/languages/CODE.yaml.
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
    """Yield the name of each available resource of a language, and the settings of a chain that uses it.

    The first name is empty. It belongs to the chain that uses no resource.
    """
    language = find_language(code)
    # The chain does not use a pack, because METEOR's packs would add function words, which are partly English.
    exact = {"task": "universal", "matchers": ["exact"], "pack": "none"}

    def add_matcher(matcher: str, **keys: Any) -> dict[str, Any]:
        return {**exact, "matchers": ["exact", {"use": matcher, "weight": WEIGHT}], **keys}

    yield "", exact
    if language.stemmer:
        yield "stem", add_matcher("stem")
    store = PackStore()
    if "simplemma" in language.resources:
        yield "simplemma", add_matcher("lemma", lemmatizer={"use": "simplemma"})
    if store.find(f"{code}-omw"):
        yield "omw", add_matcher("synonym", pack=f"{code}-omw")
    if store.find(f"dbnary-{code}"):
        yield "dbnary", add_matcher("dbnary")
    for segmenter in SEGMENTERS.get(code, ()):
        if segmenter != language.segmenter:
            yield segmenter, {**exact, "segmenter": segmenter}
    if language.pack and store.find(language.pack):
        yield "function words", {**exact, "pack": language.pack, "function_words": "own"}


def count_chain_pairs(code: str, keys: Mapping[str, Any], test: TestSet) -> Floats | None:
    """Count the pairs of a chain with :func:`count_pairs`. Return ``None`` if the chain cannot be created."""
    try:
        meteor = Meteor(code, offline=True, **keys)
    except MeteorError as error:
        print(f"  {test.pair}: {error}", flush=True)
        return None
    return count_pairs(test, score_judged_segments(meteor, test))


def score_judged_segments(meteor: Meteor, test: TestSet) -> Floats:
    """Return scores as an array ``(systems, segments)``, which contains NaN for segments without judgments."""
    is_judged = test.judgment_mask()
    scores = np.full(is_judged.shape, np.nan)
    for system, output in enumerate(test.outputs):
        indexes = np.flatnonzero(is_judged[system])
        hypotheses = [output[i] for i in indexes]
        references = [[column[i] for i in indexes] for column in test.references]
        scores[system, indexes] = [segment.score for segment in meteor.segments(hypotheses, *references)]
    return scores


def count_pairs(test: TestSet, scores: Floats) -> Floats | None:
    """Count the concordant, discordant and tied pairs of each segment. Return ``None`` without judgments."""
    counts = measure("tau-wmt14").counts(test, scores)
    return None if counts is None else counts[:, :3]


def tau(counts: Floats) -> Floats:
    """Compute Kendall's tau from the numbers of concordant, discordant and tied pairs."""
    return np.asarray((counts[..., 0] - counts[..., 1]) / counts.sum(-1))


def measure_changes(code: str, tests: list[TestSet], samples: int, only: list[str] | None) -> dict[str, dict[str, Any]]:
    """Return the effect of each resource of a language on tau. ``only`` selects some of the resources."""
    changes: dict[str, list[tuple[str, float, Floats]]] = {}
    for test in tests:
        rng = np.random.default_rng(SEED)
        weights = rng.multinomial(len(test), np.full(len(test), 1 / len(test)), samples).astype(float)
        base: Floats | None = None
        for name, keys in resources(code):
            if name and only and name not in only:
                continue
            counts = count_chain_pairs(code, keys, test)
            if counts is None:
                continue
            if base is None:
                base = counts
                print(f"{test.name} {test.pair}: exact {tau(base.sum(0)):.4f}", flush=True)
                continue
            change = float(tau(counts.sum(0)) - tau(base.sum(0)))
            sampled_changes = tau(weights @ counts) - tau(weights @ base)
            changes.setdefault(name, []).append((f"{test.name} {test.pair}", change, sampled_changes))
    return {name: summarize_changes(test_changes) for name, test_changes in changes.items()}


def summarize_changes(changes: list[tuple[str, float, Floats]]) -> dict[str, Any]:
    """Return the mean change over test sets, its confidence interval, and the names of the test sets.

    Args:
        changes: for each test set its name, the change, and the change for each bootstrap sample.
    """
    sampled_means = np.mean([sampled_changes for _, _, sampled_changes in changes], axis=0)
    low, high = np.percentile(sampled_means, [2.5, 97.5])
    mean = np.mean([change for _, change, _ in changes])
    pairs_by_set: dict[str, list[str]] = {}
    for name, _, _ in changes:
        pairs_by_set.setdefault(name.partition(" ")[0], []).append(name.rpartition(" ")[2])
    return {
        "change": round_value(mean),
        "low": round_value(low),
        "high": round_value(high),
        "data": ", ".join(f"{name} {' '.join(pairs)}" for name, pairs in sorted(pairs_by_set.items())),
    }


def round_value(value: Any) -> float:
    """Round to four decimals, and replace -0 by 0."""
    return round(float(value), 4) + 0.0


def replace_evidence(text: str, evidence: Mapping[str, Mapping[str, Any]]) -> str:
    """Replace the section ``evidence`` in the text of a language file."""
    text = re.sub(r"^evidence:\n(?:  .*\n)*", "", text, flags=re.M).rstrip("\n") + "\n"
    if not evidence:
        return text
    lines = [
        f'  {name}: {{change: {row["change"]}, low: {row["low"]}, high: {row["high"]}, data: "{row["data"]}"}}\n'
        for name, row in evidence.items()
    ]
    return text + "evidence:\n" + "".join(lines)


def main() -> None:
    """Measure and print the effects of the resources, and store them if the option ``--write`` is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="+", help="indexes of judged test sets, as for meteor-e evaluate")
    parser.add_argument("--language", action="append", help="only this language; may be repeated")
    parser.add_argument("--resource", action="append", help="only this resource; its evidence is added to the file")
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--write", action="store_true", help="store the effects in resources/languages")
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
        result[code] = measure_changes(code, sets, options.samples, options.resource)
        for name, row in result[code].items():
            print(f"{code} {name:10} {row['change']:+.4f} [{row['low']:+.4f}, {row['high']:+.4f}] {row['data']}")
        if options.write and result[code]:
            file = LANGUAGES / f"{code}.yaml"
            previous = find_language(code).evidence if options.resource else {}
            evidence = {**{name: row._asdict() for name, row in previous.items()}, **result[code]}
            file.write_text(replace_evidence(file.read_text("utf-8"), evidence), "utf-8")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
