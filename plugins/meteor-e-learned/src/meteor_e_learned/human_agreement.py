"""How far a metric's decisions and rankings agree with people's."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from meteor_e_evaluation import Rankings, TestSet, correlate, human_system_scores, pairs_of
from numpy.typing import NDArray

from meteor_e.api import InputError, Metric
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.progress import Progress, silent
from meteor_e.metrics.outputs import score_outputs
from meteor_e_learned.extraction import FeatureStore
from meteor_e_learned.prediction import ModelMetric, Ranking, pairwise_advantages, rank_systems, score_advantages


@dataclass(frozen=True)
class Agreement:
    """A metric's decisions beside people's, of two hypotheses of a segment each.

    Attributes:
        comparisons: by people, without ties.
        right: how many of them the metric decides in the same way; where it sees no difference, it is wrong.
    """

    comparisons: int
    right: int

    @property
    def share(self) -> float:
        """The share of right decisions."""
        return self.right / self.comparisons

    @property
    def tau(self) -> float:
        """Kendall's τ, strict as in WMT12: right less wrong over all."""
        return 2 * self.share - 1


@dataclass(frozen=True)
class JudgedRanking:
    """The systems of a test set, ranked by a metric and by people.

    Attributes:
        pair: the language pair.
        systems: names.
        ranking: the metric's, by the judged hypotheses.
        human: people's score of each system; NaN where there is none.
        agreement: of the decisions.
        spearman, kendall: ρ and τ-b of the systems' wins and their human scores; NaN for fewer than two.
    """

    pair: str
    systems: tuple[str, ...]
    ranking: Ranking
    human: tuple[float, ...]
    agreement: Agreement
    spearman: float
    kendall: float


def agreement(rankings: Rankings, advantages: NDArray[np.float64]) -> Agreement:
    """Compare a metric's decisions with people's.

    Args:
        rankings: people's; ties do not count.
        advantages: the metric's, of :func:`~meteor_e_learned.prediction.pairwise_advantages`.

    Raises:
        InputError: if there are no human comparisons without ties.
    """
    strict = rankings.strict()
    if not len(strict):
        raise InputError("there are no human comparisons to agree with")
    found = advantages[strict.better, strict.worse, strict.segments]
    return Agreement(len(strict), int((found > 0).sum()))


def rank_test_set(
    metric: Metric,
    test: TestSet,
    store: FeatureStore,
    cache: ArrayCache,
    *,
    jobs: int = 1,
    progress: Progress = silent,
) -> JudgedRanking:
    """Rank the systems of a test set by the hypotheses that people judged, and compare.

    Args:
        metric: a model, or any other metric, whose scores are compared.
        test: the test set.
        store: where features of models are kept.
        cache: where statistics of other metrics are kept.
        jobs: number of processes that extract features.
        progress: told about the work.

    Raises:
        InputError: if people compared nothing.
    """
    rankings = pairs_of(test)
    if rankings is None:
        raise InputError(f"{test.name} {test.pair}: there are no human comparisons of segments")
    wanted = test.judged()
    if isinstance(metric, ModelMetric):
        references = [list(each) for each in zip(*test.references, strict=True)]
        found = pairwise_advantages(
            metric.model, test.outputs, references, store, names=test.systems, wanted=wanted, jobs=jobs,
            progress=progress,
        )  # fmt: skip
    else:
        scores = score_outputs(metric, test, wanted, cache, systems=False, progress=progress)
        asked_for = np.where(wanted, scores.segments, np.nan)
        found = score_advantages(asked_for if metric.higher_is_better else -asked_for)
    ranking = rank_systems(found)
    people = human_system_scores(test)
    human = tuple(people.get(system, math.nan) for system in test.systems)
    known = [place for place, score in enumerate(human) if not math.isnan(score)]
    pair = np.array(ranking.wins)[known], np.array(human)[known]
    return JudgedRanking(
        test.pair,
        test.systems,
        ranking,
        human,
        agreement(rankings, found),
        correlate(*pair, "spearman"),
        correlate(*pair, "kendall"),
    )
