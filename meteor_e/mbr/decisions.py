"""Choose the best translation candidates by minimum Bayes risk decoding (Kumar and Byrne, 2004).

The candidates for a source come, for example, from samples of a model or from an n-best list. By default, the
candidates also serve as references with equal weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import compress, groupby
from typing import NamedTuple

import numpy as np

from meteor_e.api import Metric
from meteor_e.api.pair_scores import score_pairs
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import InputError
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import check_candidates
from meteor_e.engine.pairwise import PairError, batch_sources
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
    pairs_of_sources = _read_pairs(metric, sources)
    if method is None:
        scored_sources = _score_all_pairs(pairs_of_sources, progress)
    else:
        scored_sources = _score_separately(pairs_of_sources, partial(method, n_best=best))
    for pairs, expected_scores in scored_sources:
        yield _choose_best(pairs, expected_scores, best)


def _choose_best(pairs: Pairs, expected_scores: Floats, n_best: int) -> Choice:
    """Choose the best candidates of a source.

    Args:
        pairs: the source, with its candidates and references.
        expected_scores: the expected scores of the distinct candidates, or NaN for candidates that have been ruled out.
        n_best: the number of candidates to choose.
    """
    texts = pairs.source.candidates
    score_by_text = dict(zip(pairs.candidates, expected_scores, strict=True))
    # If a candidate is repeated, each copy has the same score.
    scores = np.array([score_by_text[text] for text in texts])
    n_possible = np.count_nonzero(~np.isnan(scores))
    ranking = rank_candidates(scores, pairs.sign)
    chosen_indexes = ranking[: min(n_best, n_possible)].tolist()
    best_index = chosen_indexes[0]
    return Choice(best_index, texts[best_index], float(scores[best_index]), scores, chosen_indexes, pairs.source)


def _read_pairs(metric: Metric, sources: Iterable[Sequence[str] | Source]) -> Iterator[Pairs]:
    """Yield the candidates and references of each source sentence. Source sentences are numbered from 1."""
    for number, texts in enumerate(sources, 1):
        source = texts if isinstance(texts, Source) else Source(check_candidates(texts, number))
        yield _make_pairs(metric, source, number)


def _make_pairs(metric: Metric, source: Source, number: int) -> Pairs:
    """Check the candidates and references of a source. Remove repeated candidates, and references with weight 0.

    Args:
        metric: the metric that scores candidates against references.
        source: the candidates, which can also have references and weights.
        number: the number of the source, for error messages.

    Raises:
        InputError: if there are no candidates or references, or the weights are not valid.
    """
    candidates = check_candidates(source.candidates, number)
    references = candidates if source.references is None else check_candidates(source.references, number)
    if not candidates:
        raise InputError(f"source {number} does not have candidates")
    if not references:
        raise InputError(f"source {number} does not have references")
    pairs = Pairs(metric, number, source, list(dict.fromkeys(candidates)), references, weights=None)
    return pairs if source.weights is None else _weight_references(pairs, source.weights)


def _weight_references(pairs: Pairs, weights: Sequence[float]) -> Pairs:
    """Scale the weights of the references to a sum of 1, and remove the references with weight 0.

    Raises:
        InputError: if a weight is negative, or no weight is positive.
    """
    weight_array = np.asarray(weights, float)
    if weight_array.min() < 0 or not weight_array.any():
        raise InputError(f"source {pairs.number}: weights must not be negative, and one of them must be positive")
    # The sum of the original weights could overflow, so the largest weight is first scaled to 1.
    relative_weights = weight_array / weight_array.max()
    normalized_weights = relative_weights / relative_weights.sum()
    is_used = normalized_weights > 0
    used_references = list(compress(pairs.references, is_used))
    return replace(pairs, references=used_references, weights=normalized_weights[is_used])


def _score_all_pairs(sources: Iterable[Pairs], progress: Progress) -> Iterator[tuple[Pairs, Floats]]:
    """Compute the expected scores of the candidates of each source sentence from the scores of all pairs.

    Consecutive source sentences with few pairs are scored together.
    """
    for batch in batch_sources(sources, lambda pairs: pairs.pair_count):
        for is_large, group in groupby(batch, lambda pairs: pairs.pair_count > BLOCK):
            if is_large:
                yield from _score_separately(
                    group, lambda pairs: pairs.compute_expected(range(len(pairs.candidates)), progress)
                )
            else:
                yield from _score_together(list(group))


def _score_separately(
    sources: Iterable[Pairs], compute_expected: Callable[[Pairs], Floats]
) -> Iterator[tuple[Pairs, Floats]]:
    """For each source sentence, call a function that computes the expected scores of the candidates."""
    for pairs in sources:
        with _source_errors(pairs.number):
            expected_scores = compute_expected(pairs)
        yield pairs, expected_scores


@contextmanager
def _source_errors(number: int) -> Iterator[None]:
    """Add the number of the source sentence to the message of an InputError in the ``with`` block.

    If a hypothesis cannot be scored against a reference, the message of the :class:`PairError` contains the position of
    the two texts within a block of pairs. The new message omits this position, because the position in the whole input
    is different.
    """
    try:
        yield
    except PairError as error:
        raise InputError(f"source {number}: {error.problem}") from error
    except InputError as error:
        raise InputError(f"source {number}: {error}") from error


def _score_together(sources: Sequence[Pairs]) -> Iterator[tuple[Pairs, Floats]]:
    """Score several source sentences in one batch. For each source sentence, yield its candidates' expected scores.

    Raises:
        InputError: if a pair cannot be scored. The message contains the number of the source.
    """
    candidates = [pairs.candidates for pairs in sources]
    references = [pairs.references for pairs in sources]
    score_matrices = score_pairs(sources[0].metric, candidates, references)
    try:
        for pairs, matrix in zip(sources, score_matrices, strict=True):
            yield pairs, pairs.average(matrix)
    except PairError as error:
        # The original error counts sources from the start of this batch. The new error counts all sources of the input.
        number = sources[error.source_number - 1].number
        raise PairError(number, error.pair, error.problem) from error
