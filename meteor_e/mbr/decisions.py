"""Minimum Bayes risk decoding: the candidates with the best expected scores (Kumar and Byrne, 2004).

The references of a source are its candidates, such as samples from a model or an n-best list, or other texts. Each
reference can have a weight. By default, all references have the same weight.
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
        scores: expected scores of all candidates; NaN for candidates that a method ruled out.
        best: indexes of the best candidates, from the best one.
        source: the source.
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
    """Choose candidates for each source. If several candidates have the best score, the first one is chosen.

    The scores of all pairs of a large source are never in memory at the same time.

    Args:
        metric: the metric that scores a candidate against a reference.
        sources: candidates of each source.
        method: a method of :mod:`meteor_e.mbr.methods`; by default, every pair is scored.
        best: number of candidates to choose. All candidates are chosen if there are fewer.
        progress: called with the number of scored candidates of a large source.

    Raises:
        ConfigError: if the method does not support the metric.
        InputError: if a source does not have candidates, its weights are not valid, or a pair cannot be scored.
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
    """Check a source, and return its pairs.

    Each distinct candidate is scored once. References with weight 0 are left out.
    """
    if not isinstance(source, Source):
        source = Source(check_candidates(source, number))
    texts = check_candidates(source.candidates, number)
    references = texts if source.references is None else check_candidates(source.references, number)
    if not texts or not references:
        raise InputError(f"source {number} does not have {'references' if texts else 'candidates'}")
    weights = None
    if source.weights is not None:
        weights = np.asarray(source.weights, float)
        if weights.min() < 0 or not weights.any():
            raise InputError(f"source {number}: weights must not be negative, and one of them must be positive")
        weights = weights / weights.max()
        positive = np.flatnonzero(weights)
        weights = weights[positive] / weights.sum()
        references = [references[index] for index in positive]
    return Pairs(metric, number, source, list(dict.fromkeys(texts)), references, weights)


def _compute_expected(
    sources: Iterable[Pairs], method: Method | None, best: int, progress: Progress
) -> Iterator[tuple[Pairs, Floats]]:
    """Yield the expected scores of each source. Without a method, small sources are scored together."""

    def is_scored_separately(pairs: Pairs) -> bool:
        return method is not None or len(pairs.candidates) * len(pairs.references) > BLOCK

    for is_separate, group in groupby(sources, is_scored_separately):
        if not is_separate:
            yield from _score_together(group)
            continue
        for pairs in group:
            try:
                if method is None:
                    expected = pairs.compute_expected(range(len(pairs.candidates)), progress)
                else:
                    expected = method(pairs, best)
            except InputError as error:
                # The error contains indexes within the block, which are different in the file.
                message = re.sub(r"^source \d+, hypothesis \d+, reference \d+: ", "", str(error))
                raise InputError(f"source {pairs.number}: {message}") from error
            yield pairs, expected


def _score_together(sources: Iterable[Pairs]) -> Iterator[tuple[Pairs, Floats]]:
    """Yield the expected scores of small sources, whose pairs are scored in common batches."""
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

        # The error counts from the first of these sources, which may not be the first source of the file.
        raise InputError(re.sub(r"^source (\d+)(?=, hyp)", renumber, str(error))) from error
