"""Trains a model from a recipe, and writes the model file and a training log."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from meteor_e.api import ConfigError, Estimator, Examples, InputError
from meteor_e.api.estimators import TrainingRun
from meteor_e.base.array_cache import digest
from meteor_e.base.progress import Progress, silent
from meteor_e_learned.check_texts import library_versions, make_check_texts
from meteor_e_learned.checkpoints import Checkpoints, read_checkpoint
from meteor_e_learned.data import load_examples
from meteor_e_learned.extraction import FeatureSet, change_feature_paths
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.inputs import InputExtractor
from meteor_e_learned.libraries import estimator_errors
from meteor_e_learned.log import TrainingLog
from meteor_e_learned.modelfile import LearnedModel, features_signature, save_model
from meteor_e_learned.models.base import measure_agreement
from meteor_e_learned.recipe import DataSpec, Recipe, estimator_class, make_features


class _TrainingTask(NamedTuple):
    """The objects that a recipe describes.

    Attributes:
        recipe: the recipe.
        folder: the folder that the paths in the recipe are relative to.
        features: the features of hypotheses and their references.
        vectors: the features of single texts.
        words: the word vectors, or None if the estimator does not read texts.
        estimator: the estimator, which is not trained yet.
    """

    recipe: Recipe
    folder: Path
    features: FeatureSet
    vectors: FeatureSet
    words: Any
    estimator: Estimator

    @property
    def signature(self) -> tuple[str, ...]:
        """The signature of the features, as stored in the model file."""
        return features_signature(self.features, self.vectors)

    @property
    def identity(self) -> str:
        """A hash of the recipe, the features and the word vectors.

        Training can only resume from a checkpoint that was saved with the same hash.
        """
        words_digest = "" if self.words is None else self.words.digest
        recipe_json = json.dumps(msgspec.to_builtins(self.recipe), sort_keys=True)
        return digest([recipe_json, *self.signature, words_digest])


class _RunFiles(NamedTuple):
    """The files that a training run writes in addition to the model file.

    Attributes:
        log: the log of the training.
        checkpoints: saves the state of the training.
        saved_state: the state of the estimator from which the training continues, or None for a new training.
    """

    log: TrainingLog
    checkpoints: Checkpoints
    saved_state: Any


class _TrainingData(NamedTuple):
    """The data of a training.

    Attributes:
        training: the examples to learn from.
        validation: the held-out examples, or None if the recipe does not have validation data.
    """

    training: Examples
    validation: Examples | None


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
    """Train a model, and write the model file and a training log (``.jsonl``) to the same folder.

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
    seeded_recipe = recipe if seed is None else msgspec.structs.replace(recipe, seed=seed)
    task = _make_task(seeded_recipe, folder)
    run_files = _open_run_files(task, output, resume=resume, listener=listener)
    extractor = InputExtractor(task.features, task.vectors, store, jobs, progress)
    data = _load_data(task, extractor, run_files.log, roots)
    start_time = time.perf_counter()
    results = _fit(task, data, run_files)
    model = _make_model(task, data, results, output)
    save_model(model, output)
    seconds = round(time.perf_counter() - start_time, 1)
    run_files.log({"event": "done", "figures": results, "seconds": seconds})
    run_files.checkpoints.delete()
    return model


def _make_task(recipe: Recipe, folder: Path) -> _TrainingTask:
    """Create the features and the estimator that a recipe specifies.

    Args:
        recipe: the recipe.
        folder: the folder that the paths in the recipe are relative to.
    """
    features = make_features(recipe.features, recipe.language, folder, unescape=recipe.unescape)
    vector_features = make_features(recipe.vectors, recipe.language, folder, unescape=recipe.unescape)
    words = find_word_vectors(recipe, vector_features)
    # An estimator that reads texts uses word vectors. Vectors of whole segments are then not needed.
    vectors = vector_features if words is None else FeatureSet([])
    return _TrainingTask(recipe, folder, features, vectors, words, make_estimator(recipe, features, vectors))


def _open_run_files(
    task: _TrainingTask, output: Path, *, resume: bool, listener: Callable[[Mapping[str, Any]], object] | None
) -> _RunFiles:
    """Open the log and the checkpoint next to the model file.

    Args:
        task: the recipe, its features and its word vectors.
        output: the path of the model file.
        resume: whether to continue from the checkpoint, if there is one.
        listener: called with each entry of the log.
    """
    checkpoint_path = output.with_name(output.name + ".checkpoint")
    log_path = output.with_name(output.name + ".jsonl")
    checkpoint = read_checkpoint(checkpoint_path, task.identity) if resume else None
    saved_state = None if checkpoint is None else checkpoint.state
    # A resumed training continues the log after the last event before the checkpoint.
    n_old_events = 0 if checkpoint is None else checkpoint.log_length
    log = TrainingLog(log_path, keep=n_old_events, listener=listener)
    return _RunFiles(log, Checkpoints(checkpoint_path, task.identity, log), saved_state)


def _load_data(
    task: _TrainingTask, extractor: InputExtractor, log: TrainingLog, roots: Mapping[str, str] | None
) -> _TrainingData:
    """Load the training data and the validation data of a recipe, and log the size of the training data.

    If an error occurs, a new log file without events is deleted.

    Args:
        task: the recipe and its folder.
        extractor: extracts the features and vectors.
        log: the log of the training.
        roots: folders of data by name of the index, which replace the folders in the indexes.
    """
    start_time = time.perf_counter()
    recipe = task.recipe
    validation = None
    try:
        training = load_labeled_examples(recipe, recipe.train, extractor, task.folder, roots)
        if recipe.validation:
            validation = load_labeled_examples(recipe, recipe.validation, extractor, task.folder, roots)
    except BaseException:
        log.withdraw()
        raise
    seconds = round(time.perf_counter() - start_time, 1)
    log({
        "event": "data", "comparisons": len(training.better), "hypotheses": len(training.features), "seconds": seconds,
    })  # fmt: skip
    return _TrainingData(training, validation)


def _fit(task: _TrainingTask, data: _TrainingData, run_files: _RunFiles) -> dict[str, Any]:
    """Fit the estimator, and return results for the model card, such as correlations with human judgments.

    Args:
        task: the estimator, and the recipe with its features.
        data: the training data and the validation data.
        run_files: the log and the checkpoints of the training.

    Raises:
        ConfigError: if a learned array contains numbers that are not finite.
    """
    run = TrainingRun(
        seed=task.recipe.seed,
        columns=task.features.columns,
        report=run_files.log,
        checkpoint=run_files.checkpoints,
        resume=run_files.saved_state,
        vectors=task.words,
    )
    stage = f"training {task.recipe.estimator!r}"
    with run_files.checkpoints.save_on_interrupt(), estimator_errors(stage):
        training_results = task.estimator.learn(data.training, data.validation, run)
        correlations = measure_agreement(task.estimator, data.training, data.validation)
    _check_numbers(task.estimator, stage)
    return {**training_results, **correlations, **_count_overlap(data)}


def _check_numbers(estimator: Estimator, stage: str) -> None:
    """Raise ConfigError if a learned array contains NaN, because the training has diverged."""
    for array in estimator.arrays().values():
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise ConfigError(f"{stage} gave infinite numbers; try a lower learning_rate")


def _count_overlap(data: _TrainingData) -> dict[str, int]:
    """Return how many validation comparisons also occur in the training data, as an entry of the model card.

    If there are no such comparisons, the dictionary is empty.
    """
    overlap = 0 if data.validation is None else comparisons_in_common(data.training, data.validation)
    return {"validation comparisons trained on, too": overlap} if overlap else {}


def _make_model(task: _TrainingTask, data: _TrainingData, results: Mapping[str, Any], output: Path) -> LearnedModel:
    """Return the trained model.

    Args:
        task: the recipe, its features and the trained estimator.
        data: the training data and the validation data.
        results: the results of the training, such as correlations with human judgments.
        output: the path of the model file.
    """
    return LearnedModel(
        recipe=_relocate(task.recipe, task.folder, output),
        estimator=task.estimator,
        signature=task.signature,
        card=_make_card(task.recipe, data, results, task.estimator.requires),
        folder=output.absolute().parent,
        check_texts=make_check_texts(task.features),
    )


def _make_card(
    recipe: Recipe, data: _TrainingData, results: Mapping[str, Any], packages: Sequence[str]
) -> dict[str, Any]:
    """Return the model card.

    Args:
        recipe: the recipe.
        data: the training data and the validation data.
        results: the results of the training, such as correlations with human judgments.
        packages: the packages that the estimator uses. The card contains their versions.
    """
    # The last digits of a correlation depend on the processor, so correlations are rounded.
    rounded_results = {}
    for name, value in results.items():
        rounded_results[name] = round(value, 6) if isinstance(value, float) else value
    return {
        "description": recipe.description,
        "training": _summarize(data.training),
        "validation": None if data.validation is None else _summarize(data.validation),
        "figures": rounded_results,
        "versions": library_versions(["meteor_e", "meteor-e-learned", "numpy", *packages]),
        "seed": recipe.seed,
    }


def load_labeled_examples(
    recipe: Recipe,
    specs: Sequence[DataSpec],
    extractor: InputExtractor,
    folder: Path,
    roots: Mapping[str, str] | None = None,
) -> Examples:
    """Load training examples. If the recipe names a target feature, its values replace the human scores.

    Args:
        recipe: the recipe.
        specs: the entries of the recipe's training data or validation data.
        extractor: extracts the features and vectors.
        folder: the folder that the paths in the recipe are relative to.
        roots: folders of data by name of the index, which replace the folders in the indexes.

    Raises:
        ConfigError: if the target has more than one column.
    """
    load = partial(load_examples, specs, language=recipe.language, folder=folder, seed=recipe.seed, roots=roots)
    examples = load(extractor)
    if recipe.target is None:
        return examples
    target = _make_target(recipe.target, recipe, folder)
    target_extractor = replace(extractor, features=target, vectors=FeatureSet([]))
    # The texts are loaded again in the same order, so each training example receives its own target value.
    target_values = load(target_extractor).features[:, 0]
    return replace(examples, scores=target_values)


def _make_target(entry: str | dict[str, Any], recipe: Recipe, folder: Path) -> FeatureSet:
    """Create the target feature that a recipe specifies. Raise ConfigError if the feature has several columns."""
    target = make_features([entry], recipe.language, folder, unescape=recipe.unescape)
    if target.dimension != 1:
        raise ConfigError(
            f"the recipe's target has {target.dimension} numbers, {', '.join(target.columns)}; choose one with "
            "'columns'"
        )
    return target


def comparisons_in_common(training: Examples, validation: Examples) -> int:
    """Count the validation comparisons whose texts also occur as a comparison in the training data."""
    training_comparisons = set(_comparison_texts(training))
    return sum(comparison in training_comparisons for comparison in _comparison_texts(validation))


def _comparison_texts(examples: Examples) -> Iterator[tuple[object, ...]]:
    """Yield the texts of each comparison: the better hypothesis, the worse hypothesis, and the references."""
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
    if vectors.features and not estimator_type.needs_vectors:
        raise ConfigError(f"estimator {recipe.estimator!r} has no use for 'vectors'")
    options = dict(recipe.options)
    options_type = estimator_type.options_class()
    # Some estimators are deterministic and do not have the option "seed".
    if options_type is not None and "seed" in options_type.__struct_fields__:
        options["seed"] = recipe.seed
    estimator: Estimator = estimator_type.make(**options)
    return estimator


def find_word_vectors(recipe: Recipe, features: FeatureSet) -> Any:
    """Return the word vectors that a recipe names, or None if the estimator does not read texts.

    Args:
        recipe: the recipe.
        features: the features that the recipe lists under ``vectors``.

    Raises:
        ConfigError: if the estimator reads texts, but the recipe does not have exactly one source of word vectors.
    """
    if not estimator_class(recipe.estimator).needs_texts:
        return None
    # Only features that look up the vectors of words have the attribute "word_vectors".
    word_vectors = [getattr(entry.feature, "word_vectors", None) for entry in features.features]
    if len(word_vectors) != 1 or word_vectors[0] is None:
        raise ConfigError(
            f"estimator {recipe.estimator!r} reads words: the recipe needs "
            "'vectors: [{use: word-vectors, file: FILE}]'"
        )
    return word_vectors[0]


def _summarize(examples: Examples) -> dict[str, Any]:
    """Summarize training examples for the model card: the sizes of the test sets, and a hash of the data."""
    counts = {}
    for index, title in enumerate(examples.title):
        counts[title] = {
            "hypotheses": int((examples.hypothesis_part == index).sum()),
            "comparisons": int((examples.part == index).sum()),
        }
    examples_digest = digest(
        [str(examples.features.shape), examples.features.tobytes().hex()[:100_000], str(len(examples.better))]
    )
    return {"test sets": counts, "digest": examples_digest[:16]}


def _relocate(recipe: Recipe, folder: Path, output: Path) -> Recipe:
    """Make the paths in a recipe relative to the folder of the model file.

    Args:
        recipe: the recipe.
        folder: the folder that the paths in the recipe are relative to.
        output: the path of the model file.
    """
    model_folder = output.absolute().parent

    def relocate_path(path: str) -> str:
        is_absolute = path.startswith(("$", "~", "/"))
        return path if is_absolute else os.path.relpath(folder.absolute() / path, model_folder)

    return msgspec.structs.replace(
        recipe,
        features=[change_feature_paths(entry, relocate_path) for entry in recipe.features],
        vectors=[change_feature_paths(entry, relocate_path) for entry in recipe.vectors],
        target=None if recipe.target is None else change_feature_paths(recipe.target, relocate_path),
    )
