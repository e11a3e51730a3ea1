"""From a recipe to a model: data, estimator, log, checkpoints, learning curve, card."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, InputError, guarded
from meteor_e.base import digest, whole_file
from meteor_e.features import FeatureSet, FeatureStore
from meteor_e_learned.data import Examples, Progress, load_examples, pair_matrix
from meteor_e_learned.modelfile import LearnedModel, features_signature, save_model
from meteor_e_learned.models.base import LearnedEstimator, Report, ScoreEstimator, strict_tau
from meteor_e_learned.models.maxsd import MaxSD
from meteor_e_learned.models.pairwise_logistic import PairwiseLogistic
from meteor_e_learned.models.pairwise_network import PairwiseNetwork, TrainingState
from meteor_e_learned.models.texts import Comparisons, Texts
from meteor_e_learned.recipe import DataSpec, Recipe, converted_options, estimator_class, make_features, with_paths

if TYPE_CHECKING:
    from meteor_e_learned.features.vectors import WordVectors

__all__ = ["TrainingLog", "pair_taus", "train"]

CHECKPOINT_EVERY = 10.0
"""Seconds between two checkpoints."""


class TrainingLog:
    """A JSONL file, an object a line, and whoever else wants to be told.

    Args:
        path: the file; ``None`` for none. It is begun anew with the first event, so that a training that fails before
            leaves an older log as it was.
        keep: so many of its lines are kept.
        listener: told the same.

    Raises:
        InputError: if the file cannot be written, or what is to be kept is no log.
    """

    def __init__(self, path: Path | None, *, keep: int = 0, listener: Report | None = None) -> None:
        self._path = path
        self._listener = listener
        self._begun = False
        self.lines: list[dict[str, Any]] = []
        if path is None:
            return
        try:
            self._new = not path.exists()
            # Whether it can be written is better known before hours of work.
            with path.open("a+", encoding="utf-8") as stream:
                stream.seek(0)
                kept = [line for line in stream if line.strip()][:keep] if keep else []
            self.lines = [json.loads(line) for line in kept]
        except (OSError, ValueError) as error:
            raise InputError(f"cannot use the log {path}: {getattr(error, 'strerror', None) or error}") from error

    def __call__(self, event: Mapping[str, Any]) -> None:
        """Write a line."""
        self.lines.append(dict(event))
        if self._path is not None:
            lines = self.lines[-1:] if self._begun else self.lines
            with self._path.open("a" if self._begun else "w", encoding="utf-8") as stream:
                stream.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            self._begun = True
        if self._listener is not None:
            self._listener(event)

    def withdraw(self) -> None:
        """Remove the file if it was not there before and nothing was written."""
        if self._path is not None and self._new and not self._begun:
            self._path.unlink(missing_ok=True)


def train(
    recipe: Recipe,
    output: Path,
    *,
    folder: Path,
    store: FeatureStore,
    seed: int | None = None,
    resume: bool = False,
    jobs: int = 1,
    listener: Report | None = None,
    progress: Progress | None = None,
    plot: Path | None = None,
) -> LearnedModel:
    """Train a model and write its file, with its log beside it (``.jsonl``).

    Args:
        recipe: the recipe.
        output: the model file.
        folder: what the recipe's paths are seen from.
        store: where features are kept.
        seed: in the place of the recipe's.
        resume: go on from a checkpoint, if there is one beside the output.
        jobs: processes that extract features.
        listener: told what is logged.
        progress: makes a function that is told the progress of what it was named.
        plot: a picture of the learning curve, for estimators that learn in epochs.

    Raises:
        MeteorError: for whatever is wrong with recipe or data.
    """
    if output.is_dir():
        raise InputError(f"cannot write {output}: it is a folder; name a file in it")
    if seed is not None:
        recipe = msgspec.structs.replace(recipe, seed=seed)
    features, vectors = (
        make_features(entries, recipe.language, folder) for entries in (recipe.features, recipe.vectors)
    )
    of_words = word_vectors(recipe, vectors)
    if of_words is not None:
        vectors = FeatureSet([])
    estimator = make_estimator(recipe, features, vectors)
    if plot is not None:
        _check_plot(plot, estimator)
    signature = features_signature(features, vectors)
    state_file = output.with_name(output.name + ".checkpoint")
    words = "" if of_words is None else of_words.digest
    identity = digest([json.dumps(msgspec.to_builtins(recipe), sort_keys=True), *signature, words])
    state, logged = (_read_checkpoint(state_file, identity) if resume else None) or (None, 0)
    log = TrainingLog(output.with_name(output.name + ".jsonl"), keep=logged, listener=listener)
    started = time.perf_counter()
    common: dict[str, Any] = {
        "language": recipe.language, "folder": folder, "seed": recipe.seed, "jobs": jobs, "progress": progress,
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
    with checkpoints.written_when_interrupted(), guarded(f"training {recipe.estimator!r}"):
        figures = fit_estimator(
            estimator, examples, held, recipe.seed, report=log, checkpoint=checkpoints, resume=state, vectors=of_words
        )
    if any(np.isnan(array).any() for array in estimator.arrays().values() if array.dtype.kind == "f"):
        raise ConfigError(f"training {recipe.estimator!r} came to numbers that are none; try a lower learning_rate")
    if held is not None and (seen := comparisons_in_common(examples, held)):
        figures["validation comparisons trained on, too"] = seen
    card = {
        "description": recipe.description,
        "training": _describe(examples),
        "validation": None if held is None else _describe(held),
        "figures": figures,
        "versions": _versions(),
        "seed": recipe.seed,
        "seconds": round(time.perf_counter() - started, 1),
    }
    model = LearnedModel(_relocated(recipe, folder, output), estimator, signature, card, output.absolute().parent)
    save_model(model, output)
    log({"event": "done", "figures": figures, "seconds": card["seconds"]})
    state_file.unlink(missing_ok=True)
    if plot is not None:
        plot_learning_curve(log.lines, plot)
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
    target = make_features([recipe.target], recipe.language, options.get("folder", Path()))
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


def make_estimator(recipe: Recipe, features: FeatureSet, vectors: FeatureSet) -> LearnedEstimator:
    """Make the estimator of a recipe.

    Raises:
        ConfigError: for an option that it does not have, or a value of another type.
    """
    cls = estimator_class(recipe.estimator)
    if "seed" in recipe.options:
        raise ConfigError("the seed stands in the recipe itself, or comes from --seed; take it out of its 'options'")
    options = {**converted_options(recipe.estimator, recipe.options), "seed": recipe.seed}
    if cls is PairwiseNetwork:
        size = sum(entry.feature.segment_dimension for entry in vectors.features)  # type: ignore[attr-defined]
        options |= {"features": features.dimension, "vector_size": size}
    elif recipe.vectors and not cls.needs_texts:
        raise ConfigError(f"estimator {recipe.estimator!r} has no use for 'vectors'")
    estimator: LearnedEstimator = cls(**options)
    return estimator


def fit_estimator(
    estimator: LearnedEstimator,
    examples: Examples,
    held: Examples | None,
    seed: int,
    *,
    report: Report | None = None,
    checkpoint: Callable[[TrainingState], object] | None = None,
    resume: TrainingState | None = None,
    vectors: WordVectors | None = None,
) -> dict[str, float]:
    """Fit an estimator to examples; return figures on training and validation data.

    ``vectors`` are of words, for estimators that read texts; the other arguments are those of :func:`train`.
    """
    if estimator.task == "scores":
        rows = ~np.isnan(examples.scores)
        if not rows.any():
            raise InputError("there are no human scores of segments to learn from")
        assert isinstance(estimator, ScoreEstimator)
        estimator.fit(examples.features[rows], examples.scores[rows], groups=examples.hypothesis_part[rows])
        figures = {f"folds, {name}": value for name, value in estimator.folds_.items()}
        return figures | (_pearsons(estimator, held) if held is not None else {})
    if not len(examples.better):
        raise InputError("there are no comparisons to learn from")
    if held is not None and not len(held.better):
        raise InputError("there are no comparisons to validate with")
    if isinstance(estimator, MaxSD):
        validation_texts = None if held is None else (texts_of(held), comparisons_of(held))
        estimator.fit(
            texts_of(examples), comparisons_of(examples), vectors=vectors, validation=validation_texts, report=report,
            checkpoint=checkpoint, resume=resume,
        )  # fmt: skip
        figures = {
            "best epoch": estimator.best_epoch_,
            "best tau": estimator.best_tau_,
            "comparisons after cleaning": estimator.comparisons_,
        }
        if held is not None:
            figures |= {f"validation tau {title}": tau for title, tau in pair_taus(estimator, held).items()}
        return figures
    X, y = pair_matrix(examples, seed)  # noqa: N806
    if isinstance(estimator, PairwiseNetwork):
        validation = None if held is None else pair_matrix(held, seed)
        estimator.fit(X, y, validation=validation, report=report, checkpoint=checkpoint, resume=resume)
        figures = {"best epoch": estimator.best_epoch_, "validation tau": estimator.best_tau_}
    else:
        assert isinstance(estimator, PairwiseLogistic)
        X = X[:, : 2 * examples.features.shape[1]]  # noqa: N806
        estimator.fit(X, y, groups=examples.group, sample_weight=examples.weight)
        figures = {"C": estimator.C_}
    figures["training tau"] = float(np.mean(list(pair_taus(estimator, examples).values())))
    if held is not None:
        figures |= {f"validation tau {title}": tau for title, tau in pair_taus(estimator, held).items()}
    return figures


def decisions(estimator: LearnedEstimator, examples: Examples) -> NDArray[np.float64]:
    """Return for each comparison how much better the better hypothesis is to a pairwise estimator."""
    if isinstance(estimator, MaxSD):
        scores = estimator.score_texts(texts_of(examples))
        result: NDArray[np.float64] = scores[examples.better] - scores[examples.worse]
        return result
    X = np.hstack([examples.features[examples.better], examples.features[examples.worse]])  # noqa: N806
    if estimator.needs_vectors:
        parts = (examples.vectors[examples.better], examples.vectors[examples.worse])
        X = np.hstack([X, *parts, examples.reference_vectors[examples.better]])  # noqa: N806
    result = estimator.decision_function(X)
    return result


def texts_of(examples: Examples) -> Texts:
    """Return the hypotheses of examples for an estimator that reads texts."""
    return Texts(examples.hypotheses, examples.references, examples.features)


def comparisons_of(examples: Examples) -> Comparisons:
    """Return the comparisons of examples for an estimator that reads texts."""
    return Comparisons(examples.better, examples.worse, examples.group, examples.weight)


def word_vectors(recipe: Recipe, vectors: FeatureSet) -> WordVectors | None:
    """Return the vectors of words that a recipe names; ``None`` for estimators that read no texts.

    Raises:
        ConfigError: if the recipe names none, or something else.
    """
    if not estimator_class(recipe.estimator).needs_texts:
        return None
    from meteor_e_learned.features.vectors import WordVectorsFeature

    found = [entry.feature for entry in vectors.features]
    if len(found) != 1 or not isinstance(found[0], WordVectorsFeature):
        raise ConfigError(
            f"estimator {recipe.estimator!r} reads words: the recipe needs "
            "'vectors: [{use: word-vectors, file: FILE}]'"
        )
    return found[0].word_vectors


def pair_taus(estimator: LearnedEstimator, examples: Examples) -> dict[str, float]:
    """Return the strict τ of an estimator's decisions on each test set."""
    found = decisions(estimator, examples)
    return {title: strict_tau(found[examples.part == place]) for place, title in enumerate(examples.title)}


def _pearsons(estimator: ScoreEstimator, held: Examples) -> dict[str, float]:
    figures = {}
    for place, title in enumerate(held.title):
        rows = (held.hypothesis_part == place) & ~np.isnan(held.scores)
        figures[f"validation pearson {title}"] = estimator.score(held.features[rows], held.scores[rows])
    return figures


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


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in ("meteor_e", "meteor-e-learned", "numpy", "scikit-learn", "torch")}


def _relocated(recipe: Recipe, folder: Path, output: Path) -> Recipe:
    """Return a recipe whose relative paths are seen from the model file's folder."""
    here = output.absolute().parent

    def moved(path: str) -> str:
        return path if path.startswith(("$", "~", "/")) else os.path.relpath(folder.absolute() / path, here)

    features, vectors, target = with_paths([recipe.features, recipe.vectors, recipe.target], moved)
    return msgspec.structs.replace(recipe, features=features, vectors=vectors, target=target)


class Checkpoints:
    """Writes where training stands, now and then, and when it is interrupted.

    Args:
        path: the file.
        identity: of recipe and features.
        log: how far it is written is kept, too, so that a resumed training goes on from there.
    """

    def __init__(self, path: Path, identity: str, log: TrainingLog) -> None:
        self._path, self._identity, self._log = path, identity, log
        self._last: tuple[TrainingState, int] | None = None
        self._written = time.monotonic()

    def __call__(self, state: TrainingState) -> None:
        """Write a state, if the last one that was written is old enough."""
        self._last = state, len(self._log.lines)
        if time.monotonic() - self._written >= CHECKPOINT_EVERY:
            _write_checkpoint(self._path, self._identity, *self._last)
            self._written = time.monotonic()

    @contextlib.contextmanager
    def written_when_interrupted(self) -> Iterator[None]:
        """Write the last state if what is within is interrupted (and not if it fails)."""
        try:
            yield
        except Exception:
            raise
        except BaseException:
            if self._last is not None:
                _write_checkpoint(self._path, self._identity, *self._last)
            raise


def _write_checkpoint(path: Path, identity: str, state: TrainingState, logged: int) -> None:
    values = asdict(state)
    numbers: dict[str, Any] = {name: np.asarray(value) for name, value in values.items() if name != "order"}
    numbers |= {"identity": np.array(identity), "order": np.array(json.dumps(state.order))}
    numbers["logged"] = np.array(logged)
    try:
        with whole_file(path) as scratch, scratch.open("xb") as stream:
            np.savez(stream, **numbers)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def _read_checkpoint(path: Path, identity: str) -> tuple[TrainingState, int] | None:
    """Return the state of an interrupted training of the same recipe, and how many lines its log had."""
    import zipfile

    with contextlib.suppress(FileNotFoundError):
        try:
            with np.load(path, allow_pickle=False) as content:
                if str(content["identity"]) != identity:
                    raise ConfigError(
                        f"{path} is of another recipe, other features or another seed; "
                        "delete it, or train without --resume"
                    )
                state = TrainingState(
                    int(content["phase"]),
                    int(content["epoch"]),
                    content["theta"],
                    content["squares"],
                    content["best_theta"],
                    content["best_tau"],
                    content["best_epoch"],
                    json.loads(str(content["order"])),
                )
                return state, int(content["logged"])
        except FileNotFoundError:
            raise
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{path}: not a checkpoint: {error}; delete it") from error
    return None


def curve(lines: list[dict[str, Any]]) -> Iterator[tuple[int, float, float]]:
    """Yield epoch, loss and τ of the first seed of each epoch in a log."""
    for number, line in enumerate((line for line in lines if "epoch" in line), 1):
        yield number, float(line["loss"][0]), float(line["tau"][0])


def _check_plot(path: Path, estimator: LearnedEstimator) -> None:
    """Raise what would else be found out after the training."""
    if "epochs" not in estimator.get_params():
        raise ConfigError("there is no learning curve: the estimator does not learn in epochs; leave --plot out")
    from matplotlib.backend_bases import FigureCanvasBase

    kinds = FigureCanvasBase.get_supported_filetypes()
    if path.suffix.removeprefix(".").lower() not in kinds:
        raise ConfigError(f"{path}: no kind of picture; the name has to end in one of {', '.join(sorted(kinds))}")


def plot_learning_curve(lines: list[dict[str, Any]], path: Path) -> None:
    """Draw loss and validation τ by epoch.

    Raises:
        ConfigError: if the log has no epochs.
        InputError: if the picture cannot be written.
    """
    points = list(curve(lines))
    if not points:
        raise ConfigError("there is no learning curve: the estimator does not learn in epochs")
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    epochs, losses, taus = zip(*points, strict=True)
    figure, left = pyplot.subplots(figsize=(7, 4))
    left.plot(epochs, losses, color="tab:blue", label="training loss")
    left.set_xlabel("epoch")
    left.set_ylabel("training loss", color="tab:blue")
    right = left.twinx()
    right.plot(epochs, taus, color="tab:red", label="validation tau")
    right.set_ylabel("validation tau", color="tab:red")
    figure.tight_layout()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {path}: {error}") from error
    finally:
        pyplot.close(figure)
