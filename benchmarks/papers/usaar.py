"""Evaluate USAAR's metrics COSINE, ZWICKEL and COMET (Vela and Tan, 2015) on WMT12 and WMT17.

    python benchmarks/papers/usaar.py --texts texts.en
    meteor-e papers document-vectors texts.en -o documents.bin --epochs 5
    python benchmarks/papers/usaar.py --document-vectors documents.bin --write table.md
    python benchmarks/papers/usaar.py --sample                          # a test that takes seconds

``--texts`` writes the training texts of the vectors: the references of WMT11 and WMT13 into English, and the first four
outputs of each language pair in alphabetical order. The metrics are also trained on WMT11 and WMT13. They are compared
with METEOR on WMT12 and WMT17 into English. The measure for segments is the strict τ × 100 on WMT12 and Pearson's r on
WMT17. The measures for systems are Pearson's r and Spearman's ρ with human scores, for each mean of the segment scores.
Intervals are 95% bootstrap confidence intervals over segments for the mean over language pairs. Human scores of systems
are not resampled. ``METEOR_E_SHARED`` names the folder of the data. The script needs the plugin meteor-e-papers.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from command import add_sample_option, exit_code, sample_folder, write_sample_vectors
from meteor_e_evaluation import TestSet
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.inputs import InputExtractor
from meteor_e_learned.recipe import DataSpec, make_features
from meteor_e_learned.training import load_labeled_examples, make_estimator
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
"""The language pairs of each test set, the measure for segments, and the factor by which its values are multiplied."""


@dataclass(frozen=True)
class TrainedMetric:
    """A metric that consists of features and an estimator.

    Attributes:
        name: the name of the metric in the tables.
        features: the features that the estimator reads.
        estimator: the trained estimator, or None if the only feature is the score.
    """

    name: str
    features: FeatureSet
    estimator: Estimator | None


def main() -> int:
    """Parse the command line, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--document-vectors", type=Path, metavar="FILE", help="vectors of words and phrases")
    parser.add_argument("--texts", type=Path, metavar="FILE", help="only write the training texts of the vectors")
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
    """Print the tables, or write the texts on which word vectors can be trained."""
    with sample_folder(options.sample) as folder:
        if folder is not None:
            options.document_vectors, options.samples = write_sample_vectors(folder / "words.txt"), 10
        if options.texts is not None:
            write_texts(options.texts)
            return
        if options.document_vectors is None:
            raise ConfigError("usaar.py: name the document vectors with --document-vectors")
        lines = []
        for line in format_tables(options):
            print(line, flush=True)
            lines.append(line)
        if options.write is not None:
            with atomic_writer(options.write) as stream:
                stream.write("\n".join(lines) + "\n")


def write_texts(path: Path) -> None:
    """Write the references and outputs of WMT11 and WMT13 into English, on which the vectors are trained."""
    sentences: list[str] = []
    for name in ("wmt11", "wmt13"):
        index = load_index(HERE / f"{name}.yaml")
        for pair_index, pair in enumerate(index.pairs_into("en")):
            test = load_test_set(index, pair)
            # All language pairs of a year have the same references, so the references are written only once.
            if pair_index == 0:
                for reference in test.references:
                    sentences += reference
            for output in test.outputs[:4]:
                sentences += output
    with atomic_writer(path) as stream:
        stream.writelines(f"{sentence}\n" for sentence in sentences)
    print(f"{path}: {len(sentences):,} sentences", file=sys.stderr)


def train_metrics(options: argparse.Namespace) -> list[TrainedMetric]:
    """Train the metrics of USAAR, and return them together with METEOR."""
    meteor_features = FeatureSet.from_config([{"use": "meteor", "columns": ["score"]}])
    metrics = [TrainedMetric("METEOR", meteor_features, None)]
    for recipe_name in RECIPES:
        metrics.append(train_metric(recipe_name, options))
    return metrics


def train_metric(recipe_name: str, options: argparse.Namespace) -> TrainedMetric:
    """Train a metric of USAAR on WMT11 and WMT13, and print its parameters."""
    data = [DataSpec("wmt11.yaml"), DataSpec("wmt13.yaml")]
    vector_files = {"document-cosine": str(options.document_vectors.resolve())}
    recipe = make_recipe(recipe_name, vector_files=vector_files, changed_options={}, train=data)
    entries = [{**entry, "similarity": options.similarity} if "file" in entry else entry for entry in recipe.features]
    features = make_features(entries, recipe.language, HERE)
    start_time = time.perf_counter()
    estimator = make_estimator(recipe, features, FeatureSet([]))
    message = ""
    if recipe.target is None:
        estimator.fit(np.zeros((0, 1)), columns=features.columns)
    else:
        extractor = InputExtractor(features, FeatureSet([]), FeatureStore(), options.jobs)
        examples = load_labeled_examples(recipe, recipe.train, extractor, HERE)
        estimator.learn(examples, None, TrainingRun(recipe.seed, features.columns))
        message = f", {len(examples.features)} hypotheses, {format_parameters(estimator)}"
    seconds = time.perf_counter() - start_time
    print(f"{recipe_name}: trained in {seconds:.1f} s{message}", file=sys.stderr, flush=True)
    return TrainedMetric(recipe_name.removeprefix("usaar-").upper(), features, estimator)


def format_parameters(estimator: Estimator) -> str:
    """Return the learned parameters of an estimator."""
    parameters = {name: float(array[0]) for name, array in estimator.arrays().items() if name != "columns"}
    return ", ".join(f"{name} {value:.4f}" for name, value in parameters.items())


def score_segments(metric: TrainedMetric, test: TestSet, store: FeatureStore, jobs: int) -> Floats:
    """Score all segments of all systems, and return an array ``(systems, segments)``."""
    references_by_segment = [list(references) for references in zip(*test.references, strict=True)]
    hypotheses = [segment for output in test.outputs for segment in output]
    batch = FeatureBatch(hypotheses, references_by_segment * len(test.outputs))
    features = metric.features.extract(batch, store, jobs=jobs)
    scores = features[:, 0] if metric.estimator is None else metric.estimator.score_segments(features)
    invalid_count = int((~np.isfinite(scores)).sum())
    if invalid_count:
        raise InputError(f"{test.name} {test.pair}: {invalid_count} scores are not numbers")
    return scores.reshape(len(test.outputs), -1)


def format_tables(options: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of all tables."""
    metrics = train_metrics(options)
    store = FeatureStore()
    for index_name in options.tests:
        pairs, segment_measure, unit = TESTS[index_name]
        index = load_index(HERE / f"{index_name}.yaml")
        tests = [load_test_set(index, pair) for pair in pairs]
        weights = {len(test): draw_weights(len(test), options.samples) for test in tests}
        segment_rows: dict[str, list[Scores]] = {}
        system_rows: dict[str, list[Scores]] = {}
        for metric in metrics:
            segment_scores = [score_segments(metric, test, store, options.jobs) for test in tests]
            segment_rows[metric.name] = [average_segments(scores, "arithmetic") for scores in segment_scores]
            for mean in MEANS:
                system_rows[f"{metric.name} | {mean}"] = [average_segments(scores, mean) for scores in segment_scores]
        title = f"{index.name}, segments"
        yield from format_table(title, ["metric"], segment_measure, unit, tests, segment_rows, weights)
        title = f"\n{index.name}, systems"
        for system_measure in ("system-pearson", "system-spearman"):
            labels = ["metric", "mean of segments"]
            yield from format_table(title, labels, system_measure, 1.0, tests, system_rows, weights)
        yield ""


def format_table(
    title: str,
    label_columns: list[str],
    measure_name: str,
    unit: float,
    tests: list[TestSet],
    rows: dict[str, list[Scores]],
    weights: dict[int, Floats],
) -> Iterator[str]:
    """Yield the lines of a Markdown table.

    Args:
        title: the title of the table without the measure.
        label_columns: the headings of the columns that contain the label of a row.
        measure_name: the name of the measure.
        unit: the factor by which the values of the measure are multiplied.
        tests: the test set of each language pair.
        rows: for each label, the scores of each test set. Several cells of a label are separated by ``|``.
        weights: for each number of segments, the weights of the bootstrap samples, ``(samples, segments)``.
    """
    columns = [*label_columns, *(test.pair for test in tests), "mean", "95 % interval"]
    yield f"{title}, {measure(measure_name).title}{' × 100' if unit == 100 else ''}:\n"
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for label, scores in rows.items():
        yield format_row(label, measure_name, tests, scores, weights, unit)


def average_segments(scores: Floats, mean: str) -> Scores:
    """Compute system scores as a mean of the segment scores. ``mean`` is the name of the mean.

    Args:
        scores: the segment scores, ``(systems, segments)``.
        mean: the name of the mean.
    """

    def resample(system: int, weights: Floats) -> Floats:
        return system_mean(mean, scores[system], weights)

    system_scores = np.array([system_mean(mean, segment_scores)[0] for segment_scores in scores])
    return Scores(mean, mean, scores, system_scores, resample)


def format_row(
    title: str, measure_name: str, tests: list[TestSet], scores: list[Scores], weights: dict[int, Floats], unit: float
) -> str:
    """Return a table row with the value of each language pair, the mean, and its confidence interval."""
    chosen_measure = measure(measure_name)
    values, samples = [], []
    for test, test_scores in zip(tests, scores, strict=True):
        values.append(unit * chosen_measure.value(test, test_scores))
        samples.append(chosen_measure.resampled(test, test_scores, weights[len(test)]))
    low, high = interval(unit * np.mean(samples, axis=0))
    if not np.isfinite([*values, low, high]).all():
        raise InputError(f"{title}, {measure_name}: a figure is not a number")
    digits = 2 if unit == 100 else 3
    cells = " | ".join(f"{value:.{digits}f}" for value in (*values, np.mean(values)))
    return f"| {title} | {cells} | {low:.{digits}f} to {high:.{digits}f} |"


if __name__ == "__main__":
    sys.exit(main())
