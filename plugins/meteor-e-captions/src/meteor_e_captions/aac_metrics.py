"""``meteor`` in the shape of aac-metrics, the metrics of audio captioning, without Java.

Code that says ``from aac_metrics.functional import meteor`` changes this one import. The captions are tokenized
before, as aac-metrics does with its ``preprocess_mono_sents`` and ``preprocess_mult_sents``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from meteor_e import Meteor, load_metric
from meteor_e.api import ConfigError, InputError
from meteor_e.base.texts import check_text, listed


def meteor(
    candidates: Sequence[str],
    mult_references: Sequence[Sequence[str]],
    return_all_scores: bool = True,
    *,
    language: str = "en",
    params: Iterable[float] | None = None,
    weights: Iterable[float] | None = None,
    **ignored: Any,
) -> torch.Tensor | tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Return METEOR of captions: of all together, and of each.

    Args:
        candidates: one caption per item.
        mult_references: the references of each item.
        return_all_scores: return both; if false, the score of all captions together.
        language: ISO code of the language.
        params: α, β, γ and δ; by default those of METEOR 1.5.
        weights: one weight per matcher, in the language's order. Where ``params`` are given alone, the weights are
            those of METEOR's task ``adq``, as in the Java program.
        ignored: arguments that are about Java: paths, memory, shells.

    Returns:
        ``({"meteor": score of the corpus}, {"meteor": scores})``, as tensors of double precision.

    Raises:
        InputError: if there are no captions, the two sides differ in length, or an item has no list of references.
        ConfigError: for a parameter or weight out of its range, or ``params`` alone for a language without ``adq``.
    """
    options: dict[str, Any] = {}
    if params is not None:
        params = list(listed(params, "params", "parameter"))
        if len(params) != 4:
            raise InputError(f"params has {len(params)} numbers; METEOR has four: alpha, beta, gamma, delta")
        options["parameters"] = dict(zip(("alpha", "beta", "gamma", "delta"), map(float, params), strict=True))
        if weights is None:
            options["task"] = "adq"
            if language not in ("en", "english"):
                raise ConfigError(f"METEOR has no weights for params of your own in {language!r}; give weights, too")
    if weights is not None:
        weights = list(listed(weights, "weights", "matcher"))
        names = Meteor(language).matcher_names
        if len(weights) != len(names):
            raise InputError(f"weights has {len(weights)} numbers; language {language!r} has {len(names)} matchers")
        options["matchers"] = [
            {"use": name, "weight": float(weight), "optional": True}
            for name, weight in zip(names, weights, strict=True)
        ]
    metric = Meteor(language, normalization="full", **options)
    captions = map(_plain, listed(candidates, "candidates", "caption"))
    corpus = metric.corpus(captions, map(_listed, listed(mult_references, "mult_references", "caption")), segments=True)
    score = torch.tensor(corpus.score, dtype=torch.float64)
    if not return_all_scores:
        return score
    scores = torch.tensor([segment.score for segment in corpus.segments], dtype=torch.float64)
    return {"meteor": score}, {"meteor": scores}


def caption_light(
    candidates: Sequence[str],
    mult_references: Sequence[Sequence[str]],
    return_all_scores: bool = True,
    *,
    metric: str = "caption-light",
    **options: Any,
) -> torch.Tensor | tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Return the metric ``caption-light`` of captions, as :func:`meteor` returns METEOR.

    Args:
        candidates: one caption per item.
        mult_references: the references of each item.
        return_all_scores: return both; if false, the score of all captions together.
        metric: another metric, as :func:`meteor_e.load_metric` takes it.
        options: of the metric.

    Raises:
        InputError: as for :func:`meteor`.
        ConfigError: for an unknown metric or option.
    """
    captions = list(map(_plain, listed(candidates, "candidates", "caption")))
    references = list(map(_listed, listed(mult_references, "mult_references", "caption")))
    made = load_metric(metric, language="en", **options)
    found = made.corpus(captions, references)
    score = torch.tensor(found.score, dtype=torch.float64)
    if not return_all_scores:
        return score
    name = made.name.replace("-", "_")
    return {name: score}, {name: torch.tensor(found.segments, dtype=torch.float64)}


def caption_context(
    candidates: Sequence[str],
    mult_references: Sequence[Sequence[str]],
    return_all_scores: bool = True,
    **options: Any,
) -> torch.Tensor | tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Return the metric ``caption-context``; arguments and errors are those of :func:`caption_light`."""
    return caption_light(candidates, mult_references, return_all_scores, metric="caption-context", **options)


def _listed(references: Sequence[str]) -> Sequence[str]:
    """Return the references of a caption; InputError for a text, each letter of which would be one."""
    if isinstance(references, str):
        raise InputError(f"references of a caption are a list of texts, not the text {references[:40]!r}")
    return references


def _plain(caption: str) -> str:
    """Return a caption as aac-metrics sends it to the Java program: without the separator of its protocol."""
    check_text(caption, "a caption")
    return caption.replace("|||", "").replace("  ", " ")
