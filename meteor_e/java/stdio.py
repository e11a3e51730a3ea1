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

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from meteor_e.java.formats import java_double

STATISTICS = 23
"""The length of a statistics line of METEOR 1.5: 7 numbers, and 4 for each of four matchers. METEOR-E has five."""

_NUMBER = re.compile(r"[+-]?(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")

_MISSING_STATISTICS = "specify Meteor stats"

Score = Callable[[list[str], str], Sequence[float]]


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


Evaluate = Callable[[Sequence[str]], Evaluation]


def answer(line: str, score: Score, evaluate: Evaluate, *, is_coco: bool = False) -> list[str]:
    """Answer a request of the stdio protocol. The response is a list of lines.

    Args:
        line: the request, without its line end.
        score: a function that returns the statistics of a hypothesis, from its references and the hypothesis.
        evaluate: a function that parses and scores groups of statistics; see :func:`parse_statistics`.
        is_coco: whether to use the protocol of coco-caption's jar.
    """
    command, *arguments = line.split("|||")
    while arguments and not arguments[-1]:
        arguments.pop()  # Java ignores empty strings at the end of a split text.
    try:
        if command.startswith(("SCORE", "score")):
            return [_score_segment(arguments, score)]
        if is_coco:
            scores = _answer_coco(command, arguments, evaluate)
        else:
            scores = _answer_release(command, arguments, evaluate)
        return [java_double(value) for value in scores]
    except RequestError as error:
        return [f"Error: {error}"]


def _score_segment(arguments: Sequence[str], score: Score) -> str:
    """Return the statistics of a hypothesis and its references. The hypothesis is the last argument of the request."""
    if len(arguments) < 2:
        raise RequestError("specify hypothesis and at least one reference")
    *references, hypothesis = arguments
    return " ".join(map(java_double, score(references, hypothesis)))


def _answer_release(command: str, groups: Sequence[str], evaluate: Evaluate) -> Sequence[float]:
    """Return the scores that METEOR 1.5 responds with. It ignores all groups of statistics after the first one."""
    if command.startswith(("EVAL", "eval")):
        return [_evaluate_groups(groups[:1], evaluate).corpus_score]
    raise RequestError("specify SCORE or EVAL")


def _answer_coco(command: str, groups: Sequence[str], evaluate: Evaluate) -> Sequence[float]:
    """Return the scores that coco-caption's jar responds with."""
    if command.startswith(("EVAL", "eval")):
        evaluation = _evaluate_groups(groups, evaluate)
        return [*evaluation.group_scores, evaluation.corpus_score]
    if not command.startswith(("SING", "sing")):
        raise RequestError("specify SCORE or EVAL or SING")
    if len(groups) != 1:
        raise RequestError(_MISSING_STATISTICS)
    return _evaluate_groups(groups, evaluate).group_scores


def _evaluate_groups(groups: Sequence[str], evaluate: Evaluate) -> Evaluation:
    """Score groups of statistics. Raise RequestError if there are no groups."""
    if not groups:
        raise RequestError(_MISSING_STATISTICS)
    return evaluate(groups)


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
