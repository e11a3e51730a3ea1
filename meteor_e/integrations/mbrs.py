"""METEOR as a metric of mbrs, a library for minimum Bayes risk decoding.

Importing this module registers the metric under the name ``meteor``::

    import meteor_e.integrations.mbrs
    from mbrs.metrics import get_metric

    metric_class = get_metric("meteor")
    metric = metric_class(metric_class.Config(language="en"))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from mbrs.metrics import Metric, register

from meteor_e.base.texts import check_items, listed
from meteor_e.meteor import Meteor


@register("meteor")
class MetricMeteor(Metric):
    """METEOR, as the utility of minimum Bayes risk decoding."""

    @dataclass
    class Config(Metric.Config):
        """What the metric is made with.

        Attributes:
            language: ISO code of the language.
            options: further arguments of :class:`~meteor_e.meteor.Meteor`.
        """

        language: str = "en"
        options: dict[str, Any] = field(default_factory=dict)

    def __init__(self, cfg: MetricMeteor.Config) -> None:
        super().__init__(cfg)
        self.meteor = Meteor(cfg.language, **cfg.options)

    def score(self, hypothesis: str, reference: str, source: str | None = None) -> float:
        """Return the score of a hypothesis."""
        return self.meteor.score(hypothesis, reference).score

    def scores(self, hypotheses: list[str], references: list[str], sources: list[str] | None = None) -> torch.Tensor:
        """Return the score of each hypothesis against the reference at its place."""
        return torch.tensor(
            [segment.score for segment in self.meteor.segments(hypotheses, references)], dtype=torch.float32
        )

    def corpus_score(
        self, hypotheses: list[str], references_lists: list[list[str]], sources: list[str] | None = None
    ) -> float:
        """Return METEOR's corpus score; each list of references has one reference per hypothesis."""
        sides = enumerate(listed(references_lists, "references_lists", "reference"), 1)
        found = check_items(hypotheses=hypotheses, **{f"references {number}": each for number, each in sides})
        texts, *lists = found.values()
        return self.meteor.corpus(texts, list(zip(*lists, strict=True))).score

    def pairwise_scores(self, hypotheses: list[str], references: list[str], source: str | None = None) -> torch.Tensor:
        """Return the scores of all pairs, ``(hypotheses, references)``."""
        return torch.tensor(self.meteor.pairwise(hypotheses, references), dtype=torch.float32)
