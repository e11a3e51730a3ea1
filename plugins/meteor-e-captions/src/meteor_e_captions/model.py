"""Loads the trained models of the caption metrics: one linear model per metric, and the detector of broken captions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from meteor_e.api import InputError
from meteor_e.base.checksum import verify_checksum
from meteor_e.base.extras import require
from meteor_e_captions.broken import BrokenDetector

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

_DETECTOR_DECIMALS = 3
"""Number of decimals of the detector's weights."""


@dataclass(frozen=True)
class CaptionModel:
    """A linear model whose score is the weighted sum of the features plus the intercept.

    Attributes:
        name: the name of the metric.
        features: the names of the features; see :mod:`meteor_e_captions.features`.
        weights: an array ``(features,)`` of weights, none of which is negative.
        intercept: the intercept. It was chosen so that the mean score is 0 for captions of a different image and 1
            for human captions of the image.
    """

    name: str
    features: tuple[str, ...]
    weights: Floats
    intercept: float


@cache
def _read_model(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a model that is included in the package.

    Args:
        name: the file name of the model without its extension.

    Returns:
        The arrays of the model, and a dictionary with lists of names, such as the names of its features.
    """
    safetensors = require("safetensors", f"metric {name!r}", distribution="meteor-e-captions")
    path = files(__package__) / "ready" / f"{name}.safetensors"
    try:
        verify_checksum(path.read_bytes(), str(path))
        with safetensors.safe_open(str(path), framework="numpy") as model_file:
            names = json.loads(model_file.metadata()["names"])
            return {key: model_file.get_tensor(key) for key in model_file.keys()}, names  # noqa: SIM118 - no mapping
    except (OSError, safetensors.SafetensorError) as error:
        raise InputError(f"{path} is damaged: {error}; install meteor-e-captions again") from error


def load_model(name: str) -> CaptionModel:
    """Return the linear model of the metric with the given name."""
    arrays, names = _read_model(name)
    return CaptionModel(
        name=name,
        features=tuple(names["features"]),
        weights=arrays["weights"],
        intercept=float(arrays["intercept"][0]),
    )


@cache
def load_detector() -> BrokenDetector:
    """Return the detector of broken captions."""
    arrays, names = _read_model("broken")
    return BrokenDetector(
        weights=dict(zip(names["neighbors"], _round_all(arrays["weights"]), strict=True)),
        repeated=_round_all(arrays["repeated"]),
        intercept=_round_all(arrays["intercept"])[0],
    )


def _round_all(weights: Floats) -> list[float]:
    """Round weights to three decimals, so that their sums do not depend on the order of addition."""
    return [round(float(weight), _DETECTOR_DECIMALS) for weight in weights]
