"""Serve the stdio protocol: read requests from standard input, and write the responses to standard output."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from typing import Any, TextIO, cast

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
    request_scorer = _JavaRequestScorer(scorer)
    for request in _read_requests():
        try:
            response_lines = answer(request, request_scorer, is_coco=scorer.configuration.options.coco)
        except InputError as error:
            response_lines = [f"Error: {' '.join(str(error).split())}"]
        stream.writelines(line + "\n" for line in response_lines)
        stream.flush()


def _read_requests() -> Iterator[str]:
    """Yield each line of standard input as soon as it has been read."""
    with os_errors_as(InputError, "cannot read standard input"):
        yield from java_lines(cast(Any, sys.stdin.buffer))


class _JavaRequestScorer:
    """Compute the results of requests with a scorer. Statistics lines have one slot for each module of METEOR.

    Args:
        scorer: the scorer of the run.
    """

    def __init__(self, scorer: JavaScorer) -> None:
        self._scorer = scorer
        self._slots = scorer.configuration.slots
        padded_weights = (*scorer.parameters.weights, *[0.0] * self._slots)
        self._parameters = dataclasses.replace(scorer.parameters, weights=padded_weights[: self._slots])

    def score(self, references: list[str], hypothesis: str) -> list[int]:
        """Score a hypothesis, and return its statistics. The texts are trimmed as in METEOR 1.5."""
        trimmed_hypothesis = java_trim(hypothesis)
        trimmed_references = [java_trim(reference) for reference in references]
        if self._scorer.configuration.has_unsupported_parameters:
            vector = self._scorer.rescore_segment(trimmed_hypothesis, trimmed_references).vector
        else:
            vector = self._scorer.meteor.score(trimmed_hypothesis, trimmed_references).statistics.to_vector()
        return make_java_vector(vector, self._scorer.n_matchers, self._slots)

    def evaluate(self, groups: Sequence[str]) -> Evaluation:
        """Return the score of each group of statistics, and the score of all groups together."""
        value_count = count_java_statistics(self._slots)
        vectors = [parse_statistics(group, value_count) for group in groups]
        group_statistics = [parse_java_statistics(vector, self._slots) for vector in vectors]
        group_scores = [compute(statistics, self._parameters).score for statistics in group_statistics]
        corpus_sum = StatisticsSum(self._slots)
        for statistics in group_statistics:
            corpus_sum.add(statistics)
        corpus_statistics = JavaStatistics(*corpus_sum.total)
        return Evaluation(group_scores, compute(corpus_statistics, self._parameters).score)
