"""How far a model's decisions and rankings agree with people's."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from meteor_e_evaluation import Rankings, TestSet, correlate, human_system_scores, pairs_of
from numpy.typing import NDArray

from meteor_e.api import InputError
from meteor_e.base import Progress, silent
from meteor_e_learned.extraction import FeatureStore
from meteor_e_learned.modelfile import LearnedModel
from meteor_e_learned.prediction import Ranking, pairwise_advantages, rank_systems

__all__ = ["Agreement", "JudgedRanking", "agreement", "rank_test_set"]


@dataclass(frozen=True)
class Agreement:
    """A model's decisions beside people's, of two hypotheses of a segment each.

    Attributes:
        comparisons: by people, without ties.
        right: how many of them the model decides in the same way; where it sees no difference, it is wrong.
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
    """The systems of a test set, ranked by a model and by people.

    Attributes:
        pair: the language pair.
        systems: names.
        ranking: the model's, by the judged hypotheses.
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
    """Compare a model's decisions with people's.

    Args:
        rankings: people's; ties do not count.
        advantages: the model's, of :func:`~meteor_e_learned.prediction.pairwise_advantages`.

    Raises:
        InputError: if there are no human comparisons without ties.
    """
    strict = rankings.strict()
    if not len(strict):
        raise InputError("there are no human comparisons to agree with")
    found = advantages[strict.better, strict.worse, strict.segments]
    return Agreement(len(strict), int((found > 0).sum()))


def rank_test_set(
    model: LearnedModel,
    test: TestSet,
    store: FeatureStore,
    *,
    jobs: int = 1,
    progress: Progress = silent,
) -> JudgedRanking:
    """Rank the systems of a test set by the hypotheses that people judged, and compare.

    Raises:
        ConfigError: for a model that does not compare hypotheses.
        InputError: if people compared nothing.
    """
    rankings = pairs_of(test)
    if rankings is None:
        raise InputError(f"{test.name} {test.pair}: there are no human comparisons of segments")
    references = [list(each) for each in zip(*test.references, strict=True)]
    found = pairwise_advantages(
        model, test.outputs, references, store, names=test.systems, wanted=test.judged(), jobs=jobs, progress=progress
    )
    ranking = rank_systems(found)
    scores = human_system_scores(test)
    human = tuple(scores.get(system, math.nan) for system in test.systems)
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
