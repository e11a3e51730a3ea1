"""Answer requests in the stdio protocol of METEOR, which tuners and captioning tools use. Each request is one line.

``SCORE ||| reference [||| reference …] ||| hypothesis``
    The response is the segment's statistics.
``EVAL ||| statistics``
    The response is the final score of the statistics. Further groups of statistics are ignored.

METEOR 1.5 uses the protocol above. The jar in coco-caption and pycocoevalcap uses a different protocol:

``EVAL ||| statistics [||| statistics …]``
    The response is the score of each group and then the corpus score, one per line.
``SING ||| statistics``
    The response is the score of the statistics.

The response to any other request is one line that begins with ``Error:``. Requests may be in lowercase.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TextIO, cast

from meteor_e.base.errors import InputError
from meteor_e.base.files import os_errors_as
from meteor_e.java.formats import java_double, java_lines, java_trim
from meteor_e.java.report import JavaStatistics, count_java_statistics, make_java_vector, parse_java_statistics
from meteor_e.java.scorer import JavaScorer
from meteor_e.scoring.formula import compute
from meteor_e.scoring.statistics import StatisticsSum

STATISTICS = 23
"""The length of a statistics line of METEOR 1.5: 7 numbers, and 4 for each of four matchers. METEOR-E has five."""

_NUMBER = re.compile(r"[+-]?(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")

_MISSING_STATISTICS = "specify Meteor stats"


class RequestError(ValueError):
    """An invalid request. The response contains the error message."""


class Evaluation(NamedTuple):
    """The scores of groups of statistics.

    Attributes:
        group_scores: the score of each group.
        corpus_score: the score of all groups together.
    """

    group_scores: list[float]
    corpus_score: float


def serve(scorer: JavaScorer, stream: TextIO) -> None:
    """Answer the requests on standard input until the end of the input."""
    request_scorer = RequestScorer(scorer)
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


class RequestScorer:
    """Compute the scores and the statistics for requests.

    The statistics always contain counts for every module of METEOR. The counts of unused modules are 0.

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


def answer(line: str, scorer: RequestScorer, *, is_coco: bool = False) -> list[str]:
    """Answer a request of the stdio protocol. The response is a list of lines.

    Args:
        line: the request, without its line end.
        scorer: computes the statistics of texts, and the scores of statistics.
        is_coco: whether to use the protocol of coco-caption's jar.
    """
    name, *arguments = line.split("|||")
    while arguments and not arguments[-1]:
        arguments.pop()  # Java ignores empty strings at the end of a split text.
    commands = _COCO_COMMANDS if is_coco else _RELEASE_COMMANDS
    try:
        for command, respond in commands.items():
            if name.startswith((command, command.lower())):
                return respond(arguments, scorer)
        raise RequestError(f"specify {' or '.join(commands)}")
    except RequestError as error:
        return [f"Error: {error}"]


def _respond_score(arguments: Sequence[str], scorer: RequestScorer) -> list[str]:
    """Return the statistics of a hypothesis. The last argument is the hypothesis, and the others are its references."""
    if len(arguments) < 2:
        raise RequestError("specify hypothesis and at least one reference")
    *references, hypothesis = arguments
    return [" ".join(map(java_double, scorer.score(references, hypothesis)))]


def _respond_first_eval(groups: Sequence[str], scorer: RequestScorer) -> list[str]:
    """Return the score of the first group of statistics."""
    if not groups:
        raise RequestError(_MISSING_STATISTICS)
    return [java_double(scorer.evaluate(groups[:1]).corpus_score)]


def _respond_eval(groups: Sequence[str], scorer: RequestScorer) -> list[str]:
    """Compute a score from each group of statistics. Return these scores, followed by the score of the whole corpus."""
    if not groups:
        raise RequestError(_MISSING_STATISTICS)
    evaluation = scorer.evaluate(groups)
    return list(map(java_double, [*evaluation.group_scores, evaluation.corpus_score]))


def _respond_single(groups: Sequence[str], scorer: RequestScorer) -> list[str]:
    """Return the score for a request that contains exactly one group of statistics. Otherwise, raise RequestError."""
    if len(groups) != 1:
        raise RequestError(_MISSING_STATISTICS)
    return list(map(java_double, scorer.evaluate(groups).group_scores))


_RELEASE_COMMANDS = {"SCORE": _respond_score, "EVAL": _respond_first_eval}
"""The commands of METEOR 1.5, and the functions that respond to them."""

_COCO_COMMANDS = {"SCORE": _respond_score, "EVAL": _respond_eval, "SING": _respond_single}
"""The commands of coco-caption's jar, and the functions that respond to them."""


def parse_statistics(text: str, size: int = STATISTICS) -> list[float]:
    """Parse a statistics line. As in Java, text after the last number is ignored.

    Raises:
        RequestError: if there are not enough numbers, or a word is not a number.
    """
    words = text.split()[:size]
    if len(words) < size:
        raise RequestError(f"{size} statistics expected, found {len(words)}")
    return [_parse_number(word) for word in words]


def _parse_number(word: str) -> float:
    """Parse a number in a statistics line, in any format that Java accepts."""
    if word in ("NaN", "Infinity", "+Infinity", "-Infinity"):
        return float(word.replace("Infinity", "inf").replace("NaN", "nan"))
    if not _NUMBER.fullmatch(word):
        raise RequestError(f"not a number in the statistics: {word[:40]!r}")
    return float(word.replace(",", ""))
