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

from meteor_e.java.formats import java_double

STATISTICS = 23
"""The length of a statistics line of METEOR 1.5: 7 numbers, and 4 for each of four matchers. METEOR-E has five."""

_NUMBER = re.compile(r"[+-]?(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")

Score = Callable[[list[str], str], Sequence[float]]
Evaluate = Callable[[Sequence[Sequence[float]]], tuple[list[float], float]]


def answer(line: str, score: Score, evaluate: Evaluate, size: int = STATISTICS, *, is_coco: bool = False) -> list[str]:
    """Answer a request of the stdio protocol. The response is a list of lines.

    Args:
        line: the request, without its line end.
        score: a function that returns the statistics of a hypothesis, from its references and the hypothesis.
        evaluate: a function that returns the scores of groups of statistics and the corpus score.
        size: the number of values in a statistics line.
        is_coco: whether to use the protocol of coco-caption's jar.
    """
    command, *arguments = line.split("|||")
    while arguments and not arguments[-1]:
        arguments.pop()
    if command.startswith(("SCORE", "score")):
        return [_score_segment(arguments, score)]
    if command.startswith(("EVAL", "eval")):
        if is_coco:
            return _evaluate_groups(arguments, evaluate, size)
        # The last line is the corpus score, or an error message.
        return _evaluate_groups(arguments[:1], evaluate, size)[-1:]
    if not is_coco:
        return ["Error: specify SCORE or EVAL"]
    if command.startswith(("SING", "sing")):
        groups = arguments if len(arguments) == 1 else []
        # The first line is the score of the statistics, or an error message.
        return _evaluate_groups(groups, evaluate, size)[:1]
    return ["Error: specify SCORE or EVAL or SING"]


def _score_segment(arguments: Sequence[str], score: Score) -> str:
    """Score the last argument, the hypothesis, against the references. Return statistics or an error message."""
    if len(arguments) < 2:
        return "Error: specify hypothesis and at least one reference"
    *references, hypothesis = arguments
    return " ".join(map(java_double, score(references, hypothesis)))


def _evaluate_groups(groups: Sequence[str], evaluate: Evaluate, size: int) -> list[str]:
    """Return the score of each group of statistics and then the corpus score. Errors are returned as one line."""
    if not groups:
        return ["Error: specify Meteor stats"]
    try:
        statistics = [parse_statistics(group, size) for group in groups]
    except ValueError as error:
        return [f"Error: {error}"]
    scores, corpus = evaluate(statistics)
    return [java_double(value) for value in (*scores, corpus)]


def parse_statistics(text: str, size: int = STATISTICS) -> list[float]:
    """Parse a statistics line. As in Java, text after the last number is ignored.

    Raises:
        ValueError: if there are not enough numbers, or a word is not a number.
    """
    words = text.split()[:size]
    if len(words) < size:
        raise ValueError(f"{size} statistics expected, found {len(words)}")
    return [_parse_number(word) for word in words]


def _parse_number(word: str) -> float:
    """Parse a number in a statistics line, in any format that Java accepts."""
    if word in ("NaN", "Infinity", "+Infinity", "-Infinity"):
        return float(word.replace("Infinity", "inf").replace("NaN", "nan"))
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"not a number in the statistics: {word[:40]!r}")
    return float(word.replace(",", ""))
