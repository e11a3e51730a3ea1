"""Minimum Bayes risk decoding: the candidates with the best expected scores (Kumar and Byrne, 2004).

The references are other texts for the source, or the candidates themselves: a sample from a model, or an n-best list.
Each has a weight, or all have the same.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from meteor_e.api import Metric
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.progress import Progress, silent
from meteor_e.mbr.candidates import Source
from meteor_e.mbr.methods import Method, Pairs, diverse
from meteor_e.metrics.outputs import pairwise_batches

SCORES = 1 << 19
"""Scores of a source that are in memory at once."""


class Choice(NamedTuple):
    """What was chosen for a source.

    Attributes:
        place: of the chosen candidate, from 0.
        text: the candidate.
        expected: its expected score.
        scores: expected scores of all candidates; NaN for those that a method ruled out.
        best: places of the n best candidates, the best first; with diversity, in the order of the choices.
        source: the candidates and what is known of them.
    """

    place: int
    text: str
    expected: float
    scores: Floats
    best: Sequence[int]
    source: Source


def choices(
    metric: Metric,
    sources: Iterable[Sequence[str] | Source],
    language: str = "",
    *,
    method: Method | None = None,
    best: int = 1,
    diversity: float = 0.0,
    progress: Progress = silent,
) -> Iterator[Choice]:
    """Choose candidates for each source; of equals, the first.

    The matrix of a source is never whole in memory where it is large: only expected scores are kept of its rows.

    Args:
        metric: what scores a candidate against another.
        sources: for each source its candidates.
        language: ISO code of the text; empty where it is not known.
        method: of :mod:`meteor_e.mbr.methods`; by default every pair is scored.
        best: how many to choose; of a source with fewer candidates, all.
        diversity: weight of diversity among them; see :func:`meteor_e.mbr.methods.diverse`.
        progress: told how many candidates of a large source are done.

    Raises:
        ConfigError: if the method, the metric and diversity do not go together.
        InputError: for a source without candidates, with wrong weights, or if a pair cannot be scored.
    """
    if diversity and method is not None and not method.complete:
        raise ConfigError("diversity needs the expected scores of all candidates; this method rules some out")
    every = (_pairs(metric, source, number, language) for number, source in enumerate(sources, 1))
    scored = _exact(metric, every, language, progress) if method is None else _by(method, every, best)
    for number, (source, pairs, scores) in enumerate(scored, 1):
        count = min(best, len(scores) - int(np.isnan(scores).sum()))
        if diversity and count > 1:
            with _of_source(number):
                order = diverse(pairs, scores, count, diversity)
        else:
            order = np.argsort(-pairs.sign * scores, kind="stable")[:count].tolist()  # NaN comes last.
        place = order[0]
        yield Choice(place, source.candidates[place], float(scores[place]), scores, order, source)


_Scored = tuple[Source, Pairs, Floats]


def _pairs(metric: Metric, given: Sequence[str] | Source, number: int, language: str) -> tuple[Source, Pairs]:
    """Check a source; references of weight 0 are left out."""
    source = given if isinstance(given, Source) else Source(given)
    sides: list[list[str]] = []
    for what, texts in (("candidates", source.candidates), ("references", source.references)):
        if texts is None:
            sides.append(sides[0])
            continue
        if not len(texts):
            raise InputError(f"source {number} has no {what}")
        if isinstance(texts, (str, Mapping)) or not all(isinstance(text, str) for text in texts):
            raise InputError(f"source {number}: {what} are a list of texts")
        sides.append(list(texts))
    if source.weights is None:
        return source, Pairs(metric, language, sides[0], sides[1], None)
    weights = np.asarray(source.weights, float)
    if weights.shape != (len(sides[1]),) or not np.isfinite(weights).all() or weights.min() < 0 or not weights.max():
        raise InputError(f"source {number}: weights are numbers, one per reference, not negative, one of them above 0")
    weights = weights / weights.max()
    used = np.flatnonzero(weights)
    weights = weights[used] / weights.sum()
    return source, Pairs(metric, language, sides[0], [sides[1][place] for place in used], weights)


@contextmanager
def _of_source(number: int) -> Iterator[None]:
    """Name the source in errors of what scores one at a time."""
    try:
        yield
    except InputError as error:
        # Places among what was scored are not those of the file.
        what = re.sub(r"^source \d+, hypothesis \d+, reference \d+: ", "", str(error))
        raise InputError(f"source {number}: {what}") from error


def _by(method: Method, sources: Iterable[tuple[Source, Pairs]], best: int) -> Iterator[_Scored]:
    """Score each source by a method."""
    for number, (source, pairs) in enumerate(sources, 1):
        with _of_source(number):
            yield source, pairs, method(pairs, min(best, len(pairs.candidates)))


def _exact(
    metric: Metric, sources: Iterable[tuple[Source, Pairs]], language: str, progress: Progress
) -> Iterator[_Scored]:
    """Score all pairs; small sources share batches."""
    waiting: deque[_Rows] = deque()
    fed: deque[Sequence[str]] = deque()

    def hypotheses() -> Iterator[Sequence[str]]:
        for rows in _rows(sources):
            waiting.append(rows)
            fed.append(rows.pairs.references)
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
            raise InputError(f"source {rows.number}, distinct candidates from {rows.first + 1}: {error}") from error
        if matrix is None:
            return
        rows = waiting.popleft()
        means.append(rows.pairs.expected(matrix))
        if rows.partial:
            progress(f"source {rows.number}", rows.first + len(rows.texts), len(rows.places))
        if rows.first + len(rows.texts) < len(rows.places):
            continue
        scores: Floats = np.concatenate(means)[[rows.places[text] for text in rows.pairs.candidates]]
        means = []
        yield rows.source, rows.pairs, scores


class _Rows(NamedTuple):
    """Rows of the matrix of a source: some of its distinct candidates, which are scored against all references."""

    number: int
    source: Source
    pairs: Pairs
    places: dict[str, int]
    first: int
    texts: list[str]

    @property
    def partial(self) -> bool:
        """Whether the source has other rows."""
        return len(self.texts) < len(self.places)


def _rows(sources: Iterable[tuple[Source, Pairs]]) -> Iterator[_Rows]:
    """Yield the rows of each source, at most so many that they have :data:`SCORES` scores."""
    for number, (source, pairs) in enumerate(sources, 1):
        places = {text: place for place, text in enumerate(dict.fromkeys(pairs.candidates))}
        distinct, step = list(places), max(1, SCORES // len(pairs.references))
        for first in range(0, len(distinct), step):
            yield _Rows(number, source, pairs, places, first, distinct[first : first + step])
