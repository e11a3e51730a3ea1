"""Minimum Bayes risk decoding: the candidate with the best expected score (Kumar and Byrne, 2004).

The candidates of a source are also the references, all of equal weight: a sample from a model, or an n-best list.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from meteor_e.api import Metric
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import InputError
from meteor_e.base.progress import Progress, silent
from meteor_e.metrics.outputs import pairwise_batches

SCORES = 1 << 19
"""Scores of a source that are in memory at once."""


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


def choices(
    metric: Metric, sources: Iterable[Sequence[str]], language: str = "", *, progress: Progress = silent
) -> Iterator[Choice]:
    """Choose a candidate for each source; of equals, the first.

    The matrix of a source is never whole in memory where it is large: only expected scores are kept of its rows.

    Args:
        metric: what scores a candidate against another.
        sources: for each source its candidates.
        language: ISO code of the text; empty where it is not known.
        progress: told how many candidates of a large source are done.

    Raises:
        InputError: for a source without candidates, or if a pair cannot be scored.
    """
    waiting: deque[_Rows] = deque()
    fed: deque[Sequence[str]] = deque()

    def hypotheses() -> Iterator[Sequence[str]]:
        for rows in _rows(sources):
            waiting.append(rows)
            fed.append(rows.candidates)
            yield rows.texts

    def references() -> Iterator[Sequence[str]]:
        while fed:
            yield fed.popleft()

    means: list[Floats] = []
    matrices = pairwise_batches(metric, hypotheses(), language, references())
    while True:
        try:
            matrix = next(matrices, None)
        except InputError as error:
            if not any(rows.partial for rows in waiting):
                raise
            rows = next(rows for rows in waiting if rows.partial)
            raise InputError(f"source {rows.source}, distinct candidates from {rows.first + 1}: {error}") from error
        if matrix is None:
            return
        rows = waiting.popleft()
        means.append(matrix.mean(axis=1))
        if rows.partial:
            progress(f"source {rows.source}", rows.first + len(rows.texts), len(rows.places))
        if rows.first + len(rows.texts) < len(rows.places):
            continue
        scores: Floats = np.concatenate(means)[[rows.places[text] for text in rows.candidates]]
        means = []
        best = int(scores.argmax() if metric.higher_is_better else scores.argmin())
        yield Choice(best, rows.candidates[best], float(scores[best]), scores)


class _Rows(NamedTuple):
    """Rows of the matrix of a source: some of its distinct candidates, which are scored against all candidates."""

    source: int
    candidates: list[str]
    places: dict[str, int]
    first: int
    texts: list[str]

    @property
    def partial(self) -> bool:
        """Whether the source has other rows."""
        return len(self.texts) < len(self.places)


def _rows(sources: Iterable[Sequence[str]]) -> Iterator[_Rows]:
    """Yield the rows of each source, at most so many that they have :data:`SCORES` scores."""
    for source, candidates in enumerate(sources, 1):
        if not len(candidates):
            raise InputError(f"source {source} has no candidates")
        texts = list(candidates)
        if isinstance(candidates, (str, Mapping)) or not all(isinstance(text, str) for text in texts):
            raise InputError(f"source {source}: candidates are a list of texts")
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        distinct, step = list(places), max(1, SCORES // len(texts))
        for first in range(0, len(distinct), step):
            yield _Rows(source, texts, places, first, distinct[first : first + step])
