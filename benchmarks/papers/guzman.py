"""Reproduce tables 1, 2, 4 and 5 of Guzmán et al. (2015), and compare each row with the value in the paper.

    python benchmarks/papers/guzman.py --vectors vectors.bin                    # all rows, five seeds
    python benchmarks/papers/guzman.py --vectors vectors.bin --rows 4metrics both --seeds 1 2 --patience 20
    python benchmarks/papers/guzman.py --sample                                 # a test that takes seconds

The networks are trained on WMT11. The best epoch is selected on 5,000 comparisons of WMT13, and the test set is WMT12.
The measure is the strict τ × 100. ``METEOR_E_SHARED`` names the folder of the data. Completed rows are appended to the
file ``--output`` in JSON Lines format, so that an interrupted run can be continued. The script needs the plugin
meteor-e-papers.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from command import add_sample_option, exit_code, sample_folder, write_sample_vectors
from meteor_e_learned.data import load_examples
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.inputs import InputExtractor
from meteor_e_learned.recipe import DataSpec
from meteor_e_papers.pairwise_network import PairwiseNetwork, fit_seeds
from numpy.typing import NDArray

from meteor_e.api import Examples
from meteor_e.significance.resampling import draw_weights, interval

HERE = Path(__file__).parents[1]
SYNTAX, SEMANTIC = "tag-vectors", "word-vectors"
BOTH = (SYNTAX, SEMANTIC)
METRICS = ("bleu", "nist.score", "ter.score", "meteor.score")
COMPONENTS = ("bleu-components",)
GLOROT_START = {"skip_start": "glorot"}
LOGISTIC_START = {"skip_start": "logistic"}
SINGLE_LAYER = {"architecture": "single-layer"}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A row of the paper's tables.

    Attributes:
        tables: the numbers of the tables that contain the row, or ``causes`` for an additional experiment.
        title: the features and the network.
        features: the names of the features.
        vectors: the names of the sentence vectors.
        paper_mean: the mean τ over the language pairs in the paper.
        options: the options of the network.
        ties: how ties of a metric are counted.
    """

    tables: str
    title: str
    features: tuple[str, ...]
    vectors: tuple[str, ...]
    paper_mean: float
    options: dict[str, Any] = field(default_factory=dict)
    ties: Literal["wrong", "neutral", "excluded"] = "wrong"


# In most networks, the weights of skip connections are initialized by a logistic regression.
# With random initial weights, the networks would need 10,000 epochs, as in the paper.
ROWS = {
    "bleu": Row("1, 2", "BLEU", ("bleu",), (), 18.46),
    "nist": Row("1", "NIST", ("nist.score",), (), 21.34),
    "ter": Row("1", "TER", ("ter.score",), (), 21.75),
    "meteor": Row("1", "METEOR", ("meteor.score",), (), 23.59),
    "4metrics": Row("1", "4METRICS, logistic regression", METRICS, (), 27.06, {**SINGLE_LAYER, **LOGISTIC_START}),
    "both": Row("1, 4, 5", "4METRICS + both, multi-layer, logistic", METRICS, BOTH, 29.70, LOGISTIC_START),
    "bleucomp": Row("2", "BLEUCOMP, logistic regression", COMPONENTS, (), 19.75, {**SINGLE_LAYER, **LOGISTIC_START}),
    "bleucomp+both": Row("2", "BLEUCOMP + both", COMPONENTS, BOTH, 26.15, LOGISTIC_START),
    "4metrics+syntax": Row("1", "4METRICS + SYNTAX25", METRICS, (SYNTAX,), 28.51, LOGISTIC_START),
    "4metrics+semantic": Row("1", "4METRICS + WIKI-GW25", METRICS, (SEMANTIC,), 29.07, LOGISTIC_START),
    "single-layer": Row(
        "4", "4METRICS + both, single-layer", METRICS, BOTH, 29.10, {**SINGLE_LAYER, **LOGISTIC_START}
    ),
    "logistic-kendall": Row(
        "5", "4METRICS + both, logistic, then Kendall", METRICS, BOTH, 29.92,
        {"cost": "logistic-kendall", **LOGISTIC_START},
    ),
    "kendall": Row(
        "5", "4METRICS + both, Kendall", METRICS, BOTH, 29.53, {"cost": "kendall", **LOGISTIC_START}
    ),
    "syntax": Row("1", "SYNTAX25", (), (SYNTAX,), 10.14),
    "semantic": Row("1", "WIKI-GW25", (), (SEMANTIC,), 10.01),
    "bleucomp+syntax": Row("2", "BLEUCOMP + SYNTAX25", COMPONENTS, (SYNTAX,), 23.70, LOGISTIC_START),
    "bleucomp+semantic": Row("2", "BLEUCOMP + WIKI-GW25", COMPONENTS, (SEMANTIC,), 24.92, LOGISTIC_START),
    "bleu+both": Row("2", "BLEU + both", ("bleu",), BOTH, 24.05, LOGISTIC_START),
    # The following rows test possible reasons why our results differ from the paper.
    "ter, untied": Row("causes", "TER, pairs that it ties left out", ("ter.score",), (), 21.75, ties="excluded"),
    "ter, ties for nothing": Row(
        "causes", "TER, ties neither right nor wrong", ("ter.score",), (), 21.75, ties="neutral"
    ),
    "3metrics": Row(
        "causes", "BLEU, NIST and METEOR", ("bleu", "nist.score", "meteor.score"), (), 27.06,
        {**SINGLE_LAYER, **LOGISTIC_START},
    ),
    "4metrics, chrf for ter": Row(
        "causes", "BLEU, NIST, METEOR and chrF", ("bleu", "nist.score", "chrf", "meteor.score"), (), 27.06,
        {**SINGLE_LAYER, **LOGISTIC_START},
    ),
    "4metrics, cold": Row(
        "causes", "4METRICS, arcs from Glorot's start", METRICS, (), 27.06, {**SINGLE_LAYER, **GLOROT_START}
    ),
    "both, cold": Row("causes", "4METRICS + both, arcs from Glorot's start", METRICS, BOTH, 29.70, GLOROT_START),
    "both, no decay": Row(
        "causes", "4METRICS + both, Glorot's start, arcs without decay", METRICS, BOTH, 29.70,
        {**GLOROT_START, "decay_skip": False},
    ),
    "bleucomp+both, cold": Row(
        "causes", "BLEUCOMP + both, arcs from Glorot's start", COMPONENTS, BOTH, 26.15, GLOROT_START
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Data:
    """The features of all rows, with the training and test examples.

    Attributes:
        features: the features of all rows.
        vectors: the sentence vectors of all rows.
        train: the examples of WMT11.
        validation: the examples of WMT13.
        test: the examples of WMT12.
    """

    features: FeatureSet
    vectors: FeatureSet
    train: Examples
    validation: Examples
    test: Examples


def main() -> int:
    """Parse the command line, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, help="word vectors; without a file, rows with word vectors are omitted")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument(
        "--patience", type=int, default=100, help="epochs without improvement after which training stops [100]"
    )
    parser.add_argument("--epochs", type=int, default=10_000, help="maximum number of epochs [10000]")
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples of segments [1000]")
    parser.add_argument(
        "--output", type=Path, default=Path("guzman.jsonl"), help="file of completed rows [guzman.jsonl]"
    )
    parser.add_argument("--jobs", type=int, default=1)
    add_sample_option(parser)
    return exit_code(run, parser.parse_args())


def run(options: argparse.Namespace) -> None:
    """Print the tables. With ``--sample``, use a small sample of the data and random vectors."""
    with sample_folder(options.sample) as folder:
        if folder is not None:
            options.vectors, options.output = write_sample_vectors(folder / "words.txt"), folder / "guzman.jsonl"
            options.seeds, options.epochs, options.samples = [1], 2, 10
        print_tables(options)


def print_tables(options: argparse.Namespace) -> None:
    """Compute the rows that are not completed yet, and print all rows."""
    names = [name for name in options.rows if options.vectors or SEMANTIC not in ROWS[name].vectors]
    results = read_results(options.output)
    missing_names = [name for name in names if name not in results]
    if missing_names:
        data = load_data(names, options)
        for name in missing_names:
            results[name] = compute_row(name, data, options)
            with options.output.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(results[name]) + "\n")
            print(format_row(results[name]), file=sys.stderr, flush=True)
    print("| table | features, network | cs | de | es | fr | mean, seeds' range | 95 % interval | paper | difference |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in names:
        print(format_row(results[name]))


def read_results(path: Path) -> dict[str, dict[str, Any]]:
    """Read the rows that an earlier run has completed. The keys are the names of the rows."""
    if not path.exists():
        return {}
    results = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {result["row"]: result for result in results}


def load_data(names: list[str], options: argparse.Namespace) -> Data:
    """Load the judgments, and compute the features and sentence vectors that some rows need."""
    features, vectors = make_features([ROWS[name] for name in names], options.vectors)
    extractor = InputExtractor(features, vectors, FeatureStore(), options.jobs)
    test_pairs = ["cs-en", "de-en", "es-en", "fr-en"]
    train = load_examples([DataSpec("wmt11.yaml")], extractor, folder=HERE)
    validation = load_examples([DataSpec("wmt13.yaml", sample=5000)], extractor, folder=HERE)
    test = load_examples([DataSpec("wmt12.yaml", test_pairs)], extractor, folder=HERE)
    print(
        f"{len(train.better)} to train on, {len(validation.better)} to validate, {len(test.better)} to test",
        file=sys.stderr,
    )
    return Data(features, vectors, train, validation, test)


def make_features(rows: list[Row], vector_file: Path | None) -> tuple[FeatureSet, FeatureSet]:
    """Return the definitions of the features and sentence vectors that some rows need.

    The information weights of NIST are estimated from the references of all three years.
    """
    data_folder = Path(os.environ.get("METEOR_E_SHARED") or HERE.parent.parent / "shared") / "data"
    corpus = [str(data_folder / f"wmt{year}/references/newstest20{year}-ref.en") for year in (11, 12, 13)]
    feature_names: set[str] = set()
    vector_names: set[str] = set()
    for row in rows:
        feature_names.update(column.partition(".")[0] for column in row.features)
        vector_names.update(row.vectors)
    entries: list[str | dict[str, Any]] = [
        {"use": "nist", "corpus_file": corpus} if name == "nist" else name for name in sorted(feature_names)
    ]
    vectors: list[str | dict[str, Any]] = []
    if SYNTAX in vector_names:
        vectors.append(SYNTAX)
    if SEMANTIC in vector_names:
        vectors.append({"use": SEMANTIC, "file": str(vector_file)})
    return FeatureSet.from_config(entries), FeatureSet.from_config(vectors)


def compute_row(name: str, data: Data, options: argparse.Namespace) -> dict[str, Any]:
    """Train and test the networks of a row. A row with a single feature does not need a network."""
    row = ROWS[name]
    start_time = time.perf_counter()
    feature_columns = data.features.select(row.features) if row.features else []
    vector_columns = select_vector_columns(data.vectors, row.vectors)
    test = select_columns(data.test, feature_columns, vector_columns)
    title = row.title
    networks: list[PairwiseNetwork] = []
    if len(feature_columns) > 1 or vector_columns:
        train = select_columns(data.train, feature_columns, vector_columns)
        validation = select_columns(data.validation, feature_columns, vector_columns)
        networks = train_networks(row, train, validation, options)
        advantages = np.array([network.decisions(test) for network in networks])
    else:
        differences = test.features[test.better, 0] - test.features[test.worse, 0]
        if row.ties == "excluded":
            is_tie = differences == 0
            title += f" ({is_tie.mean():.1%})"
            differences, test = differences[~is_tie], select_comparisons(test, ~is_tie)
        advantages = differences[None]
    signs = np.sign(advantages)
    if row.ties != "neutral":
        signs[advantages == 0] = -1.0
    taus = 100 * mean_by_pair(signs, test)
    low, high = interval(100 * resample_means(signs.mean(axis=0), test, options.samples))
    return {
        "row": name,
        "table": row.tables,
        "title": title,
        "paper": row.paper_mean,
        "pairs": list(test.title),
        "tau": taus.tolist(),
        "mean": taus.mean(axis=1).tolist(),
        "interval": [low, high],
        "epochs": [network.best_epoch_ for network in networks],
        "seeds": options.seeds if networks else [],
        "patience": options.patience,
        "seconds": round(time.perf_counter() - start_time, 1),
    }


def train_networks(
    row: Row, train: Examples, validation: Examples, options: argparse.Namespace
) -> list[PairwiseNetwork]:
    """Train a network for each seed."""
    networks = []
    for seed in options.seeds:
        network = PairwiseNetwork.make(
            features=train.features.shape[1],
            vector_size=train.vectors.shape[1],
            seed=seed,
            epochs=options.epochs,
            patience=options.patience,
            **row.options,
        )
        networks.append(network)
    X, y = train.draw_pairs(1)  # noqa: N806
    fit_seeds(networks, X, y, validation=validation.draw_pairs(1))
    return networks


def select_vector_columns(vectors: FeatureSet, names: tuple[str, ...]) -> list[int]:
    """Return the indexes of the columns that contain the named sentence vectors."""
    columns: list[int] = []
    start = 0
    for entry in vectors.features:
        end = start + entry.feature.segment_dimension  # type: ignore[attr-defined]
        if entry.label in names:
            columns += range(start, end)
        start = end
    return columns


def select_columns(examples: Examples, feature_columns: list[int], vector_columns: list[int]) -> Examples:
    """Return copies of the examples with only some columns of features and sentence vectors."""
    selected = {
        "features": examples.features[:, feature_columns],
        "vectors": examples.vectors[:, vector_columns],
        "reference_vectors": examples.reference_vectors[:, vector_columns],
    }
    return Examples(**{**examples.__dict__, **selected})


def select_comparisons(examples: Examples, mask: NDArray[np.bool_]) -> Examples:
    """Return copies of the examples with only those comparisons that the Boolean mask selects."""
    names = ("better", "worse", "part", "group", "weight")
    selected = {name: getattr(examples, name)[mask] for name in names}
    return Examples(**{**examples.__dict__, **selected})


def mean_by_pair(signs: Floats, test: Examples) -> Floats:
    """Compute Kendall's τ of each random seed and language pair from the signs of the decisions."""
    return np.array([signs[:, test.part == part].mean(axis=1) for part in range(len(test.title))]).T


def resample_means(signs: Floats, test: Examples, sample_count: int) -> Floats:
    """Return the mean of Kendall's τ over all language pairs for each bootstrap sample of segments.

    Args:
        signs: the sign of each decision, averaged over the seeds.
        test: the test examples.
        sample_count: the number of samples.
    """
    means = []
    for part in range(len(test.title)):
        rows = test.part == part
        segments = test.group[rows] - test.group[rows].min()
        segment_count = int(segments.max()) + 1
        weights = draw_weights(segment_count, sample_count)
        sums = np.bincount(segments, signs[rows], minlength=segment_count)
        counts = np.bincount(segments, minlength=segment_count)
        means.append((weights @ sums) / (weights @ counts))
    return np.mean(means, axis=0)


def format_row(result: dict[str, Any]) -> str:
    """Return a row of the Markdown table."""
    mean_taus = np.array(result["mean"])
    pair_cells = " | ".join(f"{value:.2f}" for value in np.array(result["tau"]).mean(axis=0))
    seed_range = f" ({mean_taus.min():.2f} to {mean_taus.max():.2f})" if len(mean_taus) > 1 else ""
    low, high = result["interval"]
    return (
        f"| {result['table']} | {result['title']} | {pair_cells} | {mean_taus.mean():.2f}{seed_range} | "
        f"{low:.2f} to {high:.2f} | {result['paper']:.2f} | {mean_taus.mean() - result['paper']:+.2f} |"
    )


if __name__ == "__main__":
    sys.exit(main())
