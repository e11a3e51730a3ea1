"""From a recipe to a model: data, estimator, log, checkpoints, card."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from meteor_e.api import ConfigError, Estimator, Examples, InputError
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import digest
from meteor_e.base.progress import Progress, silent
from meteor_e_learned.check_texts import make_check_texts
from meteor_e_learned.checkpoints import Checkpoints, read_checkpoint
from meteor_e_learned.data import load_examples
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.libraries import guarded_estimator
from meteor_e_learned.log import TrainingLog
from meteor_e_learned.modelfile import LearnedModel, features_signature, save_model
from meteor_e_learned.models.base import agreement
from meteor_e_learned.recipe import DataSpec, Recipe, estimator_class, make_features


def train(
    recipe: Recipe,
    output: Path,
    *,
    folder: Path,
    store: FeatureStore,
    seed: int | None = None,
    resume: bool = False,
    jobs: int = 1,
    listener: Callable[[Mapping[str, Any]], object] | None = None,
    progress: Progress = silent,
    roots: Mapping[str, str] | None = None,
) -> LearnedModel:
    """Train a model and write its file, with its log beside it (``.jsonl``).

    Args:
        recipe: the recipe.
        output: the model file.
        folder: what the recipe's paths are seen from.
        store: where features are kept.
        seed: instead of the recipe's.
        resume: go on from a checkpoint, if there is one beside the output.
        jobs: processes that extract features.
        listener: told what is logged.
        progress: told about the work.
        roots: folders of data by the names of their indexes, instead of the indexes' own.

    Raises:
        MeteorError: for whatever is wrong with recipe or data.
    """
    if output.is_dir():
        raise InputError(f"cannot write {output}: it is a folder; name a file in it")
    if seed is not None:
        recipe = msgspec.structs.replace(recipe, seed=seed)
    features, vectors = (
        make_features(entries, recipe.language, folder, unescape=recipe.unescape)
        for entries in (recipe.features, recipe.vectors)
    )
    of_words = word_vectors(recipe, vectors)
    if of_words is not None:
        vectors = FeatureSet([])
    estimator = make_estimator(recipe, features, vectors)
    signature = features_signature(features, vectors)
    state_file = output.with_name(output.name + ".checkpoint")
    words = "" if of_words is None else of_words.digest
    identity = digest([json.dumps(msgspec.to_builtins(recipe), sort_keys=True), *signature, words])
    state, logged = (read_checkpoint(state_file, identity) if resume else None) or (None, 0)
    log = TrainingLog(output.with_name(output.name + ".jsonl"), keep=logged, listener=listener)
    started = time.perf_counter()
    common: dict[str, Any] = {
        "language": recipe.language, "folder": folder, "seed": recipe.seed, "jobs": jobs, "progress": progress,
        "roots": roots,
    }  # fmt: skip
    try:
        examples = learnable(recipe, recipe.train, features, vectors, store, **common)
        held = learnable(recipe, recipe.validation, features, vectors, store, **common) if recipe.validation else None
    except BaseException:
        log.withdraw()
        raise
    log({"event": "data", "comparisons": len(examples.better), "hypotheses": len(examples.features),
         "seconds": round(time.perf_counter() - started, 1)})  # fmt: skip
    started = time.perf_counter()
    checkpoints = Checkpoints(state_file, identity, log)
    with checkpoints.written_when_interrupted(), guarded_estimator(f"training {recipe.estimator!r}"):
        run = TrainingRun(recipe.seed, features.columns, log, checkpoints, state, of_words)
        own = estimator.learn(examples, held, run)
        figures = {**own, **agreement(estimator, examples, held)}
    if any(np.isnan(array).any() for array in estimator.arrays().values() if array.dtype.kind == "f"):
        raise ConfigError(f"training {recipe.estimator!r} gave infinite numbers; try a lower learning_rate")
    if held is not None and (seen := comparisons_in_common(examples, held)):
        figures["validation comparisons trained on, too"] = seen
    card = {
        "description": recipe.description,
        "training": _describe(examples),
        "validation": None if held is None else _describe(held),
        # The last digits of a correlation depend on the processor.
        "figures": {name: round(value, 6) if isinstance(value, float) else value for name, value in figures.items()},
        "versions": _versions(estimator.requires),
        "seed": recipe.seed,
    }
    model = LearnedModel(
        _relocated(recipe, folder, output),
        estimator,
        signature,
        card,
        output.absolute().parent,
        make_check_texts(features, recipe.language),
    )
    save_model(model, output)
    log({"event": "done", "figures": figures, "seconds": round(time.perf_counter() - started, 1)})
    state_file.unlink(missing_ok=True)
    return model


def learnable(
    recipe: Recipe, specs: Sequence[DataSpec], features: FeatureSet, vectors: FeatureSet, store: FeatureStore,
    **options: Any,
) -> Examples:  # fmt: skip
    """Load examples; a recipe's target takes the place of human scores.

    Raises:
        ConfigError: if the target is not one number.
    """
    examples = load_examples(specs, features, vectors, store, **options)
    if recipe.target is None:
        return examples
    target = make_features([recipe.target], recipe.language, options.get("folder", Path()), unescape=recipe.unescape)
    if target.dimension != 1:
        raise ConfigError(
            f"the recipe's target has {target.dimension} numbers, {', '.join(target.columns)}; choose one with "
            "'columns'"
        )
    scores = load_examples(specs, target, FeatureSet([]), store, **options).features[:, 0]
    return replace(examples, scores=scores)


def comparisons_in_common(examples: Examples, held: Examples) -> int:
    """Return how many comparisons of a validation set are, with the same texts, in the training set, too."""

    def texts(of: Examples, better: int, worse: int) -> tuple[object, ...]:
        return of.hypotheses[better], of.hypotheses[worse], of.references[better]

    rows = zip(examples.better.tolist(), examples.worse.tolist(), strict=True)
    known = {texts(examples, better, worse) for better, worse in rows}
    rows = zip(held.better.tolist(), held.worse.tolist(), strict=True)
    return sum(texts(held, better, worse) in known for better, worse in rows)


def make_estimator(recipe: Recipe, features: FeatureSet, vectors: FeatureSet) -> Estimator:
    """Make the estimator of a recipe.

    Raises:
        ConfigError: for an option that it does not have, a value of another type, or vectors that it does not read.
    """
    if "seed" in recipe.options:
        raise ConfigError("the seed is a key of the recipe, or comes from --seed; take it out of 'options'")
    kind = estimator_class(recipe.estimator)
    known = kind.options_class()
    # An estimator that draws nothing need not have the option.
    seed = {"seed": recipe.seed} if known is not None and "seed" in known.__struct_fields__ else {}
    if vectors.features and not kind.needs_vectors:
        raise ConfigError(f"estimator {recipe.estimator!r} has no use for 'vectors'")
    estimator: Estimator = kind.make(**recipe.options, **seed)
    return estimator


def word_vectors(recipe: Recipe, vectors: FeatureSet) -> Any:
    """Return the vectors of words that a recipe names; ``None`` for estimators that read no texts.

    Raises:
        ConfigError: if the recipe names none, or something else.
    """
    if not estimator_class(recipe.estimator).needs_texts:
        return None
    found = [getattr(entry.feature, "word_vectors", None) for entry in vectors.features]
    if len(found) != 1 or found[0] is None:
        raise ConfigError(
            f"estimator {recipe.estimator!r} reads words: the recipe needs "
            "'vectors: [{use: word-vectors, file: FILE}]'"
        )
    return found[0]


def _describe(examples: Examples) -> dict[str, Any]:
    counts = {
        title: {
            "hypotheses": int((examples.hypothesis_part == place).sum()),
            "comparisons": int((examples.part == place).sum()),
        }
        for place, title in enumerate(examples.title)
    }
    state = digest(
        [str(examples.features.shape), examples.features.tobytes().hex()[:100_000], str(len(examples.better))]
    )
    return {"test sets": counts, "digest": state[:16]}


def _versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of what trains; other packages change no byte of the model."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("meteor_e", "meteor-e-learned", "numpy", *packages):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _relocated(recipe: Recipe, folder: Path, output: Path) -> Recipe:
    """Return a recipe whose relative paths are seen from the model file's folder."""
    here = output.absolute().parent

    def moved(path: str) -> str:
        return path if path.startswith(("$", "~", "/")) else os.path.relpath(folder.absolute() / path, here)

    features, vectors = (FeatureSet.with_paths(entries, moved) for entries in (recipe.features, recipe.vectors))
    target = None if recipe.target is None else FeatureSet.with_paths([recipe.target], moved)[0]
    return msgspec.structs.replace(recipe, features=features, vectors=vectors, target=target)
