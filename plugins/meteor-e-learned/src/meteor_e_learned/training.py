"""Training of models from recipes, with a log, checkpoints and a model card."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from meteor_e_learned.libraries import estimator_errors
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
    """Train a model, and write the model file and, next to it, the training log (``.jsonl``).

    Args:
        recipe: the recipe.
        output: the path of the model file.
        folder: the folder that the paths in the recipe are relative to.
        store: the cache of features.
        seed: replaces the seed of the recipe.
        resume: whether to continue from the checkpoint next to the output, if there is one.
        jobs: the number of processes that extract features.
        listener: called with each entry of the log.
        progress: receives the progress of the work.
        roots: folders of data by name of the index, which replace the folders in the indexes.

    Raises:
        MeteorError: if there is an error in the recipe or in the data.
    """
    if output.is_dir():
        raise InputError(f"cannot write {output}: it is a folder; name a file in it")
    if seed is not None:
        recipe = msgspec.structs.replace(recipe, seed=seed)
    features, vectors = (
        make_features(entries, recipe.language, folder, unescape=recipe.unescape)
        for entries in (recipe.features, recipe.vectors)
    )
    words = word_vectors(recipe, vectors)
    if words is not None:
        vectors = FeatureSet([])
    estimator = make_estimator(recipe, features, vectors)
    signature = features_signature(features, vectors)
    checkpoint_path = output.with_name(output.name + ".checkpoint")
    words_digest = "" if words is None else words.digest
    identity = digest([json.dumps(msgspec.to_builtins(recipe), sort_keys=True), *signature, words_digest])
    state, log_length = (read_checkpoint(checkpoint_path, identity) if resume else None) or (None, 0)
    log = TrainingLog(output.with_name(output.name + ".jsonl"), keep=log_length, listener=listener)
    start_time = time.perf_counter()
    loading_options: dict[str, Any] = {
        "language": recipe.language, "folder": folder, "seed": recipe.seed, "jobs": jobs, "progress": progress,
        "roots": roots,
    }  # fmt: skip
    try:
        examples = learnable(recipe, recipe.train, features, vectors, store, **loading_options)
        validation = None
        if recipe.validation:
            validation = learnable(recipe, recipe.validation, features, vectors, store, **loading_options)
    except BaseException:
        log.withdraw()
        raise
    log({"event": "data", "comparisons": len(examples.better), "hypotheses": len(examples.features),
         "seconds": round(time.perf_counter() - start_time, 1)})  # fmt: skip
    start_time = time.perf_counter()
    checkpoints = Checkpoints(checkpoint_path, identity, log)
    with checkpoints.save_on_interrupt(), estimator_errors(f"training {recipe.estimator!r}"):
        run = TrainingRun(recipe.seed, features.columns, log, checkpoints, state, words)
        training_figures = estimator.learn(examples, validation, run)
        figures = {**training_figures, **agreement(estimator, examples, validation)}
    if any(np.isnan(array).any() for array in estimator.arrays().values() if array.dtype.kind == "f"):
        raise ConfigError(f"training {recipe.estimator!r} gave infinite numbers; try a lower learning_rate")
    if validation is not None and (overlap := comparisons_in_common(examples, validation)):
        figures["validation comparisons trained on, too"] = overlap
    card = {
        "description": recipe.description,
        "training": _summarize(examples),
        "validation": None if validation is None else _summarize(validation),
        # Rounded, because the last digits of a correlation depend on the processor.
        "figures": {name: round(value, 6) if isinstance(value, float) else value for name, value in figures.items()},
        "versions": _package_versions(estimator.requires),
        "seed": recipe.seed,
    }
    model = LearnedModel(
        _relocate(recipe, folder, output),
        estimator,
        signature,
        card,
        output.absolute().parent,
        make_check_texts(features),
    )
    save_model(model, output)
    log({"event": "done", "figures": figures, "seconds": round(time.perf_counter() - start_time, 1)})
    checkpoint_path.unlink(missing_ok=True)
    return model


def learnable(
    recipe: Recipe, specs: Sequence[DataSpec], features: FeatureSet, vectors: FeatureSet, store: FeatureStore,
    **options: Any,
) -> Examples:  # fmt: skip
    """Load examples. If the recipe has a target, its values replace the human scores.

    Raises:
        ConfigError: if the target has more than one column.
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
    """Return the number of validation comparisons whose texts also form a training comparison."""
    training_comparisons = set(_comparison_texts(examples))
    return sum(comparison in training_comparisons for comparison in _comparison_texts(held))


def _comparison_texts(examples: Examples) -> Iterator[tuple[object, ...]]:
    """Yield the better hypothesis, the worse hypothesis and the references of each comparison."""
    for better, worse in zip(examples.better.tolist(), examples.worse.tolist(), strict=True):
        yield examples.hypotheses[better], examples.hypotheses[worse], examples.references[better]


def make_estimator(recipe: Recipe, features: FeatureSet, vectors: FeatureSet) -> Estimator:
    """Make the estimator of a recipe.

    Raises:
        ConfigError: if the estimator does not have an option or does not read vectors, or if a value has the wrong
            type.
    """
    if "seed" in recipe.options:
        raise ConfigError("the seed is a key of the recipe, or comes from --seed; take it out of 'options'")
    estimator_type = estimator_class(recipe.estimator)
    options_type = estimator_type.options_class()
    # Estimators that do not draw random numbers need not have the option.
    has_seed = options_type is not None and "seed" in options_type.__struct_fields__
    seed_option = {"seed": recipe.seed} if has_seed else {}
    if vectors.features and not estimator_type.needs_vectors:
        raise ConfigError(f"estimator {recipe.estimator!r} has no use for 'vectors'")
    estimator: Estimator = estimator_type.make(**recipe.options, **seed_option)
    return estimator


def word_vectors(recipe: Recipe, vectors: FeatureSet) -> Any:
    """Return the word vectors of a recipe, or ``None`` if the estimator does not read texts.

    Raises:
        ConfigError: if the estimator reads texts, but the recipe does not have exactly one source of word vectors.
    """
    if not estimator_class(recipe.estimator).needs_texts:
        return None
    candidates = [getattr(entry.feature, "word_vectors", None) for entry in vectors.features]
    if len(candidates) != 1 or candidates[0] is None:
        raise ConfigError(
            f"estimator {recipe.estimator!r} reads words: the recipe needs "
            "'vectors: [{use: word-vectors, file: FILE}]'"
        )
    return candidates[0]


def _summarize(examples: Examples) -> dict[str, Any]:
    """Return the number of hypotheses and comparisons of each test set, and a digest of the examples."""
    counts = {
        title: {
            "hypotheses": int((examples.hypothesis_part == index).sum()),
            "comparisons": int((examples.part == index).sum()),
        }
        for index, title in enumerate(examples.title)
    }
    examples_digest = digest(
        [str(examples.features.shape), examples.features.tobytes().hex()[:100_000], str(len(examples.better))]
    )
    return {"test sets": counts, "digest": examples_digest[:16]}


def _package_versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of the packages that can change the bytes of a model."""
    from importlib.metadata import PackageNotFoundError, version

    versions = {}
    for name in ("meteor_e", "meteor-e-learned", "numpy", *packages):
        with contextlib.suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def _relocate(recipe: Recipe, folder: Path, output: Path) -> Recipe:
    """Return the recipe with paths relative to the folder of the model file."""
    model_folder = output.absolute().parent

    def relocate_path(path: str) -> str:
        return path if path.startswith(("$", "~", "/")) else os.path.relpath(folder.absolute() / path, model_folder)

    features, vectors = (FeatureSet.with_paths(entries, relocate_path) for entries in (recipe.features, recipe.vectors))
    target = None if recipe.target is None else FeatureSet.with_paths([recipe.target], relocate_path)[0]
    return msgspec.structs.replace(recipe, features=features, vectors=vectors, target=target)
