"""METEOR-E's training variants (Servan et al., 2016, section 4.2), side by side: τ on WMT12 into English.

    python benchmarks/papers/vector_variants.py --work FOLDER            # the first 100,000 pairs of Europarl fr-en
    python benchmarks/papers/vector_variants.py --work FOLDER --sentences 1000000  # all (hours)

Every variant is trained by the command `meteor-e vectors train` on the same sentences with the same settings; what is
trained stays in the folder and is not trained again. The chain is the paper's Vector (exact, vector, paraphrase), with
the threshold .80, and with the one that is best on WMT11; with 95 % bootstrap intervals of what it gains over the
first row, on the same samples. Needs meteor-e-vectors and
meteor-e-languages[simplemma,hanta]. What needs tags, or a lemma that depends on the sentence, takes HanTa's; the
other lemmas are simplemma's, one a word type.
"""

from __future__ import annotations

import argparse
import itertools
import json
import lzma
import os
import sqlite3
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from meteor_e_evaluation.agreement import evaluate, load_test_sets
from meteor_e_evaluation.data import TestSet
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure
from meteor_e_evaluation.tuning.data import collect
from meteor_e_evaluation.tuning.objectives import make_objective
from meteor_e_evaluation.tuning.scorer import PointScorer, point_of

from meteor_e import Lemmatizer, Meteor, hookimpl
from meteor_e.base.array_cache import ArrayCache, Floats
from meteor_e.base.errors import MeteorError
from meteor_e.metrics.chain_metric import ChainMetric
from meteor_e.plugins.registry import plugin_registry
from meteor_e.significance.resampling import DEFAULT_SEED, draw_weights, interval

HERE = Path(__file__).parents[1]
MEASURE = "tau-strict"
REMEMBERED = "remembering-hanta"
SAMPLES = 1000
PLAIN = "words"
"""What the others are measured against."""
VARIANTS: dict[str, tuple[str, tuple[str, ...], str | None]] = {
    "words": ("word", (), None),
    "lemmas": ("lemma", (), "simplemma"),
    "lemmas of HanTa": ("lemma", (), REMEMBERED),
    "word_POS": ("word_POS", (), REMEMBERED),
    "lemma_POS": ("lemma_POS", (), REMEMBERED),
    "word_lemma": ("word_lemma", (), REMEMBERED),
    "bilingual": ("word", ("--bitext", "{other}", "--bitext-language", "fr"), None),
    "bilingual, lemmas": ("lemma", ("--bitext", "{other}", "--bitext-language", "fr"), "simplemma"),
    "pseudo-bilingual with POS": ("word", ("--with", "tags"), REMEMBERED),
    "pseudo-bilingual with lemmas": ("word", ("--with", "lemmas"), "simplemma"),
}
"""Each variant: what its vectors are looked up by, the options that train them, and what gives lemmas and tags."""


class RememberingLemmatizer(Lemmatizer):
    """HanTa, which keeps what it has found in a file: the same sentences are tagged for every variant."""

    name: ClassVar[str] = REMEMBERED
    scope: ClassVar[Literal["word", "sentence"]] = "sentence"
    file: ClassVar[Path]

    def __init__(self) -> None:
        from meteor_e_languages.lemmatizers.hanta import HantaLemmatizer

        self._hanta = HantaLemmatizer("en")
        self._rows = sqlite3.connect(self.file, timeout=60, isolation_level=None, check_same_thread=False)
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.execute("PRAGMA synchronous = OFF")
        self._rows.execute("CREATE TABLE IF NOT EXISTS tagged (sentence TEXT PRIMARY KEY, found TEXT) WITHOUT ROWID")

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str | None, str | None]]:
        """Return lemma and universal tag of each word of a sentence."""
        sentence = " ".join(words)
        kept = self._rows.execute("SELECT found FROM tagged WHERE sentence = ?", (sentence,)).fetchone()
        if kept is not None:
            return [tuple(pair) for pair in json.loads(kept[0])]
        found = self._hanta.lemmatize(words)
        self._rows.execute("INSERT OR IGNORE INTO tagged VALUES (?, ?)", (sentence, json.dumps(found)))
        return list(found)

    def describe(self) -> str:
        """Say what HanTa it is."""
        return self._hanta.describe()


class BenchmarkPlugin:
    """Brings the lemmatizer."""

    @hookimpl
    def meteor_e_lemmatizers(self) -> list[type[Lemmatizer]]:
        """Return the lemmatizer."""
        return [RememberingLemmatizer]


def beginning(source: Path, target: Path, sentences: int) -> None:
    """Write the first lines of a packed text, unless that has been done."""
    if not target.exists():
        with (
            lzma.open(source, "rt", encoding="utf-8", newline="\n") as lines,
            target.open("w", encoding="utf-8") as out,
        ):
            out.writelines(itertools.islice(lines, sentences))


def trained(name: str, options: argparse.Namespace, english: Path, french: Path) -> tuple[Path, float]:
    """Return the vectors of a variant, and how many seconds of processor time training took (0: it was done)."""
    from meteor_e_vectors.cli import vectors

    file = options.work / f"{english.stem}-{name.replace(', ', '-').replace(' ', '-')}.vectors"
    if file.exists():
        return file, 0.0
    key, given, lemmatizer = VARIANTS[name]
    arguments = ["--key", key, *(argument.format(other=french) for argument in given)]
    if lemmatizer is not None:
        arguments += ["--lemmatizer", lemmatizer]
    started = time.process_time()
    vectors.main(
        ["train", str(english), "-l", "en", "-q", "-o", str(file), *arguments, *options.train], standalone_mode=False
    )
    return file, time.process_time() - started


def chain(file: Path, name: str, threshold: float = 0.8) -> dict[str, Any]:
    """Return METEOR-E's Vector chain with the vectors of a variant."""
    made: dict[str, Any] = {
        "language": "en",
        "matchers": [
            {"use": "exact", "weight": 1.0},
            {"use": "vector", "weight": 0.8, "file": str(file.absolute()), "threshold": threshold},
            {"use": "paraphrase", "weight": 0.6},
        ],
    }
    key, _, lemmatizer = VARIANTS[name]
    return made if key == "word" else {**made, "lemmatizer": lemmatizer}


def figures(entry: dict[str, Any], tests: list[TestSet], cache: ArrayCache) -> list[float]:
    """Return τ × 100 of a chain, a pair each, and the mean."""
    (table,) = evaluate(tests, [ChainMetric(entry, name="chain")], [measure(MEASURE)], cache).tables
    return [100 * result.value for result in table.rows["chain"]]


def sampled(entry: dict[str, Any], tests: list[TestSet], cache: ArrayCache) -> Floats:
    """Return the mean τ × 100 of a chain on bootstrap samples, the same ones for every chain."""
    meteor = Meteor.from_config(entry)
    data = collect(meteor, tests, cache)
    scores = PointScorer(data).score(point_of(meteor.chain.parameters))
    weights = draw_weights(len(data.unit_groups), SAMPLES, DEFAULT_SEED)
    return 100 * make_objective("rank").prepare(data).resampled(scores, weights)


def best_threshold(entry: dict[str, Any], tests: list[TestSet], cache: ArrayCache) -> float:
    """Return the threshold with the best mean."""
    from meteor_e_vectors.oracle import evaluate_thresholds, thresholds

    values = thresholds(0.6, 0.95, 0.05)
    found = {
        value: evaluation.tables[0].rows["chain"][-1].value
        for value, evaluation in evaluate_thresholds(
            Meteor.from_config(entry), tests, values, [measure(MEASURE)], cache
        )
    }
    return max(found, key=lambda value: (found[value], -abs(value - 0.8)))


def main(arguments: list[str] | None = None) -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for texts and vectors")
    parser.add_argument("--sentences", type=int, default=100_000, help="pairs of Europarl to train on")
    parser.add_argument("--only", action="append", help="a variant; default: all")
    parser.add_argument("--train", action="append", default=[], metavar="OPTION", help="more options of training")
    parser.add_argument("--cache", type=Path, help="folder of the cache")
    options = parser.parse_args(arguments)
    shared = Path(os.environ.get("METEOR_E_SHARED", HERE.parent.parent / "shared")) / "data" / "europarl"
    options.work.mkdir(parents=True, exist_ok=True)
    english, french = (options.work / f"{code}{options.sentences}.txt" for code in ("en", "fr"))
    cache = ArrayCache(options.cache)
    RememberingLemmatizer.file = options.work / "hanta.sqlite"
    plugin_registry().register(BenchmarkPlugin(), "vector-variants")
    plugin_registry().names("lemmatizer")
    try:
        for target, code in ((english, "en"), (french, "fr")):
            beginning(shared / f"europarl.fr-en.{code}.xz", target, options.sentences)
        index, earlier = load_index(HERE / "wmt12.yaml"), load_index(HERE / "wmt11.yaml")
        tests = load_test_sets(index, [pair for pair in index.pairs if pair.endswith("-en")])
        tuning = load_test_sets(earlier, list(earlier.pairs))
        pairs = " | ".join(test.pair for test in tests)
        print(f"| variant | words | {pairs} | mean | gain | threshold of WMT11 | mean | gain | training, s |")
        print(f"|---|--:|{'--:|' * len(tests)}--:|---|--:|--:|---|--:|")
        words_alone: list[Floats] = []
        for name in dict.fromkeys([PLAIN, *(options.only or VARIANTS)]):
            from meteor_e_vectors import open_vectors

            file, seconds = trained(name, options, english, french)
            default = figures(chain(file, name), tests, cache)
            threshold = best_threshold(chain(file, name), tuning, cache)
            chosen = figures(chain(file, name, threshold), tests, cache)
            cells = " | ".join(f"{value:.2f}" for value in default)
            words, mean = len(open_vectors(file)), chosen[-1]
            drawn = [sampled(chain(file, name, at), tests, cache) for at in (0.8, threshold)]
            words_alone = words_alone or drawn
            at_usual, at_chosen = (
                "" if drawn is words_alone else f"[{low:.2f}, {high:.2f}]"
                for low, high in (interval(own - base) for own, base in zip(drawn, words_alone, strict=True))
            )
            cells += f" | {at_usual} | {threshold:.2f} | {mean:.2f} | {at_chosen}"
            print(f"| {name} | {words} | {cells} | {seconds:.0f} |", flush=True)
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
