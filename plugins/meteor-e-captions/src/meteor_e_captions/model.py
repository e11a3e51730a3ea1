"""The trained models of the plugin: a linear model per metric, and the detector of broken captions."""

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


@dataclass(frozen=True)
class CaptionModel:
    """A linear model: the score is the sum of the weighted features and ``intercept``.

    Attributes:
        name: the name of the metric.
        features: the names of the features; see :mod:`meteor_e_captions.features`.
        weights: an array ``(features,)``; no weight is negative.
        intercept: the intercept. It was chosen so that the mean score is 0 for captions of a different image and 1
            for captions of the image by people.
    """

    name: str
    features: tuple[str, ...]
    weights: Floats
    intercept: float


@cache
def _read_model(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    library = require("safetensors", f"metric {name!r}", distribution="meteor-e-captions")
    path = files(__package__) / "ready" / f"{name}.safetensors"
    try:
        verify_checksum(path.read_bytes(), str(path))
        with library.safe_open(str(path), framework="numpy") as content:
            arrays = {key: content.get_tensor(key) for key in content.keys()}  # noqa: SIM118 - no mapping
            return arrays, json.loads(content.metadata()["names"])
    except (OSError, library.SafetensorError) as error:
        raise InputError(f"{path} is damaged: {error}; install meteor-e-captions again") from error


def load_model(name: str) -> CaptionModel:
    """Return the model of a metric."""
    arrays, names = _read_model(name)
    return CaptionModel(name, tuple(names["features"]), arrays["weights"], float(arrays["intercept"][0]))


@cache
def load_detector() -> BrokenDetector:
    """Return the detector of broken captions."""
    arrays, names = _read_model("broken")
    weights = [round(float(weight), 3) for weight in arrays["weights"]]
    return BrokenDetector(
        dict(zip(names["neighbors"], weights, strict=True)),
        [round(float(weight), 3) for weight in arrays["repeated"]],
        round(float(arrays["intercept"][0]), 3),
    )
