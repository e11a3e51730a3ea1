"""The stdio protocol: one request per line and its answer, by which tuners and captioning tools drive METEOR.

``SCORE ||| reference [||| reference …] ||| hypothesis``
    is answered by the segment's statistics.
``EVAL ||| statistics``
    is answered by the final score of the statistics. Further groups of statistics are ignored.

This is the protocol of METEOR 1.5. The jar that coco-caption and pycocoevalcap ship has another one:

``EVAL ||| statistics [||| statistics …]``
    is answered by the score of each group and then by the corpus score, each on a line of its own.
``SING ||| statistics``
    is answered by the score of the statistics.

Any other request is answered by one line that begins with ``Error:``. Requests may be in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from meteor_e.java.formats import java_double

STATISTICS = 23
"""Numbers in a line of statistics: 7, and 4 for each of four matchers. METEOR-E has five matchers."""

_NUMBER = re.compile(r"[+-]?(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")

Score = Callable[[list[str], str], Sequence[float]]
Evaluate = Callable[[Sequence[Sequence[float]]], tuple[list[float], float]]


def answer(line: str, score: Score, evaluate: Evaluate, size: int = STATISTICS, *, is_coco: bool = False) -> list[str]:
    """Return the lines that answer a request.

    Args:
        line: the request, without its line end.
        score: returns the statistics of a hypothesis and its references.
        evaluate: returns the score of each group of statistics and the corpus score.
        size: numbers in a line of statistics.
        is_coco: whether to speak the protocol of coco-caption's jar.
    """
    fields = line.split("|||")
    while len(fields) > 1 and not fields[-1]:
        fields.pop()
    command, arguments = fields[0], fields[1:]
    if command.startswith(("SCORE", "score")):
        if len(arguments) < 2:
            return ["Error: specify hypothesis and at least one reference"]
        return [" ".join(map(java_double, score(arguments[:-1], arguments[-1])))]
    if command.startswith(("EVAL", "eval")):
        if is_coco:
            return _evaluate_groups(arguments, evaluate, size)
        return _evaluate_groups(arguments[:1], evaluate, size)[-1:]
    if is_coco and command.startswith(("SING", "sing")):
        return _evaluate_groups(arguments if len(arguments) == 1 else [], evaluate, size)[:1]
    return ["Error: specify SCORE or EVAL or SING" if is_coco else "Error: specify SCORE or EVAL"]


def _evaluate_groups(groups: Sequence[str], evaluate: Evaluate, size: int) -> list[str]:
    """Return the score of each group of statistics and then the corpus score, or one line with an error."""
    if not groups:
        return ["Error: specify Meteor stats"]
    try:
        statistics = [parse_statistics(group, size) for group in groups]
    except ValueError as error:
        return [f"Error: {error}"]
    scores, corpus = evaluate(statistics)
    return [java_double(value) for value in (*scores, corpus)]


def parse_statistics(text: str, size: int = STATISTICS) -> list[float]:
    """Read the numbers of a statistics line; what comes after the last is left aside, as Java does.

    Raises:
        ValueError: saying what is wrong.
    """
    words = text.split()[:size]
    if len(words) < size:
        raise ValueError(f"{size} statistics expected, found {len(words)}")
    return [_number(word) for word in words]


def _number(word: str) -> float:
    if word in ("NaN", "Infinity", "+Infinity", "-Infinity"):
        return float(word.replace("Infinity", "inf").replace("NaN", "nan"))
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"not a number in the statistics: {word[:40]!r}")
    return float(word.replace(",", ""))
