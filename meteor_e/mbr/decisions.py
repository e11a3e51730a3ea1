"""Minimum Bayes risk decoding: the candidates with the best expected scores (Kumar and Byrne, 2004).

The references are other texts for the source, or the candidates themselves: a sample from a model, or an n-best list.
Each has a weight, or all have the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, tee
from typing import NamedTuple

import numpy as np

from meteor_e.api import Metric
from meteor_e.api.metrics import score_pairs
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import InputError
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import check_candidates
from meteor_e.formats.nbest import Source
from meteor_e.mbr.methods import BLOCK, Method, Pairs, rank_candidates


class Choice(NamedTuple):
    """The choice for a source.

    Attributes:
        candidate_index: index of the chosen candidate, from 0.
        text: the candidate.
        expected: its expected score.
        scores: expected scores of all candidates; NaN for those that a method ruled out.
        best: indexes of the n best candidates, the best first.
        source: the candidates, and what is known of them.
    """

    candidate_index: int
    text: str
    expected: float
    scores: Floats
    best: Sequence[int]
    source: Source


def choices(
    metric: Metric,
    sources: Iterable[Sequence[str] | Source],
    *,
    method: Method | None = None,
    best: int = 1,
    progress: Progress = silent,
) -> Iterator[Choice]:
    """Choose candidates for each source; ties go to the first candidate.

    The matrix of a large source is never whole in memory: only the expected scores of its rows are kept.

    Args:
        metric: what scores a candidate against another one.
        sources: for each source its candidates.
        method: of :mod:`meteor_e.mbr.methods`; by default every pair is scored.
        best: number of candidates to choose; of a source with fewer candidates, all are chosen.
        progress: told the number of candidates of a large source that are done.

    Raises:
        ConfigError: if the method and the metric do not go together.
        InputError: for a source without candidates or with wrong weights, or if a pair cannot be scored.
    """
    all_pairs = (_make_pairs(metric, source, number) for number, source in enumerate(sources, 1))
    for pairs, expected in _compute_expected(all_pairs, method, best, progress):
        index_of = {text: index for index, text in enumerate(pairs.candidates)}
        scores = expected[[index_of[text] for text in pairs.source.candidates]]
        count = min(best, int((~np.isnan(scores)).sum()))
        order = rank_candidates(scores, pairs.sign)[:count].tolist()
        text = pairs.source.candidates[order[0]]
        yield Choice(order[0], text, float(scores[order[0]]), scores, order, pairs.source)


def _make_pairs(metric: Metric, source: Sequence[str] | Source, number: int) -> Pairs:
    """Check a source. Repeated candidates are scored once, and references of weight 0 are left out."""
    if not isinstance(source, Source):
        source = Source(check_candidates(source, number))
    texts = check_candidates(source.candidates, number)
    references = texts if source.references is None else check_candidates(source.references, number)
    if not texts or not references:
        raise InputError(f"source {number} has no {'references' if texts else 'candidates'}")
    weights = None
    if source.weights is not None:
        weights = np.asarray(source.weights, float)
        if weights.min() < 0 or not weights.any():
            raise InputError(f"source {number}: weights are not negative, and one of them is above 0")
        weights = weights / weights.max()
        positive = np.flatnonzero(weights)
        weights = weights[positive] / weights.sum()
        references = [references[index] for index in positive]
    return Pairs(metric, number, source, list(dict.fromkeys(texts)), references, weights)


def _compute_expected(
    sources: Iterable[Pairs], method: Method | None, best: int, progress: Progress
) -> Iterator[tuple[Pairs, Floats]]:
    """Yield the expected scores of each source; without a method, small sources are scored together."""

    def is_scored_alone(pairs: Pairs) -> bool:
        return method is not None or len(pairs.candidates) * len(pairs.references) > BLOCK

    for alone, group in groupby(sources, is_scored_alone):
        if not alone:
            yield from _score_together(group)
            continue
        for pairs in group:
            try:
                if method is None:
                    expected = pairs.compute_expected(range(len(pairs.candidates)), progress)
                else:
                    expected = method(pairs, best)
            except InputError as error:
                # Indexes within a block are not those of the file.
                message = re.sub(r"^source \d+, hypothesis \d+, reference \d+: ", "", str(error))
                raise InputError(f"source {pairs.number}: {message}") from error
            yield pairs, expected


def _score_together(sources: Iterable[Pairs]) -> Iterator[tuple[Pairs, Floats]]:
    """Score all pairs of sources that share batches."""
    all_pairs, metrics, hypotheses, references = tee(sources, 4)
    first = next(metrics)
    matrices = score_pairs(
        first.metric, (pairs.candidates for pairs in hypotheses), (pairs.references for pairs in references)
    )
    try:
        for pairs in all_pairs:
            yield pairs, pairs.average(next(matrices))
    except InputError as error:

        def renumber(match: re.Match[str]) -> str:
            return f"source {int(match[1]) + first.number - 1}"

        # The first of these sources need not be the first of the file.
        raise InputError(re.sub(r"^source (\d+)(?=, hyp)", renumber, str(error))) from error
