"""Minimum Bayes risk decoding: the candidate with the best expected score (Kumar and Byrne, 2004).

The candidates of a source are also the references, all of equal weight: a sample from a model, or an n-best list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from meteor_e import InputError
from meteor_e.api import Metric
from meteor_e.base import Floats

__all__ = ["Choice", "choices"]


class Choice(NamedTuple):
    """What was chosen for a source.

    Attributes:
        place: of the chosen candidate, from 0.
        text: the candidate.
        expected: its expected score.
        scores: expected scores of all candidates.
    """

    place: int
    text: str
    expected: float
    scores: Floats


def choices(metric: Metric, sources: Iterable[Sequence[str]], language: str = "") -> Iterator[Choice]:
    """Choose a candidate for each source; of equals, the first.

    Args:
        metric: what scores a candidate against another.
        sources: for each source its candidates.
        language: ISO code of the text; empty where it is not known.

    Raises:
        InputError: for a source without candidates.
    """
    waiting: list[list[str]] = []

    def kept() -> Iterator[Sequence[str]]:
        for number, candidates in enumerate(sources, 1):
            if not len(candidates):
                raise InputError(f"source {number} has no candidates")
            waiting.append(list(candidates))
            yield candidates

    for matrix in metric.pairwise_batches(kept(), language):
        candidates = waiting.pop(0)
        scores: Floats = matrix.mean(axis=1)
        best = int(scores.argmax() if metric.higher_is_better else scores.argmin())
        yield Choice(best, candidates[best], float(scores[best]), scores)
