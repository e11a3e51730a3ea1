"""Model files in the safetensors format. The header contains the recipe and the model card as JSON.

Loading a model file never executes code from the file.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Estimator, InputError, PluginError
from meteor_e.api.component import options_by_name
from meteor_e.base.atomic import atomic_file
from meteor_e.base.checksum import KEY, PLACEHOLDER, insert_checksum, verify_checksum
from meteor_e.base.errors import add_location
from meteor_e.base.files import open_regular
from meteor_e.plugins.registry import plugin_registry
from meteor_e_learned.check_texts import CheckTexts
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.ready import resolve_model
from meteor_e_learned.recipe import Recipe, estimator_class, make_features, recipe_from_json

FORMAT = "meteor_e learned 3"
"""Name and version of the file format."""
VECTORS_MARKER = "vectors:"
"""Line of a model's signature that separates the features of hypotheses from the features of single segments."""
_COLUMN_COUNT = re.compile(r"^([^=]*=[^:=]*):\d+:")
"""The first part of a feature's line in a signature, with the number of its columns."""


@dataclass
class LearnedModel:
    """A trained model.

    Attributes:
        recipe: the recipe that the model was trained from.
        estimator: the trained estimator.
        signature: the signature of the training features.
        card: the training data, the figures and the versions of libraries, which ``meteor-e model show`` prints.
        folder: the folder that paths in the recipe are relative to.
        check_texts: texts with the feature values that they had at the time of the training.
    """

    recipe: Recipe
    estimator: Estimator
    signature: tuple[str, ...]
    card: dict[str, Any]
    folder: Path
    check_texts: CheckTexts

    @property
    def features(self) -> FeatureSet:
        """The features of hypotheses. The first access loads the resources of the features, such as word lists."""
        return self._feature_sets[0]

    @property
    def vectors(self) -> FeatureSet:
        """The features of single segments. The first access loads the resources of the features, such as vectors."""
        return self._feature_sets[1]

    @cached_property
    def _feature_sets(self) -> tuple[FeatureSet, FeatureSet]:
        """Two feature sets. The first set describes hypotheses. The second set computes vectors of single segments."""
        self._check_plugins()
        features, vectors = self._make_features()
        self._check_signature(features_signature(features, vectors))
        self.check_texts.check(features, self.recipe.name)
        return features, vectors

    def _make_features(self) -> tuple[FeatureSet, FeatureSet]:
        """Create the features of the recipe, and omit columns that did not exist when the model was trained."""
        recipe = self.recipe
        # Some estimators read the texts and contain word vectors. Such estimators do not need vector features.
        vector_entries = [] if self.estimator.needs_texts else recipe.vectors
        features = make_features(recipe.features, recipe.language, self.folder, unescape=recipe.unescape)
        vectors = make_features(vector_entries, recipe.language, self.folder, unescape=recipe.unescape)
        feature_lines, vector_lines = split_signature(self.signature)
        return features.only(feature_lines), vectors.only(vector_lines)

    def _check_signature(self, signature: tuple[str, ...]) -> None:
        """Raise ConfigError if the current features differ from the features that the model was trained with."""
        if list(map(_without_count, self.signature)) == list(map(_without_count, signature)):
            return
        old, new = _find_difference(self.signature, signature)
        raise ConfigError(
            f"model {self.recipe.name!r} was trained on other features than those here: {old} there, {new} "
            "here; use the resources it was trained with, or train it again"
        )

    def _check_plugins(self) -> None:
        """Raise PluginError if the model needs a feature that no installed plugin provides."""
        feature_names = plugin_registry().features.names()
        for entry in self.recipe.features:
            name = entry if isinstance(entry, str) else entry.get("use")
            if name not in feature_names:
                raise PluginError(
                    f"model {self.recipe.name!r} needs the feature {name!r}, which no installed plugin brings; install "
                    "the plugin that does (meteor-e plugins lists what is there)"
                )


def features_signature(features: FeatureSet, vectors: FeatureSet) -> tuple[str, ...]:
    """Return a signature of the features, which must be the same when a model is trained and when it is used."""
    return (*features.definition, VECTORS_MARKER, *vectors.definition)


def split_signature(signature: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split a signature into two groups of lines: the hypothesis features and the single-segment features."""
    if VECTORS_MARKER not in signature:
        return signature, ()
    index = signature.index(VECTORS_MARKER)
    return signature[:index], signature[index:]


def _without_count(line: str) -> str:
    """Remove the number of columns from a signature line, because only the names of the columns have to match."""
    return _COLUMN_COUNT.sub(r"\1:", line)


def _find_difference(old_signature: Sequence[str], new_signature: Sequence[str]) -> tuple[str, str]:
    """Return the first pair of lines that differ. If one signature is a prefix of the other, return both lengths."""
    for old_line, new_line in zip(old_signature, new_signature, strict=False):
        if _without_count(old_line) != _without_count(new_line):
            return old_line, new_line
    return f"{len(old_signature)} features", f"{len(new_signature)} features"


def save_model(model: LearnedModel, path: str | os.PathLike[str]) -> None:
    """Write a model file. If an error occurs, an existing file is left unchanged.

    Raises:
        InputError: if the file cannot be written.
    """
    import msgspec
    from safetensors.numpy import save

    header = {
        KEY: PLACEHOLDER,
        "format": FORMAT,
        "recipe": msgspec.to_builtins(model.recipe),
        "parameters": options_by_name(model.estimator.options),
        "signature": list(model.signature),
        "card": model.card,
        "probes": model.check_texts.to_json(),
    }
    arrays = {name: np.ascontiguousarray(array) for name, array in model.estimator.arrays().items()}
    arrays["probes"] = np.ascontiguousarray(model.check_texts.values)
    metadata = {"meteor_e": json.dumps(header, ensure_ascii=False, allow_nan=True)}
    content = insert_checksum(save(arrays, metadata=metadata))
    try:
        with atomic_file(Path(path)) as scratch:
            scratch.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def load_model(path: str | os.PathLike[str]) -> LearnedModel:
    """Load a model from a file, or load a pretrained model by name.

    Args:
        path: the path of the file, or the model's name.

    Raises:
        InputError: if the file cannot be read or is not a model file.
        ConfigError: if this version does not support the recipe or the parameters of the model.
    """
    name = os.fspath(path)
    file = resolve_model(name)
    with _model_file_errors(name):
        header, arrays = _read_content(file, name)
        # The array "probes" contains expected feature values. All other arrays belong to the estimator.
        check_values = arrays.pop("probes")
        model = _make_model(header, arrays, check_values, file, name)
    for key, array in arrays.items():
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise InputError(f"{name}: damaged: {key} has values that are not numbers")
    return model


@contextlib.contextmanager
def _model_file_errors(name: str) -> Iterator[None]:
    """Convert errors from a missing, unreadable or invalid model file to InputError.

    Args:
        name: the name of the model, for error messages.
    """
    from safetensors import SafetensorError

    try:
        yield
    except FileNotFoundError:
        raise InputError(f"there is no model file {name!r}") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from error
    except KeyError as error:
        raise InputError(f"{name}: not a model file of meteor-e: its header lacks {error}") from error
    except (SafetensorError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{name}: not a model file of meteor-e: {error}") from error


def _read_content(file: Path, name: str) -> tuple[Mapping[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a model file.

    Args:
        file: the path of the file.
        name: the name of the model, for error messages.

    Raises:
        InputError: if the file is not a model file, is damaged, or has another version of the format.
    """
    from safetensors import safe_open

    # This check raises an error for a pipe, whereas safetensors would wait forever for data.
    with open_regular(file) as stream:
        content = stream.read()
    # The library reads the metadata only from a path, so the file is read a second time.
    with safe_open(file, framework="numpy") as tensors:
        metadata = tensors.metadata() or {}
        arrays = {key: tensors.get_tensor(key) for key in tensors.keys()}  # noqa: SIM118 - not a mapping
    if "meteor_e" not in metadata:
        raise InputError(f"{name}: not a model file of meteor-e: another program wrote it")
    verify_checksum(content, name)
    return _parse_header(metadata["meteor_e"], name), arrays


def _parse_header(content: str, name: str) -> Mapping[str, Any]:
    """Parse and check the JSON header of a model file.

    Args:
        content: the header as JSON.
        name: the name of the model, for error messages.

    Raises:
        InputError: if the header is not an object, or if it has another version of the format.
    """
    header = json.loads(content)
    if not isinstance(header, dict):
        raise InputError(f"{name}: not a model file of meteor-e: its header is not an object")
    if header["format"] != FORMAT:
        raise InputError(
            f"{name}: its form is {header['format']!r}; this version reads {FORMAT!r}; train the model again"
        )
    return header


def _make_model(
    header: Mapping[str, Any], arrays: dict[str, NDArray[Any]], check_values: NDArray[Any], file: Path, name: str
) -> LearnedModel:
    """Return the model that a file contains.

    Args:
        header: the header of the file.
        arrays: the learned arrays of the estimator.
        check_values: the feature values of the test sentences, with which the features are checked before their use.
        file: the path of the file.
        name: the name of the model, for error messages.
    """
    recipe = recipe_from_json(header["recipe"], name)
    with add_location(name):
        estimator: Estimator = estimator_class(recipe.estimator).make(**dict(header["parameters"]))
    check_texts = CheckTexts.from_json(header["probes"], check_values)
    estimator.restore(arrays)
    return LearnedModel(
        recipe=recipe,
        estimator=estimator,
        signature=tuple(str(line) for line in header["signature"]),
        card=dict(header["card"]),
        folder=file.absolute().parent,
        check_texts=check_texts,
    )
