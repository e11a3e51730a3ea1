"""Serve the stdio protocol: read requests from standard input, and write the responses to standard output."""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Iterator, Sequence
from typing import Any, TextIO, cast

from meteor_e.api.languages import Parameters
from meteor_e.base.errors import InputError
from meteor_e.base.files import os_errors_as
from meteor_e.java.formats import java_lines, java_trim
from meteor_e.java.report import JavaStatistics, count_java_statistics, make_java_vector, parse_java_statistics
from meteor_e.java.scorer import JavaScorer
from meteor_e.java.stdio import Evaluation, answer, parse_statistics
from meteor_e.scoring.formula import compute
from meteor_e.scoring.statistics import StatisticsSum


def serve(scorer: JavaScorer, stream: TextIO) -> None:
    """Answer the requests on standard input until the end of the input."""
    configuration = scorer.configuration
    score = functools.partial(_score_request, scorer)
    evaluate = functools.partial(_evaluate_request, _pad_weights(scorer.parameters, configuration.slots))
    for request in _read_requests():
        try:
            response_lines = answer(request, score, evaluate, is_coco=configuration.options.coco)
        except InputError as error:
            response_lines = [f"Error: {' '.join(str(error).split())}"]
        stream.writelines(line + "\n" for line in response_lines)
        stream.flush()


def _read_requests() -> Iterator[str]:
    """Yield each line of standard input as soon as it has been read."""
    with os_errors_as(InputError, "cannot read standard input"):
        yield from java_lines(cast(Any, sys.stdin.buffer))


def _score_request(scorer: JavaScorer, references: list[str], hypothesis: str) -> list[int]:
    """Score the texts of a request, and return its statistics. The texts are trimmed as in METEOR 1.5."""
    trimmed_hypothesis = java_trim(hypothesis)
    trimmed_references = [java_trim(reference) for reference in references]
    if scorer.configuration.has_unsupported_parameters:
        vector = scorer.rescore_segment(trimmed_hypothesis, trimmed_references).vector
    else:
        vector = scorer.meteor.score(trimmed_hypothesis, trimmed_references).statistics.to_vector()
    return make_java_vector(vector, scorer.n_matchers, scorer.configuration.slots)


def _pad_weights(parameters: Parameters, slots: int) -> Parameters:
    """Pad the weights with zeros, so that there is one weight for each module in a statistics line."""
    padded_weights = (*parameters.weights, *[0.0] * slots)
    return dataclasses.replace(parameters, weights=padded_weights[:slots])


def _evaluate_request(parameters: Parameters, groups: Sequence[str]) -> Evaluation:
    """Compute the score of each group of statistics in a request, and the score of all groups together.

    Args:
        parameters: the parameters of the scores, with one weight for each module of a statistics line.
        groups: a statistics line for each group.
    """
    n_modules = len(parameters.weights)
    n_values = count_java_statistics(n_modules)
    corpus_sum = StatisticsSum(n_modules)
    group_scores = []
    for vector in [parse_statistics(group, n_values) for group in groups]:
        statistics = parse_java_statistics(vector, n_modules)
        corpus_sum.add(statistics)
        group_scores.append(compute(statistics, parameters).score)
    corpus_statistics = JavaStatistics(*corpus_sum.total)
    return Evaluation(group_scores, compute(corpus_statistics, parameters).score)
