"""The weights that turn what is known of a word into the probability that people mark it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, InputError
from meteor_e.base.array_cache import digest
from meteor_e.base.files import open_regular
from meteor_e_learned.spans.features import COLUMNS

__all__ = ["OMISSION_COLUMNS", "Linear", "SpanModel", "load_span_model"]

Floats = NDArray[np.float64]

OMISSION_COLUMNS = ("words", "letters", "information", "instead", "recall", "precision")
"""What is known of a run of unmatched words of the reference: how many words and letters (logarithms), how much they
tell at most, how many unmatched words stand in its place in the hypothesis (logarithm), and of the segment the shares
of matched words."""
_LARGEST = 1_000_000


class Linear(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logistic regression: the logit is ``intercept`` plus the sum of each weight times its number.

    Attributes:
        intercept: the logit where all numbers are 0.
        weights: by the names of the numbers; numbers that are not named have no weight.
    """

    intercept: float
    weights: dict[str, float]

    def vector(self, columns: tuple[str, ...]) -> Floats:
        """Return a weight for each column.

        Raises:
            ConfigError: if a weight belongs to no column.
        """
        unknown = sorted({*self.weights} - {*columns})
        if unknown:
            raise ConfigError(f"a span model has weights for numbers that are not known here: {', '.join(unknown)}")
        return np.array([self.weights.get(name, 0.0) for name in columns])


class SpanModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model of error spans.

    Attributes:
        name: of the model.
        error: whether people mark a word.
        major: whether a marked word is a major error.
        omission: whether people miss a run of words of the reference.
        threshold: words of at least this probability are marked, in (0, 1).
        omission_threshold: likewise for omissions.
        shifts: what is added to the logit of ``error`` for a language, by its code: raters of some languages mark
            more than others.
        lists: whether the model wants frequencies of words.
        training: what it was trained on, for its card.
    """

    name: str
    error: Linear
    major: Linear
    omission: Linear
    threshold: float
    omission_threshold: float
    lists: bool
    shifts: dict[str, float] = {}
    training: dict[str, str] = {}

    def probabilities(self, numbers: Floats, language: str) -> tuple[Floats, Floats]:
        """Return for each word the probability of an error, and of a major one where it is one.

        Args:
            numbers: ``(words, columns)``, as :data:`~meteor_e_learned.spans.features.COLUMNS` names them.
            language: code of the language.
        """
        shift = self.shifts.get(language, 0.0)
        error = _logistic(numbers @ self.error.vector(COLUMNS) + (self.error.intercept + shift))
        return error, _logistic(numbers @ self.major.vector(COLUMNS) + self.major.intercept)

    def omissions(self, numbers: Floats) -> Floats:
        """Return for each run of unmatched words of the reference the probability that people miss it.

        Args:
            numbers: ``(runs, columns)``, as :data:`OMISSION_COLUMNS` names them.
        """
        return _logistic(numbers @ self.omission.vector(OMISSION_COLUMNS) + self.omission.intercept)

    @property
    def signature(self) -> str:
        """What must be the same for the spans to be the same."""
        return f"spans:{self.name}|weights:{digest([msgspec.json.encode(self, order='sorted').decode()])[:12]}"


def _logistic(logits: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-np.clip(logits, -700, 700)))
    return result


def load_span_model(name: str | os.PathLike[str]) -> SpanModel:
    """Read a model: ``listed`` or ``any``, which come with the plugin, or a file.

    Raises:
        InputError: if the file is no such model.
        ConfigError: if it has weights for numbers that are not known here.
    """
    own = files("meteor_e_learned") / "spans" / f"{name}.json"
    if not isinstance(name, os.PathLike) and os.sep not in name and own.is_file():
        content, shown = own.read_bytes(), f"spans-{name}"
    else:
        with open_regular(Path(name)) as handle:
            content, shown = handle.read(_LARGEST + 1), str(name)
    try:
        if len(content) > _LARGEST:
            raise msgspec.DecodeError(f"larger than {_LARGEST} bytes")
        model = msgspec.json.decode(content, type=SpanModel)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{shown} is no model of error spans: {error}") from error
    _check(model, shown)
    return model


def _check(model: SpanModel, shown: str) -> None:
    numbers: Mapping[str, float] = {
        **model.shifts, "threshold": model.threshold, "omission_threshold": model.omission_threshold,
    }  # fmt: skip
    for part, columns in ((model.error, COLUMNS), (model.major, COLUMNS), (model.omission, OMISSION_COLUMNS)):
        part.vector(columns)
        numbers = {**numbers, "intercept": part.intercept, **part.weights}
        if not np.isfinite(list(numbers.values())).all():
            raise InputError(f"{shown}: a weight is not a finite number")
    if not (0 < model.threshold < 1 and 0 < model.omission_threshold < 1):
        raise ConfigError(f"{shown}: thresholds must be above 0 and below 1")
