"""The trained numbers that come with the plugin: a linear model per metric, and the detector of broken captions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from meteor_e.api import InputError
from meteor_e.base.checksum import check_seal
from meteor_e.base.extras import require
from meteor_e_captions.broken import BrokenDetector

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats


@dataclass(frozen=True)
class CaptionModel:
    """A linear model: the score is ``intercept`` and the weighted sum of features.

    Attributes:
        name: of the metric.
        features: names, as :mod:`meteor_e_captions.features` has them.
        weights: ``(features,)``, none negative.
        intercept: so that captions of other images have 0 on average, and people's captions of the image 1.
    """

    name: str
    features: tuple[str, ...]
    weights: Floats
    intercept: float


@cache
def _read(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    library = require("safetensors", f"metric {name!r}", distribution="meteor-e-captions")
    path = files(__package__) / "ready" / f"{name}.safetensors"
    try:
        check_seal(path.read_bytes(), str(path))
        with library.safe_open(str(path), framework="numpy") as content:
            arrays = {key: content.get_tensor(key) for key in content.keys()}  # noqa: SIM118 - no mapping
            return arrays, json.loads(content.metadata()["names"])
    except (OSError, library.SafetensorError) as error:
        raise InputError(f"{path} is damaged: {error}; install meteor-e-captions again") from error


def load_model(name: str) -> CaptionModel:
    """Return a model that comes with the plugin."""
    arrays, names = _read(name)
    return CaptionModel(name, tuple(names["features"]), arrays["weights"], float(arrays["intercept"][0]))


@cache
def load_detector() -> BrokenDetector:
    """Return the detector that comes with the plugin."""
    arrays, names = _read("broken")
    weights = [round(float(weight), 3) for weight in arrays["weights"]]
    return BrokenDetector(
        dict(zip(names["neighbors"], weights, strict=True)),
        [round(float(weight), 3) for weight in arrays["repeated"]],
        round(float(arrays["intercept"][0]), 3),
    )
