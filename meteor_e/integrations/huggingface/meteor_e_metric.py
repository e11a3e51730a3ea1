"""METEOR as a metric module, which the function ``evaluate.load`` of Hugging Face imports.

This module does not import other modules of its package, because ``evaluate`` copies only this file to its cache.
"""

from __future__ import annotations

import functools
import json
import math
from typing import Any

import datasets
import evaluate

_DESCRIPTION = """\
METEOR 1.5 with the Java program's scores, without Java: unigram matches by form, stem, synonym and paraphrase,
a harmonic mean of precision and recall, and a penalty for fragmentation.
"""

_ARGUMENTS = """
Args:
    predictions: the hypotheses, one text each.
    references: for each hypothesis its reference, or a list of references.
    language: ISO code of the language (default: en).
    options: further arguments of meteor_e.Meteor, such as {"task": "adq"}.
    alpha, beta, gamma: parameters of METEOR that replace those of METEOR 1.5.
Returns:
    meteor: the mean of the segment scores, as in the module "meteor" of evaluate.
    corpus: the corpus score, which is computed from summed statistics.
    precision, recall, f1, fmean, fragmentation_penalty: the components of the corpus score.
    segments: the segment scores.
    signature: the signature of the metric, which identifies all settings that affect the scores.
Examples:
    >>> metric = evaluate.load(meteor_e.integrations.huggingface.MODULE)
    >>> metric.compute(predictions=["the cat sat"], references=[["the cat sat down", "a cat sat"]])
"""

_CITATION = """\
@inproceedings{denkowski-lavie-2014-meteor,
  title = {Meteor Universal: Language Specific Translation Evaluation for Any Target Language},
  author = {Denkowski, Michael and Lavie, Alon},
  booktitle = {Proceedings of the Ninth Workshop on Statistical Machine Translation},
  year = {2014}
}
"""


def _make_meteor(language: str, options: dict[str, Any]) -> Any:
    """Return METEOR with the given options. Instances are cached, because resampling computes scores many times."""
    from meteor_e import Meteor

    try:
        return _make_cached_meteor(language, json.dumps(options))
    except TypeError:
        # Some options, such as paths and matchers, cannot be represented in JSON.
        return Meteor(language, **options)


@functools.lru_cache(maxsize=8)
def _make_cached_meteor(language: str, options: str) -> Any:
    """Create METEOR with options that are given as JSON, or return a cached instance."""
    from meteor_e import Meteor

    return Meteor(language, **json.loads(options))


class MeteorE(evaluate.Metric):
    """Compute METEOR as a metric of Hugging Face ``evaluate``."""

    def _info(self) -> evaluate.MetricInfo:
        """Return the description of the metric, which the library ``evaluate`` requires."""
        features = datasets.Features(
            {"predictions": datasets.Value("string"), "references": datasets.Sequence(datasets.Value("string"))}
        )
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_ARGUMENTS,
            features=features,
        )

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> Any:
        """Compute the scores of all added segments, including the given predictions and references."""
        from meteor_e import InputError

        batch = [texts for texts in (predictions, references) if texts is not None]
        # Arguments without a length are not checked here, because add_batch() rejects them.
        if self.writer is None and all(hasattr(texts, "__len__") and not len(texts) for texts in batch):
            raise InputError("there are no segments to score")
        if not batch:
            return super().compute(**kwargs)
        return super().compute(predictions=predictions, references=references, **kwargs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add segments. Raise InputError for numbers, because ``evaluate`` would silently convert them to strings."""
        from meteor_e.base.texts import check_items

        batch = check_items(predictions=predictions, references=references)
        if not batch["predictions"]:
            # The ``evaluate`` library cannot infer the data types of an empty batch.
            return
        # All references become lists, because evaluate requires the same type for all segments of a batch.
        references = [[texts] if isinstance(texts, str) else texts for texts in batch["references"]]
        super().add_batch(predictions=batch["predictions"], references=references, **kwargs)

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add a segment with its reference or list of references."""
        from meteor_e.base.texts import check_items

        (texts,) = check_items(prediction=[prediction], references=[reference])["references"]
        super().add(prediction=prediction, reference=[texts] if isinstance(texts, str) else texts, **kwargs)

    def _compute(
        self,
        predictions: list[str],
        references: list[Any],
        language: str = "en",
        options: dict[str, Any] | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
    ) -> dict[str, Any]:
        """Return the scores as a dictionary. The base class calls this method in ``compute``."""
        from meteor_e.scoring.formula import PARTS

        parameters = {"alpha": alpha, "beta": beta, "gamma": gamma}
        metric = _make_meteor(language, _set_parameters(options or {}, parameters))
        corpus_score = metric.corpus(predictions, references, segments=True)
        segment_scores = [segment.score for segment in corpus_score.segments]
        mean_score = math.fsum(segment_scores) / len(segment_scores)
        components = {part: getattr(corpus_score, part) for part in PARTS if part != "score"}
        return {
            "meteor": mean_score,
            "corpus": corpus_score.score,
            **components,
            "segments": segment_scores,
            "signature": corpus_score.signature,
        }


def _set_parameters(options: dict[str, Any], parameters: dict[str, float | None]) -> dict[str, Any]:
    """Return METEOR's options with some formula parameters replaced. A parameter that is ``None`` is not replaced."""
    new_parameters = {name: value for name, value in parameters.items() if value is not None}
    if not new_parameters:
        return options
    return {**options, "parameters": {**(options.get("parameters") or {}), **new_parameters}}
