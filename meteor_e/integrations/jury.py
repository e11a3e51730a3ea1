"""METEOR as a metric of jury, without nltk.

>>> from jury import Jury
>>> from meteor_e.integrations.jury import MeteorE
>>> Jury(metrics=[MeteorE("en")])(predictions=[["the cat sat"]], references=[["the cat sat down", "a cat sat"]])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import evaluate
from jury.metrics._core import MetricForLanguageGeneration

from meteor_e.base.texts import check_items
from meteor_e.meteor import Meteor


class MeteorE(MetricForLanguageGeneration):
    """METEOR: the mean of the items' scores, as in jury's own metric ``meteor``.

    Args:
        language: ISO code of the language.
        options: further arguments of :class:`~meteor_e.meteor.Meteor`.
        resulting_name: what jury calls the result.
        arguments: of jury's base class.
    """

    def __init__(
        self,
        language: str = "en",
        *,
        options: dict[str, Any] | None = None,
        resulting_name: str = "meteor",
        **arguments: Any,
    ) -> None:
        super().__init__(resulting_name=resulting_name, **arguments)
        self.meteor = Meteor(language, **(options or {}))

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Add items; whatever is no text is refused, because ``evaluate`` would turn numbers into texts."""
        found = check_items(("predictions", "references"), predictions=predictions, references=references)
        lists = {what: [[each] if isinstance(each, str) else each for each in items] for what, items in found.items()}
        super().add_batch(**lists, **others)

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=str(__doc__),
            citation="Denkowski and Lavie (2014), Meteor Universal",
            inputs_description="predictions: texts, or lists of texts; references: texts, or lists of texts",
            features=self._default_features,
        )

    def _scored(
        self,
        predictions: Sequence[str | Sequence[str]],
        references: Sequence[str | Sequence[str]],
        reduce_fn: Callable[[list[float]], float],
    ) -> dict[str, Any]:
        """Score items; of several predictions of an item, ``reduce_fn`` makes one score."""
        tried = [[each] if isinstance(each, str) else list(each) for each in predictions]
        texts = [text for own in tried for text in own]
        repeated = [each for own, each in zip(tried, references, strict=True) for _ in own]
        scores = iter([segment.score for segment in self.meteor.segments(texts, repeated)])
        items = [float(reduce_fn([next(scores) for _ in own])) for own in tried]
        return {"score": math.fsum(items) / len(items), "signature": self.meteor.signature}

    def _compute_single_pred_single_ref(
        self, predictions: Any, references: Any, reduce_fn: Any = max, **_: Any
    ) -> dict[str, Any]:
        return self._scored(predictions, references, reduce_fn)

    _compute_single_pred_multi_ref = _compute_single_pred_single_ref
    _compute_multi_pred_multi_ref = _compute_single_pred_single_ref
