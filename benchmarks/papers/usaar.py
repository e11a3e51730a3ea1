"""USAAR's COSINE, ZWICKEL and COMET beside METEOR on WMT12 and WMT17: segments, and systems by every mean.

    python benchmarks/papers/usaar.py --texts texts.en
    meteor-e papers document-vectors texts.en -o documents.bin --epochs 5
    python benchmarks/papers/usaar.py --document-vectors documents.bin --write table.md
    python benchmarks/papers/usaar.py --sample                          # seconds, with made-up vectors

The texts are the references of WMT11 and WMT13 into English and, for each language pair, the first four outputs in
the order of their names; --texts FILE writes them. The recipes usaar-cosine, usaar-zwickel and usaar-comet learn from
WMT11 and WMT13. The tests are WMT12 (strict τ × 100) and WMT17 (Pearson's r) into English. Systems: Pearson's r and
Spearman's ρ with people's scores, for each mean of the segments' scores. 95% bootstrap intervals of the mean over
language pairs, by segments; people's scores of systems are not resampled. ``METEOR_E_SHARED`` names the folder of the
data. Needs the plugin meteor-e-papers.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from command import add_sample_option, exit_code, sample_folder, write_sample_vectors
from meteor_e_evaluation import TestSet
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.recipe import DataSpec, make_features
from meteor_e_learned.training import learnable, make_estimator
from meteor_e_papers.means import MEANS, system_mean
from meteor_e_papers.paper_recipes import make_recipe

from meteor_e.api import Estimator
from meteor_e.api.estimators import TrainingRun
from meteor_e.api.features import FeatureBatch
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import Floats
from meteor_e.base.atomic import atomic_writer
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.significance.resampling import draw_weights, interval

HERE = Path(__file__).parents[1]
RECIPES = ("usaar-cosine", "usaar-zwickel", "usaar-comet")
TESTS = {
    "wmt12": (["cs-en", "de-en", "es-en", "fr-en"], "tau-strict", 100.0),
    "wmt17": (["cs-en", "de-en", "lv-en"], "pearson", 1.0),
}


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--document-vectors", type=Path, metavar="FILE", help="vectors of words and phrases")
    parser.add_argument("--texts", type=Path, metavar="FILE", help="write the texts to train vectors on, and stop")
    parser.add_argument(
        "--similarity", choices=["cosine", "shared-words"], default="cosine", help="see document-cosine"
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="also write the tables to a file")
    add_sample_option(parser)
    parser.add_argument("--tests", nargs="+", choices=list(TESTS), default=list(TESTS))
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples [1000]")
    parser.add_argument("--jobs", type=int, default=1)
    return exit_code(run, parser.parse_args())


def run(options: argparse.Namespace) -> None:
    """Print the tables, or write the texts."""
    with sample_folder(options.sample) as folder:
        if folder is not None:
            options.document_vectors, options.samples = write_sample_vectors(folder / "words.txt"), 10
        if options.texts is not None:
            write_texts(options.texts)
            return
        if options.document_vectors is None:
            raise ConfigError("usaar.py: name the document vectors with --document-vectors")
        lines = []
        for line in tables(options):
            print(line, flush=True)
            lines.append(line)
        if options.write is not None:
            with atomic_writer(options.write) as stream:
                stream.write("\n".join(lines) + "\n")


def write_texts(path: Path) -> None:
    """Write the references, and the first four outputs of each language pair, of WMT11 and WMT13 into English."""
    sentences: list[str] = []
    for name in ("wmt11", "wmt13"):
        index = load_index(HERE / f"{name}.yaml")
        for number, pair in enumerate(index.pairs_into("en")):
            test = load_test_set(index, pair)
            # All pairs of a year have one reference.
            for text in (*(() if number else test.references), *test.outputs[:4]):
                sentences += text
    with atomic_writer(path) as stream:
        stream.writelines(f"{sentence}\n" for sentence in sentences)
    print(f"{path}: {len(sentences):,} sentences", file=sys.stderr)


def metrics(options: argparse.Namespace) -> Iterator[tuple[str, FeatureSet, Estimator | None]]:
    """Yield the metrics: name, features, and the trained estimator; METEOR is its only feature."""
    yield "METEOR", FeatureSet.from_config([{"use": "meteor", "columns": ["score"]}]), None
    for name in RECIPES:
        data = [DataSpec("wmt11.yaml"), DataSpec("wmt13.yaml")]
        recipe = make_recipe(name, data, document_vectors=str(options.document_vectors.resolve()))
        entries = [
            {**entry, "similarity": options.similarity} if "file" in entry else entry for entry in recipe.features
        ]
        features = make_features(entries, recipe.language, HERE)
        started = time.perf_counter()
        settings = {"language": recipe.language, "folder": HERE, "seed": recipe.seed, "jobs": options.jobs}
        none, store = FeatureSet([]), FeatureStore()
        estimator = make_estimator(recipe, features, none)
        learned = ""
        if recipe.target is not None:
            examples = learnable(recipe, recipe.train, features, none, store, **settings)
            estimator.learn(examples, None, TrainingRun(recipe.seed, features.columns))
            learned = f", {len(examples.features)} hypotheses, " + ", ".join(
                f"{key} {float(value[0]):.4f}" for key, value in estimator.arrays().items() if key != "columns"
            )
        else:
            estimator.fit(np.zeros((0, 1)), columns=features.columns)
        print(f"{name}: trained in {time.perf_counter() - started:.1f} s{learned}", file=sys.stderr, flush=True)
        yield name.removeprefix("usaar-").upper(), features, estimator


def segment_scores(
    test: TestSet, features: FeatureSet, estimator: Estimator | None, store: FeatureStore, jobs: int
) -> Floats:
    """Return the scores of all segments of all systems, ``(systems, segments)``."""
    references = [list(each) for each in zip(*test.references, strict=True)]
    batch = FeatureBatch(
        [line for output in test.outputs for line in output], [each for _ in test.outputs for each in references]
    )
    rows = features.extract(batch, store, jobs=jobs)
    scores = rows[:, 0] if estimator is None else estimator.score_segments(rows)
    if not np.isfinite(scores).all():
        raise InputError(f"{test.name} {test.pair}: {int((~np.isfinite(scores)).sum())} scores are not numbers")
    return scores.reshape(len(test.outputs), -1)


def tables(options: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of all tables."""
    samples, jobs = options.samples, options.jobs
    trained = list(metrics(options))
    store = FeatureStore()
    for name in options.tests:
        pairs, measure_name, unit = TESTS[name]
        index = load_index(HERE / f"{name}.yaml")
        tests = [load_test_set(index, pair) for pair in pairs]
        weights = {len(test): draw_weights(len(test), samples) for test in tests}
        head = " | ".join(pairs)
        rule = "|---|" + "---|" * (len(pairs) + 2)
        yield f"{index.name}, segments, {measure(measure_name).title}{' × 100' if unit == 100 else ''}:\n"
        yield f"| metric | {head} | mean | 95 % interval |\n{rule}"
        found = {}
        for metric, features, estimator in trained:
            scores = [segment_scores(test, features, estimator, store, jobs) for test in tests]
            found[metric] = scores
            wrapped = [Scores(metric, metric, each, each.mean(axis=1)) for each in scores]
            yield row(metric, measure_name, tests, wrapped, weights, unit)
        for kind in ("system-pearson", "system-spearman"):
            yield f"\n{index.name}, systems, {measure(kind).title}:\n"
            yield f"| metric | mean of segments | {head} | mean | 95 % interval |\n|---{rule}"
            for metric, scores in found.items():
                for mean in MEANS:
                    yield row(f"{metric} | {mean}", kind, tests, [by_mean(each, mean) for each in scores], weights, 1.0)
        yield ""


def by_mean(scores: Floats, mean: str) -> Scores:
    """Return scores whose systems have a mean of their segments' scores."""
    whole = np.array([system_mean(mean, each)[0] for each in scores])
    return Scores(mean, mean, scores, whole, lambda system, weights: system_mean(mean, scores[system], weights))


def row(
    title: str, measure_name: str, tests: list[TestSet], scores: list[Scores], weights: dict[int, Floats], unit: float
) -> str:
    """Return a row of a table."""
    entry = measure(measure_name)
    values = [unit * entry.value(test, each) for test, each in zip(tests, scores, strict=True)]
    drawn = [entry.resampled(test, each, weights[len(test)]) for test, each in zip(tests, scores, strict=True)]
    low, high = interval(unit * np.mean(drawn, axis=0))
    if not np.isfinite([*values, low, high]).all():
        raise InputError(f"{title}, {measure_name}: a figure is not a number")
    digits = 2 if unit == 100 else 3
    cells = " | ".join(f"{value:.{digits}f}" for value in (*values, np.mean(values)))
    return f"| {title} | {cells} | {low:.{digits}f} to {high:.{digits}f} |"


if __name__ == "__main__":
    sys.exit(main())
