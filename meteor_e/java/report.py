"""What the Java program prints: header, tables, score files."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from meteor_e.java.formats import java_double, parse_java_int
from meteor_e.scoring.statistics import Statistics, statistics_names, statistics_width

if TYPE_CHECKING:
    from meteor_e.java.options import JavaConfiguration
    from meteor_e.scoring.formula import FormulaScores
    from meteor_e.scoring.statistics import MatcherCounts

# The columns that the Java program prints, in its order, whatever else is counted here.
_BEFORE = ("hypothesis_length", "reference_length", "hypothesis_function_words", "reference_function_words")
_MATCHER = ("hypothesis_content", "reference_content", "hypothesis_function", "reference_function")
_AFTER = ("chunks", "hypothesis_matched", "reference_matched")


def header(configuration: JavaConfiguration, form: str) -> str:
    """Return the lines before the scores, the empty one at their end included.

    Args:
        configuration: what is computed.
        form: ``plaintext`` or ``SGML``.
    """
    entries = {
        "Language": configuration.language_name,
        "Format": form,
        "Task": configuration.task,
        "Modules": " ".join(configuration.modules),
        "Weights": " ".join(map(java_double, configuration.weights)),
        "Parameters": " ".join(map(java_double, configuration.parameters)),
    }
    lines = ["Meteor version: 1.5", "", _entry("Eval ID", configuration.evaluation_id), ""]
    lines += [_entry(name, value) for name, value in entries.items()]
    return "\n".join((*lines, "", ""))


def _entry(name: str, value: str, width: int = 16) -> str:
    return f"{name + ':':<{width}}{value}"


def corpus_table(statistics: Statistics, scores: FormulaScores, configuration: JavaConfiguration) -> str:
    """Return the table of a system's statistics and scores, from the empty line before it to its last line.

    It has a row for every module that has a weight.
    """
    units = "chars" if configuration.options.characters else "words"
    lines = [
        "",
        "           Test Matches                  Reference Matches",
        "Stage      Content  Function    Total    Content  Function    Total",
    ]
    totals = [0, 0, 0, 0]
    for number, counts in enumerate(statistics.matchers[: len(configuration.weights)], 1):
        row = _counts(counts)
        lines.append(_stage(str(number), row))
        totals = [total + count for total, count in zip(totals, row, strict=True)]
    lines += [
        _stage("Total", totals),
        "",
        _entry(f"Test {units}", str(statistics.hypothesis_length), 24),
        _entry(f"Reference {units}", str(statistics.reference_length), 24),
        _entry("Chunks", str(statistics.chunks), 24),
        _entry("Precision", java_double(scores.precision), 24),
        _entry("Recall", java_double(scores.recall), 24),
        _entry("f1", java_double(scores.f1), 24),
        _entry("fMean", java_double(scores.fmean), 24),
        _entry("Fragmentation penalty", java_double(scores.fragmentation_penalty), 24),
        "",
        _entry("Final score", java_double(scores.score), 24),
        "",
    ]
    return "\n".join(lines)


def _counts(counts: MatcherCounts) -> list[int]:
    return [getattr(counts, name) for name in _MATCHER]


def _stage(name: str, counts: Sequence[int]) -> str:
    test_content, reference_content, test_function, reference_function = counts
    return (
        f"{name:<9}{test_content:>9}{test_function:>10}{test_content + test_function:>9}"
        f"{reference_content:>11}{reference_function:>10}{reference_content + reference_function:>9}"
    )


def score_fields(scores: FormulaScores, verbose: bool) -> str:
    """Return a segment's score, or with ``-vOut`` precision, recall, penalty and score, tab-separated."""
    if not verbose:
        return java_double(scores.score)
    return "\t".join(map(java_double, (scores.precision, scores.recall, scores.fragmentation_penalty, scores.score)))


@functools.cache
def _places(matchers: int, slots: int) -> tuple[int | None, ...]:
    """Return for each number of the Java program's line its column in a vector; ``None``: a module that is not there.

    Args:
        matchers: of the chain.
        slots: modules that the line has room for.
    """
    own = statistics_names([str(number) for number in range(matchers)])
    places = {name: place for place, name in enumerate(own)}
    modules = (f"{number}_{name}" for number in range(slots) for name in _MATCHER)
    return tuple(map(places.get, (*_BEFORE, *modules, *_AFTER)))


def vector_width(slots: int) -> int:
    """Return how many numbers the Java program's line has."""
    return len(_places(slots, slots))


def java_vector(vector: Sequence[int], matchers: int, slots: int) -> list[int]:
    """Return the numbers that the Java program prints: modules that are missing are zeros, more are cut off.

    Args:
        vector: statistics as :meth:`~meteor_e.scoring.statistics.Statistics.to_vector` orders them.
        matchers: of the chain.
        slots: modules that the line has room for.
    """
    return [0 if place is None else vector[place] for place in _places(matchers, slots)]


class JavaStatistics(Statistics):
    """The statistics of a line that may come from elsewhere, and count more matches than words."""

    __slots__ = ()

    @property
    def is_perfect(self) -> bool:
        """Whether there is one chunk, and as many matches as words."""
        matched = [sum(counts[side] + counts[side + 2] for counts in self.matchers) for side in (0, 1)]
        return self.chunks == 1 and matched == [self.hypothesis_length, self.reference_length]


def java_statistics(vector: Sequence[Any], slots: int) -> JavaStatistics:
    """Return the statistics of a line of the Java program; what that program does not count is 0."""
    given = dict(zip(_places(slots, slots), vector, strict=True))
    return JavaStatistics(*Statistics.from_vector([given.get(place, 0) for place in range(statistics_width(slots))]))


def statistics_line(vector: Sequence[int], matchers: int, slots: int) -> str:
    """Return a vector of statistics as the Java program prints it; arguments as for :func:`java_vector`."""
    return " ".join(map(_count, java_vector(vector, matchers, slots)))


_count = functools.lru_cache(1024)(java_double)
"""A whole number as Java prints it; segments have few different ones."""


def compare_lines(one: str, other: str) -> int:
    """Compare two lines of a score file, tab-separated, as the Java program sorts them.

    They are compared as text, except for segment ids that are both whole numbers, where set, system and document are
    the same. With ``-vOut`` a line has more fields, and its ids too are compared as text.
    """
    left, right = one.split("\t"), other.split("\t")
    if len(left) == _SEGMENT_FIELDS and left[:3] == right[:3]:
        numbers = _whole(left[3]), _whole(right[3])
        if numbers[0] is not None and numbers[1] is not None:
            return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1])
    a, b = one.encode("utf-16-be", "surrogatepass"), other.encode("utf-16-be", "surrogatepass")
    return (a > b) - (a < b)


_SEGMENT_FIELDS = 5


def _whole(text: str) -> int | None:
    try:
        return parse_java_int(text)
    except ValueError:
        return None
