"""Model files: numbers in safetensors' form, everything else as JSON in its header. Nothing in them is executed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

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

FORMAT = "meteor_e learned 2"
_VECTORS = "vectors:"
"""Divides the features of a signature from the vectors."""


@dataclass
class LearnedModel:
    """A trained model and what has to be known about it.

    Attributes:
        recipe: what it was made of.
        estimator: trained.
        signature: of the features that it was trained on.
        card: training data, figures, versions; for :command:`meteor-e model show`.
        folder: what relative paths of the recipe are seen from.
        check_texts: texts with the numbers that the features gave for them.
    """

    recipe: Recipe
    estimator: Estimator
    signature: tuple[str, ...]
    card: dict[str, Any]
    folder: Path
    check_texts: CheckTexts
    _features: tuple[FeatureSet, FeatureSet] | None = field(default=None, repr=False)

    @property
    def features(self) -> FeatureSet:
        """Features of hypotheses, made when first asked for."""
        return self._make_features()[0]

    @property
    def vectors(self) -> FeatureSet:
        """Features of single segments, likewise."""
        return self._make_features()[1]

    def _make_features(self) -> tuple[FeatureSet, FeatureSet]:
        if self._features is None:
            self._check_plugins()
            made = tuple(
                make_features(entries, self.recipe.language, self.folder, unescape=self.recipe.unescape)
                # An estimator that reads texts has its words' vectors with it.
                for entries in (self.recipe.features, [] if self.estimator.needs_texts else self.recipe.vectors)
            )
            # What a feature has learned to give since then is left aside.
            border = self.signature.index(_VECTORS) if _VECTORS in self.signature else len(self.signature)
            made = made[0].only(self.signature[:border]), made[1].only(self.signature[border:])
            found = features_signature(*made)
            if _without_counts(found) != _without_counts(self.signature):
                old, new = next(
                    (
                        (old, new)
                        for old, new in zip(self.signature, found, strict=False)
                        if _without_counts([old]) != _without_counts([new])
                    ),
                    (f"{len(self.signature)} features", f"{len(found)} features"),
                )
                raise ConfigError(
                    f"model {self.recipe.name!r} was trained on other features than those here: {old} there, {new} "
                    "here; use the resources it was trained with, or train it again"
                )
            self.check_texts.check(made[0], self.recipe.name)
            self._features = (made[0], made[1])
        return self._features

    def _check_plugins(self) -> None:
        known = plugin_registry().features.names()
        for entry in self.recipe.features:
            name = entry if isinstance(entry, str) else entry.get("use")
            if name not in known:
                raise PluginError(
                    f"model {self.recipe.name!r} needs the feature {name!r}, which no installed plugin brings; install "
                    "the plugin that does (meteor-e plugins lists what is there)"
                )


def features_signature(features: FeatureSet, vectors: FeatureSet) -> tuple[str, ...]:
    """Return what must be the same for a model to be used."""
    return (*features.definition, _VECTORS, *vectors.definition)


def _without_counts(signature: Iterable[str]) -> list[str]:
    """Return a signature without the number of columns that each feature has; the columns themselves are in it."""
    return [re.sub(r"^([^=]*=[^:=]*):\d+:", r"\1:", line) for line in signature]


def save_model(model: LearnedModel, path: str | os.PathLike[str]) -> None:
    """Write a model file, whole or not at all.

    Raises:
        InputError: if it cannot be written.
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
    arrays["probes"] = np.ascontiguousarray(model.check_texts.numbers)
    content = insert_checksum(
        save(arrays, metadata={"meteor_e": json.dumps(header, ensure_ascii=False, allow_nan=True)})
    )
    try:
        with atomic_file(Path(path)) as scratch:
            scratch.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def load_model(path: str | os.PathLike[str]) -> LearnedModel:
    """Read a model file, or a model that comes with the plugin.

    Args:
        path: of the file, or the model's name.

    Raises:
        InputError: if it cannot be read or is not a model file.
        ConfigError: if its recipe or its parameters are none that this version knows.
    """
    from safetensors import SafetensorError, safe_open

    name = os.fspath(path)
    file = resolve_model(name)
    try:
        # A pipe would be waited for, and a device read without end.
        open_regular(file).close()
        with safe_open(file, framework="numpy") as content:
            metadata = content.metadata() or {}
            arrays = {key: content.get_tensor(key) for key in content.keys()}  # noqa: SIM118 - it is no mapping
        if "meteor_e" not in metadata:
            raise InputError(f"{name}: not a model file of meteor-e: another program wrote it")
        verify_checksum(file.read_bytes(), name)
        header = json.loads(metadata["meteor_e"])
        if not isinstance(header, dict):
            raise InputError(f"{name}: not a model file of meteor-e: its header is not an object")
        if header["format"] != FORMAT:
            raise InputError(
                f"{name}: its form is {header['format']!r}; this version reads {FORMAT!r}; train the model again"
            )
        recipe = recipe_from_json(json.dumps(header["recipe"]).encode(), name)
        with add_location(name):
            estimator: Estimator = estimator_class(recipe.estimator).make(**dict(header["parameters"]))
        check_texts = CheckTexts.from_json(header["probes"], arrays.pop("probes"))
        estimator.restore(arrays)
        signature = tuple(str(line) for line in header["signature"])
        card = dict(header["card"])
    except FileNotFoundError:
        raise InputError(f"there is no model file {name!r}") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from error
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        lacks = "its header lacks " if isinstance(error, KeyError) else ""
        raise InputError(f"{name}: not a model file of meteor-e: {lacks}{error}") from error
    for key, array in arrays.items():
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise InputError(f"{name}: damaged: {key} has values that are not numbers")
    return LearnedModel(recipe, estimator, signature, card, file.absolute().parent, check_texts)
