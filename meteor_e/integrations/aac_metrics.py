"""``meteor`` in the shape of aac-metrics, the metrics of audio captioning, without Java.

Code that says ``from aac_metrics.functional import meteor`` changes this one import. The captions are tokenized
before, as aac-metrics does with its ``preprocess_mono_sents`` and ``preprocess_mult_sents``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from meteor_e.base.errors import InputError
from meteor_e.meteor import Meteor

__all__ = ["meteor"]


def meteor(
    candidates: Sequence[str],
    mult_references: Sequence[Sequence[str]],
    return_all_scores: bool = True,
    *,
    language: str = "en",
    params: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
    **ignored: Any,
) -> torch.Tensor | tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Return METEOR of captions: of all together, and of each.

    Args:
        candidates: one caption per item.
        mult_references: the references of each item.
        return_all_scores: return both; if false, the score of all captions together.
        language: ISO code of the language.
        params: α, β, γ and δ; by default those of METEOR 1.5.
        weights: one weight per matcher, in the language's order.
        ignored: arguments that are about Java: paths, memory, shells.

    Returns:
        ``({"meteor": score of the corpus}, {"meteor": scores})``, as tensors of double precision.

    Raises:
        InputError: if there are no captions, or the two sides differ in length.
        ConfigError: for a parameter or weight out of its range.
    """
    options: dict[str, Any] = {}
    if params is not None:
        if len(params) != 4:
            raise InputError(f"params has {len(params)} numbers; METEOR has four: alpha, beta, gamma, delta")
        options["parameters"] = dict(zip(("alpha", "beta", "gamma", "delta"), map(float, params), strict=True))
    if weights is not None:
        names = Meteor(language).matcher_names
        if len(weights) != len(names):
            raise InputError(f"weights has {len(weights)} numbers; language {language!r} has {len(names)} matchers")
        options["matchers"] = [
            {"use": name, "weight": float(weight), "optional": True}
            for name, weight in zip(names, weights, strict=True)
        ]
    metric = Meteor(language, normalization="full", **options)
    corpus = metric.corpus(map(_plain, candidates), mult_references, segments=True)
    score = torch.tensor(corpus.score, dtype=torch.float64)
    if not return_all_scores:
        return score
    scores = torch.tensor([segment.score for segment in corpus.segments], dtype=torch.float64)
    return {"meteor": score}, {"meteor": scores}


def _plain(caption: str) -> str:
    """Return a caption as aac-metrics sends it to the Java program: without the separator of its protocol."""
    if not isinstance(caption, str):
        raise InputError(f"a caption must be a text, not {type(caption).__name__}")
    return caption.replace("|||", "").replace("  ", " ")
