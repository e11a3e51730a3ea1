"""Format output in the same way as METEOR 1.5: header, tables, statistics lines and score files."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from meteor_e.java.formats import java_double, parse_java_int
from meteor_e.scoring.statistics import MatcherCounts, Statistics, statistics_names, statistics_width

if TYPE_CHECKING:
    from meteor_e.java.options import JavaConfiguration
    from meteor_e.scoring.formula import FormulaScores

# METEOR 1.5 prints text lengths first, then four counts per matcher, and finally totals.
_LENGTH_COLUMNS = ("hypothesis_length", "reference_length", "hypothesis_function_words", "reference_function_words")
_MODULE_COLUMNS = ("hypothesis_content", "reference_content", "hypothesis_function", "reference_function")
_TOTAL_COLUMNS = ("chunks", "hypothesis_matched", "reference_matched")


def format_header(configuration: JavaConfiguration, input_format: str) -> str:
    """Return the header of the output, including the empty line at its end.

    Args:
        configuration: the configuration of the run.
        input_format: the format of the files, ``plaintext`` or ``SGML``.
    """
    lines = [
        "Meteor version: 1.5",
        "",
        _format_entry("Eval ID", configuration.evaluation_id),
        "",
        _format_entry("Language", configuration.language_name),
        _format_entry("Format", input_format),
        _format_entry("Task", configuration.task),
        _format_entry("Modules", " ".join(configuration.modules)),
        _format_entry("Weights", " ".join(map(java_double, configuration.weights))),
        _format_entry("Parameters", " ".join(map(java_double, configuration.parameters))),
    ]
    return "\n".join(lines) + "\n\n"


def _format_entry(name: str, value: str, width: int = 16) -> str:
    """Return a line with a name, which is padded to a fixed width, and a value."""
    return f"{name + ':':<{width}}{value}"


def format_corpus_table(statistics: Statistics, scores: FormulaScores, configuration: JavaConfiguration) -> str:
    """Return the table of a system's statistics and scores, including the empty line before it.

    The table has one row for each matcher that has a weight.
    """
    units = "chars" if configuration.options.characters else "words"
    weighted_matchers = statistics.matchers[: len(configuration.weights)]
    lines = [
        "",
        "           Test Matches                  Reference Matches",
        "Stage      Content  Function    Total    Content  Function    Total",
        *[_format_stage(str(stage), counts) for stage, counts in enumerate(weighted_matchers, 1)],
        _format_stage("Total", functools.reduce(MatcherCounts.add, weighted_matchers, MatcherCounts())),
        "",
        _format_entry(f"Test {units}", str(statistics.hypothesis_length), 24),
        _format_entry(f"Reference {units}", str(statistics.reference_length), 24),
        _format_entry("Chunks", str(statistics.chunks), 24),
        _format_entry("Precision", java_double(scores.precision), 24),
        _format_entry("Recall", java_double(scores.recall), 24),
        _format_entry("f1", java_double(scores.f1), 24),
        _format_entry("fMean", java_double(scores.fmean), 24),
        _format_entry("Fragmentation penalty", java_double(scores.fragmentation_penalty), 24),
        "",
        _format_entry("Final score", java_double(scores.score), 24),
        "",
    ]
    return "\n".join(lines)


def _format_stage(name: str, counts: MatcherCounts) -> str:
    """Return a row of the corpus table with the match counts of one matcher, or with the total counts."""
    test_total = counts.hypothesis_content + counts.hypothesis_function
    reference_total = counts.reference_content + counts.reference_function
    return (
        f"{name:<9}{counts.hypothesis_content:>9}{counts.hypothesis_function:>10}{test_total:>9}"
        f"{counts.reference_content:>11}{counts.reference_function:>10}{reference_total:>9}"
    )


def format_scores(scores: FormulaScores, verbose: bool) -> str:
    """Return a segment's score. With ``-vOut``, return tab-separated precision, recall, penalty and score."""
    if not verbose:
        return java_double(scores.score)
    return "\t".join(map(java_double, (scores.precision, scores.recall, scores.fragmentation_penalty, scores.score)))


@functools.cache
def _vector_indexes(matchers: int, slots: int) -> tuple[int | None, ...]:
    """For each value of a METEOR 1.5 statistics line, return its index in meteor_e's statistics vector.

    Args:
        matchers: the number of matchers in the chain.
        slots: the number of modules in the line. For modules beyond the matchers, the index is ``None``.
    """
    names = statistics_names([str(number) for number in range(matchers)])
    indexes = {name: index for index, name in enumerate(names)}
    module_columns = [f"{number}_{name}" for number in range(slots) for name in _MODULE_COLUMNS]
    columns = [*_LENGTH_COLUMNS, *module_columns, *_TOTAL_COLUMNS]
    return tuple(indexes.get(column) for column in columns)


def count_java_statistics(slots: int) -> int:
    """Return the number of values in a statistics line of METEOR 1.5."""
    return len(_vector_indexes(slots, slots))


def make_java_vector(vector: Sequence[int], matchers: int, slots: int) -> list[int]:
    """Return the values of a statistics line of METEOR 1.5. The counts of missing matchers are 0.

    Args:
        vector: statistics in the order of :meth:`~meteor_e.scoring.statistics.Statistics.to_vector`.
        matchers: the number of matchers in the chain.
        slots: the number of modules in the line. Statistics of further matchers are dropped.
    """
    return [0 if index is None else vector[index] for index in _vector_indexes(matchers, slots)]


class JavaStatistics(Statistics):
    """Statistics from an input line, which may be inconsistent, for example with more matches than words."""

    __slots__ = ()

    @property
    def is_perfect(self) -> bool:
        """Return whether all words of both texts match in a single chunk."""
        hypothesis_matched = sum(counts.hypothesis_content + counts.hypothesis_function for counts in self.matchers)
        reference_matched = sum(counts.reference_content + counts.reference_function for counts in self.matchers)
        return (
            self.chunks == 1
            and hypothesis_matched == self.hypothesis_length
            and reference_matched == self.reference_length
        )


def parse_java_statistics(vector: Sequence[Any], slots: int) -> JavaStatistics:
    """Convert the numbers of a statistics line of METEOR 1.5 to statistics. Missing counts are 0."""
    values = dict(zip(_vector_indexes(slots, slots), vector, strict=True))
    complete_vector = [values.get(index, 0) for index in range(statistics_width(slots))]
    return JavaStatistics(*Statistics.from_vector(complete_vector))


def format_statistics(vector: Sequence[int], matchers: int, slots: int) -> str:
    """Format statistics as a line of METEOR 1.5. For the arguments, see :func:`make_java_vector`."""
    return " ".join(map(_format_count, make_java_vector(vector, matchers, slots)))


_format_count = functools.lru_cache(1024)(java_double)
"""Format a count like Java. The results are cached, because most counts are small."""


def compare_lines(left_line: str, right_line: str) -> int:
    """Compare two tab-separated lines of a score file in METEOR 1.5's sort order, and return -1, 0 or 1.

    Segments of the same document are ordered by id if both ids are integers. All other lines, including the lines
    that the option ``-vOut`` produces, are ordered as text.
    """
    left_fields = left_line.split("\t")
    right_fields = right_line.split("\t")
    have_same_document = left_fields[:3] == right_fields[:3]  # set, system and document
    if have_same_document and len(left_fields) == _SEGMENT_FIELDS:
        left_id = _parse_id(left_fields[3])
        right_id = _parse_id(right_fields[3])
        if left_id is not None and right_id is not None:
            return _compare(left_id, right_id)
    # Java compares strings by UTF-16 code units.
    return _compare(left_line.encode("utf-16-be", "surrogatepass"), right_line.encode("utf-16-be", "surrogatepass"))


def _compare(left: Any, right: Any) -> int:
    """Return -1 if the left value is smaller than the right value, 0 if they are equal, and otherwise 1."""
    if left == right:
        return 0
    return -1 if left < right else 1


_SEGMENT_FIELDS = 5
"""The number of fields in a segment's line: set, system, document, segment and score."""


def _parse_id(text: str) -> int | None:
    """Return a segment id as an integer, or ``None`` if Java could not parse the id."""
    try:
        return parse_java_int(text)
    except ValueError:
        return None


def warn(message: str) -> None:
    """Print a warning in the format of METEOR 1.5."""
    print(f"Warning: {message}", file=sys.stderr, flush=True)
