"""This module makes METEOR a metric of torchmetrics.

The metric accumulates the sum of the segment statistics. The corpus score is therefore independent of how the segments
are distributed over updates and processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import torch
from torchmetrics import Metric
from torchmetrics.utilities.data import dim_zero_cat

from meteor_e.base.errors import InputError
from meteor_e.scoring import formula
from meteor_e.scoring.statistics import Statistics, StatisticsSum, statistics_width

if TYPE_CHECKING:
    from meteor_e.meteor import Meteor
    from meteor_e.scoring.results import MeteorSegmentScore


class MeteorScore(Metric):
    """Compute the corpus score of METEOR as a torchmetrics metric.

    >>> metric = MeteorScore("en")
    >>> metric.update(["the cat sat on the mat"], [["a cat was sitting on the mat"]])
    >>> metric.compute()

    Args:
        language: the ISO code of the language.
        options: further arguments of :class:`~meteor_e.meteor.Meteor`, such as ``{"task": "adq"}``.
        return_sentence_level_score: whether to return the segment scores in addition to the corpus score.
        kwargs: further arguments of ``torchmetrics.Metric``.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0

    statistics: torch.Tensor
    segment_count: torch.Tensor
    signature_hash: torch.Tensor
    segment_scores: list[torch.Tensor]

    def __init__(
        self,
        language: str = "en",
        *,
        options: dict[str, Any] | None = None,
        return_sentence_level_score: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        from meteor_e.meteor import Meteor

        self.meteor: Meteor = Meteor(language, **(options or {}))
        no_statistics = torch.zeros(statistics_width(len(self.meteor.matchers)), dtype=torch.int64)
        self.add_state("statistics", default=no_statistics, dist_reduce_fx="sum")
        self.add_state("segment_count", default=torch.tensor(0), dist_reduce_fx="sum")
        # A MetricCollection merges metrics with equal states, so the state must differ if the settings differ.
        # All processes have the same signature, so taking the maximum of their hashes leaves the hash unchanged.
        self.add_state("signature_hash", default=_hash_signature(self.meteor.signature), dist_reduce_fx="max")
        self.return_sentence_level_score = return_sentence_level_score
        if return_sentence_level_score:
            self.add_state("segment_scores", default=[], dist_reduce_fx="cat")

    def update(self, preds: str | Sequence[str], target: Sequence[str | Sequence[str]] | str) -> None:
        """Add segments to the state of the metric.

        Args:
            preds: the hypotheses, or a single hypothesis.
            target: the reference or the sequence of references of each hypothesis.

        Raises:
            InputError: if ``preds`` and ``target`` differ in length.
        """
        segments = list(self._score_segments(preds, target))
        statistics_sum = StatisticsSum(len(self.meteor.matchers))
        for segment in segments:
            statistics_sum.add(segment.statistics)
        self.segment_count += len(segments)
        self.statistics += self.statistics.new_tensor(statistics_sum.total.to_vector())
        if self.return_sentence_level_score:
            scores = [segment.score for segment in segments]
            self.segment_scores.append(torch.tensor(scores, dtype=torch.float64, device=self.statistics.device))

    def _score_segments(self, preds: Any, target: Any) -> Iterator[MeteorSegmentScore]:
        """Score hypotheses, or a single hypothesis with its reference or references."""
        if isinstance(preds, str):
            return self.meteor.segments([preds], [target])
        return self.meteor.segments(preds, target)

    def _sync_dist(self, *args: Any, **kwargs: Any) -> None:
        """Synchronize the state across processes. The base class calls this method before it computes the score."""
        # The data type is set explicitly, because a process without segments would send the wrong type.
        if self.return_sentence_level_score and not len(self.segment_scores):
            self.segment_scores = [torch.empty(0, dtype=torch.float64, device=self.statistics.device)]
        super()._sync_dist(*args, **kwargs)

    def compute(self) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Return the corpus score of all segments that have been added.

        Returns:
            The corpus score from 0 to 1, in double precision. With ``return_sentence_level_score``, the result is a
            pair of the corpus score and the segment scores, ``(segments,)``.

        Raises:
            InputError: if there are no segments.
        """
        if not self.segment_count:
            raise InputError("there are no segments to score")
        corpus_statistics = Statistics.from_vector(self.statistics.tolist())
        score = formula.compute(corpus_statistics, self.meteor.chain.parameters).score
        corpus_score = torch.tensor(score, dtype=torch.float64, device=self.statistics.device)
        if self.return_sentence_level_score:
            return corpus_score, dim_zero_cat(self.segment_scores)
        return corpus_score

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot one or several values of the metric; see ``torchmetrics.Metric.plot``."""
        return self._plot(val, ax)


def _hash_signature(signature: str) -> torch.Tensor:
    """Return a hash of a signature that fits into 64 bits: the first 15 hexadecimal digits of its SHA-256."""
    return torch.tensor(int(sha256(signature.encode()).hexdigest()[:15], 16), dtype=torch.int64)


def meteor_score(
    preds: str | Sequence[str],
    target: Sequence[str | Sequence[str]] | str,
    language: str = "en",
    *,
    options: dict[str, Any] | None = None,
    return_sentence_level_score: bool = False,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Return the corpus score of METEOR for the given segments.

    Args:
        preds: the hypotheses, or a single hypothesis.
        target: the reference or the sequence of references of each hypothesis.
        language: the ISO code of the language.
        options: further arguments of :class:`~meteor_e.meteor.Meteor`, such as ``{"task": "adq"}``.
        return_sentence_level_score: whether to return the segment scores in addition to the corpus score.

    Returns:
        The corpus score, or a pair of the corpus score and the segment scores, as :meth:`MeteorScore.compute` returns.

    Raises:
        InputError: if there are no segments, or ``preds`` and ``target`` differ in length.
    """
    metric = MeteorScore(language, options=options, return_sentence_level_score=return_sentence_level_score)
    metric.update(preds, target)
    return metric.compute()
