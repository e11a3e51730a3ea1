"""MaxSD (Ma et al., 2016) beside METEOR and the linear model: Kendall's τ on WMT12 and WMT11, with seeds and intervals.

    python benchmarks/papers/maxsd.py --vectors vectors.bin --work models
    python benchmarks/papers/maxsd.py --vectors vectors.bin --work models --rows maxsd-1 --seeds 1 2 --write table.md

Models are trained by the recipes in ``recipes/``: WMT13 into English, the best epoch by 5,000 comparisons of WMT12.
All of WMT12 and all of WMT11, which no model has seen, are the tests. Strict τ × 100; bootstrap intervals of the
segments, those of the differences to METEOR of the same samples. Models and decisions are kept in ``--work``, so that
an interrupted run goes on, in the middle of a training, too. ``METEOR_E_SHARED`` names the folder of the data. Needs
the plugin meteor-e-learned with gensim.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from guzman import resampled, tau_of
from meteor_e_learned.data import load_examples
from meteor_e_learned.extraction import FeatureSet, FeatureStore
from meteor_e_learned.modelfile import LearnedModel, load_model
from meteor_e_learned.recipe import DataSpec, Recipe, load_recipe, make_features
from meteor_e_learned.training import train

from meteor_e.api import Examples
from meteor_e.base.errors import MeteorError
from meteor_e.significance.resampling import interval

HERE = Path(__file__).parents[1]
RECIPES = HERE / "recipes"
INTO_ENGLISH = ["cs-en", "de-en", "es-en", "fr-en"]
TESTS = {
    "WMT12 (validation: 5,000 of them chose the epochs)": DataSpec("wmt12.yaml", INTO_ENGLISH),
    "WMT11 (test)": DataSpec("wmt11.yaml"),
}
LINEAR = {"estimator": "pairwise-logistic", "vectors": [], "validation": []}
# row: title, recipe, what differs from it, whether the seed changes anything
ROWS: dict[str, tuple[str, str, dict[str, Any], bool]] = {
    "linear": ("linear, four metrics", "maxsd-1", {**LINEAR, "options": {"C": 0.003}}, False),
    "maxsd-1": ("MaxSD-1, four metrics", "maxsd-1", {}, True),
    "maxsd-2": ("MaxSD-2, four metrics", "maxsd-2", {}, True),
}

loaded: dict[tuple[str, ...], list[Examples]] = {}
"""The test sets with the features of the last model."""


def main() -> int:
    """Run; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, required=True, help="word vectors in word2vec's form")
    parser.add_argument("--work", type=Path, default=Path("maxsd"), help="folder of models and decisions [maxsd]")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument("--samples", type=int, default=1000, help="bootstrap samples of segments [1000]")
    parser.add_argument("--jobs", type=int, default=1, help="processes that extract features [1]")
    parser.add_argument("--write", type=Path, help="write the tables to a file, too")
    options = parser.parse_args()
    os.environ["METEOR_E_WORD_VECTORS"] = str(options.vectors.resolve())
    try:
        options.work.mkdir(parents=True, exist_ok=True)
        tables = run(options)
    except MeteorError as error:
        print(error, file=sys.stderr)
        return 1
    print(tables, end="")
    if options.write:
        options.write.write_text(tables, encoding="utf-8")
    return 0


def run(options: argparse.Namespace) -> str:
    """Train and test what is missing; return the tables."""
    store = FeatureStore()
    meteor = make_features([{"use": "meteor", "columns": ["score"]}], "en", HERE)
    plain = {
        title: load_examples([spec], meteor, FeatureSet([]), store, folder=HERE, jobs=options.jobs)
        for title, spec in TESTS.items()
    }
    found: dict[str, list[list[np.ndarray]]] = {
        "METEOR": [[test.features[test.better, 0] - test.features[test.worse, 0] for test in plain.values()]]
    }
    notes = {"METEOR": ""}
    for name in options.rows:
        title, _, _, seeded = ROWS[name]
        models = [trained(name, seed, options, store) for seed in (options.seeds if seeded else options.seeds[:1])]
        found[title] = [tested(path, model, options, store) for path, model in models]
        epochs = [model.card["figures"].get("best epoch") for _, model in models]
        seconds = float(np.mean([_seconds(path) for path, _ in models]))
        notes[title] = f"{', '.join(map(str, epochs))} | {seconds:.0f} s" if seeded else f" | {seconds:.0f} s"
    lines = []
    for place, (title, test) in enumerate(plain.items()):
        pairs = [pair.rpartition(" ")[2].partition("-")[0] for pair in test.title]
        lines += [
            f"{title}, {len(test.better):,} comparisons:",
            "",
            f"| metric | {' | '.join(pairs)} | mean (seeds) | interval | above METEOR | best epochs | training |",
            f"|---|{'---|' * len(pairs)}---|---|---|---|---|",
        ]
        base = found["METEOR"]
        for row, each in found.items():
            lines.append(line_of(row, each, place, test, base, options.samples, notes[row]))
        lines.append("")
    return "\n".join(lines)


def _seconds(model: Path) -> float:
    """Return how long a training took, which the last line of its log says."""
    last = model.with_name(model.name + ".jsonl").read_text(encoding="utf-8").splitlines()[-1]
    return float(json.loads(last)["seconds"])


def trained(name: str, seed: int, options: argparse.Namespace, store: FeatureStore) -> tuple[Path, LearnedModel]:
    """Train a row's model with a seed, or go on, or load what is there."""
    _, recipe_name, changed, _ = ROWS[name]
    recipe: Recipe = load_recipe(RECIPES / f"{recipe_name}.yaml")
    settings = dict(changed)
    if settings.get("estimator", recipe.estimator) == recipe.estimator:
        settings["options"] = {**recipe.options, **changed.get("options", {})}
    recipe = msgspec.structs.replace(recipe, **settings, name=name, seed=seed)
    path = options.work / f"{name}-{seed}.safetensors"
    if path.exists():
        model = load_model(path)
        if (model.recipe.options, model.recipe.seed) == (recipe.options, seed):
            return path, model
    started = time.perf_counter()

    def tell(event: Any) -> None:
        if "epoch" in event:
            print(f"{path.stem}: epoch {event['epoch']}: loss {event['loss'][0]:.4f}, tau {event['tau'][0]:.4f}, "
                  f"{event['seconds']} s", file=sys.stderr, flush=True)  # fmt: skip

    model = train(
        recipe, path, folder=RECIPES, store=store, resume=True, jobs=options.jobs, listener=tell,
        plot=None if recipe.estimator != "maxsd" else path.with_suffix(".png"),
    )  # fmt: skip
    print(f"{path.stem}: {time.perf_counter() - started:.0f} s in all", file=sys.stderr, flush=True)
    return path, model


def tested(path: Path, model: LearnedModel, options: argparse.Namespace, store: FeatureStore) -> list[np.ndarray]:
    """Return a model's decisions on each test set."""
    kept = path.with_suffix(".npz")
    if kept.exists() and kept.stat().st_mtime > path.stat().st_mtime:
        with np.load(kept) as content:
            return [content[f"test{place}"] for place in range(len(TESTS))]
    if model.signature not in loaded:
        loaded.clear()
        loaded[model.signature] = [
            load_examples([spec], model.features, FeatureSet([]), store, folder=HERE, jobs=options.jobs)
            for spec in TESTS.values()
        ]
    found = [model.estimator.decisions(test) for test in loaded[model.signature]]
    np.savez(kept, **{f"test{place}": each for place, each in enumerate(found)})
    print(f"{path.stem}: tested", file=sys.stderr, flush=True)
    return found


def bootstrap(rows: list[list[np.ndarray]], place: int, test: Examples, samples: int) -> np.ndarray:
    """Return mean τ × 100 on bootstrap samples, of the decisions of all seeds."""
    signs = np.mean([np.where(each[place] > 0, 1.0, -1.0) for each in rows], axis=0)
    return 100 * resampled(signs, test, samples)


def taus_of(rows: list[list[np.ndarray]], place: int, test: Examples) -> np.ndarray:
    """Return τ × 100, ``(seeds, language pairs)``."""
    return 100 * np.array([[tau_of(each[place], test, part) for part in range(len(test.title))] for each in rows])


def line_of(
    title: str,
    rows: list[list[np.ndarray]],
    place: int,
    test: Examples,
    base: list[list[np.ndarray]],
    samples: int,
    note: str,
) -> str:
    """Return a row of a table in Markdown; ``base`` are METEOR's decisions."""
    taus = taus_of(rows, place, test)
    mean = taus.mean(axis=1)
    spread = f" ({mean.min():.2f} to {mean.max():.2f})" if len(mean) > 1 else ""
    draws = bootstrap(rows, place, test, samples)
    low, high = interval(draws)
    pairs = [f"{tau:.2f}" for tau in taus.mean(axis=0)]
    cells = [title, *pairs, f"{mean.mean():.2f}{spread}", f"{low:.2f} to {high:.2f}"]
    if rows is base:
        return "| " + " | ".join([*cells, "", "", ""]) + " |"
    difference = mean.mean() - taus_of(base, place, test).mean()
    under, over = interval(draws - bootstrap(base, place, test, samples))
    return "| " + " | ".join([*cells, f"{difference:+.2f} ({under:+.2f} to {over:+.2f})", note]) + " |"


if __name__ == "__main__":
    sys.exit(main())
