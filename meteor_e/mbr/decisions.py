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
from meteor_e.base.texts import candidates
from meteor_e.formats.nbest import Source
from meteor_e.mbr.methods import BLOCK, Method, Pairs, rank_candidates


class Choice(NamedTuple):
    """What was chosen for a source.

    Attributes:
        place: of the chosen candidate, from 0.
        text: the candidate.
        expected: its expected score.
        scores: expected scores of all candidates; NaN for those that a method ruled out.
        best: places of the n best candidates, the best first.
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
    *,
    method: Method | None = None,
    best: int = 1,
    progress: Progress = silent,
) -> Iterator[Choice]:
    """Choose candidates for each source; ties go to the first candidate.

    The matrix of a large source is never whole in memory: only expected scores are kept of its rows.

    Args:
        metric: what scores a candidate against another.
        sources: for each source its candidates.
        method: of :mod:`meteor_e.mbr.methods`; by default every pair is scored.
        best: how many to choose; of a source with fewer candidates, all.
        progress: told how many candidates of a large source are done.

    Raises:
        ConfigError: if the method and the metric do not go together.
        InputError: for a source without candidates, with wrong weights, or if a pair cannot be scored.
    """
    every = (_pairs(metric, source, number) for number, source in enumerate(sources, 1))
    for pairs, means in _expected(every, method, best, progress):
        places = {text: place for place, text in enumerate(pairs.candidates)}
        scores = means[[places[text] for text in pairs.source.candidates]]
        count = min(best, int((~np.isnan(scores)).sum()))
        order = rank_candidates(scores, pairs.sign)[:count].tolist()
        text = pairs.source.candidates[order[0]]
        yield Choice(order[0], text, float(scores[order[0]]), scores, order, pairs.source)


def _pairs(metric: Metric, given: Sequence[str] | Source, number: int) -> Pairs:
    """Check a source; candidates that come twice are scored once, references of weight 0 are left out."""
    source = given if isinstance(given, Source) else Source(candidates(given, number))
    texts = candidates(source.candidates, number)
    references = texts if source.references is None else candidates(source.references, number)
    if not texts or not references:
        raise InputError(f"source {number} has no {'references' if texts else 'candidates'}")
    weights = None
    if source.weights is not None:
        weights = np.asarray(source.weights, float)
        if weights.min() < 0 or not weights.any():
            raise InputError(f"source {number}: weights are not negative, and one of them is above 0")
        weights = weights / weights.max()
        used = np.flatnonzero(weights)
        weights = weights[used] / weights.sum()
        references = [references[place] for place in used]
    return Pairs(metric, number, source, list(dict.fromkeys(texts)), references, weights)


def _expected(
    sources: Iterable[Pairs], method: Method | None, best: int, progress: Progress
) -> Iterator[tuple[Pairs, Floats]]:
    """Yield the expected scores of each source; without a method, small sources are scored together."""

    def by_itself(pairs: Pairs) -> bool:
        return method is not None or len(pairs.candidates) * len(pairs.references) > BLOCK

    for alone, group in groupby(sources, by_itself):
        if not alone:
            yield from _together(group)
            continue
        for pairs in group:
            try:
                means = (
                    pairs.expected_of(range(len(pairs.candidates)), progress) if method is None else method(pairs, best)
                )
            except InputError as error:
                # Places in a block are not those of the file.
                what = re.sub(r"^source \d+, hypothesis \d+, reference \d+: ", "", str(error))
                raise InputError(f"source {pairs.number}: {what}") from error
            yield pairs, means


def _together(sources: Iterable[Pairs]) -> Iterator[tuple[Pairs, Floats]]:
    """Score all pairs of sources that share batches."""
    given, metrics, left, right = tee(sources, 4)
    first = next(metrics)
    texts, others = (each.candidates for each in left), (each.references for each in right)
    matrices = score_pairs(first.metric, texts, others)
    try:
        for pairs in given:
            yield pairs, pairs.expected(next(matrices))
    except InputError as error:
        # The first of these sources need not be the first of the file.
        told = re.sub(r"^source (\d+)(?=, hyp)", lambda found: f"source {int(found[1]) + first.number - 1}", str(error))
        raise InputError(told) from error
