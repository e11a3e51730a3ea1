"""The stdio protocol: one request per line, one answer for each, by which tuners and captioning tools drive METEOR.

``SCORE ||| reference [||| reference …] ||| hypothesis``
    is answered by the segment's statistics.
``EVAL ||| statistics [||| statistics …]``
    is answered by the score of each and then the corpus score, each on a line.
``SING ||| statistics``
    is answered by their score alone.

Anything else is answered by a line that begins with ``Error:``. Requests can be in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from meteor_e.java.formats import java_double

STATISTICS = 23
"""Numbers a statistics line holds: 7 and 4 for each of four matchers; METEOR-E has five."""

_NUMBER = re.compile(r"[+-]?(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")

Score = Callable[[list[str], str], Sequence[float]]
Evaluate = Callable[[Sequence[Sequence[float]]], tuple[list[float], float]]


def answer(line: str, score: Score, evaluate: Evaluate, size: int = STATISTICS) -> list[str]:
    """Return the lines that answer a request.

    Args:
        line: the request, without its line end.
        score: from references and hypothesis to statistics.
        evaluate: from one or more statistics to the score of each and the corpus score.
        size: numbers a statistics line holds.
    """
    fields = line.split("|||")
    while len(fields) > 1 and not fields[-1]:
        fields.pop()
    command, arguments = fields[0], fields[1:]
    if command.startswith(("SCORE", "score")):
        if len(arguments) < 2:
            return ["Error: specify hypothesis and at least one reference"]
        return [" ".join(map(java_double, score(arguments[:-1], arguments[-1])))]
    if command.startswith(("EVAL", "eval", "SING", "sing")):
        single = command[0] in "Ss"
        if not arguments or (single and len(arguments) > 1):
            return ["Error: specify Meteor stats"]
        try:
            statistics = [parse_statistics(argument, size) for argument in arguments]
        except ValueError as error:
            return [f"Error: {error}"]
        scores, corpus = evaluate(statistics)
        return [java_double(value) for value in (scores if single else [*scores, corpus])]
    return ["Error: specify SCORE or EVAL or SING"]


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
