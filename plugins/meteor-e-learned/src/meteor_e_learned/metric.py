"""Signatures, which identify trained models in the output of ``meteor-e score``."""

from __future__ import annotations

from meteor_e.api.component import options_by_name
from meteor_e.base.array_cache import digest
from meteor_e_learned.modelfile import LearnedModel


def signature_of(model: LearnedModel) -> str:
    """Return a string that identifies a model's estimator, options and learned weights.

    Models with equal signatures and equal features compute equal scores.
    """
    arrays = model.estimator.arrays()
    learned = digest(f"{key}:{value.tobytes().hex()}" for key, value in sorted(arrays.items()))[:16]
    options = digest(f"{key}={value!r}" for key, value in sorted(options_by_name(model.estimator.options).items()))[:8]
    signature = f"model:{model.recipe.name}|{model.recipe.estimator}|options:{options}|learned:{learned}"
    return f"{signature}|unescape" if model.recipe.unescape else signature
