"""Choose the best translation candidates by minimum Bayes risk decoding (Kumar and Byrne, 2004).

The candidates of a source are, for example, samples from a model or an n-best list. By default, they also serve as
references, and all references have the same weight.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from meteor_e.api import Metric
from meteor_e.api.pair_scores import score_pairs
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import InputError
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import check_candidates
from meteor_e.engine.pairwise import PAIRS
from meteor_e.formats.nbest import Source
from meteor_e.mbr.methods import BLOCK, Method, Pairs, rank_candidates


class Choice(NamedTuple):
    """Store the candidates that have been chosen for a source sentence.

    Attributes:
        candidate_index: the index of the best candidate.
        text: the text of the best candidate.
        expected: the expected score of the best candidate.
        scores: the expected scores of all candidates, or NaN for candidates that have been ruled out.
        best: the indexes of the chosen candidates, beginning with the best candidate.
        source: the source with all its candidates.
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
    """Choose the best candidates for each source. If several candidates have the same score, the first one is chosen.

    Args:
        metric: the metric that scores a candidate against a reference.
        sources: the candidates of each source.
        method: a method of :mod:`meteor_e.mbr.methods`. By default, all pairs of candidates and references are scored.
        best: the number of candidates to choose per source. If there are fewer candidates, all of them are chosen.
        progress: a callback that receives the number of scored candidates of a large source.

    Yields:
        The best candidates of a source, in the order of the sources.

    Raises:
        ConfigError: if the method does not support the metric.
        InputError: if a source does not have candidates, its weights are not valid, or a pair cannot be scored.
    """
    for pairs, expected in _compute_expected(_read_pairs(metric, sources), method, best, progress):
        yield _choose_best(pairs, expected, best)


def _choose_best(pairs: Pairs, expected: Floats, best: int) -> Choice:
    """Choose the best candidates of a source.

    Args:
        pairs: the source, with its candidates and references.
        expected: the expected scores of its distinct candidates, or NaN for candidates that have been ruled out.
        best: the number of candidates to choose.
    """
    texts = pairs.source.candidates
    expected_by_text = dict(zip(pairs.candidates, expected, strict=True))
    # If a candidate is repeated, each copy has the same score.
    scores = np.array([expected_by_text[text] for text in texts])
    possible_count = np.count_nonzero(~np.isnan(scores))
    ranking = rank_candidates(scores, pairs.sign)
    chosen_indexes = ranking[: min(best, possible_count)].tolist()
    best_index = chosen_indexes[0]
    return Choice(best_index, texts[best_index], float(scores[best_index]), scores, chosen_indexes, pairs.source)


def _read_pairs(metric: Metric, sources: Iterable[Sequence[str] | Source]) -> Iterator[Pairs]:
    """Yield the candidates and references of each source sentence. Source sentences are numbered from 1."""
    for number, source in enumerate(sources, 1):
        yield _make_pairs(metric, source, number)


def _make_pairs(metric: Metric, source: Sequence[str] | Source, number: int) -> Pairs:
    """Check the candidates and references of a source. Remove repeated candidates, and references with weight 0.

    Args:
        metric: the metric that scores candidates against references.
        source: the candidates, or a source that can also have references and weights.
        number: the number of the source, for error messages.

    Raises:
        InputError: if there are no candidates or references, or the weights are not valid.
    """
    if not isinstance(source, Source):
        source = Source(check_candidates(source, number))
    candidates = check_candidates(source.candidates, number)
    references = candidates
    if source.references is not None:
        references = check_candidates(source.references, number)
    if not candidates:
        raise InputError(f"source {number} does not have candidates")
    if not references:
        raise InputError(f"source {number} does not have references")
    weights = None
    if source.weights is not None:
        relative_weights = _scale_weights(source.weights, number)
        is_used = relative_weights != 0
        references = list(itertools.compress(references, is_used))
        weights = relative_weights[is_used] / relative_weights.sum()
    distinct_candidates = list(dict.fromkeys(candidates))
    return Pairs(metric, number, source, distinct_candidates, references, weights)


def _scale_weights(weights: Sequence[float], number: int) -> Floats:
    """Divide the weights of the references by the largest weight, so that the sum of the weights cannot overflow.

    Raises:
        InputError: if a weight is negative, or no weight is positive.
    """
    weight_array = np.asarray(weights, float)
    if weight_array.min() < 0 or not weight_array.any():
        raise InputError(f"source {number}: weights must not be negative, and one of them must be positive")
    return np.asarray(weight_array / weight_array.max())


def _compute_expected(
    sources: Iterable[Pairs], method: Method | None, best: int, progress: Progress
) -> Iterator[tuple[Pairs, Floats]]:
    """Compute the expected scores of the candidates of each source sentence.

    If no method is given, each candidate is scored against each reference. Consecutive source sentences with few pairs
    are scored together.
    """
    group: list[Pairs] = []
    group_pair_count = 0
    for pairs in sources:
        pair_count = len(pairs.candidates) * len(pairs.references)
        is_scored_separately = method is not None or pair_count > BLOCK
        if not is_scored_separately:
            group.append(pairs)
            group_pair_count += pair_count
        if is_scored_separately or group_pair_count >= PAIRS:
            yield from _score_together(group)
            group = []
            group_pair_count = 0
        if is_scored_separately:
            yield pairs, _score_separately(pairs, method, best, progress)
    yield from _score_together(group)


def _score_separately(pairs: Pairs, method: Method | None, best: int, progress: Progress) -> Floats:
    """Compute the expected scores of the candidates of one source sentence, by default by scoring all pairs.

    Raises:
        InputError: if a pair cannot be scored. The message contains the number of the source.
    """
    try:
        if method is None:
            return pairs.compute_expected(range(len(pairs.candidates)), progress)
        return method(pairs, best)
    except InputError as error:
        # The error message contains positions within a block of pairs, not the positions in the file.
        message = re.sub(r"^source \d+, hypothesis \d+, reference \d+: ", "", str(error))
        raise InputError(f"source {pairs.number}: {message}") from error


def _score_together(sources: Sequence[Pairs]) -> Iterator[tuple[Pairs, Floats]]:
    """Score several source sentences in one batch, and yield the expected scores of the candidates of each.

    Raises:
        InputError: if a pair cannot be scored. The message contains the number of the source.
    """
    if not sources:
        return
    candidates = [pairs.candidates for pairs in sources]
    references = [pairs.references for pairs in sources]
    score_matrices = score_pairs(sources[0].metric, candidates, references)
    try:
        for pairs, matrix in zip(sources, score_matrices, strict=True):
            yield pairs, pairs.average(matrix)
    except InputError as error:
        message = str(error)
        # The message counts the sources of this batch from 1. The number in the file replaces the count.
        source_match = re.match(r"source (\d+)(?=, hyp)", message)
        if source_match is not None:
            number = sources[int(source_match[1]) - 1].number
            message = f"source {number}{message[source_match.end() :]}"
        raise InputError(message) from error
